"""Tables large enough for the fast paths: blocks, bounds, elision, kernels, threads, packings."""

from __future__ import annotations

import numpy as np
import pytest

from bough import TreeClassifier, TreeRegressor, _core
from bough.estimators.plan import plan_of

CRITERIA = ["gini", "entropy", "gain_ratio", "twoing", "max_cut", "squared_gini"]


def plain_gains(criterion, left, total, z_left, z_total):
    """Gains of many cuts; rows are cuts, columns classes. The contract tests hold `_core.gain` to its definition."""
    right = total - left
    if criterion == "max_cut":  # the sum over pairs, class by class
        z_right = z_total - z_left
        every = left.sum(1) * z_right.sum(1) - right.sum(1) * z_left.sum(1)
        return every - (left * z_right - right * z_left).sum(1)
    return np.array([_core.gain(criterion, np.stack(sides)) for sides in zip(left, right)])


def best_gain(criterion, x, y, w, k):
    """The best gain of one column without missing values."""
    order = np.argsort(x, kind="stable")
    onehot = np.eye(k)[y[order]] * w[order, None]
    z = onehot * (x[order] - np.average(x, weights=w))[:, None]
    cuts = np.flatnonzero(x[order][1:] != x[order][:-1])
    if not len(cuts):
        return -np.inf
    left, z_left = onehot.cumsum(0)[cuts], z.cumsum(0)[cuts]
    return plain_gains(criterion, left, onehot.sum(0), z_left, z.sum(0)).max()


def column(rng, n, style):
    if style == "continuous":
        return rng.normal(size=n)
    if style == "few":
        return rng.integers(0, 9, n).astype(float)
    if style == "sparse":
        return np.where(rng.random(n) < 0.7, 0.0, rng.normal(size=n))
    if style == "whole":
        return rng.integers(-4000, 4000, n).astype(float)
    return np.exp(6 * rng.normal(size=n))  # skewed


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_fast_path_finds_the_plain_optimum(criterion, weighted, classes):
    rng = np.random.default_rng([3, CRITERIA.index(criterion), weighted, classes])
    for style in ["continuous", "few", "sparse", "whole", "skewed"]:
        for n in (300, 2500):
            X = np.column_stack([column(rng, n, style) for _ in range(2)])
            signal = X[:, 0] > np.quantile(X[:, 0], 0.8)
            y = np.where(rng.random(n) < 0.4, signal, rng.integers(0, classes, n)).astype(int)
            w = rng.uniform(0.2, 3, n) if weighted else np.ones(n)
            tree = TreeClassifier(criterion=criterion, max_depth=1, min_info_gain=-1)
            tree.fit(X, y, w if weighted else None)
            best = max(best_gain(criterion, X[:, j], y, w, classes) for j in range(2))
            assert tree.tree_.gain[0] == pytest.approx(best, rel=1e-10, abs=1e-13), (style, n)


def grown(X, y, params=None, engine=""):
    """A tree straight from the core, with a switch that estimators do not have."""
    data = TreeClassifier()._data_of(X, y)
    plan = plan_of(TreeClassifier(**(params or {})).get_params(), data, seed=0, threads=1)
    return _core.grow(data.for_core(), None, plan._replace(engine=engine))


def same_parts(a, b):
    return all(np.array_equal(x, y, equal_nan=True) for x, y in zip(a.parts().values(), b.parts().values()))


def mixed(rng, n, classes=3):
    X = np.column_stack([column(rng, n, s) for s in ("continuous", "few", "sparse", "whole", "skewed")])
    X[rng.random(n) < 0.1, 0] = np.nan
    X[rng.random(n) < 0.5, 3] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int) + (X[:, 1] > 4) + (rng.random(n) < 0.2)
    return X, np.minimum(y, classes - 1)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_packed_entries_of_64_bits_give_the_same_tree(criterion):
    X, y = mixed(np.random.default_rng(5), 1500)
    assert same_parts(grown(X, y, {"criterion": criterion}), grown(X, y, {"criterion": criterion}, engine="row_ids"))


def test_every_kernel_gives_the_same_tree():
    X, y = mixed(np.random.default_rng(6), 4000)
    names = _core.kernel_names()
    try:
        trees = []
        for name in names:
            _core.use_kernels(name)
            trees.append(grown(X, y))
    finally:
        _core.use_kernels(names[-1])
    assert all(same_parts(trees[0], t) for t in trees)


def test_kernels_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="no kernels called 'sse9'"):
        _core.use_kernels("sse9")


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_the_number_of_threads_changes_no_byte_of_the_model(criterion, n_jobs):
    X, y = mixed(np.random.default_rng(7), 20_000)
    one = TreeClassifier(criterion=criterion).fit(X, y)
    many = TreeClassifier(criterion=criterion, n_jobs=n_jobs).fit(X, y)
    assert one.model_.to_bytes() == many.model_.to_bytes()


def test_threads_change_nothing_with_weights_random_columns_and_best_first():
    rng = np.random.default_rng(8)
    X, y = mixed(rng, 20_000)
    w = rng.uniform(0.1, 2, len(y))
    for params in ({"max_features": 2}, {"max_leaf_nodes": 40}, {"split": "random"}, {"min_samples_leaf": 5}):
        a = TreeClassifier(random_state=3, **params).fit(X, y, w)
        b = TreeClassifier(random_state=3, n_jobs=2, **params).fit(X, y, w)
        assert a.model_.to_bytes() == b.model_.to_bytes(), params
    a, b = TreeRegressor().fit(X, X[:, 1] + 0.1 * w), TreeRegressor(n_jobs=2).fit(X, X[:, 1] + 0.1 * w)
    assert a.model_.to_bytes() == b.model_.to_bytes()


def test_training_rows_end_in_the_leaves_that_counted_them():
    rng = np.random.default_rng(9)
    X, y = mixed(rng, 3000)
    for params in ({}, {"criterion": "max_cut"}, {"min_samples_leaf": 7}, {"split": "random", "random_state": 1}):
        tree = TreeClassifier(**params).fit(X, y)
        leaves = tree.apply(X)
        counts = np.bincount(leaves, minlength=tree.tree_.node_count)
        own = np.where(tree.tree_.kind == "leaf", tree.tree_.n_node_samples, 0)
        assert (counts == own).all()


def test_whole_numbers_with_gaps_wider_than_the_rank_bits_are_separated():
    # 300,000 rows and 7 classes leave 10 bits for ranks; gaps of 1024 look like none in them.
    rng = np.random.default_rng(10)
    n = 300_000
    x = rng.choice([0.0, 1024.0, 2048.0, 4096.0, 5000.0], n)
    y = (x / 1024).astype(int) % 7
    y[:7] = range(7)
    X = np.column_stack([x, rng.integers(0, 3000, n)]).astype(float)
    tree = TreeClassifier(max_depth=4).fit(X, y)
    assert tree.score(X, y) > 0.9999
