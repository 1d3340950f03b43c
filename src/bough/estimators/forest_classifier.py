"""`ForestClassifier`: many trees for classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from .classifier import TreeClassifier
from .data import Floats, Target
from .forest import BaseForest, is_balanced_subsample
from .parameters import parameter, with_parameters


@with_parameters
class ForestClassifier(BaseForest, TreeClassifier):
    """A forest of decision trees for classes, in which every part of a tree can be chosen.

    Each tree grows from a bootstrap sample of the rows, in which a row drawn twice counts as two rows, and tries
    columns drawn at random at each node. Predictions are the mean of the trees' class shares.

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
        Only with ``oob_score``; NaN for a row in every bootstrap sample.
    oob_feature_importances_ : ndarray of shape (n_features_in_,)
        Only with ``oob_score``: decrease of impurity on out-of-bag rows. It does not prefer columns of
        many values: a column without information has 0 on average.
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

    max_features: int | float | str | None = "sqrt"
    class_weight: Mapping[Any, float] | str | None = parameter(
        'dict, "balanced", "balanced_subsample" or None',
        """Weights of the classes; "balanced_subsample" makes them equal in the bootstrap sample of each tree.""",
        default=None,
    )

    def _class_weights(self, y: npt.NDArray[Any], target: Target) -> Floats | None:
        if is_balanced_subsample({"class_weight": self.class_weight}):
            return None  # each tree weighs its own sample
        return super()._class_weights(y, target)
