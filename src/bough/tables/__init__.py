"""Tables of any kind as columns: names, kinds, categories, files."""
