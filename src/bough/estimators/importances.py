"""How much the columns of a forest matter, judged by rows that the trees have not seen.

The decrease of impurity in training prefers columns of many values, since a tree finds chance in them. Both measures
here have mean 0 for a column that tells nothing, whatever its values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import Bunch

from .. import _core
from ..model.model import Model
from ..model.nodes import Nodes
from .data import Data, Floats

Rows = npt.NDArray[np.bool_]


def credits(nodes: Nodes, n_columns: int) -> npt.NDArray[Any]:
    """How much of the split above it each node owes to each column, nodes × columns: all to the one it is of, or by the
    squares of standardised coefficients. The root owes nothing."""
    above = np.zeros((len(nodes), n_columns))
    shares: dict[int, Floats] = {}
    for node, parent in enumerate(nodes.parents):
        if parent < 0:
            continue
        if parent not in shares:
            s = nodes.tree.split(parent)
            shares[parent] = np.zeros(n_columns)
            if s["term_columns"]:
                squares = np.square(np.multiply(s["term_weights"], s["term_spreads"]))
                shares[parent][s["term_columns"]] = squares / squares.sum()
            else:
                shares[parent][s["column"]] = 1
        above[node] = shares[parent]
    return above


def impurity_out_of_bag(model: Model, data: Data, unseen: Sequence[Rows]) -> Floats:
    """The decrease of impurity by the rows that each tree has not seen, the mean of all trees.

    At every node, an unseen row tells whether its own class (or number) became more likely (or closer) by the step from
    the node above: the step's change of the class's share, or its change of the mean times the number (MDI-oob; Li,
    Wang, Basu, Kumbier, Yu 2019).
    """
    total = np.zeros(len(model.schema))
    for tree, nodes, rows in zip(model.trees, model.all_nodes, unseen, strict=True):
        if not rows.any() or len(nodes) == 1:
            continue
        leaves = tree.apply(data.columns)[rows]
        if model.classes is None:
            of_rows, values = np.asarray(data.target.numbers)[rows, np.newaxis], nodes.means[:, np.newaxis]
            at_leaves = np.bincount(leaves, weights=of_rows[:, 0], minlength=len(nodes))[:, np.newaxis]
        else:
            k = len(model.classes)
            places = leaves.astype(np.int64) * k + np.asarray(data.target.codes)[rows]
            at_leaves, values = np.bincount(places, minlength=len(nodes) * k).reshape(-1, k), nodes.shares
        # What is below a node stands behind it: sums over a run.
        sums = np.concatenate([np.zeros((1, at_leaves.shape[1])), np.cumsum(at_leaves, axis=0)])
        begin = np.arange(len(nodes))
        below = sums[begin + np.array(nodes.sizes)] - sums[begin]
        parents = np.array(nodes.parents)
        parents[0] = 0
        steps = (below * (values - values[parents])).sum(axis=1)
        total += np.einsum("i,ij->j", steps, credits(nodes, len(model.schema))) / rows.sum()
    found: Floats = total / len(model.trees)
    return found


def by_permutation(model: Model, data: Data, unseen: Sequence[Rows], rng: np.random.Generator) -> Bunch:
    """How much worse each tree predicts the rows that it has not seen once a column of them is shuffled (Breiman 2001).

    Worse is: rows that are no longer predicted right, what their answers cost if there are costs, or the increase of
    the squared error.
    """
    n, d = data.columns.n_rows, len(model.schema)
    found = np.zeros((len(model.trees), d))
    for t, (tree, nodes, rows) in enumerate(zip(model.trees, model.all_nodes, unseen, strict=True)):
        places = np.flatnonzero(rows)
        if len(places) == 0:
            continue
        loss = losses(replace(model, trees=(tree,)), data, places)
        before = loss(data.columns)
        for column in np.flatnonzero(credits(nodes, d).any(axis=0)).tolist():
            order = np.arange(n, dtype=np.uint32)
            order[places] = rng.permutation(places)
            after = loss(data.columns.shuffled(column, order))
            found[t, column] = np.mean(after - before)
    mean = found.mean(axis=0)
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.full(d, np.nan)
    return Bunch(importances_mean=mean, importances_standard_error=error, importances=found.T)


def losses(model: Model, data: Data, places: npt.NDArray[Any]) -> Callable[[_core.Columns], Floats]:
    """What a model loses on some rows of a table by its answers."""
    if model.classes is None:
        numbers = np.asarray(data.target.numbers)[places] + data.target.offset
        return lambda columns: np.square(model.outputs(columns).answers()[places] - numbers)
    codes, costs = np.asarray(data.target.codes)[places], model.costs
    if costs is not None:
        return lambda columns: costs[codes, model.outputs(columns).told()[places]]
    return lambda columns: (model.outputs(columns).told()[places] != codes).astype(np.float64)
