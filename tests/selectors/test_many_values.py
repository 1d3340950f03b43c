"""Columns of many values do not win by their number: the ratio that `min_ratio` asks for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bough


def ratio_of(codes, y):
    """The F of a nominal column by its definition: what the values explain, per value, over what a row explains."""
    n, values = len(y), sorted(set(codes))
    if y.dtype.kind == "f":
        whole = ((y - y.mean()) ** 2).sum()
        within = sum(((y[codes == v] - y[codes == v].mean()) ** 2).sum() for v in values)
    else:

        def spread(part):
            return len(part) - sum((part == c).sum() ** 2 for c in set(part.tolist())) / len(part)

        whole, within = spread(y), sum(spread(y[codes == v]) for v in values)
    return (whole - within) / whole * (n - 1) / (len(values) - 1)


@pytest.mark.parametrize("regression", [False, True])
def test_a_column_of_many_values_is_split_where_its_ratio_reaches_the_limit(regression):
    rng = np.random.default_rng(5)
    kind = bough.TreeRegressor if regression else bough.TreeClassifier
    for _ in range(20):
        codes = rng.integers(0, 30, 120)
        signal = rng.normal(size=30)[codes] * rng.random() + rng.normal(size=120)
        y = signal if regression else (signal > 0).astype(int)
        found = ratio_of(codes, y)
        X = pd.DataFrame({"g": [f"v{c}" for c in codes]})
        for limit, splits in ((found * 0.999, True), (found * 1.001, found > 1)):  # in reserve while above 1
            tree = kind(max_depth=1, selector_params={"min_ratio": limit}, random_state=0).fit(X, y)
            assert (tree.get_n_leaves() == 2) == splits


def test_an_id_does_not_win_by_its_number_of_values():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    y = (x > 0) ^ (rng.random(2000) < 0.2)
    X = pd.DataFrame({"id": [f"u{i}" for i in range(2000)], "x": x})
    tree = bough.TreeClassifier(max_depth=1).fit(X, y)
    assert tree.tree_.feature[0] == 1
    assert bough.TreeClassifier(max_depth=1, selector_params={"min_ratio": 0}).fit(X, y).tree_.feature[0] == 0
    assert bough.TreeClassifier().fit(X[["id"]], y).get_n_leaves() == 1  # its ratio is exactly 1


def test_two_flags_whose_xor_is_the_class_are_learned():
    a, b = (v.ravel() for v in np.meshgrid([0, 1] * 10, [0, 1] * 10))
    X = pd.DataFrame({"a": np.where(a, "u", "v"), "b": np.where(b, "u", "v")})
    assert bough.TreeClassifier(min_info_gain=-1).fit(X, a ^ b).score(X, a ^ b) == 1


def test_published_systems_hold_no_column_back():
    rng = np.random.default_rng(1)
    X, y = pd.DataFrame({"id": [f"u{i}" for i in range(60)]}), rng.integers(0, 2, 60)
    assert bough.system("cart", prune=None).fit(X, y).score(X, y) == 1
