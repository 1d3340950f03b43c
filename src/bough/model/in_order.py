"""Predictions of a tree changed by hand that are to keep its ``monotonic_cst``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import ParameterError
from .model import Model
from .rules import ruled_class, rules_of

Floats = npt.NDArray[np.float64]
LINEAR = 2
AXIS = 1


def signs_of(model: Model) -> tuple[list[int], int] | None:
    """The sign of each column and the place of the class whose share is meant; None: there is no such rule."""
    rules = rules_of(model.origin)
    given = rules.get("monotonic_cst")
    if not isinstance(given, Mapping):
        return None
    names, classes = model.schema.names, [] if model.classes is None else model.classes.tolist()
    by_name = {name: sign for name, sign in given.items() if name in names and sign in (-1, 1)}
    return [int(by_name.get(name, 0)) for name in names], ruled_class(rules, names, classes)


def sign_of(split: Mapping[str, Any], signs: list[int]) -> int:
    """Which way predictions go from the left side of a split to the right one."""
    if split["kind"] == AXIS:
        return signs[int(split["column"])]
    if split["kind"] != LINEAR:
        return 0
    ways = {signs[c] * (1 if w > 0 else -1) for c, w in zip(split["term_columns"], split["term_weights"], strict=True)}
    return sum(ways - {0})


def values_of(tree: _core.Tree, leaf_values: Floats, leaf_weights: Floats) -> Floats:
    """The mean of the leaves below each node; of a branch without weight that of the node above."""
    n, parents, leaf = tree.n_nodes, tree.parents(), tree.kinds() == 0
    weights, sums = np.zeros(n), np.zeros(n)
    weights[leaf], sums[leaf] = leaf_weights, leaf_weights * leaf_values
    for i in range(n - 1, 0, -1):
        weights[parents[i]] += weights[i]
        sums[parents[i]] += sums[i]
    values: Floats = np.divide(sums, weights, out=np.full(n, np.nan), where=weights > 0)
    for i in range(1, n):
        if np.isnan(values[i]):
            values[i] = values[parents[i]]
    return values


def bounds_of(tree: _core.Tree, signs: list[int], values: Floats) -> tuple[Floats, Floats]:
    """Between what each node may predict: what is below a split stays on its side of the middle of both sides, or,
    where these are in the wrong order, of their mean."""
    low, high = np.full(tree.n_nodes, -np.inf), np.full(tree.n_nodes, np.inf)
    for i in np.flatnonzero(tree.kinds() != 0).tolist():
        below = tree.children(i)
        low[below], high[below] = low[i], high[i]
        sign = sign_of(tree.split(i), signs)
        if sign == 0:
            continue
        own, left, right = np.clip(values[[i, *below]], low[i], high[i]).tolist()
        middle = left + (right - left) / 2 if (right - left) * sign >= 0 else own
        first, second = below if sign > 0 else below[::-1]
        high[first] = low[second] = middle
    return low, high


def put_in_order(model: Model, tree: _core.Tree, ends: Any) -> bool:
    """Moves what leaves predict to where the rule of the model allows it; False: there is none."""
    found = signs_of(model)
    if found is None:
        return False
    signs, ruled = found
    totals = ends.weights.sum(axis=1)
    if model.classes is None:
        low, high = bounds_of(tree, signs, values_of(tree, ends.means, totals))
        ends.means[:] = np.clip(ends.means, low[ends.nodes], high[ends.nodes])
        return True
    values = values_of(tree, shares(ends, ruled), totals)
    low, high = bounds_of(tree, signs, values)
    for leaf, node in enumerate(ends.nodes.tolist()):
        value = float(np.clip(values[node], low[node], high[node]))
        if value == values[node]:
            continue
        others = np.delete(ends.weights[leaf], ruled)
        total = totals[leaf] or totals.sum() * 1e-9
        ends.rows[leaf] = max(1, ends.rows[leaf])  # where none comes, the leaf has to say something of its own
        parts = others / others.sum() if others.sum() > 0 else np.full(len(others), 1 / len(others))
        ends.weights[leaf] = np.insert((1 - value) * total * parts, ruled, value * total)
    return True


def checked(model: Model, tree: _core.Tree, ends: Any, what: str) -> str:
    """What was done to a tree, unless it breaks the rule of the model."""
    found = signs_of(model)
    if found is None:
        return what
    values = ends.means
    if model.classes is not None:
        values = shares(ends, found[1])
    if (node := out_of_order(tree, found[0], values)) is not None:
        raise ParameterError(
            f"{what}, which contradicts monotonic_cst: the predictions of the two sides of node {node} would be in the "
            "wrong order. Take another condition or prediction, or fit without the constraint."
        )
    return what


def shares(ends: Any, ruled: int) -> Floats:
    totals = ends.weights.sum(axis=1)
    found: Floats = np.divide(ends.weights[:, ruled], totals, out=np.zeros(len(totals)), where=totals > 0)
    return found


def out_of_order(tree: _core.Tree, signs: list[int], leaf_values: Floats) -> int | None:
    """A node whose sides predict in the wrong order."""
    least, most = np.full(tree.n_nodes, np.inf), np.full(tree.n_nodes, -np.inf)
    least[tree.kinds() == 0] = most[tree.kinds() == 0] = leaf_values
    for i in range(tree.n_nodes - 1, -1, -1):
        below = tree.children(i)
        if not len(below):
            continue
        least[i], most[i] = least[below].min(), most[below].max()
        sign = sign_of(tree.split(i), signs)
        first, second = below[:2] if sign >= 0 else below[:2][::-1]
        if sign != 0 and most[first] > least[second]:
            return i
    return None
