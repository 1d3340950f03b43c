"""What a model says of the rows of a table: the one way to predict, for models and estimators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True, slots=True)
class Outputs:
    """The nodes in which rows end, one array for each tree, and what follows from them."""

    model: Model
    leaves: tuple[npt.NDArray[np.uint32], ...]

    def nodes(self) -> npt.NDArray[np.int64]:
        """The node in which each row ends; of a model of many trees, rows × trees."""
        if len(self.leaves) == 1:
            return self.leaves[0].astype(np.int64)
        return np.column_stack(self.leaves).astype(np.int64)

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
        named: npt.NDArray[Any] = self.model.classes[self.model.stakes.answers(self.shares())]
        return named

    def _mean(self, by_node: list[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
        """The mean over trees of what the nodes have in which rows end."""
        total: npt.NDArray[np.float64] = by_node[0][self.leaves[0]]
        for values, leaves in zip(by_node[1:], self.leaves[1:], strict=True):
            total += values[leaves]
        if len(by_node) > 1:
            total /= len(by_node)
        return total
