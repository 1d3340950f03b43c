"""`BoostedRegressor`: boosted trees for numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, ParameterError
from ..registry import find
from ..tables.arrays import check_target
from .bases import RegressorMixin
from .boosting import BaseBoosting, checked_loss
from .data import Data, Floats, Target
from .parameters import parameter, with_parameters
from .plan import real
from .regressor import numbers_to_predict

MOST_SUM = 8e307  # of distances from the mean, each at most twice the largest number


@with_parameters
class BoostedRegressor(RegressorMixin, BaseBoosting):
    """Boosted trees for numbers; their parts can be chosen as in `BoostedClassifier`.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X had column names.
    feature_importances_ : ndarray of shape (n_features_in_,)
        What the splits of each column gain, as a share of all.
    n_iter_ : int
        The number of rounds.
    do_early_stopping_ : bool
        Whether rounds could stop early.
    train_score_, validation_score_ : ndarray of shape (n_iter_ + 1,)
        Scores before the first round and after each one; the latter is empty where no rows were kept apart. Of
        ``scoring="loss"`` the loss times −1.
    model_ : Model
        The trees and their schema.

    Examples
    --------
    >>> from bough import BoostedRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> boosted = BoostedRegressor(max_iter=50, max_leaf_nodes=4).fit(X[::2], y[::2])
    >>> bool(boosted.score(X[1::2], y[1::2]) > 0.35)
    True
    """

    loss: str = parameter(
        "str",
        """What is made small: ``"squared_error"``, ``"absolute_error"``, ``"quantile"`` or ``"poisson"`` (for counts,
        whose logarithm the trees add up to).""",
        default="squared_error",
        kw_only=False,
    )
    quantile: float | None = parameter(
        "float", 'Of ``loss="quantile"`` the share of rows below the prediction.', default=None
    )

    def _loss(self, params: Mapping[str, Any]) -> tuple[str, float]:
        loss = checked_loss(params["loss"], False)
        if loss != "quantile":
            return loss, 0.5
        if params["quantile"] is None:
            raise ParameterError("loss='quantile' needs quantile, the share of rows below the prediction, such as 0.9.")
        return loss, real("quantile", params["quantile"], 0, 1, "a share from 0 to 1")

    def _attributes(self, params: dict[str, Any], data: Data, progress: Any) -> dict[str, Any]:
        loss, _ = self._loss(params)
        numbers, lowest = data.target.numbers, find("loss", loss).traits["lowest"]
        assert numbers is not None
        here = numbers if data.weighing is None else numbers[data.weighing]
        if here.min() < lowest or (loss == "poisson" and here.max() <= 0):
            raise DataError(
                f"loss={loss!r} needs a target that is nowhere negative and somewhere positive; y goes from "
                f"{here.min():g} to {here.max():g}."
            )
        largest = max(abs(here.min()), abs(here.max()))
        if loss == "squared_error" and largest > MOST_SUM / max(data.weight, 1.0):
            raise DataError(
                f"y goes from {here.min():g} to {here.max():g}, and its sums over the rows are beyond what float64 "
                "holds; divide y by a constant, or use loss='absolute_error'."
            )
        return super()._attributes(params, data, progress)

    def _target_of(self, y: Any, n: int) -> tuple[npt.NDArray[Any], Target]:
        numbers = numbers_to_predict(y)
        check_target(numbers, n)
        return numbers, Target(numbers=np.ascontiguousarray(numbers))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """The predictions after each round.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        """
        for outputs, raw in self._staged(X):
            yield outputs.linked(raw)
