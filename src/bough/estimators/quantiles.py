"""Quantiles of a regression forest: which training rows share a leaf with a row in each tree, and what they weigh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError
from .data import Data, Floats
from .plan import must

BLOCK = 8_000_000  # weights of rows in memory at once


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The training rows of each leaf, for quantiles (Meinshausen 2006)."""

    numbers: Floats  # of the training rows
    rows: tuple[npt.NDArray[np.uint32], ...]  # per tree: the rows that it has drawn, leaf by leaf
    weights: tuple[Floats, ...]  # what each of them weighs in its leaf
    ends: tuple[npt.NDArray[np.int64], ...]  # per tree and node: where the rows of that leaf end

    @staticmethod
    def of(trees: tuple[_core.Tree, ...], data: Data, times: list[npt.NDArray[np.uint32]]) -> Neighbours:
        """From the trees, their training data, and how often each tree has drawn each row."""
        weigh = np.ones(data.columns.n_rows) if data.weights is None else data.weights
        rows, weights, ends = [], [], []
        for tree, drawn in zip(trees, times, strict=True):
            here = np.flatnonzero(drawn)
            leaves = tree.apply(data.columns)[here].astype(np.int64)
            order = np.argsort(leaves, kind="stable")
            w = (drawn * weigh)[here]
            totals = np.bincount(leaves, weights=w, minlength=tree.n_nodes)
            rows.append(here[order].astype(np.uint32))
            weights.append((w / totals[leaves])[order])
            ends.append(np.cumsum(np.bincount(leaves, minlength=tree.n_nodes)))
        numbers = np.asarray(data.target.numbers) + data.target.offset
        return Neighbours(numbers, tuple(rows), tuple(weights), tuple(ends))

    def quantiles(self, leaves: tuple[npt.NDArray[np.uint32], ...], wanted: Floats) -> Floats:
        """Rows × quantiles: the least number at or below which there is that share of the weight."""
        order = np.argsort(self.numbers, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        ascending = self.numbers[order]
        n = len(leaves[0])
        found = np.empty((n, len(wanted)))
        step = max(1, BLOCK // len(order))
        for begin in range(0, n, step):
            sums = np.cumsum(self._weights([at[begin : begin + step] for at in leaves], place), axis=1)
            for i, row in enumerate(sums):
                at = np.searchsorted(row, wanted * row[-1] * (1 - 1e-12), side="left")
                found[begin + i] = ascending[np.minimum(at, len(row) - 1)]
        return found

    def _weights(self, leaves: list[npt.NDArray[np.uint32]], place: npt.NDArray[np.int64]) -> Floats:
        """What each training row, in ascending order of its number, weighs for each row."""
        n, m = len(leaves[0]), len(place)
        total = np.zeros(n * m)
        for at, rows, weights, ends in zip(leaves, self.rows, self.weights, self.ends, strict=True):
            begins = np.where(at > 0, ends[at.astype(np.int64) - 1], 0)
            sizes = ends[at] - begins
            members = np.repeat(begins - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
            cells = np.repeat(np.arange(n) * m, sizes) + place[rows[members]]
            total += np.bincount(cells, weights=weights[members], minlength=n * m)
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
