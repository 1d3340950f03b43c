"""Out-of-bag rows of a forest: which they are, and what the trees predict for them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..model.arrays import tamed
from ..model.model import Model
from ..model.nodes import parts_of
from ..model.outputs import ends_of
from .data import Data
from .importances import impurity_out_of_bag

ROOM = 20  # bits for the sum over trees, of numbers near the largest


@dataclass(frozen=True, eq=False)
class Draws:
    """How a tree of a forest draws its rows: its seed tells which."""

    n_rows: int  # of the table
    weighing: npt.NDArray[np.uint32] | None  # those that weigh something, if not all do
    size: int  # rows that the tree draws; 0: it takes all of them

    def times(self, seed: int) -> npt.NDArray[np.uint32]:
        """How often the tree of a seed has drawn each row of the table."""
        n = self.n_rows if self.weighing is None else len(self.weighing)
        times = _core.times_drawn(n, self.size, seed) if self.size else np.ones(n, dtype=np.uint32)
        if self.weighing is None:
            return times
        all_rows = np.zeros(self.n_rows, dtype=np.uint32)
        all_rows[self.weighing] = times
        return all_rows


@dataclass(frozen=True)
class Times:
    """How often each tree of a forest has drawn each row of the table, one tree after the other."""

    seeds: Sequence[int]
    draws: Sequence[Draws]

    def __iter__(self) -> Iterator[npt.NDArray[np.uint32]]:
        return (draws.times(seed) for draws, seed in zip(self.draws, self.seeds, strict=True))


def out_of_bag(model: Model, data: Data, times: Times, judge: Callable[..., Any]) -> dict[str, Any]:
    """What the trees predict for the rows that they did not draw, and how good that is. A table of rows × classes is
    large: there is one, and all else is made for some rows at a time."""
    n, k, target = data.columns.n_rows, max(1, data.target.n_classes), data.target
    total, judges, decrease = np.zeros((n, k)), np.zeros(n), np.zeros(len(model.schema))
    exponent = 0 if target.numbers is None else tamed(target.numbers)[1]
    shift = ROOM if model.regression and max(exponent, np.frexp(target.offset)[1]) > 1000 else 0
    for tree, drawn in zip(model.trees, times, strict=True):
        unseen = drawn == 0
        nodes = replace(model, trees=(tree,)).nodes()  # what it makes of its nodes is gone with it
        rows, at, shares = ends_of(nodes, data.columns)
        here = np.flatnonzero(unseen[rows])
        for part in parts_of(len(here), k):
            some = here[part]
            said = (
                nodes.shares_made(at[some]) if not model.regression else np.ldexp(nodes.means[at[some], None], -shift)
            )
            if model.missing == "shared":  # a row without a value ends in several leaves
                np.add.at(total, rows[some], said * shares[some, None])
            else:
                total[rows[some]] += said
        judges += unseen
        decrease += impurity_out_of_bag(nodes, data, unseen, exponent)
    judged = judges > 0
    if not judged.all():
        warnings.warn(
            f"{n - int(judged.sum())} of {n} rows are in every bootstrap sample and have no out-of-bag prediction; "
            "grow more trees. Their entries are NaN.",
            UserWarning,
            stacklevel=7,
        )
    with np.errstate(invalid="ignore", over="ignore"):
        found: dict[str, Any] = {"oob_feature_importances_": np.ldexp(decrease / len(model.trees), 2 * exponent)}
        for part in parts_of(n, k):
            total[part] /= judges[part, None]
        if model.classes is None:
            truth, said = np.asarray(target.numbers) + target.offset, np.ldexp(total[:, 0], shift)
            found |= {"oob_prediction_": said, "oob_errors_": truth - said}
        else:
            assert target.codes is not None
            codes = [model.stakes.decide(np.nan_to_num(total[part])) for part in parts_of(n, k)]
            truth, said = np.asarray(target.classes)[target.codes], model.classes[np.concatenate(codes)]
            found["oob_decision_function_"] = total
            found["_oob_scores"] = np.sort(1 - total[judged, target.codes[judged]])
    found["oob_score_"] = float(judge(truth[judged], said[judged])) if judged.any() else float("nan")
    return found


def r_squared(truth: npt.NDArray[Any], said: npt.NDArray[Any]) -> float:
    """By numbers near 1: the squares of others may be more than a float64 holds."""
    from sklearn.metrics import r2_score

    (truth, said), _ = tamed(np.array([truth, said]))
    return float(r2_score(truth, said))
