"""Trees with linear leaves and other regression trees on rows held out."""
