"""`TreeRegressor`: one tree for numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import column_or_1d

from ..errors import DataError
from ..tables.arrays import at_hand, check_target, numbers_of, real, unmasked
from ..tables.native import series_array
from ._base import BaseTree
from .bases import RegressorMixin
from .data import Target
from .parameters import with_parameters


@with_parameters
class TreeRegressor(RegressorMixin, BaseTree):
    """A decision tree regressor; its parts can be chosen as in `TreeClassifier`.

    Attributes
    ----------
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
    >>> from bough import TreeRegressor
    >>> import numpy as np
    >>> x = np.arange(6.0).reshape(-1, 1)
    >>> TreeRegressor().fit(x, [1e12, 1e12, 1e12, 1e12 + 1, 1e12 + 1, 1e12 + 1]).get_n_leaves()
    2
    """

    criterion: str = "squared_error"

    def _target_of(self, y: Any, n: int) -> tuple[npt.NDArray[Any], Target]:
        numbers = numbers_to_predict(y)
        check_target(numbers, n)
        offset = offset_of(float(numbers.min()), float(numbers.max()))
        return numbers, Target(numbers=numbers - offset, offset=offset)


def offset_of(low: float, high: float) -> float:
    """What to subtract from numbers between ``low`` and ``high``: something only where they lie so near each other that
    every difference is exact."""
    if low > 0 and high <= 2 * low:
        return low
    return high if high < 0 and low >= 2 * high else 0.0


def numbers_to_predict(y: Any) -> npt.NDArray[np.float64]:
    """A target as numbers, whatever it came as."""
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.")
    if not (type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "fiub" and len(y)):  # nothing to find out
        given = series_array(at_hand(y, "y"))
        y = column_or_1d(real(unmasked(y, "y"), "y"), warn=True) if given is None else given
    if y.dtype.kind in "mM":
        raise DataError(f"y is of type {y.dtype}; make it numbers: days or seconds since a fixed day.")
    if y.dtype.kind not in "fiub":
        y = numbers_of(y, "y")
    return np.asarray(y, dtype=np.float64)
