"""Naive twins: slow, plain, and obviously right."""
