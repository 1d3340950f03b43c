"""Refined trees beside greedy ones of the same depth."""
