"""`ForestRegressor`: many trees for numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ParameterError
from ..model.model import Model
from ._base import threads_of
from .data import Data, Floats
from .forest import BaseForest
from .out_of_bag import Times
from .parameters import parameter, with_parameters
from .plan import flag
from .quantiles import Neighbours, interval, wanted_quantiles
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
        Only with ``oob_score``; NaN for a row that every tree has drawn.
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
    keep_leaves: bool = parameter(
        "bool",
        "Keep which training rows are in which leaf, for `predict_quantiles`.",
        default=False,
    )

    def _kept(self, model: Model, data: Data, times: Times) -> dict[str, Any]:
        if not flag("keep_leaves", self.keep_leaves):
            return {"_neighbours": None}
        return {"_neighbours": Neighbours.of(model, data, times)}

    def predict_quantiles(self, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> Floats:
        """Quantiles of the numbers of the training rows that share leaves with each row of X (Meinshausen 2006).

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        quantiles : float or array-like of float, default=(0.05, 0.5, 0.95)

        Returns
        -------
        numbers : ndarray of shape (n_samples, n_quantiles)
            The smallest number at or below which there is that share of the weight. A row that ends at an internal
            node has the training rows below that node; a row with missing values that is shared has those of all its
            leaves, by its shares.

        Examples
        --------
        >>> from bough import ForestRegressor
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = ForestRegressor(keep_leaves=True, min_samples_leaf=5, random_state=0).fit(X, y)
        >>> low, middle, high = forest.predict_quantiles(X[:1])[0]
        >>> bool(low < middle < high)
        True
        """
        wanted = wanted_quantiles(quantiles)
        columns = self._columns_of(X)
        if self._neighbours is None:
            raise ParameterError("quantiles need the training rows of each leaf; fit with keep_leaves=True.")
        return self._neighbours.quantiles(self.model_, columns, threads_of(self.n_jobs), wanted)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """An interval around each prediction, as wide as the errors out of bag are (Zhang et al. 2020).

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        coverage : float, default=0.9
            The share of rows whose number is to lie in their interval, on average over rows.

        Returns
        -------
        ends : ndarray of shape (n_samples, 2)
        """
        said = self.predict(X)
        if not hasattr(self, "oob_errors_"):
            raise ParameterError("intervals need the errors out of bag; fit with oob_score=True.")
        ends: Floats = said[:, np.newaxis] + interval(self.oob_errors_, coverage)
        return ends
