"""How fitted estimators are explained: what their model says, by as many threads as they may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
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
        from ._base import threads_of

        check_is_fitted(self, "model_")
        return self.model_.contributions(X, background, precision=precision, threads=threads_of(self.n_jobs))
