"""Forests and boosted trees of nominal searches: the future work of the dissertation on nominal columns."""
