"""Numbers of any size: a table, target or weights times a power of two give the same tree."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bough import DataError, ForestClassifier, Model, ParameterError, TreeClassifier, TreeRegressor
from support.combinations import by_name
from support.data import numeric

EXPONENTS = [-1000, -664, -515, -332, 332, 515, 664, 1000]  # 1e-301, 1e-200, 1e-155, 1e-100, …


def rows(seed=0, n=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    return X, y, X[:, 0] * 2 + rng.normal(size=n), np.exp(rng.normal(size=n))


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("split", by_name("split"))
def test_a_table_of_any_size_is_split_alike(split, standardize, exponent):
    X, y, _, w = rows()
    tree = TreeClassifier(split=split, standardize=standardize, random_state=0, max_depth=4)
    expected = tree.fit(X, y, w).apply(X)
    scaled = np.ldexp(X, exponent)
    assert (tree.fit(scaled, y, w).apply(scaled) == expected).all()


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("split", by_name("split"))
def test_a_target_of_any_size_is_learned_alike(split, exponent):
    X, _, y, w = rows(1)
    tree = TreeRegressor(split=split, random_state=0, max_depth=4).fit(X, y, w)
    scaled = TreeRegressor(split=split, random_state=0, max_depth=4).fit(X, np.ldexp(y, exponent), w)
    assert (scaled.apply(X) == tree.apply(X)).all()
    assert np.ldexp(scaled.predict(X), -exponent) == pytest.approx(tree.predict(X), rel=1e-12)


@pytest.mark.parametrize("exponent", [-1000, -515, 515, 1000])
@pytest.mark.parametrize("criterion", by_name("criterion"))
def test_weights_of_any_size_give_the_same_tree(criterion, exponent):
    X, y, numbers, w = rows(2)
    kind, target = (TreeRegressor, abs(numbers)) if numeric(criterion) else (TreeClassifier, y)
    expected = kind(criterion=criterion, max_depth=4).fit(X, target, w).apply(X)
    assert (kind(criterion=criterion, max_depth=4).fit(X, target, np.ldexp(w, exponent)).apply(X) == expected).all()


def test_targets_at_the_ends_of_float64_are_learned():
    for y in ([-1.7e308, 1.7e308, 1.7e308, -1.7e308], [1e154, 2e154, 2e154, 1e154], [1e-170, 3e-170, 3e-170, 1e-170]):
        tree = TreeRegressor().fit([[0.0], [1.0], [2.0], [3.0]], y)
        assert tree.predict([[0.0], [1.0], [2.0], [3.0]]).tolist() == y
        assert np.isfinite(tree.tree_.impurity).all()


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_hyperplanes_lie_in_the_widest_gap_at_any_size(exponent):
    X, y = load_iris(return_X_y=True)  # where equal gains are parted by the width of their gaps
    trees = [
        ForestClassifier(5, split="elc", random_state=0).fit(np.ldexp(X, e), y).apply(np.ldexp(X, e))
        for e in (0, exponent)
    ]
    assert (trees[0] == trees[1]).all()


@pytest.mark.parametrize("exponent", [-1000, -560, 560, 1000])
@pytest.mark.parametrize("prune", ["cost_complexity", "cost_complexity_cv"])
def test_pruning_refuses_numbers_whose_squares_are_none(prune, exponent):
    X, _, y, _ = rows(3)
    params = {"alpha": 1e-3} if prune == "cost_complexity" else None
    tree = TreeRegressor(prune=prune, prune_params=params, random_state=0)
    with pytest.raises(ParameterError, match=r"power of ten that brings it near 1"):
        tree.fit(X, np.ldexp(y, exponent))
    assert tree.fit(X, np.ldexp(y, exponent // 2)).get_n_leaves() > 0


@pytest.mark.parametrize("cost", [1e-160, 1e-101, 1e101, 1e154, 1e307, 1.7e308])
def test_costs_whose_squares_are_no_numbers_are_refused(cost):
    X, y, _, _ = rows(4)
    with pytest.raises(ParameterError, match="only their ratios count"):
        TreeClassifier(costs={(0, 1): cost}).fit(X, y)


@pytest.mark.parametrize("factor", [1e-99, 1e99])
@pytest.mark.parametrize("prune", [None, "cost_complexity_cv", "minimum_error", "training_errors", "reduced_error"])
@pytest.mark.parametrize("cost_splits", ["pairs", "altered_priors"])
def test_costs_count_by_their_ratios(cost_splits, prune, factor):
    X, y, _, w = rows(4)
    costs = np.array([[0, 3.0, 1], [1, 0, 1], [1, 2, 0]])
    trees = [
        TreeClassifier(costs=c, cost_splits=cost_splits, prune=prune, random_state=0, max_depth=4).fit(X, y, w)
        for c in (costs, costs * factor)
    ]
    assert (trees[0].predict(X) == trees[1].predict(X)).all()
    assert trees[0].get_n_leaves() == trees[1].get_n_leaves()
    assert Model.from_bytes(trees[1].model_.to_bytes()) == trees[1].model_


@pytest.mark.parametrize("place", ["margin", "through"])
@pytest.mark.parametrize("size", [1e300, 1e307, 1.7e308])
def test_hyperplanes_at_the_end_of_float64_part_rows_as_in_training(place, size):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, size=(30, 3)) * size
        y = rng.integers(0, 2, 30)
        tree = TreeClassifier(split="elc", split_params={"place": place}, max_depth=3).fit(X, y)
        counts = np.bincount(tree.apply(X), minlength=tree.tree_.node_count)
        leaves = tree.tree_.kind == "leaf"
        assert (counts[leaves] == tree.tree_.n_node_samples[leaves]).all()


@pytest.mark.parametrize("low", [1e-300, 1e-155])
@pytest.mark.parametrize("criterion", [c for c in by_name("criterion") if not numeric(c)])
def test_weights_far_apart_give_numbers_everywhere(criterion, low):
    X, y = np.arange(12.0).reshape(-1, 1), np.array([0, 1, 1, 0, 2, 0] * 2)
    w = np.where(np.arange(12) % 3 == 0, 1 / low, low)
    tree = TreeClassifier(criterion=criterion).fit(X, y, w)
    assert np.isfinite(tree.tree_.impurity).all()
    assert np.isfinite(tree.predict_proba(X)).all()
    assert (tree.predict(X) == y).all()


def test_weights_that_add_up_to_more_than_a_float64_holds_are_refused():
    with pytest.raises(DataError, match=r"add up to more than a float64 holds \(the largest is 1e\+308\)"):
        TreeClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 0], [1e308, 1e308, 1e308])
