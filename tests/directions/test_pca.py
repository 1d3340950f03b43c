"""``split="pca"`` projects all rows once; the tree is the one that projects them again at every node."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bough import TreeClassifier, TreeRegressor

# A selector that has something to ask at every node, and lets every number pass: nothing can be projected before.
ASKING = {"selector_params": {"chi2_filter": 0.5}}


def table(rng, style, n):
    X = rng.normal(size=(n, 4)) * [1.0, 3.0, 0.2, 1.0]
    if style == "grid":
        X = np.round(X)
    if style == "gaps":
        X[rng.random(X.shape) < 0.05] = np.nan
    if style == "one":  # the component is a column: the split is along an axis
        X = X[:, :1]
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    return frame.assign(always="the same")


@pytest.mark.parametrize("style", ["plain", "grid", "gaps", "one", "far"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "max_cut", "squared_error"])
def test_projecting_once_gives_the_tree_of_projecting_at_every_node(criterion, style):
    for seed in range(6):
        rng = np.random.default_rng([seed, len(style)])
        X = table(rng, style, int(rng.choice([12, 60, 400])))
        if style == "far":
            X["x1"] += 1e7
        y = np.nan_to_num(X["x0"].to_numpy()) + rng.normal(size=len(X)) / 2
        kind = TreeRegressor if criterion == "squared_error" else TreeClassifier
        if kind is TreeClassifier:
            y = np.digitize(y, [-0.5, 0.6])
        w = rng.choice([1.0, 2.5], len(X)) if seed % 2 else None
        how = {"criterion": criterion, "split": "pca", "standardize": seed % 3 == 0, "max_depth": 5}
        once, again = (kind(**how, **more).fit(X, y, w) for more in ({}, ASKING))
        a, b = once.tree_, again.tree_
        assert a.n_node_samples.tolist() == b.n_node_samples.tolist()
        assert a.feature.tolist() == b.feature.tolist()
        np.testing.assert_allclose(a.gain, b.gain, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(a.threshold, b.threshold, rtol=1e-9, atol=1e-9)
        assert (once.predict(X) == again.predict(X)).all()
        assert (once.apply(X) == again.apply(X)).all()


def test_rows_land_in_prediction_where_they_were_in_training():
    X = np.random.default_rng(0).normal(size=(2000, 9)).round(1)
    y = np.random.default_rng(1).integers(0, 3, 2000)
    for threads in (1, 2):
        tree = TreeClassifier(split="pca", n_jobs=threads).fit(X, y)
        leaves = np.bincount(tree.apply(X), minlength=tree.tree_.node_count)
        inner = tree.tree_.children_left >= 0
        assert (leaves[~inner] == tree.tree_.n_node_samples[~inner]).all()


def test_columns_that_are_drawn_still_take_part_of_each_component():
    X = np.random.default_rng(0).normal(size=(300, 6))
    tree = TreeClassifier(split="pca", max_features=2, random_state=0, max_depth=3).fit(X, X[:, 0] > X[:, 1])
    splits = [tree.tree_.split(i) for i in np.flatnonzero(tree.tree_.children_left >= 0)]
    assert splits
    assert all(len(getattr(s, "columns", [0])) <= 2 for s in splits)


@pytest.mark.parametrize("standardize", [False, True])
def test_columns_of_zeros_and_the_size_of_all_numbers_change_no_tree(standardize):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(900, 5)) * [1.0, 3.0, 0.2, 1.0, 2.0]
    y = np.digitize(X @ rng.normal(size=5) + rng.normal(size=900), [-1, 0, 1])
    with_zeros = np.insert(X, [0, 2, 2, 5], 0.0, axis=1)
    wild = X * 2.0**260  # squares of squares would be too large
    trees = [TreeClassifier(split="pca", standardize=standardize).fit(x, y) for x in (X, with_zeros, wild)]
    for x, tree in zip((with_zeros, wild), trees[1:]):
        assert tree.tree_.n_node_samples.tolist() == trees[0].tree_.n_node_samples.tolist()
        np.testing.assert_allclose(tree.tree_.gain, trees[0].tree_.gain, rtol=1e-12)
        assert (tree.apply(x) == trees[0].apply(X)).all()
