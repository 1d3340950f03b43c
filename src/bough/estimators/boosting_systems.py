"""The systems of boosted trees."""

from __future__ import annotations

from dataclasses import replace

from .combination import System

BOOSTED = [
    replace(System(name, doc, source, params), boosted=True, numbers={})
    for name, doc, source, params in (
        ("boosted-axis", "boosted trees, axis splits", "Friedman 2001", {"split": "axis"}),
        (
            "boosted-elc",
            "boosted trees of few leaves with the best splits over two columns",
            "ours, after Friedman 2001",
            {"split": "elc", "split_params": {"max_planes": 3000}, "max_leaf_nodes": 8},
        ),
        ("boosted-nominal", "boosted trees, best partitions of categories", "Fisher 1958", {"nominal": "exact"}),
    )
]
