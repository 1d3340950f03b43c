"""How the tree of a fitted estimator was refined."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from .. import _core
from ..errors import ParameterError
from ..model.printed import printed
from ..model.refinement import PROVEN, Refinement
from .alternatives import Alternatives, alike, check
from .fitting import grown

WITHIN, MOST = 0.01, 50
REPORT_SECONDS = 2.0


class Refined:
    """Attributes of a tree that was fitted with ``refine``."""

    @property
    def refinement_(self) -> dict[str, npt.NDArray[Any]]:
        """The objective that ``refine`` brought down: ``stage`` and ``objective``, a row for each pass. Objectives of
        one stage can be compared."""
        return self._refinement("refinement_").table()

    @property
    def bound_(self) -> float | None:
        """No tree within the limits has a smaller objective; None where nothing is known."""
        return self._refinement("bound_").bound

    @property
    def proven_(self) -> bool:
        """Whether it is proven that no tree within the limits has a smaller objective."""
        return self._refinement("proven_").proven

    @property
    def search_seconds_(self) -> float | None:
        """How long the search for the tree took; None where nothing was searched. A model file does not keep it."""
        self._refinement("search_seconds_")
        return getattr(self, "_search_seconds", None)

    def __getstate__(self) -> dict[str, Any]:
        """Without the training rows, which ``alternatives_`` reads again."""
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_fitted_on"}

    def alternatives_(self, within: float = WITHIN, most: int = MOST) -> Alternatives:
        """Trees that are nearly as good as the best one.

        A sequence of estimators, the best first, that also knows which columns occur in all, in some and in none of
        them. Of each choice of columns there is the tree with the best cuts, and every split costs less than a leaf in
        its place. Only after a fit with ``refine="optimal"`` and at most three levels, in the same session: the
        training rows, which must not have changed, are searched again. Limits on leaves and pruning do not count.

        Parameters
        ----------
        within : float, default=0.01
            How much larger the objective may be, as a share of the best one.
        most : int, default=50
            How many trees at most.

        Returns
        -------
        Alternatives

        Examples
        --------
        >>> from bough import TreeClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> tree = TreeClassifier(refine="optimal", max_depth=2).fit(X, y)
        >>> near = tree.alternatives_(within=0.2)
        >>> near
        18 trees of different columns, objective 6 to 7
        in some: petal width (cm) (15), petal length (cm) (14), sepal width (cm) (2)
        in none: sepal length (cm)
        """
        self._refinement("alternatives_")
        check(within, most)
        fitted = getattr(self, "_fitted_on", None)
        if fitted is None:
            raise ParameterError(
                "alternatives_ searches the training rows again, which this estimator does not have: it was read from "
                "a pickle, or not fitted with refine='optimal' and at most three levels. Fit it here."
            )
        return self._alternatives(fitted, float(within), int(most))

    def _near(self) -> Alternatives | None:
        """What `alternatives_` finds in two seconds, for the report; None where there is no proof, or no rows."""
        fitted, found = getattr(self, "_fitted_on", None), self.__dict__["model_"].refinement
        if fitted is None or found is None or not found.proven:
            return None
        params, data, seed = fitted
        limited = {**(params["refine_params"] or {}), "max_seconds": REPORT_SECONDS}
        return self._alternatives(({**params, "refine_params": limited}, data, seed), WITHIN, MOST)

    def _alternatives(self, fitted: Any, within: float, most: int) -> Alternatives:
        params, data, seed = fitted
        found: list[Any] = []

        def near(core: _core.Data, sample: _core.Sample | None, plan: Any) -> _core.Tree:
            found[:] = _core.near_trees(core, sample, plan, within, most)
            return found[0][0]

        grown(params, data, near, seed)
        trees, objectives, complete = found
        digits = [printed(tree, tree.margins(data.columns, data.weighing)) for tree in trees]
        return alike(self, trees, digits, objectives, within, complete)

    def _with_seconds(self, text: str) -> str:
        """A tree as text, with the time of a proof."""
        found: Refinement | None = self.__dict__["model_"].refinement
        seconds = getattr(self, "_search_seconds", None)
        if found is None or seconds is None or not found.claim.endswith(PROVEN):
            return text
        return text.replace(found.claim, f"{found.claim} in {max(seconds, 0.01):.2f} s")

    def _refinement(self, name: str) -> Refinement:
        found: Refinement | None = self.__dict__["model_"].refinement if "model_" in self.__dict__ else None
        if found is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}; refine= makes it")
        return found
