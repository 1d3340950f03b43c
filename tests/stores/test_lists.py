"""What is below nodes of not too many rows, grown from lists of its own: the tree of the general loop and of the naive
grower, whatever the kernels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bough import TreeClassifier, TreeRegressor, _core
from bough.estimators.plan import plan_of
from support.combinations import named
from support.data import numeric, same_trees, tree_of
from support.drawn import assert_same, numbers, table
from support.oracle import trees as oracle

CRITERIA = sorted(n for n, p in named("criterion").items() if not p.traits["projection"])


@pytest.fixture(params=_core.kernel_names())
def kernels(request):
    _core.use_kernels(request.param)
    yield request.param
    _core.use_kernels(_core.kernel_names()[-1])


def grown(tree, X, y, engine, threads=1):
    """By the engine that is chosen, or from row ids: then no node goes on from small lists."""
    data = tree._data_of(X, y)
    plan = plan_of(tree.get_params(), data, seed=tree.random_state, threads=threads)
    return _core.grow(data.for_core(), None, plan._replace(engine=engine)).parts()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_tree_is_that_of_the_general_loop(criterion, kernels):
    for seed in range(12):
        rng = np.random.default_rng([seed, CRITERIA.index(criterion)])
        n, d = int(rng.choice([1, 2, 3, 12, 60, 300, 1500])), int(rng.choice([1, 4, 9, 70]))
        X, classes = table(rng, n, d, int(rng.choice([2, 3, 9])))
        if seed % 3 == 0:
            X = np.repeat(X, 2, axis=0)[:n]  # rows that nothing tells apart
        if seed % 4 == 0:
            X[rng.random(n) < 0.02, 0] = np.nan  # most nodes below do not know of it
        regression = numeric(criterion)
        tree = (TreeRegressor if regression else TreeClassifier)(
            criterion=criterion,
            max_features=[None, None, "sqrt", 0.5][seed % 4],
            count_constant=bool(rng.integers(2)),
            min_samples_leaf=int(rng.choice([1, 1, 2, 5])),
            max_depth=None if seed % 5 else 6,
            min_weight_fraction_leaf=0.0 if seed % 6 else 0.03,
            random_state=seed,
        )
        y = np.abs(numbers(rng, np.nan_to_num(X), classes)) if regression else classes
        if regression:
            y[0] += not y.any()
        assert_same(grown(tree, X, y, ""), grown(tree, X, y, "row_ids"))


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if not numeric(c)])
def test_along_components_the_tree_is_that_of_the_general_loop(criterion, kernels):
    for seed in range(12):
        rng = np.random.default_rng([seed, CRITERIA.index(criterion), 1])
        n, d = int(rng.choice([1, 2, 3, 12, 60, 300, 1500])), int(rng.choice([1, 2, 4, 9, 70]))
        X, y = table(rng, n, d, int(rng.choice([1, 2, 3, 9])))
        X = np.clip(X, -1e3, 1e3)
        if seed % 2 == 0:
            X = np.round(X)  # positions that differ by rounding only
        if seed % 3 == 0:
            X = np.repeat(X, 2, axis=0)[:n]
        tree = TreeClassifier(
            criterion=criterion,
            split="pca",
            standardize=bool(seed % 2),
            min_samples_leaf=int(rng.choice([1, 1, 2, 5])),
            max_depth=None if seed % 5 else 6,
            random_state=seed,
        )
        general = grown(tree, X, y, "row_ids")
        for threads in (1, 3):
            assert_same(grown(tree, X, y, "", threads), general)


@pytest.mark.parametrize("regression", [False, True])
def test_large_nodes_above_it_and_threads_change_nothing(regression):
    rng = np.random.default_rng(3)
    X, y = table(rng, 30_000, 14, 4)
    y = y + rng.normal(size=len(y)) if regression else y
    tree = TreeRegressor(random_state=0) if regression else TreeClassifier(random_state=0)
    lists = grown(tree, X, y, "row_ids")
    for threads in (1, 2, 5):
        assert_same(grown(tree, X, y, "", threads), lists)


@pytest.mark.parametrize("least", [1, 3])
def test_whole_regression_trees_are_those_of_the_naive_grower(least, kernels):
    for seed in range(25):
        rng = np.random.default_rng([seed, least])
        n, d = int(rng.choice([3, 7, 20, 70])), int(rng.integers(1, 5))
        X, _ = table(rng, n, d, 2)
        X = np.where(np.abs(X) > 1e200, -50.0, X)
        y = rng.integers(0, 6, n) * 1.0 if seed % 2 else rng.normal(size=n)
        tree = TreeRegressor(min_samples_leaf=least).fit(X, y)
        columns = [("numeric", X[:, c].tolist()) for c in range(d)]
        rules = oracle.Rules(max_depth=math.inf, min_samples_leaf=least)
        expected = oracle.grow(columns, y.tolist(), [1.0] * n, 0, "squared_error", "auto", rules)
        assert same_trees(tree_of(tree), expected), seed


def test_columns_that_part_the_same_rows_tie_however_far_the_mean_is_away():
    rng = np.random.default_rng(0)
    for mean in (0.0, 1e3, 1e6):
        group, order = rng.integers(0, 40, 400), rng.permutation(400)
        y = mean + 10 * group + 1e-5 * rng.normal(size=400)
        tree = TreeRegressor().fit(np.c_[group, order, -order].astype(float), y)
        assert (tree.tree_.feature == 1).any()
        assert not (tree.tree_.feature == 2).any()  # the last column turned round: the first of two that tie
