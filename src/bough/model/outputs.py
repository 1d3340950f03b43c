"""Predictions for the rows of a table: the one way to predict, for models and estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .nodes import DIGITS, Nodes, parts_of

if TYPE_CHECKING:
    from .model import Model

Floats = npt.NDArray[np.float64]
Ends = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]  # rows, nodes, shares


class Outputs:
    """The nodes in which rows end, and what follows from them. Of many trees nobody needs all nodes to predict."""

    def __init__(self, model: Model, columns: _core.Columns, threads: int) -> None:
        self.model, self.columns, self.threads = model, columns, threads

    @property
    def shared(self) -> bool:
        """Whether rows may be shared: then they end in several nodes."""
        return self.model.missing == "shared"

    @cached_property
    def leaves(self) -> tuple[npt.NDArray[np.uint32], ...]:
        """The node in which each row, or most of it, ends, one array for each tree."""
        return tuple(t.apply(self.columns, self.threads) for t in self.model.trees)

    def nodes(self) -> npt.NDArray[np.int64]:
        """The node in which each row, or most of it, ends; of a model of many trees, rows × trees."""
        if len(self.leaves) == 1:
            return self.leaves[0].astype(np.int64)
        return np.column_stack(self.leaves).astype(np.int64)

    def raw(self) -> Floats:
        """What boosted trees add up to for each row, rows × outputs."""
        assert self.model.boosting is not None
        summed = self.model.mean.predict(self.columns, self.threads)
        return summed.reshape(-1, self.model.boosting.n_outputs)

    def linked(self, raw: Floats) -> Floats:
        """The shares or numbers that follow from raw sums."""
        assert self.model.boosting is not None
        if self.model.classes is not None and len(self.model.classes) == 1:
            return np.ones((len(raw), 1))
        return self.model.boosting.linked(raw)

    def shares(self) -> Floats:
        """The share of each class for each row, the mean of all trees."""
        if self.model.boosting is not None:
            return self.linked(self.raw())
        (nodes, *more) = self.model.all_nodes
        if not more and not self.shared:
            return nodes.shares_at(self.leaves[0])
        return self._mean(lambda nodes: nodes.shares)

    def shares_by_part(self) -> Iterator[tuple[slice, Floats]]:
        """The same for some rows after the other, where all of them are too many numbers."""
        nodes = self.model.all_nodes[0]
        if self.model.boosting is not None or len(self.model.trees) > 1 or self.shared or nodes.kept:
            yield slice(None), self.shares()
            return
        for part in parts_of(len(self.leaves[0]), nodes.tree.n_classes):
            yield part, nodes.shares_at(self.leaves[0][part])

    def predictions(self) -> npt.NDArray[Any]:
        """The class, or the number, that is predicted for each row."""
        if self.model.boosting is not None:
            linked = self.linked(self.raw())
            if self.model.classes is None:
                return linked
            best: npt.NDArray[Any] = self.model.classes[linked.argmax(axis=1)]
            return best
        if len(self.model.trees) == 1 and not self.shared:
            (nodes,) = self.model.all_nodes
            if nodes.tree.linear:
                found: Floats = nodes.tree.predicted(self.columns, self.leaves[0], self.threads)
                return found
            return nodes.answers_at(self.leaves[0])
        if self.model.classes is None:
            return self._mean(lambda nodes: nodes.means)
        named: npt.NDArray[Any] = self.model.classes[self.codes()]
        return named

    def codes(self) -> npt.NDArray[np.intp]:
        """The number of the class that is predicted for each row."""
        if self.model.boosting is not None:
            likeliest: npt.NDArray[np.intp] = self.shares().argmax(axis=1)
            return likeliest
        if len(self.model.trees) == 1 and not self.shared:
            return self.model.all_nodes[0].codes_at(self.leaves[0])
        shares = self.shares()
        if self.shared:  # parts of rows are added up: equal shares are so up to rounding
            shares = shares.round(DIGITS)
        return self.model.stakes.decide(shares)

    def _mean(self, of: Callable[[Nodes], Floats]) -> Floats:
        """The mean over trees of what the nodes have in which rows end."""
        trees, classes = self.model.trees, self.model.classes
        n = len(trees)
        if n > 1 and not self.shared:
            said = self.model.mean.predict(self.columns, self.threads)
            if np.isfinite(said).all():
                return said if classes is None else said.reshape(-1, len(classes))
        by_node = [of(nodes) for nodes in self.model.all_nodes]
        total = self._of_tree(0, by_node[0])
        with np.errstate(over="ignore", invalid="ignore"):
            for i in range(1, n):
                total += self._of_tree(i, by_node[i])
        if n > 1:
            total /= n
            if not np.isfinite(total).all():  # the sum is more than a float64 holds, the mean is not
                total = np.add.reduce([self._of_tree(i, values) / n for i, values in enumerate(by_node)])
        return total

    def _of_tree(self, tree: int, by_node: Floats) -> Floats:
        """The prediction of one tree for every row."""
        if not self.shared:
            found: Floats = by_node[self.leaves[tree]]
            return found
        mixed = self.model.trees[tree].mix(self.columns, np.ascontiguousarray(by_node).reshape(-1), self.threads)
        return mixed.reshape(-1, by_node.shape[1]) if by_node.ndim == 2 else mixed


def ends_of(nodes: Nodes, columns: _core.Columns, threads: int = 1) -> Ends:
    """Where rows end: their numbers, ascending, the node and the share of the row that ends there."""
    n = columns.n_rows
    if nodes.tree.missing != "shared":
        return np.arange(n), nodes.tree.apply(columns, threads).astype(np.int64), np.ones(n)
    starts, at, shares = nodes.tree.reach(columns)
    leaves = np.flatnonzero(np.array(nodes.kinds)[at] == 0)
    return np.repeat(np.arange(n), np.diff(starts))[leaves], at[leaves].astype(np.int64), shares[leaves]
