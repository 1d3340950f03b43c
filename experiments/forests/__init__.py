"""Forests of axis, oblique and nominal splits beside those of other libraries, on real data sets."""
