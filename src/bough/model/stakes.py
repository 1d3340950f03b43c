"""What decides a prediction: costs and priors, as a model keeps them and as the core takes them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import ModelFileError
from ..registry import LARGEST, Plugin

Floats = npt.NDArray[np.float64]

COST_SPLITS = ("pairs", "altered_priors")  # how costs act on splits
TIE = 1e-12  # of the largest cost: predictions this close cost the same


@dataclass(frozen=True, eq=False)
class Stakes:
    """Costs of predictions, how they act on splits, and class weights in predictions."""

    costs: Floats | None = None  # [true, predicted]; None: a wrong prediction costs 1
    splits: str = "pairs"
    scale: Floats | None = None  # prior of each class over its share of the training rows; None: 1

    @cached_property
    def for_core(self) -> _core.Stakes:
        costs, scale = self.costs, self.scale
        pairs = [] if costs is None or self.splits != "pairs" else mixing(costs).ravel().tolist()
        losses = [] if costs is None else costs.ravel().tolist()
        return _core.Stakes(pairs, losses, [] if scale is None else scale.tolist())

    def scaled(self, weights: Floats, root: Floats) -> Floats:
        """Class weights as they count in shares and predictions, nodes × classes; the root weighs what it did."""
        if self.scale is None:
            return weights
        total = (root * self.scale).sum()
        scaled = weights * self.scale
        return scaled * (root.sum() / total) if total > 0 else scaled

    @property
    def in_splits(self) -> Floats | None:
        """What the rows of each class weighed where splits were chosen, up to one factor; None: their own weight."""
        if self.costs is None or self.splits == "pairs":
            return self.scale
        altered: Floats = self.costs.sum(axis=1)
        return altered if self.scale is None else self.scale * altered

    def decide(self, shares: Floats) -> npt.NDArray[np.intp]:
        """The class predicted from each row of shares: of least expected cost, of equals the first."""
        if self.costs is None:
            found: npt.NDArray[np.intp] = shares.argmax(axis=1)
            return found
        cost = np.einsum("ij,jk->ik", shares, self.costs)  # a BLAS that lacks memory ends the process
        limit = cost.min(axis=1) + TIE * cost.max(axis=1)
        cheapest: npt.NDArray[np.intp] = (cost <= limit[:, np.newaxis]).argmax(axis=1)
        return cheapest


NO_STAKES = Stakes()


def mixing(costs: Floats) -> Floats:
    """What it costs to mix two classes, whichever of them is the true one."""
    return (costs + costs.T) / 2


# ---- files --------------------------------------------------------------------------------------------


def described_stakes(stakes: Stakes) -> dict[str, Any]:
    """What a file says of them; nothing if there are none."""
    meta: dict[str, Any] = {}
    if stakes.costs is not None:
        meta["costs"] = stakes.costs.ravel().tolist()
        if stakes.splits != "pairs":
            meta["cost_splits"] = stakes.splits
    if stakes.scale is not None:
        meta["class_scale"] = stakes.scale.tolist()
    return meta


def stakes_of(meta: dict[str, Any], classes: npt.NDArray[Any] | None, criterion: Plugin) -> Stakes:
    """The costs and priors that a file keeps, if any."""
    k = 0 if classes is None else len(classes)
    splits = meta.get("cost_splits", "pairs")
    if splits not in COST_SPLITS:
        raise ModelFileError("cost_splits is neither 'pairs' nor 'altered_priors'")
    flat = numbers_of(meta.get("costs"), k * k, "the costs are not a number for each pair of classes")
    scale = numbers_of(meta.get("class_scale"), k, "class_scale is not a number for each class")
    if flat is not None and splits == "pairs" and not criterion.traits["costs"]:
        raise ModelFileError(f"the criterion {criterion.name!r} knows no costs")
    costs = None if flat is None else flat.reshape(k, k)
    if costs is not None and costs.diagonal().any():
        raise ModelFileError("the costs are not 0 on the diagonal")
    return Stakes(costs, splits, scale)


def numbers_of(found: Any, n: int, wrong: str) -> Floats | None:
    if found is None:
        return None
    if not isinstance(found, list) or n == 0 or len(found) != n or not all(type(c) in (int, float) for c in found):
        raise ModelFileError(wrong)
    if not all(0 <= c <= LARGEST for c in found):
        raise ModelFileError(f"{wrong}: one is negative, not a number or too large for one")
    return np.array(found, dtype=np.float64)
