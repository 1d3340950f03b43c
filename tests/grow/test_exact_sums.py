"""Gains of a numeric target depend on the set of rows at a node: not on their order, nor on where the target lies."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest

from bough import ForestRegressor, TreeRegressor


def shapes(rng, n):
    """Targets that sums of doubles are wrong about, in one order or another."""
    y = rng.normal(size=n)
    return {
        "plain": y,
        "far away": y + 1e9,
        "tiny": y * 1e-300,
        "huge": y * 1e300,
        "wide": np.exp(rng.uniform(0, 150, n)),
        "both ends": np.where(rng.random(n) < 0.3, 1e15, 1.0) * y,
        "tenths": rng.integers(0, 9, n) / 10,
        "whole": rng.integers(0, 100, n).astype(float),
        "last bit": np.where(rng.random(n) < 0.5, 1.1, np.nextafter(1.1, 2)),
        "below zero": -5.0 - rng.random(n),
    }


def weights_of(rng, n, kind):
    if kind == 0:
        return None
    return rng.integers(1, 9, n).astype(float) if kind == 1 else rng.random(n) ** 3 + 1e-6


def columns(rng, n):
    x = rng.normal(size=n)
    return np.column_stack([x, np.round(x, 1), rng.integers(0, 4, n), np.where(rng.random(n) < 0.8, 0.0, x), -x])


def parts(tree):
    """What the first tree of a model is made of."""
    return {k: v.tobytes() for k, v in tree.model_.trees[0].parts().items() if hasattr(v, "tobytes")}


@pytest.mark.parametrize("name", list(shapes(np.random.default_rng(0), 2)))
@pytest.mark.parametrize("split", ["axis", "random"])
def test_the_order_of_rows_changes_nothing(name, split):
    for seed in range(12):
        rng = np.random.default_rng([seed, 5])
        n = int(rng.choice([3, 9, 40, 300]))
        X, y, w = columns(rng, n), shapes(rng, n)[name], weights_of(rng, n, seed % 3)
        if seed % 2:
            X[rng.random(X.shape) < 0.1] = np.nan
        tree = TreeRegressor(split=split, random_state=0, min_samples_leaf=1 + seed % 3)
        first = parts(tree.fit(X, y, sample_weight=w))
        order = rng.permutation(n)
        assert parts(tree.fit(X[order], y[order], sample_weight=None if w is None else w[order])) == first, seed


def test_the_order_of_columns_moves_no_row_where_no_two_columns_tie():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 5))
    y = X[:, 0] ** 2 + X[:, 1] + rng.normal(size=400)
    tree = TreeRegressor(max_depth=4)
    assert (tree.fit(X, y).predict(X) == tree.fit(X[:, ::-1], y).predict(X[:, ::-1])).all()


def test_nominal_columns_too():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 6, 200)
    y = 0.1 * values + rng.normal(size=200)
    tree = TreeRegressor(categorical_features=[0])
    first = parts(tree.fit(values[:, None], y))
    order = rng.permutation(200)
    assert parts(tree.fit(values[order, None], y[order])) == first


@pytest.mark.parametrize("name", list(shapes(np.random.default_rng(0), 2)))
def test_gain_mean_and_impurity_of_the_root_are_those_of_fractions(name):
    for seed in range(6):
        rng = np.random.default_rng([seed, 8])
        n = int(rng.choice([4, 30, 150]))
        x, y, w = rng.normal(size=n), shapes(rng, n)[name], weights_of(rng, n, seed % 3)
        tree = TreeRegressor(max_depth=1).fit(x[:, None], y, sample_weight=w).tree_
        exact = [(Fraction(v), Fraction(1 if w is None else u)) for v, u in zip(y, y if w is None else w, strict=True)]

        def moments(rows):
            total = sum(u for _, u in rows)
            mean = sum(v * u for v, u in rows) / total
            return total, mean, sum(u * (v - mean) ** 2 for v, u in rows) / total

        total, mean, impurity = moments(exact)
        scale = float(max(abs(v) for v, _ in exact))
        assert abs(tree.value[0].item() - float(mean)) <= 1e-13 * scale
        if not 1e-140 < scale < 1e140:
            continue  # squares that no number holds
        leaf = TreeRegressor(min_samples_split=n + 1).fit(x[:, None], y, sample_weight=w).tree_
        assert leaf.impurity[0] == pytest.approx(float(impurity), rel=1e-12)
        if tree.node_count == 1:
            assert impurity == 0
            continue
        left = [r for r, v in zip(exact, x, strict=True) if v <= tree.threshold[0]]
        right = [r for r, v in zip(exact, x, strict=True) if v > tree.threshold[0]]
        (a, m, _), (b, o, _) = moments(left), moments(right)
        assert tree.gain[0] == pytest.approx(float(a / total * b / total * (m - o) ** 2), rel=1e-12)


def test_what_a_forest_and_a_tree_sum_is_the_same(as_in_forests):
    rng = np.random.default_rng(0)
    X, y = columns(rng, 300), 0.1 * rng.integers(0, 9, 300) + 1e6
    forest = ForestRegressor(n_estimators=1, bootstrap=False, max_features=None, random_state=0).fit(X, y)
    tree = TreeRegressor(random_state=0).fit(X, y)
    assert (forest.predict(X) == tree.predict(X)).all()
    assert parts(forest) == parts(tree)


def test_numbers_over_many_powers_of_ten_are_separated():
    y = np.exp(np.linspace(0, 150, 600))
    tree = TreeRegressor().fit(np.arange(600.0)[:, None], y)
    assert tree.get_n_leaves() == 600
    assert np.allclose(tree.predict(np.arange(600.0)[:, None]), y, rtol=1e-12)


def test_a_very_unbalanced_tree_takes_no_cubic_time():
    y = np.exp(np.linspace(0, 150, 12_000))
    began = time.process_time()
    TreeRegressor(n_jobs=1).fit(np.arange(12_000.0)[:, None], y)
    assert time.process_time() - began < 3  # 16 s before
