"""The local search of `greedy` and `gw`: limited, switched off, and as the sources have it."""

from __future__ import annotations

import numpy as np
import pytest

import bough


def test_the_local_search_of_greedy_can_be_limited_or_switched_off():
    rng = np.random.default_rng(0)
    for _ in range(20):
        table = rng.integers(0, 8, (14, 4))
        cuts = {
            name: bough.partition(table, search="greedy", criterion="squared_gini", **p).gain
            for name, p in {
                "none": {"local": "none"},
                "one": {"most_steps": 1},
                "moves": {"local": "moves"},
                "swaps": {},
                "large": {"least_gain": 1.0},
            }.items()
        }
        assert cuts["none"] == cuts["large"]
        for some in ("one", "moves"):  # the same steps, but not all of them
            assert cuts["none"] <= cuts[some] + 1e-12 <= cuts["swaps"] + 2e-12
        left = greedy_cut(table)
        assert cuts["none"] == pytest.approx(squared_gini_of(table, left))


def greedy_cut(table):
    """Values in their order, each to the side to which it has less weight (Sahni and Gonzalez)."""
    left = []
    for v in range(len(table)):
        weight = [table[v].sum() * table[u].sum() - (table[v] * table[u]).sum() for u in range(v)]
        to_left = sum(w for w, side in zip(weight, left, strict=True) if side)
        left.append(not to_left > sum(weight) - to_left)
    return np.array(left)


def squared_gini_of(table, left):
    n, a, b = table.sum(), table[left].sum(axis=0), table[~left].sum(axis=0)
    return 2 * (a.sum() * b.sum() - (a * b).sum()) / n**2


def test_gw_as_published_has_neither_greedy_start_nor_local_search():
    rng = np.random.default_rng(3)
    worse = 0
    for _ in range(10):
        table = rng.integers(0, 8, (16, 4))
        published = {"local": "none", "greedy_start": False, "hyperplanes": 1}
        one, all_of_it = (
            bough.partition(table, search="gw", criterion="squared_gini", random_state=0, **p).gain
            for p in (published, {})
        )
        assert one <= all_of_it + 1e-12
        worse += one < all_of_it - 1e-9
    assert worse > 0
