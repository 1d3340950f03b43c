"""``split="random"``: the drawn columns and thresholds, and the best of them, by definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.tree import ExtraTreeClassifier

import bough
from bough import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor
from support.oracle.random_splits import root_split

CRITERIA = ["gini", "entropy", "max_cut", "squared_error"]


def table(rng, n, layout):
    X = rng.normal(size=(n, 5)).round(int(rng.integers(0, 3)))
    X[:, int(rng.integers(5))] = 2.5  # a column that does not vary is not drawn
    if rng.random() < 0.3:
        X[rng.random(X.shape) < 0.1] = np.nan
    return np.asfortranarray(X) if layout == "columns" else X


@pytest.mark.parametrize("draw", ["range", "row", "midpoint"])
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_root_is_the_best_of_the_thresholds_that_are_drawn(criterion, layout, draw):
    for seed in range(60 if draw == "range" else 30):
        rng = np.random.default_rng([seed, CRITERIA.index(criterion)])
        n, k = int(rng.choice([2, 3, 8, 30, 150])), 0 if criterion == "squared_error" else int(rng.choice([2, 3, 6]))
        X = table(rng, n, layout)
        y = np.round(rng.normal(size=n), 1) if k == 0 else np.unique(rng.integers(0, k, n), return_inverse=True)[1]
        if len(set(y)) == 1:
            continue
        w = rng.choice([1.0, 2.0, 0.3], n) if rng.random() < 0.4 else np.ones(n)
        tries = int(rng.choice([0, 1, 2, 5, 9]))  # 0: all
        extra = {} if k == 0 else {"min_info_gain": -1.0}
        tree = (TreeClassifier if k else TreeRegressor)(
            criterion=criterion,
            split="random",
            split_params={"candidates": tries, "draw": draw},
            max_depth=1,
            random_state=seed,
            **extra,
        ).fit(X, y, None if (w == 1).all() else w)
        expected = root_split(
            X.T.tolist(), y.tolist(), w.tolist(), int(y.max()) + 1 if k else 0, criterion, seed, tries or 5, draw
        )
        if expected is None:
            assert tree.get_n_leaves() == 1
            continue
        column, cut, gain = expected
        made = tree.tree_
        assert (made.feature[0], made.threshold[0]) == (column, cut), (seed, n, tries)
        assert math.isclose(made.gain[0], gain, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("draw", ["row", "midpoint"])
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_thresholds_from_the_rows_of_a_node_are_the_same_in_forests_and_for_any_threads(draw, task):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 6)).round(1)
    X[:, 3] = 1e6 + rng.integers(0, 3, 4000)
    y = X[:, 0] * X[:, 1] + X[:, 3]
    y = np.digitize(y, np.quantile(y, [0.3, 0.8])) if task == "classes" else y
    estimator, ensemble = (TreeClassifier, ForestClassifier) if task == "classes" else (TreeRegressor, ForestRegressor)
    given = {"split": "random", "split_params": {"draw": draw, "candidates": 2}, "random_state": 7}
    tree = estimator(n_jobs=1, **given).fit(X, y)
    assert estimator(n_jobs=3, **given).fit(X, y).model_.to_bytes() == tree.model_.to_bytes()
    forest = ensemble(1, bootstrap=False, max_features=None, **given).fit(X, y)
    assert (forest.predict(X) == tree.predict(X)).all()
    drawn = ensemble(7, max_features=3, n_jobs=1, **given).fit(X, y)
    assert ensemble(7, max_features=3, n_jobs=4, **given).fit(X, y).model_.to_bytes() == drawn.model_.to_bytes()
    thresholds = tree.tree_.threshold[tree.tree_.kind == "axis"]
    columns = tree.tree_.feature[tree.tree_.kind == "axis"]
    seen = all(t in X[:, c] for t, c in zip(thresholds, columns, strict=True))
    assert seen == (draw == "row")


def test_the_number_of_a_row_is_as_likely_as_it_is_frequent_and_a_midpoint_is_not():
    x = np.repeat([0.0, 1.0, 2.0], [90, 10, 100])[:, None]
    y = np.arange(200) % 2
    roots = {
        draw: np.mean(
            [
                TreeClassifier(
                    split="random", split_params={"draw": draw}, max_depth=1, min_info_gain=-1.0, random_state=s
                )
                .fit(x, y)
                .tree_.threshold[0]
                < 1
                for s in range(400)
            ]
        )
        for draw in ("row", "midpoint", "range")
    }
    assert abs(roots["row"] - 0.9) < 0.06
    assert abs(roots["midpoint"] - 0.5) < 0.1
    assert abs(roots["range"] - 0.5) < 0.1


def test_extra_trees_try_every_column_that_is_drawn():
    X = np.random.default_rng(2).normal(size=(1500, 16))
    y = X[:, 0] + X[:, 1] > 0
    ours = bough.system("extra-trees", n_estimators=20, random_state=0).fit(X, y)
    theirs = ExtraTreesClassifier(20, random_state=0).fit(X, y)
    leaves = [[t.get_n_leaves() for t in forest.estimators_] for forest in (ours, theirs)]
    assert abs(np.mean(leaves[0]) / np.mean(leaves[1]) - 1) < 0.05


def test_few_rows_and_many_are_divided_as_thresholds_say():
    X = np.random.default_rng(0).normal(size=(3000, 7))
    for candidates in (1, 7):
        tree = TreeRegressor(split="random", split_params={"candidates": candidates}, random_state=3).fit(X, X[:, 2])
        assert tree.get_n_leaves() == 3000
        assert tree.score(X, X[:, 2]) == 1.0


def test_trees_are_as_large_as_those_of_scikit_learn():
    X = np.random.default_rng(1).normal(size=(2000, 6))
    y = X[:, 0] + X[:, 1] > 0
    ours = [
        TreeClassifier(split="random", split_params={"candidates": 6}, random_state=s).fit(X, y).get_n_leaves()
        for s in range(10)
    ]
    theirs = [ExtraTreeClassifier(max_features=None, random_state=s).fit(X, y).get_n_leaves() for s in range(10)]
    assert abs(np.mean(ours) - np.mean(theirs)) < 3 * np.std(theirs)
