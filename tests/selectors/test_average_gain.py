"""average_gain: what a split tells comes from its family, whatever else the family keeps of it."""

import numpy as np
import pandas as pd
import pytest

from bough import TreeClassifier


@pytest.mark.parametrize("split", ["random", "node_pca"])
def test_where_zero_lies_makes_no_difference(split):
    """Thresholds were once taken for bits."""
    params = {"split_params": {"candidates": 3}} if split == "random" else {}
    shift = np.array([4096.0, 0, 0])
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 16, (60, 3)).astype(float)
        y = (X[:, 1] + rng.normal(size=60) > 8).astype(int)
        trees = [
            TreeClassifier(
                split=split, criterion="gain_ratio", selector="average_gain", max_depth=2, random_state=seed, **params
            ).fit(x, y)
            for x in (X, X + shift)
        ]
        assert (trees[0].tree_.feature == trees[1].tree_.feature).all()
        assert (trees[0].predict(X) == trees[1].predict(X + shift)).all()


def test_a_split_with_a_child_for_each_value_counts_what_it_tells():
    """It once counted as telling nothing."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    X = pd.DataFrame({"x": rng.normal(size=90), "s": np.array(["p", "q", "r"])[y]})
    tree = TreeClassifier(criterion="gain_ratio", selector="average_gain", nominal="multiway").fit(X, y)
    assert tree.tree_.kind[0] == "multiway"
    assert tree.get_n_leaves() == 3
