"""`ForestRegressor`: many trees for numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .conformal import threshold
from .data import Floats
from .forest import BaseForest
from .parameters import with_parameters
from .quantiles import interval
from .regressor import TreeRegressor


@with_parameters
class ForestRegressor(BaseForest, TreeRegressor):
    """A forest of decision trees for numbers; its parts can be chosen as in `ForestClassifier`.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X had column names.
    feature_importances_ : ndarray of shape (n_features_in_,)
    estimators_ : list of TreeRegressor
        The trees, as views: they share the memory of the forest.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown from.
    oob_score_ : float
        Only with ``oob_score``.
    oob_prediction_ : ndarray of shape (n_samples,)
        Only with ``oob_score``; NaN for a row in every bootstrap sample.
    oob_errors_ : ndarray of shape (n_samples,)
        Only with ``oob_score``: the numbers less `oob_prediction_`.
    oob_feature_importances_ : ndarray of shape (n_features_in_,)
        Only with ``oob_score``: as in `ForestClassifier`.
    model_ : Model
        The trees and their schema.

    Examples
    --------
    >>> from bough import ForestRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ForestRegressor(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> round(forest.oob_score_, 1)
    0.4
    """

    _tree = TreeRegressor

    max_features: int | float | str | None = 1.0

    def predict_interval(self, X: Any, alpha: float = 0.1) -> Floats:
        """An interval around each prediction that holds the true number with a probability of about ``1 - alpha``.

        From the rows passed to `calibrated`, as `TreeRegressor.predict_interval` says, else from the errors out of bag
        (Zhang et al. 2020).

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        alpha : float, default=0.1
            The share of rows whose number may be outside.

        Returns
        -------
        ends : ndarray of shape (n_samples, 2)
        """
        errors = self.__dict__.get("oob_errors_")
        if "calibration_scores_" in self.__dict__ or errors is None:
            return super().predict_interval(X, alpha)
        threshold(errors, alpha)  # refuses what is no share
        ends: Floats = self.predict(X)[:, np.newaxis] + interval(errors, 1 - alpha)
        return ends
