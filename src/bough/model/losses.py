"""What leaves predict of numbers by a criterion, and what wrong predictions cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..registry import find

if TYPE_CHECKING:
    from .nodes import Nodes

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Losses:
    """A criterion with its parameters."""

    criterion: str
    params: Mapping[str, float] = field(default_factory=dict)

    @property
    def squares(self) -> bool:
        """Whether the loss of a prediction is its squared distance."""
        found: bool = find("criterion", self.criterion).traits["squares"]
        return found

    def of(self, numbers: Floats, predicted: Floats | float) -> Floats:
        """What each prediction costs."""
        predictions = np.ascontiguousarray(np.broadcast_to(np.asarray(predicted, np.float64), numbers.shape))
        return _core.losses(self.criterion, self.params, numbers.astype(np.float64), predictions)

    def leaf(self, numbers: Floats, weights: Floats | None = None) -> tuple[float, float]:
        """What a leaf of these numbers predicts, and what that costs in all."""
        weights = np.ones(len(numbers)) if weights is None else weights
        if not weights.any():
            return 0.0, 0.0
        found: tuple[float, float] = _core.leaf_of(self.criterion, self.params, numbers.astype(np.float64), weights)
        return found

    def leaves(self, numbers: Floats, weights: Floats, starts: npt.NDArray[Any]) -> tuple[list[float], list[float]]:
        """The same of many leaves, the rows of each of which begin somewhere; all have some."""
        parts = zip(np.split(numbers, starts[1:]), np.split(weights, starts[1:]), strict=True)
        means, spreads = zip(*(self.leaf(y, w) for y, w in parts), strict=True)
        return list(means), list(spreads)

    def inner(
        self,
        nodes: Nodes,
        parts: Mapping[str, Any],
        leaves: npt.NDArray[Any],
        starts: npt.NDArray[Any],
        numbers: Floats,
        weights: Floats,
    ) -> dict[str, Floats]:
        """What inner nodes predict and lose by other rows, as parts of a tree. The rows are in the order of the leaves,
        and `starts` tells where those of each begin; a node without rows keeps what `parts` have."""
        means, spreads = parts["inner_means"].copy(), parts["inner_spreads"].copy()
        inner = [i for i, kind in enumerate(nodes.kinds) if kind] if means.size else []
        for place, node in enumerate(inner):
            first, end = starts[np.searchsorted(leaves, [node, node + nodes.sizes[node]])]
            if first < end:
                means[place], spreads[place] = self.leaf(numbers[first:end], weights[first:end])
        return {"inner_means": means, "inner_spreads": spreads}
