"""Explanations of fitted estimators: those of their model, with their number of threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from ..explain.changes import WhyNot
    from ..explain.contributions import Contributions
    from ..model.model import Model


class Explained:
    """Explanations of trees and forests."""

    n_jobs: Any
    model_: Model

    def contributions(self, X: Any, background: Any = None, *, precision: float = 1e-3) -> Contributions:
        """How much each column moves the prediction of each row, as exact Shapley values; see `Model.contributions`.

        Examples
        --------
        >>> import bough
        >>> tree = bough.TreeRegressor().fit([[0.0, 5.0], [1.0, 5.0]], [10.0, 20.0])
        >>> tree.contributions([[1.0, 5.0]]).values
        array([[5., 0.]])
        """
        from .fitting import threads_of

        check_is_fitted(self, "model_")
        return self.model_.contributions(X, background, precision=precision, threads=threads_of(self.n_jobs))

    def why_not(self, row: Any, wanted: Any, **options: Any) -> WhyNot:
        """The nearest changes of a row that give another prediction; see `Model.why_not`, which has the options.

        Examples
        --------
        >>> import bough
        >>> tree = bough.TreeClassifier().fit([[24.0], [11.0]], ["bad", "good"])
        >>> print(tree.why_not([24.0], "good"))
        The prediction is bad.
        If x0 were at most 17 instead of 24, the prediction would be good (100 % of 1 row).
        """
        check_is_fitted(self, "model_")
        return self.model_.why_not(row, wanted, **options)
