"""`TreeRegressor`: one tree for numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import column_or_1d

from ..errors import DataError, ParameterError
from ..model.model import Model
from ..registry import plugins
from ..tables.arrays import at_hand, check_target, numbers_of, one_target, real, unmasked
from ..tables.native import series_array
from ._base import BaseTree
from .bases import RegressorMixin
from .conformal import scores_of, within
from .data import Data, Floats, Target
from .fitting import threads_of
from .parameters import parameter, with_parameters
from .plan import flag
from .quantiles import Neighbours, wanted_quantiles


def is_deviance(criterion: Any) -> bool:
    """Is a criterion for counts and rates, which are from 0 on?"""
    known = plugins()["criterion"]
    return isinstance(criterion, str) and criterion in known and bool(known[criterion].traits["deviance"])


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
    leaf: str = parameter(
        "str",
        """What a leaf predicts: see ``bough list leaf``. ``"linear"``: a sum of lines, each over one column, which are
        added along the path as long as BIC says that they help (PILOT), and chooses the splits as well.""",
        default="mean",
    )
    leaf_params: Mapping[str, Any] | None = parameter("dict", "Parameters of ``leaf``.", default=None)
    keep_leaves: bool = parameter(
        "bool",
        "Keep which training rows are in which leaf, for `predict_quantiles`.",
        default=False,
    )

    def _kept(self, model: Model, data: Data, times: Iterable[npt.NDArray[np.uint32]]) -> dict[str, Any]:
        keep = flag("keep_leaves", self.keep_leaves)
        return {"_neighbours": Neighbours.of(model, data, times) if keep else None}

    def predict_quantiles(self, X: Any, quantiles: Any = (0.05, 0.5, 0.95)) -> Floats:
        """Quantiles of the numbers of the training rows in the leaf of each row of X; of a forest, of those that share
        leaves with it (Meinshausen 2006).

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
        >>> from bough import TreeRegressor
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> tree = TreeRegressor(keep_leaves=True, min_samples_leaf=50).fit(X, y)
        >>> low, middle, high = tree.predict_quantiles(X[:1])[0]
        >>> bool(low < middle < high)
        True
        """
        wanted = wanted_quantiles(quantiles)
        columns = self._columns_of(X)
        neighbours: Neighbours | None = self.__dict__.get("_neighbours")
        if neighbours is None:
            raise ParameterError("quantiles need the training rows of each leaf; fit with keep_leaves=True.")
        return neighbours.quantiles(self.model_, columns, threads_of(self.n_jobs), wanted)

    def predict_interval(self, X: Any, alpha: float = 0.1) -> Floats:
        """An interval around each prediction that holds the true number with a probability of at least ``1 - alpha``.

        Split-conformal: as wide as the error that a share ``alpha`` of the rows passed to `calibrated` exceeds. The
        promise holds on average over new rows that come from where those rows do.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        alpha : float, default=0.1
            The share of rows whose number may be outside.

        Returns
        -------
        ends : ndarray of shape (n_samples, 2)
            Infinite where there are too few scores for such an ``alpha``.
        """
        return within(self.predict(X), scores_of(self, None), alpha)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = is_deviance(self.criterion)
        return tags

    def _target_of(self, y: Any, n: int) -> tuple[npt.NDArray[Any], Target]:
        numbers = numbers_to_predict(y)
        check_target(numbers, n)
        return numbers, target_of(numbers, self.criterion)


def target_of(numbers: npt.NDArray[np.float64], criterion: Any) -> Target:
    """Numbers as a criterion takes them."""
    offset = offset_for(criterion, float(numbers.min()), float(numbers.max()))
    return Target(numbers=numbers - offset, offset=offset)


def offset_for(criterion: Any, low: float, high: float) -> float:
    """What to subtract from numbers between ``low`` and ``high``; nothing where their zero counts."""
    if is_deviance(criterion):
        check_counts(low, high, criterion)
        return 0.0
    return offset_of(low, high)


def check_counts(low: float, high: float, criterion: str) -> None:
    if low < 0:
        raise DataError(
            f"y holds {low:g}, and criterion={criterion!r} is for numbers from 0 on; take criterion='squared_error'."
        )
    if high == 0:
        raise DataError(f"every number in y is 0, and criterion={criterion!r} needs some above 0.")


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
        given = series_array(at_hand(one_target(y, "MultiOutputRegressor"), "y"))
        y = column_or_1d(real(unmasked(y, "y"), "y"), warn=True) if given is None else given
    if y.dtype.kind in "mM":
        raise DataError(f"y is of type {y.dtype}; make it numbers: days or seconds since a fixed day.")
    if y.dtype.kind not in "fiub":
        y = numbers_of(y, "y")
    return np.asarray(y, dtype=np.float64)
