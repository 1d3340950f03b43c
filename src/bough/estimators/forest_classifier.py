"""`ForestClassifier`: many trees for classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy.typing as npt

from .classifier import TreeClassifier
from .data import Floats, Target
from .forest import BaseForest, is_balanced_subsample


class ForestClassifier(BaseForest, TreeClassifier):
    """A forest of decision trees for classes, in which every part of a tree can be chosen.

    Each tree is grown from rows that it draws itself, and looks at each node at columns that it draws there. The
    answer is the mean of the trees' class shares.

    Parameters
    ----------
    n_estimators : int, default=100
        The number of trees.
    criterion, split, split_params, nominal, nominal_params, selector, selector_params, missing, prune, prune_params
        As in `TreeClassifier`.
    standardize, simplify, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes
        As in `TreeClassifier`; a row that a tree has drawn twice counts as two rows.
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        Columns tried at each node, drawn at random; beyond them only until one can be split.
    count_constant : bool, default=True
        Whether a drawn column that is constant at the node uses up one of ``max_features``, as in scikit-learn. Where
        many columns are mostly constant, False makes better forests.
    min_impurity_decrease, min_info_gain, costs, cost_splits, priors, smoothing, ccp_alpha
        As in `TreeClassifier`.
    categorical_features, ordinal_features
        As in `TreeClassifier`.
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes; "balanced_subsample" makes them equal in what each tree has drawn.
    random_state : int, RandomState or None, default=None
        Seed of everything random.
    n_jobs : int, optional
        Threads; -1 uses all processors. The forest does not depend on it.
    bootstrap : bool, default=True
        Whether a tree draws its rows, with replacement; otherwise each tree gets all rows.
    max_samples : int, float or None, default=None
        How many rows a tree draws; a float is a share of all rows, None as many as there are.
    oob_score : bool or callable, default=False
        Whether rows are predicted by the trees that have not drawn them. A callable ``f(y_true, y_pred)`` takes the
        place of the accuracy.
    warm_start : bool, default=False
        Whether a further fit keeps the trees there are and grows those that ``n_estimators`` has more.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X had column names.
    feature_importances_ : ndarray of shape (n_features_in_,)
    estimators_ : list of TreeClassifier
        The trees, as views: they share the memory of the forest.
    estimators_samples_ : list of ndarray
        The rows that each tree was grown from.
    oob_score_ : float
        Only with ``oob_score``.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
        Only with ``oob_score``; NaN for a row that every tree has drawn.
    oob_feature_importances_ : ndarray of shape (n_features_in_,)
        Only with ``oob_score``: decrease of impurity by rows that trees have not drawn. It does not prefer columns of
        many values: a column that tells nothing has 0 on average.
    model_ : Model
        The trees and their schema.

    Examples
    --------
    >>> from bough import ForestClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> round(forest.oob_score_, 2)
    0.95
    """

    _tree = TreeClassifier

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
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
        max_features: int | float | str | None = "sqrt",
        count_constant: bool = True,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        min_info_gain: float | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        costs: Any = None,
        cost_splits: str = "pairs",
        priors: Any = None,
        smoothing: str | float | None = None,
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
            count_constant=count_constant,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            min_info_gain=min_info_gain,
            class_weight=class_weight,
            costs=costs,
            cost_splits=cost_splits,
            priors=priors,
            smoothing=smoothing,
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

    def _class_weights(self, y: npt.NDArray[Any], target: Target) -> Floats | None:
        if is_balanced_subsample({"class_weight": self.class_weight}):
            return None  # each tree weighs what it has drawn
        return super()._class_weights(y, target)
