"""`ForestRegressor`: many trees for numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..model.model import Model
from .data import Data, Floats
from .forest import BaseForest
from .out_of_bag import Draws
from .plan import flag
from .quantiles import Neighbours, interval, wanted_quantiles
from .regressor import TreeRegressor


class ForestRegressor(BaseForest, TreeRegressor):
    """A forest of decision trees for numbers; its parts can be chosen as in `ForestClassifier`.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    criterion : str, default="squared_error"
        How good a split is: see ``bough list criterion``.
    max_features : int, float, "sqrt", "log2" or None, default=1.0
        Columns tried at each node, drawn at random; by default all.
    split, split_params, nominal, nominal_params, selector, selector_params, missing, prune, prune_params
        As in `TreeRegressor`.
    standardize, simplify
        As in `TreeRegressor`.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease
        As in `TreeRegressor`; a row that a tree has drawn twice counts as two rows.
    count_constant, ccp_alpha, categorical_features, ordinal_features, random_state, n_jobs
        As in `TreeRegressor`.
    bootstrap, max_samples, warm_start
        As in `ForestClassifier`.
    oob_score : bool or callable, default=False
        Whether rows are predicted by the trees that have not drawn them. A callable ``f(y_true, y_pred)`` takes the
        place of R².
    keep_leaves : bool, default=False
        Whether it is kept which training rows came to which leaf, for `predict_quantiles`.

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

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        split: Any = "axis",
        split_params: Mapping[str, Any] | None = None,
        nominal: str = "auto",
        nominal_params: Mapping[str, Any] | None = None,
        selector: str = "score",
        selector_params: Mapping[str, Any] | None = None,
        missing: str = "either",
        prune: str | None = None,
        prune_params: Mapping[str, Any] | None = None,
        standardize: bool | None = None,
        simplify: bool = False,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = 1.0,
        count_constant: bool = True,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        categorical_features: Any = "from_dtype",
        ordinal_features: Mapping[Any, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        oob_score: bool | Callable[..., float] = False,
        warm_start: bool = False,
        keep_leaves: bool = False,
    ) -> None:
        super().__init__(
            criterion=criterion,
            split=split,
            split_params=split_params,
            nominal=nominal,
            nominal_params=nominal_params,
            selector=selector,
            selector_params=selector_params,
            missing=missing,
            prune=prune,
            prune_params=prune_params,
            standardize=standardize,
            simplify=simplify,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            count_constant=count_constant,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            categorical_features=categorical_features,
            ordinal_features=ordinal_features,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.n_estimators = n_estimators
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.keep_leaves = keep_leaves

    def _kept(self, model: Model, data: Data, seeds: list[int], draws: Draws) -> dict[str, Any]:
        if not flag("keep_leaves", self.keep_leaves):
            return {"_neighbours": None}
        return {"_neighbours": Neighbours.of(model.trees, data, [draws.times(seed) for seed in seeds])}

    def predict_quantiles(self, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> Floats:
        """Quantiles of the numbers of the training rows that share leaves with each row of X (Meinshausen 2006).

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        quantiles : float or array-like of float, default=(0.05, 0.5, 0.95)

        Returns
        -------
        numbers : ndarray of shape (n_samples, n_quantiles)
            The least number at or below which there is that share of the weight.

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
        leaves = self._outputs(X).leaves
        if self._neighbours is None:
            raise ParameterError("quantiles need the training rows of each leaf; fit with keep_leaves=True.")
        return self._neighbours.quantiles(leaves, wanted)

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
