"""The naive twin of the direction families: NumPy, scikit-learn's PCA at every node, every cut scored."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA

from support.oracle.criteria import gain

FLAT = 1e-10  # of the largest variance: rounding decides what is below
EQUAL = 1e-6  # relative difference below which two variances count as equal
CLOSE = 1e-9  # of the range along a direction: gaps this small are no gaps


@dataclass
class Found:
    """The best cut of a node, the partitions that tie with it, and whether the directions are settled."""

    gain: float
    left: np.ndarray | None  # rows, as a mask
    settled: bool
    ties: int


def gains(criterion, z, y, w, k):
    """(gain, left) of every cut along positions z."""
    levels = np.unique(z)
    for low, high in itertools.pairwise(levels):
        if high - low > CLOSE * (levels[-1] - levels[0] + 1e-300):
            left = z <= low
            sides = [np.flatnonzero(left).tolist(), np.flatnonzero(~left).tolist()]
            yield gain(criterion, sides, y.tolist(), w.tolist(), k, z.tolist()), left


def components(x, w):
    """Unit rows, and whether their variances are apart from each other and from zero."""
    if len(x) < 2:
        return np.empty((0, x.shape[1])), True
    if (w == w[0]).all():
        with np.errstate(invalid="ignore"):  # rows that do not vary at all
            pca = PCA(svd_solver="full").fit(x)
        variances, rows = pca.explained_variance_, pca.components_
    else:
        centred = (x - np.average(x, axis=0, weights=w)) * np.sqrt(w)[:, None]
        _, s, rows = np.linalg.svd(centred, full_matrices=False)
        variances = s**2
    largest = variances.max(initial=0.0)
    if not largest > 0:
        return np.empty((0, x.shape[1])), True
    keep = variances > FLAT * largest
    v = variances[keep]
    apart = (np.diff(v) < -EQUAL * v[:-1]).all()
    return rows[keep], bool(apart and (variances[~keep] < 1e-20 * largest).all())


def directions(basis, x, y, w, before=None):
    if basis == "features":
        return np.eye(x.shape[1]), True
    if basis == "pca":
        return before
    if basis == "node_pca":
        return components(x, w)
    present = np.unique(y)
    rest = np.array([np.average(x[y != c], axis=0, weights=w[y != c]) for c in present])
    return components(rest, np.ones(len(rest)))


def best_split(basis, criterion, x, y, w, k, before=None, least=1):
    """The best cut over all directions of a node."""
    rows, settled = directions(basis, x, y, w, before)
    found = []
    for v in rows:
        z = x @ v
        if z.max() - z.min() > CLOSE * (np.abs(x) @ np.abs(v)).max():
            found += [f for f in gains(criterion, z, y, w, k) if least <= f[1].sum() <= len(y) - least]
    if not found:
        return Found(-np.inf, None, settled, 0)
    top = max(g for g, _ in found)
    near = {min(m.tobytes(), (~m).tobytes()) for g, m in found if g >= top - 1e-9 * max(1.0, abs(top))}
    left = next(m for g, m in found if g == top)
    return Found(top, left, settled, len(near))


def grow(basis, criterion, x, y, w, k, max_depth=99, least=1):
    """The training predictions of the naive tree, and whether nothing about it was a matter of chance."""
    answers = np.zeros(len(y), dtype=int)
    before = components(x, w) if basis == "pca" else None
    sure = True
    stack = [(np.arange(len(y)), 0)]
    while stack:
        rows, depth = stack.pop()
        weights = np.bincount(y[rows], weights=w[rows], minlength=k)
        answers[rows] = weights.argmax()
        if k > 1 and np.ptp(np.sort(weights)[-2:]) < 1e-9:
            sure = False  # two classes weigh the same
        if depth >= max_depth or (weights > 0).sum() < 2 or len(rows) < 2 * least:
            continue
        f = best_split(basis, criterion, x[rows], y[rows], w[rows], k, before, least)
        sure &= f.settled and f.ties <= 1
        if f.left is None:
            continue
        sides = [rows[f.left], rows[~f.left]]
        shares = [np.bincount(y[s], weights=w[s], minlength=k) / w[s].sum() for s in sides]
        if np.abs(shares[0] - shares[1]).max() < 1e-12:
            continue
        stack += [(s, depth + 1) for s in sides]
    return answers, sure
