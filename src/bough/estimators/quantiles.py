"""Quantiles of a regression forest: which training rows end below the same node as a row in each tree, and what they
weigh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError
from ..model.model import Model
from ..model.nodes import Nodes
from ..model.outputs import Ends, ends_of
from .apart import must
from .data import Data, Floats

BLOCK = 8_000_000  # weights of rows in memory at once
SMALLEST = np.nextafter(0.0, 1.0)


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """The training rows of one tree in the order of the nodes where they end: those below a node are side by side."""

    rows: npt.NDArray[np.uint32]
    weights: Floats  # what of each row ends there
    begins: npt.NDArray[np.int64]  # per node: the place of its first row
    ends: npt.NDArray[np.int64]

    @staticmethod
    def of(nodes: Nodes, columns: _core.Columns, weights: Floats) -> TrainingRows:
        """``weights``: of each row of the table in this tree; 0: the tree has not drawn it."""
        rows, at, shares = ends_of(nodes, columns)
        weights = weights[rows] * shares
        kept = np.flatnonzero(weights)
        order = kept[np.argsort(at[kept], kind="stable")]
        before = np.concatenate([[0], np.cumsum(np.bincount(at[order], minlength=len(nodes)))])
        first = np.arange(len(nodes))
        begins, ends = before[first], before[first + np.array(nodes.sizes)]
        for node in np.flatnonzero(begins == ends).tolist():  # a branch that no row took predicts what its parent does
            begins[node], ends[node] = begins[nodes.parents[node]], ends[nodes.parents[node]]
        return TrainingRows(rows[order].astype(np.uint32), weights[order], begins, ends)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The training rows below each node, for quantiles (Meinshausen 2006)."""

    numbers: Floats  # of the training rows
    trees: tuple[TrainingRows, ...]

    @staticmethod
    def of(model: Model, data: Data, times: Iterable[npt.NDArray[np.uint32]]) -> Neighbours:
        """From the trees, their training data, and how often each tree has drawn each row."""
        weigh = np.ones(data.columns.n_rows) if data.weights is None else data.weights
        numbers = np.asarray(data.target.numbers) + data.target.offset
        trees = zip(model.all_nodes, times, strict=True)
        return Neighbours(numbers, tuple(TrainingRows.of(nodes, data.columns, drawn * weigh) for nodes, drawn in trees))

    def quantiles(self, model: Model, columns: _core.Columns, threads: int, wanted: Floats) -> Floats:
        """Rows × quantiles: the smallest number of any weight at or below which there is that share of the weight."""
        order = np.argsort(self.numbers, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        ascending = self.numbers[order]
        ends = [ends_of(nodes, columns, threads) for nodes in model.all_nodes]
        found = np.empty((columns.n_rows, len(wanted)))
        step = max(1, BLOCK // max(len(tree.rows) for tree in self.trees))
        for begin in range(0, len(found), step):
            n = min(step, len(found) - begin)
            for i, row in enumerate(np.cumsum(self._weights(begin, n, ends, place), axis=1)):
                least = np.maximum(wanted * row[-1] * (1 - 1e-12), SMALLEST)
                at = np.searchsorted(row, least, side="left")
                found[begin + i] = ascending[np.minimum(at, len(row) - 1)]
        return found

    def _weights(self, begin: int, n: int, ends: Sequence[Ends], place: npt.NDArray[np.int64]) -> Floats:
        """What each training row, in ascending order of its number, weighs for each of ``n`` rows."""
        m = len(place)
        total = np.zeros(n * m)
        for tree, (rows, nodes, shares) in zip(self.trees, ends, strict=True):
            part = slice(*np.searchsorted(rows, [begin, begin + n]))
            begins, sizes = tree.begins[nodes[part]], (tree.ends - tree.begins)[nodes[part]]
            firsts = np.cumsum(sizes) - sizes
            members = np.repeat(begins - firsts, sizes) + np.arange(sizes.sum())
            weights = tree.weights[members]
            weights /= np.repeat(np.add.reduceat(weights, firsts), sizes)
            weights *= np.repeat(shares[part], sizes)
            cells = np.repeat((rows[part] - begin) * m, sizes) + place[tree.rows[members]]
            total += np.bincount(cells, weights=weights, minlength=n * m)
        return total.reshape(n, m)


def wanted_quantiles(given: object) -> Floats:
    """Quantiles as numbers from 0 to 1."""
    try:
        wanted = np.atleast_1d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        raise must("quantiles", given, "a number from 0 to 1, or several") from None
    if wanted.ndim != 1 or not len(wanted) or not ((wanted >= 0) & (wanted <= 1)).all():
        raise must("quantiles", given, "a number from 0 to 1, or several")
    return wanted


def interval(errors: Floats, coverage: object) -> Floats:
    """The quantiles of errors between which a share of them lies (Zhang, Zimmerman, Nettleton, Nordman 2020)."""
    share = wanted_quantiles(coverage)
    if share.shape != (1,):
        raise must("coverage", coverage, "a number from 0 to 1")
    known = errors[np.isfinite(errors)]
    if not len(known):
        raise DataError("no row was judged out of bag, so that there are no errors to tell an interval from.")
    ends: Floats = np.quantile(known, [(1 - share[0]) / 2, (1 + share[0]) / 2])
    return ends
