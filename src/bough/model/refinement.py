"""What a refiner tells of its work and of the tree it leaves, as a model file keeps it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ModelFileError
from ..registry import LARGEST
from .metadata import check_texts

MOST_STAGES = 10_000
MOST_PASSES = 100_000
MOST_CHARACTERS = 300  # of a text
PROVEN = ": proven"  # ends a claim
FIELDS = ("stages", "stage", "objective", "bound", "proven", "claim")


class Refinement(NamedTuple):
    """The objective that a refiner brought down, pass by pass.

    Attributes
    ----------
    stages : tuple of str
        The stages of the work. Objectives of one stage can be compared.
    stage : tuple of int
        The stage of each pass, a place in ``stages``.
    objective : tuple of float
        The objective after each pass.
    bound : float or None
        No tree within the limits has a smaller objective; None: nothing is known.
    proven : bool
        Whether the tree has the smallest objective there is.
    claim : str
        What is known of the bound, as a sentence; empty where nothing is.
    """

    stages: tuple[str, ...]
    stage: tuple[int, ...]
    objective: tuple[float, ...]
    bound: float | None = None
    proven: bool = False
    claim: str = ""

    def described(self) -> dict[str, Any]:
        """As the file has it."""
        return {n: list(v) if isinstance(v, tuple) else v for n, v in zip(FIELDS, self, strict=True)}

    def table(self) -> dict[str, npt.NDArray[Any]]:
        """Columns ``stage``, the name, and ``objective``, a row for each pass."""
        names = np.array([self.stages[i] for i in self.stage], dtype=object)
        return {"stage": names, "objective": np.array(self.objective, dtype=np.float64)}

    def summary(self) -> str:
        """One line of text."""
        if self.claim:
            return self.claim
        last = self.stage[-1]
        of_last = [x for s, x in zip(self.stage, self.objective, strict=True) if s == last]
        passes = f"{len(self.stage)} pass{'' if len(self.stage) == 1 else 'es'}"
        return f"refined in {passes}; objective of the last stage ({self.stages[last]}): {of_last[-1]:.6g}"


def from_core(found: Mapping[str, Any] | None) -> Refinement | None:
    """What the core reports, if a refiner was at work."""
    if found is None:
        return None
    bound = float(found["bound"])
    return Refinement(
        tuple(found["stages"]),
        tuple(found["stage"]),
        tuple(min(x, LARGEST) for x in found["objective"]),  # squares of numbers may be beyond float64
        bound if math.isfinite(bound) else None,
        bool(found["proven"]),
        str(found["claim"]),
    )


def refinement_of(meta: Mapping[str, Any]) -> Refinement | None:
    """What a file keeps, if anything."""
    found = meta.get("refinement")
    if found is None:
        return None
    if not isinstance(found, dict) or sorted(found) != sorted(FIELDS):
        raise ModelFileError("the refinement does not have its six parts")
    stages, stage, objective = found["stages"], found["stage"], found["objective"]
    if not isinstance(stages, list) or not 0 < len(stages) <= MOST_STAGES or not all(map(is_text, stages)):
        raise ModelFileError("the stages of the refinement are not short texts")
    if not isinstance(stage, list) or not isinstance(objective, list) or len(stage) != len(objective):
        raise ModelFileError("the passes of the refinement differ in number")
    if not 0 < len(stage) <= MOST_PASSES or not all(type(s) is int and 0 <= s < len(stages) for s in stage):
        raise ModelFileError("a pass of the refinement is in no stage")
    bound = found["bound"]
    if not all(map(is_plain, objective)) or not (bound is None or is_plain(bound)):
        raise ModelFileError("an objective of the refinement is not a number")
    if type(found["proven"]) is not bool or not is_text(found["claim"]):
        raise ModelFileError("the refinement does not tell what is proven")
    check_texts(*stages, found["claim"])
    return Refinement(tuple(stages), tuple(stage), tuple(objective), bound, found["proven"], found["claim"])


def is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_CHARACTERS


def is_plain(value: Any) -> bool:
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST
