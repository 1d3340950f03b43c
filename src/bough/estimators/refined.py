"""What a fitted estimator tells of how its tree was refined."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from ..model.refinement import PROVEN, Refinement


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
