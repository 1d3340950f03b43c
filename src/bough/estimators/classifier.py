"""`TreeClassifier`: one tree for classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from .. import _core
from ..errors import DataError, ParameterError, shown
from ..model.stakes import NO_STAKES, Stakes
from ..registry import LARGEST, is_number
from ..tables import codes
from ..tables.arrays import at_hand, check_target, one_target, real, unmasked
from ..tables.native import series_array
from ..tables.values import check_value, is_missing, plain
from ._base import BaseTree
from .bases import ClassifierMixin
from .conformal import likely, scores_of
from .costs import cost_splits_of, costs_of, priors_of, scale_of
from .data import Floats, Target
from .parameters import ClassParameters, with_parameters


@with_parameters
class TreeClassifier(ClassifierMixin, ClassParameters, BaseTree):
    """A decision tree classifier in which every part can be chosen.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X had column names.
    feature_importances_ : ndarray of shape (n_features_in_,)
    tree_ : TreeArrays
        The tree's arrays under scikit-learn's names.
    model_ : Model
        The tree and its schema.

    Examples
    --------
    >>> from bough import TreeClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = TreeClassifier(max_depth=3).fit(X, y)
    >>> round(tree.score(X, y), 3)
    0.973
    """

    def _target_of(self, y: Any, n: int) -> tuple[npt.NDArray[Any], Target]:
        y = labels_of(y)
        check_target(y, n)
        classes, coded = classes_of(y)
        if classes.dtype.kind in "OU":
            for c in classes.tolist():
                check_value(c, "y")
        costs, splits = costs_of(self.costs, classes), cost_splits_of(self.cost_splits)
        stakes = NO_STAKES if costs is None and splits == NO_STAKES.splits else Stakes(costs, splits)
        return y, Target(codes=coded.astype(np.uint32, copy=False), classes=classes, stakes=stakes)

    def _with_priors(self, target: Target, weights: Floats | None) -> Target:
        if self.priors is None:
            return target
        assert target.codes is not None
        assert target.classes is not None
        scale = scale_of(priors_of(self.priors, target.classes), target.codes, weights)
        return target._replace(stakes=replace(target.stakes, scale=scale))

    def _class_weights(self, y: npt.NDArray[Any], target: Target) -> Floats | None:
        given = self.class_weight
        if given is None:
            return None
        if isinstance(given, Mapping):
            classes = target.classes.tolist() if target.classes is not None else []
            unknown = [c for c in given if c not in classes]
            if unknown and any(c not in given for c in classes):  # else it names more classes than there are here
                raise ParameterError(
                    f"class_weight names {shown(unknown[0])}, which is not a class. "
                    f"Classes: {', '.join(map(shown, classes[:20]))}{', …' if len(classes) > 20 else ''}."
                )
            for c, w in given.items():
                if not is_number(w) or not 0 <= w <= LARGEST:
                    raise ParameterError(
                        f"class_weight of {shown(c)} is {shown(w)}; it must be a finite number, not negative."
                    )
        elif not isinstance(given, str) or given != "balanced":
            raise ParameterError(
                f"class_weight is {shown(given)}; it must be a dict {{class: weight}}, 'balanced' or None."
            )
        from sklearn.utils.class_weight import compute_class_weight

        per_class = compute_class_weight(given, classes=target.classes, y=y)
        weights: Floats = per_class[target.codes]
        return weights

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class for each row of X.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        return self._outputs(X).shares()

    def predict_set(self, X: Any, alpha: float = 0.1) -> npt.NDArray[np.bool_]:
        """The classes among which the true one is, with a probability of at least ``1 - alpha``.

        Split-conformal: a class is in the set if 1 less its share is at most the score that a share ``alpha`` of the
        rows passed to `calibrated` exceeds (of a forest with ``oob_score``: its out-of-bag rows). The promise holds on
        average over new rows that come from where those rows do.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        alpha : float, default=0.1
            The share of rows whose true class may be missing.

        Returns
        -------
        classes : ndarray of bool of shape (n_samples, n_classes)
            Columns in the order of ``classes_``. A set may have several classes, or none.

        Examples
        --------
        >>> from bough import TreeClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = TreeClassifier(max_depth=2).fit(X[::2], y[::2]).calibrated(X[1::4], y[1::4])
        >>> tree.predict_set(X[3::4], alpha=0.05).sum(axis=1).max()
        np.int64(2)
        """
        return likely(self.predict_proba(X), scores_of(self, self.__dict__.get("_oob_scores")), alpha)

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        log_proba : ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def classes_of(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The classes in order, and the number of each row's class."""
    if y.dtype.kind == "i" or (y.dtype.kind == "u" and y.dtype.itemsize < 8):
        whole, places = np.ascontiguousarray(y, np.int64), np.empty(len(y), np.uint32)
        numbers = _core.number_classes(whole if whole.flags.aligned else whole.copy(), places)
        if numbers is not None:
            return np.array(numbers, dtype=y.dtype), places
    if y.dtype.kind in "OU":
        found = codes.in_order(codes.of_array(y))
        return np.array(found.values, dtype=y.dtype), found.codes
    return np.unique(y, return_inverse=True)


def labels_of(y: Any) -> npt.NDArray[Any]:
    """Class labels as one array, refused in scikit-learn's words if they are none."""
    if type(y) is not np.ndarray:
        given = series_array(at_hand(one_target(y, "MultiOutputClassifier"), "y"))
        y = unmasked(y, "y") if given is None else given
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iubU" and len(y):
        return y
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.")
    one_target(y, "MultiOutputClassifier")
    whole = getattr(getattr(y, "dtype", None), "numpy_dtype", None)  # of pandas' nullable types
    if whole is not None and whole.kind in "iub" and not y.isna().any():
        y = y.to_numpy(dtype=whole)
    given, y = y, column_or_1d(real(y, "y"), warn=True)
    if y.dtype.kind == "U" and isinstance(given, (list, tuple)) and not all(isinstance(v, str) for v in given):
        y = np.array(given, dtype=object)  # NumPy would make text of the numbers
    if y.dtype.kind not in "biufUO" or (y.dtype.itemsize > 8 and y.dtype.kind == "f"):
        raise DataError(
            f"Unknown label type: y is of type {y.dtype}, and classes are text, numbers or flags. "
            "Convert it: y.astype(str), or y.astype(float)."
        )
    check_target(y, len(y))
    if y.dtype.kind == "O":
        types = set(map(type, y))
        text = {t for t in types if issubclass(t, str)}
        if text == types:
            return np.asarray(y)
        missing = next((row for row, v in enumerate(y) if is_missing(v)), None)
        if missing is not None:
            raise DataError(f"Input y contains NaN: row {missing}. Leave out the rows that have no target.")
        for v in y:
            if not isinstance(v, (str, int, float, np.number, np.bool_)):
                raise DataError(
                    f"Unknown label type: y holds {shown(v)}, and classes are text, numbers or flags. "
                    "Convert it: y.astype(str)."
                )
            check_value(plain(v), "y")
        if text:
            mixed = ", ".join(sorted(t.__name__ for t in types))
            raise DataError(f"Unknown label type: y mixes text and other labels ({mixed}). Make all of them text.")
        kinds = ", ".join(sorted(t.__name__ for t in types))
        raise DataError(f"Unknown label type: y holds Python objects ({kinds}). Convert it: y.astype(int) or (str).")
    check_classification_targets(y)
    return np.asarray(y)
