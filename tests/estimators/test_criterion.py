"""criterion="auto": what it stands for, and that the rest of a model says what was taken."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

import bough


@pytest.mark.parametrize(
    ("classes", "given", "expected"),
    [
        (3, {"max_depth": 6}, "twoing"),
        (3, {"max_depth": 7}, "gini"),
        (3, {"max_leaf_nodes": 64}, "twoing"),
        (3, {"max_leaf_nodes": 65}, "gini"),
        (3, {}, "gini"),
        (2, {"max_depth": 3}, "gini"),
        (3, {"max_depth": 3, "split": "elc"}, "twoing"),
        (3, {"max_depth": 3, "costs": {(0, 1): 2.0}}, "gini"),
    ],
)
def test_small_trees_of_three_or_more_classes_grow_by_twoing(classes, given, expected):
    X, y = load_iris(return_X_y=True)
    tree = bough.TreeClassifier(criterion="auto", **given).fit(X[y < classes], y[y < classes])
    assert tree.model_.criterion == expected
    assert tree.criterion == "auto"
    same = bough.TreeClassifier(criterion=expected, **given).fit(X[y < classes], y[y < classes])
    assert tree.model_ == same.model_
    assert tree.origin_["parameters"].get("criterion", "gini") == expected


def test_numbers_have_the_squared_error_and_forests_follow():
    X, y = load_iris(return_X_y=True)
    assert bough.TreeRegressor(criterion="auto").fit(X, y).model_.criterion == "squared_error"
    assert bough.ForestClassifier(3, criterion="auto", max_depth=3).fit(X, y).model_.criterion == "twoing"
    path = bough.TreeClassifier(criterion="auto", max_depth=3).cost_complexity_pruning_path(X, y)
    assert len(path.ccp_alphas) > 1


def test_a_small_tree_of_ten_classes_gains():
    X, y = load_digits(return_X_y=True)
    even = np.arange(len(y)) % 2 == 0
    scores = [
        bough.TreeClassifier(criterion=c, max_depth=4).fit(X[even], y[even]).score(X[~even], y[~even])
        for c in ("gini", "auto")
    ]
    assert scores[1] > scores[0]


def test_elc_is_the_widest_margin_by_twoing():
    assert bough.system("elc").get_params()["criterion"] == "twoing"
    X, y = load_iris(return_X_y=True)
    tree = bough.system("elc", max_depth=3).fit(X, y)
    published = bough.system("cart-elc", max_depth=3).fit(X, y)
    assert tree.score(X, y) >= published.score(X, y)
    assert tree.model_.split(0) is not None
