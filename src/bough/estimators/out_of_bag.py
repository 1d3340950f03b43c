"""Rows that a tree of a forest has not drawn: which they are, and what the trees say of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..model.model import Model
from .data import Data
from .importances import impurity_out_of_bag


@dataclass(frozen=True, eq=False)
class Draws:
    """How the trees of a forest draw their rows: the seed of a tree tells which."""

    n_rows: int  # of the table
    weighing: npt.NDArray[np.uint32] | None  # those that weigh something, if not all do
    size: int  # rows that a tree draws; 0: it takes all of them

    def times(self, seed: int) -> npt.NDArray[np.uint32]:
        """How often the tree of a seed has drawn each row of the table."""
        n = self.n_rows if self.weighing is None else len(self.weighing)
        times = _core.times_drawn(n, self.size, seed) if self.size else np.ones(n, dtype=np.uint32)
        if self.weighing is None:
            return times
        all_rows = np.zeros(self.n_rows, dtype=np.uint32)
        all_rows[self.weighing] = times
        return all_rows


def out_of_bag(model: Model, data: Data, seeds: list[int], draws: Draws, judge: Callable[..., Any]) -> dict[str, Any]:
    """What the trees say of the rows that they did not draw, and how good that is."""
    n, k = data.columns.n_rows, max(1, data.target.n_classes)
    total, judges = np.zeros((n, k)), np.zeros(n)
    unseen_by = [draws.times(seed) == 0 for seed in seeds]
    for tree, nodes, unseen in zip(model.trees, model.all_nodes, unseen_by, strict=True):
        values = nodes.means[:, np.newaxis] if model.regression else nodes.shares
        if model.missing == "shared":  # a row without a value ends in several leaves
            said = tree.mix(data.columns, np.ascontiguousarray(values).ravel()).reshape(n, k)[unseen]
        else:
            said = values[tree.apply(data.columns)[unseen]]
        total[unseen] += said
        judges[unseen] += 1
    judged = judges > 0
    if not judged.all():
        warnings.warn(
            f"{n - int(judged.sum())} of {n} rows were drawn by every tree, so that none can judge them out of bag; "
            "grow more trees. Their entries are NaN.",
            UserWarning,
            stacklevel=7,
        )
    with np.errstate(invalid="ignore"):
        answers = total / judges[:, np.newaxis]
    target = data.target
    if model.classes is None:
        truth, said = np.asarray(target.numbers) + target.offset, answers[:, 0]
        found: dict[str, Any] = {"oob_prediction_": said, "oob_errors_": truth - said}
    else:
        truth, said = (
            np.asarray(target.classes)[target.codes],
            model.classes[model.stakes.answers(np.nan_to_num(answers))],
        )
        found = {"oob_decision_function_": answers}
    found["oob_feature_importances_"] = impurity_out_of_bag(model, data, unseen_by)
    found["oob_score_"] = float(judge(truth[judged], said[judged])) if judged.any() else float("nan")
    return found
