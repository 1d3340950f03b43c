"""Long runs that try to break the library; see `python -m fuzz --help`."""
