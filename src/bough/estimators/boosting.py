"""What boosted estimators share: all rounds are grown by one call of the core."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from .. import _core
from ..errors import DataError, ParameterError, shown
from ..model.boosting import Boosting
from ..model.metadata import check_listed
from ..model.model import Model
from ..registry import find, is_number
from ._base import Conduct
from .advice import advise
from .apart import must
from .boosting_parameters import BoostingParameters
from .boosting_scores import check_scoring_name, judge_of
from .data import Data, Floats, Target
from .fitting import attributes_of, grown, parameters_of, seeded
from .plan import Plan, flag, integer, is_float, real
from .progress import Progress
from .several import SeveralTrees

MOST_ROUNDS = 100_000
MOST_BINS = 255  # of a column, whose code is one byte
MANY_ROWS = 10_000  # from more than these on, it stops early by itself
HELD_OUT = "None, a share of the rows between 0 and 1, or a positive integer less than the number of rows"
UNUSED: dict[str, Any] = {  # parameters of trees that boosting decides itself
    "criterion": "squared_error",
    "criterion_params": None,
    "refine": None,
    "refine_params": None,
    "prune": None,
    "prune_params": None,
    "min_samples_split": 2,
    "min_weight_fraction_leaf": 0.0,
    "count_constant": True,
    "min_impurity_decrease": 0.0,
    "ccp_alpha": 0.0,
    "smoothing": None,
    "column_costs": None,
    "first_split": None,
}
Rows = npt.NDArray[np.uint32]


class BaseBoosting(SeveralTrees, BoostingParameters, Conduct):
    """Base of the boosted trees; not to be used by itself."""

    # ---- fit ------------------------------------------------------------------------------------

    def _grown(self, X: Any, y: Any, sample_weight: Any, progress: Any = None) -> dict[str, Any]:
        params = {**parameters_of(self), **UNUSED}
        data = self._data_of(X, y, sample_weight)
        check_listed(data.schema, data.target.classes, None)
        advise(params, data)
        started = time.perf_counter()
        found = self._attributes(params, data, progress)
        if self.verbose:
            print_rounds(found, time.perf_counter() - started, self.verbose)
        return found

    def _attributes(self, params: dict[str, Any], data: Data, progress: Progress | None) -> dict[str, Any]:
        rounds = rounds_of(params, self._loss(params), data)
        before = self._before(params, data, rounds) if flag("warm_start", params["warm_start"]) else None
        if before is not None:
            params["random_state"], seed = self._seed
        else:
            seed = seeded(params)
        train, held = parted(params, data, seed) if rounds["stops"] else (None, np.empty(0, np.uint32))
        rounds["held"] = held
        self._continue(rounds, before, data)
        judge = judge_of(self, params, data, train, held, seed) if rounds["stops"] else None
        sample = data.sample() if train is None else _core.Sample(train)
        update = progress.update if progress else None

        def grow(_: _core.Data, __: _core.Sample | None, plan: Plan) -> dict[str, Any]:
            return _core.boost(data.for_core(), sample, plan, rounds, judge, update)

        numbers = Target(numbers=np.zeros(data.columns.n_rows))  # what trees predict
        made = grown(params, replace(data, target=numbers), grow, seed)
        trees = (*(before.trees if before else ()), *made["trees"])
        boosting = Boosting(
            rounds["loss"],
            rounds["rate"],
            tuple(made["start"].tolist()),
            tuple(made["train_scores"].tolist()),
            tuple(made["held_scores"].tolist()),
        )
        out = {"engine": made["engine"], "boosting": boosting}
        found = attributes_of(self, params, data, trees, progress, out)
        return found | {
            "n_iter_": len(trees) // boosting.n_outputs,
            "do_early_stopping_": rounds["stops"],
            "train_score_": made["train_scores"],
            "validation_score_": made["held_scores"],
            "_seed": (params["random_state"], seed),
            "_rows": (data.columns.n_rows, data.weight),
        }

    def _loss(self, params: Mapping[str, Any]) -> tuple[str, float]:
        """The loss, and the quantile that it is about."""
        raise AssertionError("defined by classifier and regressor")

    def _before(self, params: Mapping[str, Any], data: Data, rounds: Mapping[str, Any]) -> Model | None:
        """The rounds that ``warm_start`` keeps."""
        model: Model | None = self.__dict__.get("model_")
        if model is None or model.boosting is None:
            return None
        classes, n = data.target.classes, len(model.trees) // model.boosting.n_outputs
        if rounds["most"] < n:
            raise ParameterError(
                f"max_iter={rounds['most']} must be larger than or equal to n_iter_={n} when warm_start=True"
            )
        same = classes is None or model.classes is None or classes.tolist() == model.classes.tolist()
        if model.schema != data.schema or not same or self._rows != (data.columns.n_rows, data.weight):
            raise DataError(
                f"warm_start=True: the {n} rounds there are come from another table (rows, weights, columns or classes "
                "differ). Give the same table, or set warm_start=False."
            )
        for name, was, now in (
            ("loss", model.boosting.loss, rounds["loss"]),
            ("learning_rate", model.boosting.learning_rate, rounds["rate"]),
            ("missing", model.missing, params["missing"]),
        ):
            if was != now:
                raise ParameterError(
                    f"{name} is {shown(now)} and warm_start=True, but the rounds there are were made with "
                    f"{name}={was!r}; set it back, or set warm_start=False."
                )
        return model

    def _continue(self, rounds: dict[str, Any], before: Model | None, data: Data) -> None:
        """Where the rounds begin."""
        empty = np.empty(0)
        rounds |= dict.fromkeys(("start", "raw", "train_scores", "held_scores"), empty)
        if before is None or before.boosting is None:
            return
        rounds["start"] = np.array(before.boosting.start)
        rounds["raw"] = before.outputs(data.columns).raw().ravel()
        rounds["train_scores"] = np.array(before.boosting.train_scores)
        rounds["held_scores"] = np.array(before.boosting.validation_scores)

    # ---- prediction -----------------------------------------------------------------------------

    def _staged(self, X: Any) -> Iterator[tuple[Any, Floats]]:
        """What is predicted of all rows after each round: the outputs, and the raw sums."""
        check_is_fitted(self, "model_")
        model: Model = self.model_
        outputs = self._outputs(X)
        boosting = model.boosting
        assert boosting is not None
        k = boosting.n_outputs
        raw = np.tile(np.array(boosting.start), (outputs.columns.n_rows, 1))
        for i, (tree, nodes) in enumerate(zip(model.trees, model.all_nodes, strict=True)):
            if outputs.shared:
                said = tree.mix(outputs.columns, nodes.means, outputs.threads)
            else:
                said = nodes.means[tree.apply(outputs.columns, outputs.threads)]
            raw[:, i % k] += boosting.learning_rate * said
            if i % k == k - 1:
                yield outputs, raw.copy()


# ---- helpers ------------------------------------------------------------------------------------------


def rounds_of(params: Mapping[str, Any], loss: tuple[str, float], data: Data) -> dict[str, Any]:
    """How rounds are made, as the core takes it; each parameter is checked."""
    name, alpha = loss
    most = integer("max_iter", params["max_iter"], 1, "a positive integer")
    if most > MOST_ROUNDS:
        raise must("max_iter", params["max_iter"], f"at most {MOST_ROUNDS:,}")
    rate = real("learning_rate", params["learning_rate"], 0, 1e100, "a positive number")
    share = real("subsample", params["subsample"], 0, 1, "a share of the rows above 0 and at most 1")
    if rate <= 0 or share <= 0:
        wrong = "learning_rate" if rate <= 0 else "subsample"
        raise must(wrong, params[wrong], "larger than 0")
    auto = params["early_stopping"]
    stops = data.n_rows > MANY_ROWS if isinstance(auto, str) and auto == "auto" else auto
    if not isinstance(stops, (bool, np.bool_)):
        raise must("early_stopping", auto, "'auto', True or False")
    held = params["validation_fraction"]
    if is_float(held) and not 0 < held < 1:
        raise must("validation_fraction", held, HELD_OUT)
    if held is not None and not is_float(held):
        integer("validation_fraction", held, 1, HELD_OUT)
    check_scoring_name(params["scoring"])
    if not isinstance(params["verbose"], bool):
        integer("verbose", params["verbose"], 0, "a non-negative integer")
    bins, what = params["max_bins"], "an integer from 2 to 255, or None (cuts between any two values)"
    if is_number(bins) and bins > MOST_BINS:
        raise must("max_bins", bins, what)
    return {
        "loss": name,
        "alpha": alpha,
        "rate": rate,
        "l2": real("l2_regularization", params["l2_regularization"], 0, 1e300, "a non-negative number"),
        "subsample": share,
        "bins": 0 if bins is None else integer("max_bins", bins, 2, what),
        "most": most,
        "stops": bool(stops),
        "patience": integer("n_iter_no_change", params["n_iter_no_change"], 1, "a positive integer"),
        "tolerance": real("tol", params["tol"], 0, math.inf, "a non-negative number"),
    }


def parted(params: Mapping[str, Any], data: Data, seed: int) -> tuple[Rows, Rows]:
    """Training rows and those that are kept apart to judge rounds, of the rows that weigh something."""
    from sklearn.model_selection import train_test_split

    given = params["validation_fraction"]
    rows = np.arange(data.columns.n_rows, dtype=np.uint32) if data.weighing is None else data.weighing
    if given is None:
        return rows, np.empty(0, np.uint32)
    if not is_float(given) and given >= len(rows):
        raise must("validation_fraction", given, HELD_OUT)
    codes = data.target.codes
    try:
        train, held = train_test_split(
            rows, test_size=given, stratify=None if codes is None else codes[rows], random_state=seed
        )
    except ValueError as e:
        raise DataError(
            f"early stopping needs held-out rows, and validation_fraction={given!r} cannot be drawn ({e}). "
            "Set early_stopping=False, or another validation_fraction."
        ) from None
    return np.sort(train), np.sort(held)


def print_rounds(found: Mapping[str, Any], seconds: float, verbose: int) -> None:
    """What ``verbose`` asks for."""
    train, held = found["train_score_"], found["validation_score_"]
    for i in range(1, len(train)) if verbose > 1 else ():
        print(f"round {i}: training score {train[i]:.6g}" + (f", validation score {held[i]:.6g}" if len(held) else ""))
    leaves = sum(tree.n_leaves for tree in found["model_"].trees)
    print(f"{found['n_iter_']} rounds, {len(found['model_'].trees)} trees, {leaves:,} leaves in {seconds:.2f} s")


def checked_loss(name: Any, classes: bool) -> str:
    """A loss for classes, or for numbers."""
    loss = find("loss", name)
    if loss.traits["classes"] != classes:
        raise ParameterError(f"loss={shown(name)} is for {'numbers' if classes else 'classes'}.")
    return loss.name
