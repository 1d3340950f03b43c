"""Smoothed predictions of leaves: added weight, or shrinkage along the path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Smoothing: TypeAlias = "str | float | Mapping[str, float] | None"
HIERARCHICAL = "hierarchical"
STRENGTHS = (0.1, 1.0, 10.0, 25.0, 50.0, 100.0)  # that cross-validation tries


def strength_of(smoothing: Any) -> float | None:
    """How strongly values shrink along the path, where they do."""
    return float(smoothing[HIERARCHICAL]) if isinstance(smoothing, Mapping) else None


def number_of(smoothing: Any) -> float:
    return float(smoothing)


def kept(totals: Floats, parents: list[int], strength: float) -> Floats:
    """How much of each node's difference from its parent is kept: 1/(1 + λ/weight of the parent)."""
    above = totals[np.maximum(np.asarray(parents), 0)]
    with np.errstate(divide="ignore", over="ignore"):
        found: Floats = 1 / (1 + np.divide(strength, above, out=np.zeros(len(above)), where=above > 0))
    return found


def shrunk(values: Floats, totals: Floats, parents: list[int], strength: float) -> Floats:
    """The value of each node: the root's and, along the path, (value − value of the parent) / (1 + λ/weight of the
    parent) (Agarwal, Tan, Ronen, Singh, Yu 2022).

    Shares of classes stay shares, and means stay between the least and the greatest mean of the path.
    """
    keeps, out = kept(totals, parents, strength).tolist(), values.copy()
    for node in range(1, len(values)):  # parents stand before their children
        above = parents[node]
        out[node] = out[above] + keeps[node] * (values[node] - values[above])
    return out


def more_weight(smoothing: float, weights: Floats, total: Floats) -> Floats:
    """So much weight in the shares of these weights."""
    with np.errstate(over="ignore"):
        added: Floats = smoothing * weights / total
    return added if np.isfinite(added).all() else smoothing * (weights / total)


def shares_of(weights: Floats, parents: list[int], smoothing: Smoothing = None) -> Floats:
    """Class shares, nodes × classes; a branch that no training row took has those of its parent.

    ``smoothing`` adds weight to that of the training rows: 1 for each class (``"laplace"``), or so much in the shares
    of the root (a number); or shrinks along the path (``{"hierarchical": λ}``).
    """
    along = strength_of(smoothing)
    shares = smoothed(weights, weights[0], None if along is not None else smoothing)
    for node in np.flatnonzero(weights.sum(axis=1) == 0).tolist():  # parents stand before their children
        shares[node] = shares[parents[node]]
    return shares if along is None else shrunk(shares, weights.sum(axis=1), parents, along)


def smoothed(weights: Floats, root: Floats, smoothing: Smoothing) -> Floats:
    """Weights of classes as shares; ``root``: those of the first node."""
    totals = weights.sum(axis=1, keepdims=True)
    if smoothing is None:
        shares: Floats = weights / np.where(totals == 0, 1, totals)
        return shares
    added = np.ones(len(root)) if isinstance(smoothing, str) else more_weight(number_of(smoothing), root, root.sum())
    with np.errstate(over="ignore"):
        whole = totals + added.sum()
    if not np.isfinite(whole).all():  # the sums are more than a float64 holds, a quarter of them is not
        weights, added = weights / 4, added / 4
        whole = totals / 4 + added.sum()
    shares = (weights + added) / np.where(whole == 0, 1, whole)
    return shares
