"""`TreeRegressor`: one tree for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from ..errors import DataError
from ..tables.arrays import check_target, numbers_of, real, unmasked
from ..tables.native import series_array
from ._base import BaseTree
from .data import Target


class TreeRegressor(RegressorMixin, BaseTree):
    """A decision tree regressor; its parts can be chosen as in `TreeClassifier`.

    Parameters
    ----------
    criterion : str, default="squared_error"
        How good a split is: see ``bough list criterion``.
    split, split_params, nominal, nominal_params, selector, selector_params, missing, prune, prune_params
        As in `TreeClassifier`.
    standardize, simplify
        As in `TreeClassifier`.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in `TreeClassifier`.
    max_features, count_constant, max_leaf_nodes, min_impurity_decrease, ccp_alpha
        As in `TreeClassifier`.
    categorical_features, ordinal_features, random_state, n_jobs
        As in `TreeClassifier`.

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

    def __init__(
        self,
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
        max_features: int | float | str | None = None,
        count_constant: bool = True,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        categorical_features: Any = "from_dtype",
        ordinal_features: Mapping[Any, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.split = split
        self.split_params = split_params
        self.nominal = nominal
        self.nominal_params = nominal_params
        self.selector = selector
        self.selector_params = selector_params
        self.missing = missing
        self.prune = prune
        self.prune_params = prune_params
        self.standardize = standardize
        self.simplify = simplify
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.count_constant = count_constant
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _target_of(self, y: Any, n: int) -> tuple[npt.NDArray[Any], Target]:
        numbers = numbers_to_predict(y)
        check_target(numbers, n)
        with np.errstate(over="ignore", invalid="ignore"):
            offset = float(numbers[0] + np.add.reduce(numbers - numbers[0]) / n)  # np.mean without its questions
            about = numbers - offset
            if not np.isfinite(about).all():
                offset, about = 0.0, numbers.copy()
        return numbers, Target(numbers=about, offset=offset)


def numbers_to_predict(y: Any) -> npt.NDArray[np.float64]:
    """A target as numbers, whatever it came as."""
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.")
    if not (type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "fiub" and len(y)):  # nothing to find out
        given = series_array(y)
        y = column_or_1d(real(unmasked(y, "y"), "y"), warn=True) if given is None else given
    if y.dtype.kind in "mM":
        raise DataError(f"y is of type {y.dtype}; make it numbers: days or seconds since a fixed day.")
    if y.dtype.kind not in "fiub":
        y = numbers_of(y, "y")
    return np.asarray(y, dtype=np.float64)
