"""What the trees of a forest say together, by whatever way rows go down them: as if each row went by itself."""

from __future__ import annotations

import numpy as np
import pytest

from bough import ForestClassifier, ForestRegressor, _core
from support.drawn import table


def naive(forest, X):
    """The mean over trees of what the leaf says, row by row and number by number."""
    total = 0.0
    for tree in (t.tree_ for t in forest.estimators_):
        says = []
        for row in X:
            node = 0
            while tree.children_left[node] >= 0:
                x = row[tree.feature[node]]
                left = bool(tree.missing_go_to_left[node]) if np.isnan(x) else x <= tree.threshold[node]
                node = (tree.children_left if left else tree.children_right)[node]
            says.append(tree.value[node, 0])
        total = total + np.array(says)
    return total / len(forest.estimators_)


def edges(forest, rng, n, d):
    """Numbers at the thresholds of a forest, and the floats and doubles beside them."""
    cuts = np.concatenate([t.tree_.threshold[t.tree_.children_left >= 0] for t in forest.estimators_])
    at = rng.choice(cuts, (n, d))
    with np.errstate(over="ignore"):
        single = at.astype(np.float32)
        beside = np.nextafter(single, rng.choice([-np.inf, np.inf], (n, d)).astype(np.float32)).astype(np.float64)
    choices = [at, np.nextafter(at, np.inf), single.astype(np.float64), beside, np.zeros((n, d)), -np.zeros((n, d))]
    return np.nan_to_num(np.choose(rng.integers(0, len(choices), (n, d)), choices))


@pytest.mark.parametrize("kernels", _core.kernel_names())
@pytest.mark.parametrize("seed", range(8))
def test_a_forest_says_what_its_trees_say_row_by_row(seed, kernels):
    before = _core.kernel_names()[-1]
    _core.use_kernels(kernels)
    try:
        rng = np.random.default_rng(seed)
        n, d, classes = 400, int(rng.choice([1, 7, 20])), int(rng.choice([2, 5]))
        X, y = table(rng, n, d, classes)
        if seed % 2:
            X = np.round(X.clip(-1e38, 1e38), 1).astype(np.float32).astype(np.float64)
        forest = ForestClassifier(int(rng.choice([3, 12])), random_state=seed).fit(X, y)
        new = edges(forest, rng, 300, d)
        for rows in (X, new.clip(-3e38, 3e38).astype(np.float32).astype(np.float64), new):
            wanted = naive(forest, rows)
            assert np.array_equal(forest.predict_proba(rows), wanted)
            assert np.array_equal(forest.predict_proba(np.asfortranarray(rows)), wanted)
            assert np.array_equal(forest.predict_proba(rows[::3]), wanted[::3])
            gaps = np.where(np.arange(len(rows))[:, None] % 50 == 7, np.nan, rows)
            assert np.array_equal(forest.predict_proba(gaps), naive(forest, gaps))
    finally:
        _core.use_kernels(before)


def test_numbers_that_are_floats_in_some_blocks_only():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, (3000, 300)).astype(np.float64)  # blocks of a few thousand rows
    y = (X[:, 0] + X[:, 1] > X[:, 2] + 20).astype(int)
    forest = ForestClassifier(8, max_features=0.5, random_state=0).fit(X[:500], y[:500])
    many = np.tile(X, (3, 1))
    many[4000:] += 1e-9
    for threads in (1, 2):
        forest.set_params(n_jobs=threads)
        said = forest.predict_proba(many)
        assert np.array_equal(said[:3000], forest.predict_proba(X))
        for row in rng.choice(len(many), 200):
            assert np.array_equal(said[row], naive(forest, many[row : row + 1])[0])


def test_numbers_are_predicted_as_row_by_row():
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(500, 6)), 1).astype(np.float32).astype(np.float64)
    forest = ForestRegressor(10, random_state=0).fit(X, X[:, 0] * X[:, 1] + rng.normal(size=500))
    assert np.array_equal(forest.predict(X), naive(forest, X)[:, 0])
    assert np.array_equal(forest.predict(X + 1e-12), naive(forest, X + 1e-12)[:, 0])
