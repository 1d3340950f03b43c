"""Should ``min_ratio`` leave nominal columns of few values alone? Trees with and without, on real and made sets."""
