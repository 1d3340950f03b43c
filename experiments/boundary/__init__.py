"""Boundary points, and partitions of categories: what the proposal to mlpack (issue 884) discusses, measured."""
