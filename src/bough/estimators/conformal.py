"""Intervals and sets of classes that hold the truth as often as promised: split-conformal prediction."""

from __future__ import annotations

import copy
import math
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import DataError, ParameterError, shown
from ..registry import is_number
from .data import Floats

Tree = TypeVar("Tree", bound="Calibrated")


class Calibrated:
    """A tree or forest that knows how wrong it is on rows that it was not fitted to."""

    def calibrated(self: Tree, X: Any, y: Any) -> Tree:
        """The same model with scores of other rows, from which `predict_interval` or `predict_set` are made.

        Parameters
        ----------
        X, y
            Rows that were kept aside: not those that the tree was fitted to, nor those that chose its parameters. A few
            hundred are enough.

        Returns
        -------
        A new estimator. ``calibration_scores_`` are the scores, ascending: ``|y - prediction|``, or 1 less the share of
        the true class.

        Examples
        --------
        >>> from bough import TreeRegressor
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> tree = TreeRegressor(max_depth=3).fit(X[:200], y[:200]).calibrated(X[200:300], y[200:300])
        >>> ends = tree.predict_interval(X[300:], alpha=0.2)
        >>> bool(((ends[:, 0] <= y[300:]) & (y[300:] <= ends[:, 1])).mean() > 0.75)
        True
        """
        estimator: Any = self
        columns, target, _ = estimator._rows(X, y, None)
        outputs = estimator.model_.outputs(columns)
        if estimator.model_.classes is None:
            scores = np.abs(target - outputs.predictions())
        else:
            scores = 1 - outputs.shares()[np.arange(len(target)), target]
        new = copy.copy(self)
        new.__dict__["calibration_scores_"] = np.sort(scores)
        return new


def threshold(scores: Floats, alpha: Any) -> float:
    """The score that a new row exceeds with a probability of at most ``alpha``; infinite for too few scores."""
    if not is_number(alpha) or not 0 < alpha < 1:
        raise ParameterError(f"alpha is {shown(alpha)}; it must be a number above 0 and below 1.")
    place = math.ceil((len(scores) + 1) * (1 - float(alpha)))
    return float(scores[place - 1]) if place <= len(scores) else math.inf


def scores_of(estimator: Any, out_of_bag: Floats | None) -> Floats:
    """The scores of rows kept aside, else those out of bag."""
    found: Floats | None = estimator.__dict__.get("calibration_scores_", out_of_bag)
    if found is None:
        forest = hasattr(estimator, "n_estimators")
        raise ParameterError(
            "this needs scores of rows that were not fitted to: give some to calibrated(X, y) first"
            f"{', or fit with oob_score=True' if forest else ''}."
        )
    if not len(found):
        raise DataError("no row was judged out of bag, so that there are no scores; grow more trees.")
    return found


def within(predicted: Floats, scores: Floats, alpha: Any) -> Floats:
    """Predictions less and plus the threshold, rows × 2."""
    reach = threshold(scores, alpha)
    return np.column_stack([predicted - reach, predicted + reach])


def likely(shares: Floats, scores: Floats, alpha: Any) -> npt.NDArray[np.bool_]:
    """The classes whose score is not above the threshold, rows × classes."""
    found: npt.NDArray[np.bool_] = 1 - shares <= threshold(scores, alpha) + 1e-12
    return found
