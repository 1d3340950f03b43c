"""A regression tree is the plain one: at every node no cut has a larger gain by definition, whatever the values, the
weights and the size of the targets, and every set of kernels gives the same bytes."""

from __future__ import annotations

import numpy as np
import pytest

from bough import TreeRegressor, _core

TABLES = ("normal", "ties", "few", "gaps", "zeros")
TARGETS = ("noise", "slope", "whole", "huge", "tiny", "far", "skewed")
WEIGHTS = ("none", "whole", "fractions")
ROWS = 150  # more than two blocks of a sweep


def table(rng, kind, n, d=4):
    X = rng.normal(size=(n, d))
    if kind == "ties":
        return np.round(X, 1)
    if kind == "few":
        return rng.integers(0, 4, (n, d)).astype(float)
    if kind == "gaps":
        X[rng.random((n, d)) < 0.1] = np.nan
    if kind == "zeros":
        X[rng.random((n, d)) < 0.6] = 0.0
    return X


def target(rng, kind, X):
    n = len(X)
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=n)
    if kind == "slope":  # the gain rises from block to block: every one of them has a new best cut
        return np.argsort(np.argsort(np.nan_to_num(X[:, 0]))) ** 3.0
    if kind == "whole":
        return np.round(2 * y)
    factor = {"huge": 1e170, "tiny": 1e-170, "far": 1e-7}.get(kind, 1.0)
    return np.exp(4 * y) if kind == "skewed" else y * factor + (1e3 if kind == "far" else 0.0)


def gains(x, y, w):
    """The gains of all cuts of one column, rows without a value on either side; in long double."""
    known = ~np.isnan(x)
    for level in np.unique(x[known]):
        for missing_left in {False, not known.all()}:
            left = (x <= level) | (~known & missing_left)
            if 0 < left.sum() < len(x):
                yield gain(left, y, w)


def gain(left, y, w):
    n, a, b = w.sum(), w[left].sum(), w[~left].sum()
    apart = (w * y)[left].sum() / a - (w * y)[~left].sum() / b
    return (a / n) * (b / n) * apart * apart


def wide(y, w):
    """Targets near 1 and about their mean, in long double: no square is lost."""
    y, w = y.astype(np.longdouble), w.astype(np.longdouble)
    y = y / np.abs(y).max()
    return y - (w * y).sum() / w.sum(), w


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", TARGETS)
def test_no_cut_of_any_node_has_a_larger_gain_than_the_one_made(kind, weights):
    for seed, style in enumerate(TABLES):
        rng = np.random.default_rng([seed, TARGETS.index(kind), WEIGHTS.index(weights)])
        X = table(rng, style, ROWS)
        y = target(rng, kind, X)
        w = {"whole": rng.integers(1, 4, ROWS) * 1.0, "fractions": rng.random(ROWS) + 0.05}.get(weights, np.ones(ROWS))
        tree = TreeRegressor(max_depth=4).fit(X, y, None if weights == "none" else w)
        reached = tree.decision_path(X).toarray().astype(bool)
        arrays = tree.tree_
        for node in np.flatnonzero(arrays.children_left >= 0):
            rows = reached[:, node]
            y_here, w_here = wide(y[rows], w[rows])
            spread = (w_here * y_here**2).sum() / w_here.sum()
            best = max(max(gains(X[rows, c], y_here, w_here), default=0) for c in range(X.shape[1]))
            made = gain(reached[rows, arrays.children_left[node]], y_here, w_here)
            assert best - made <= 1e-11 * spread, (style, node)


@pytest.mark.parametrize("kind", TARGETS)
def test_kernels_change_no_bit_of_a_regression_tree(kind):
    rng = np.random.default_rng(TARGETS.index(kind))
    X = np.column_stack([table(rng, style, 700, 2) for style in TABLES])
    y = target(rng, kind, X)
    try:
        files = set()
        for name in _core.kernel_names():
            _core.use_kernels(name)
            files.add(TreeRegressor().fit(X, y).model_.to_bytes())
        assert len(files) == 1
    finally:
        _core.use_kernels(_core.kernel_names()[-1])


def test_a_gain_that_rises_in_every_block_of_a_long_list_is_followed_to_its_top():
    y = np.arange(20000.0) ** 9
    tree = TreeRegressor(max_depth=1).fit(np.arange(20000.0)[:, None], y)
    z = (y / y.max()).astype(np.longdouble)
    sums, left = np.cumsum(z - z.mean())[:-1], np.arange(1, 20000)
    assert tree.tree_.n_node_samples[1] == left[np.argmax(sums**2 / (left * (20000 - left)))]


def test_two_rows_are_parted_by_the_first_column_that_tells_them_apart():
    X = [[1.0, 5.0, 9.0], [1.0, 4.0, 3.0]]
    assert TreeRegressor().fit(X, [1e6, 1e6 + 1e-9 + 1]).tree_.feature[0] == 1
