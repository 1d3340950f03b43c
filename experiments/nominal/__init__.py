"""Chapters 4 and 5 of Mello Pereira (2018) again: partitions of nominal values, and trees made of them."""
