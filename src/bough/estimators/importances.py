"""How much the columns of a forest matter, judged by rows that the trees have not seen.

The decrease of impurity in training prefers columns of many values, since a tree finds chance in them. Both measures
here have mean 0 for a column without information, whatever its values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import Bunch

from .. import _core
from ..model.arrays import shares_of_terms
from ..model.model import Model
from ..model.nodes import MOST_PART, Nodes
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
                np.add.at(shares[parent], s["term_columns"], shares_of_terms(s["term_weights"], s["term_spreads"]))
            else:
                shares[parent][s["column"]] = 1
        above[node] = shares[parent]
    return above


def impurity_out_of_bag(nodes: Nodes, data: Data, unseen: Rows, exponent: int) -> Floats:
    """The decrease of impurity in a tree by the rows that it has not seen; of numbers, divided by two to the
    ``exponent``.

    At every node, an unseen row tells whether its own class (or number) became more likely (or closer) by the step from
    the node above: the step's change of the class's share, or its change of the mean times the number (MDI-oob; Li,
    Wang, Basu, Kumbier, Yu 2019).
    """
    if not unseen.any() or len(nodes) == 1:
        return np.zeros(len(nodes.schema))
    leaves = nodes.tree.apply(data.columns)[unseen].astype(np.int64)
    order = np.argsort(leaves, kind="stable")
    leaves = leaves[order]
    parents, sizes = np.array(nodes.parents), np.array(nodes.sizes)
    parents[0] = 0
    if nodes.classes is None:
        numbers = np.ldexp(np.asarray(data.target.numbers), -exponent)[unseen][order]
        means = np.ldexp(nodes.means, -exponent)
        steps = below(np.bincount(leaves, weights=numbers, minlength=len(nodes)), sizes) * (means - means[parents])
    else:
        steps = steps_of_classes(nodes, leaves, np.asarray(data.target.codes)[unseen][order], parents, sizes)
    found: Floats = np.einsum("i,ij->j", steps, credits(nodes, len(nodes.schema))) / len(leaves)
    return found


def below(of_nodes: npt.NDArray[Any], sizes: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """Sums over each node and all that is below it, which stands behind it."""
    sums = np.concatenate([np.zeros((1, *of_nodes.shape[1:]), of_nodes.dtype), np.cumsum(of_nodes, axis=0)])
    begin = np.arange(len(sizes))
    found: npt.NDArray[Any] = sums[begin + sizes] - sums[begin]
    return found


def by_counts(cells: int, rows: int) -> bool:
    """Whether nodes × classes are fewer than the rows of all nodes: they are not in trees of many classes."""
    return cells <= rows


def steps_of_classes(
    nodes: Nodes,
    leaves: npt.NDArray[np.int64],
    codes: npt.NDArray[Any],
    parents: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
) -> Floats:
    """By how much the share of their class grew in the step from the node above, added up over the rows of each node;
    ``leaves`` are ascending."""
    n, k = len(nodes), nodes.tree.n_classes
    first = np.searchsorted(leaves, np.arange(n))
    counts = np.searchsorted(leaves, np.arange(n) + sizes) - first
    if by_counts(n * k, int(counts.sum())):
        at_leaves = np.bincount(leaves * k + codes, minlength=n * k).reshape(n, k)
        shares = nodes.shares_made(np.arange(n))
        found: Floats = (below(at_leaves, sizes) * (shares - shares[parents])).sum(axis=1)
        return found
    steps, ends, at = np.empty(n), np.cumsum(counts + 2 * k), 0
    while at < n:  # by rows, some nodes after the other
        to = max(at + 1, int(np.searchsorted(ends, (ends[at - 1] if at else 0) + MOST_PART)))
        some = np.arange(at, to)
        gained = nodes.shares_made(some) - nodes.shares_made(parents[some])
        own = counts[some]
        node = np.repeat(some - at, own)
        rows = np.repeat(first[some] - np.cumsum(own) + own, own) + np.arange(len(node))
        steps[at:to] = np.bincount(node, weights=gained[node, codes[rows]], minlength=to - at)
        at = to
    return steps


def by_permutation(model: Model, data: Data, unseen: Sequence[Rows], rng: np.random.Generator) -> Bunch:
    """How much worse each tree predicts the rows that it has not seen once a column of them is shuffled (Breiman 2001).

    Worse is: rows no longer predicted correctly; with costs, what their predictions cost; or the increase of
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
    """What a model loses on some rows of a table by its predictions."""
    if model.classes is None:
        numbers = np.asarray(data.target.numbers)[places] + data.target.offset
        return lambda columns: np.square(model.outputs(columns).predictions()[places] - numbers)
    codes, costs = np.asarray(data.target.codes)[places], model.costs
    if costs is not None:
        return lambda columns: costs[codes, model.outputs(columns).codes()[places]]
    return lambda columns: (model.outputs(columns).codes()[places] != codes).astype(np.float64)
