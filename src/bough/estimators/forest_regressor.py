"""`ForestRegressor`: many trees for numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .forest import BaseForest
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
    ccp_alpha, categorical_features, ordinal_features, random_state, n_jobs
        As in `TreeRegressor`.
    bootstrap, max_samples, warm_start
        As in `ForestClassifier`.
    oob_score : bool or callable, default=False
        Whether rows are predicted by the trees that have not drawn them. A callable ``f(y_true, y_pred)`` takes the
        place of R².

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
