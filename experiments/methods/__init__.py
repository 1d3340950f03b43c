"""Which method when: a few ways to split on all small data sets, by cross-validation."""
