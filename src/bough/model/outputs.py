"""What a model says of the rows of a table: the one way to predict, for models and estimators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True, slots=True)
class Outputs:
    """The nodes in which rows end, one array for each tree, and what follows from them."""

    model: Model
    leaves: tuple[npt.NDArray[np.uint32], ...]  # empty where rows may be shared: then they end in several
    shared: _core.Columns | None = None  # the rows, if they may be shared
    threads: int = 1

    def nodes(self) -> npt.NDArray[np.int64]:
        """The node in which each row, or most of it, ends; of a model of many trees, rows × trees."""
        leaves = self.leaves
        if self.shared is not None:
            leaves = tuple(t.apply(self.shared, self.threads) for t in self.model.trees)
        if len(leaves) == 1:
            return leaves[0].astype(np.int64)
        return np.column_stack(leaves).astype(np.int64)

    def shares(self) -> npt.NDArray[np.float64]:
        """The share of each class for each row, the mean of all trees."""
        return self._mean([nodes.shares for nodes in self.model.all_nodes])

    def answers(self) -> npt.NDArray[Any]:
        """The class, or the number, that is predicted for each row."""
        if len(self.leaves) == 1:
            answers: npt.NDArray[Any] = self.model.all_nodes[0].answers[self.leaves[0]]
            return answers
        if self.model.classes is None:
            return self._mean([nodes.means for nodes in self.model.all_nodes])
        shares = self.shares()
        if self.shared is not None:  # parts of rows are added up: equal shares are so up to rounding
            shares = shares.round(9)
        named: npt.NDArray[Any] = self.model.classes[self.model.stakes.answers(shares)]
        return named

    def _mean(self, by_node: list[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
        """The mean over trees of what the nodes have in which rows end."""
        n = len(by_node)
        total = self._of_tree(0, by_node[0])
        with np.errstate(over="ignore", invalid="ignore"):
            for i in range(1, n):
                total += self._of_tree(i, by_node[i])
        if n > 1:
            total /= n
            if not np.isfinite(total).all():  # the sum is more than a float64 holds, the mean is not
                total = np.add.reduce([self._of_tree(i, values) / n for i, values in enumerate(by_node)])
        return total

    def _of_tree(self, tree: int, by_node: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """What one tree says of every row."""
        if self.shared is None:
            found: npt.NDArray[np.float64] = by_node[self.leaves[tree]]
            return found
        mixed = self.model.trees[tree].mix(self.shared, np.ascontiguousarray(by_node).reshape(-1), self.threads)
        return mixed.reshape(-1, by_node.shape[1]) if by_node.ndim == 2 else mixed
