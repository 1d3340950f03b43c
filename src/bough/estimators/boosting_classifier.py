"""`BoostedClassifier`: boosted trees for classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError
from ..tables.arrays import check_target
from ..tables.values import check_value
from .bases import ClassifierMixin
from .boosting import BaseBoosting, checked_loss
from .classifier import TreeClassifier, classes_of, labels_of
from .data import Data, Floats, Target
from .parameters import as_in_trees, parameter, with_parameters


@with_parameters
class BoostedClassifier(ClassifierMixin, BaseBoosting):
    """Boosted trees for classes, in which every part of a tree can be chosen.

    Each tree is fitted to the residuals of the trees before it: its target is the gradient of the log loss over its
    curvature, and rows are weighted by the curvature. The sum of the trees' predictions, times ``learning_rate``, is
    the log odds of the second of two classes; with more classes each has a sum of its own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X had column names.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The gain of each column's splits, as a share of all.
    n_iter_ : int
        The number of rounds.
    do_early_stopping_ : bool
        Whether rounds could stop early.
    train_score_, validation_score_ : ndarray of shape (n_iter_ + 1,)
        Scores before the first round and after each one; the latter is empty if no rows were held out. With
        ``scoring="loss"``, the loss times −1.
    model_ : Model
        The trees and their schema.

    Examples
    --------
    >>> from bough import BoostedClassifier
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boosted = BoostedClassifier(max_iter=50).fit(X[::2], y[::2])
    >>> bool(boosted.score(X[1::2], y[1::2]) > 0.94)
    True
    """

    loss: str = parameter("str", 'The loss to minimise: ``"log_loss"``.', default="log_loss", kw_only=False)
    class_weight: Mapping[Any, float] | str | None = as_in_trees("class_weight")

    _class_weights = TreeClassifier._class_weights

    def _loss(self, params: Mapping[str, Any]) -> tuple[str, float]:
        return checked_loss(params["loss"], True), 0.5

    def _attributes(self, params: dict[str, Any], data: Data, progress: Any) -> dict[str, Any]:
        if params["monotonic_cst"] is not None and data.target.n_classes > 2:
            raise ParameterError(
                f"monotonic_cst does not go with {data.target.n_classes} classes; it is for regression and for "
                "two classes."
            )
        return super()._attributes(params, data, progress)

    def _target_of(self, y: Any, n: int) -> tuple[npt.NDArray[Any], Target]:
        y = labels_of(y)
        check_target(y, n)
        classes, coded = classes_of(y)
        if classes.dtype.kind in "OU":
            for c in classes.tolist():
                check_value(c, "y")
        return y, Target(codes=coded.astype(np.uint32, copy=False), classes=classes)

    predict_proba = TreeClassifier.predict_proba
    predict_log_proba = TreeClassifier.predict_log_proba

    def decision_function(self, X: Any) -> Floats:
        """The sum of the trees for each row of X: with two classes the log odds of the second.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        raw : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return one_output(self._outputs(X).raw())

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """The predictions after each round.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        """
        for shares in self.staged_predict_proba(X):
            yield self.classes_[shares.argmax(axis=1)]

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """The probabilities of the classes after each round.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        """
        for outputs, raw in self._staged(X):
            yield outputs.linked(raw)

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """`decision_function` after each round.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        """
        for _, raw in self._staged(X):
            yield one_output(raw)


def one_output(raw: Floats) -> Floats:
    return raw[:, 0] if raw.shape[1] == 1 else raw
