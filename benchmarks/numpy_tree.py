"""A Max-Cut or Gini tree along principal components as one writes it in NumPy: scikit-learn's PCA at every
node, one vectorised pass over the sorted positions of each direction."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import PCA

Array = npt.NDArray[Any]


def directions(X: Array, y: Array, basis: str) -> Array:
    if basis == "node_means_pca":
        X = np.array([X[y != c].mean(axis=0) for c in np.unique(y)])
    pca = PCA(svd_solver="full").fit(X)
    found: Array = pca.components_[pca.explained_variance_ > 1e-12 * pca.explained_variance_[0]]
    return found


def best_cut(z: Array, y: Array, k: int, criterion: str) -> tuple[float, float]:
    """The best value along positions z, and the threshold."""
    order = np.argsort(z)
    z, y = z[order], y[order]
    one_hot = np.zeros((len(y), k))
    one_hot[np.arange(len(y)), y] = 1
    left = one_hot.cumsum(axis=0)
    total = left[-1]
    n_left = np.arange(1, len(y) + 1)
    if criterion == "max_cut":
        sums = np.bincount(y, weights=z, minlength=k)
        value = (sums.sum() - sums[y] - z * (len(y) - total[y])).cumsum()[:-1]
    else:
        right = total - left
        n_right = np.maximum(len(y) - n_left, 1)
        value = ((left**2).sum(axis=1) / n_left + (right**2).sum(axis=1) / n_right)[:-1]
    value = np.where(z[1:] > z[:-1], value, -np.inf)
    at = int(value.argmax())
    return float(value[at]), float((z[at] + z[at + 1]) / 2)


def nodes(X: Array, y: Array, criterion: str, basis: str) -> int:
    """Grows a full tree and tells how many nodes it has."""
    k, count = int(y.max()) + 1, 0
    stack = [np.arange(len(y))]
    while stack:
        rows = stack.pop()
        count += 1
        x, t = X[rows], y[rows]
        if (t == t[0]).all():
            continue
        best, left = -np.inf, None
        for v in directions(x, t, basis):
            z = x @ v
            value, cut = best_cut(z, t, k, criterion)
            if value > best:
                best, left = value, z <= cut
        if left is not None and 0 < left.sum() < len(left):
            stack += [rows[left], rows[~left]]
    return count
