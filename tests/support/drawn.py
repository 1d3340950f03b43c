"""Tables with columns of all kinds, for trees whose nodes draw columns."""

from __future__ import annotations

import numpy as np


def table(rng, n, d, classes):
    """Columns of all kinds: even, of few values or two, mostly zero, with long ties, whole and large."""
    kinds = [
        lambda: rng.normal(size=n),
        lambda: rng.integers(0, 3, n).astype(float),
        lambda: np.where(rng.random(n) < 0.9, 5.0, -2.5),
        lambda: np.where(rng.random(n) < 0.8, 0.0, rng.integers(1, 400, n)),
        lambda: np.round(rng.exponential(size=n), 1) - 2,
        lambda: rng.integers(0, 70_000, n).astype(float),
        lambda: np.where(rng.random(n) < 0.5, -1e300, rng.normal(size=n)),
        lambda: np.full(n, 7.0),
        lambda: (rng.random(n) < 0.05) * 1.0,
    ]
    X = np.column_stack([kinds[i % len(kinds)]() for i in rng.permutation(d)])
    score = np.argsort(np.argsort(np.tanh(X).sum(axis=1) + rng.normal(size=n)))
    return X, score * classes // n


def numbers(rng, X, classes):
    """A target of numbers of any kind: with ties, far from zero, or so small that squares vanish."""
    y = np.tanh(X).sum(axis=1) + rng.normal(size=len(X))
    kind = int(rng.integers(5))
    if kind == 0:
        return np.round(y)
    if kind == 1:
        return 1e3 + 1e-7 * y  # a mean that rounding moves
    if kind == 2:
        return np.where(rng.random(len(X)) < 0.3, y * 1e-160, y)  # squares that no number holds
    return classes * 1.0 if kind == 3 else y


def assert_same(a, b):
    """Two trees have the same parts."""
    for name in a:
        assert np.array_equal(a[name], b[name], equal_nan=True), name
