"""What a published system is: a name for a combination of parts, and how it becomes parameters of an estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import ParameterError, shown

# A dict of parameters and the part that reads it: it is kept only as long as that part stays.
NESTED = {f"{part}_params": part for part in ("split", "nominal", "selector", "leaf", "refine", "prune")}


@dataclass(frozen=True)
class System:
    """A published system: its name, what it is, where it comes from, and an estimator's parameters."""

    name: str
    doc: str
    source: str
    params: Mapping[str, Any] = field(default_factory=dict)
    forest: bool = False  # of many trees
    boosted: bool = False  # of trees that are each fitted to what the others leave
    numbers: Mapping[str, Any] | None = None  # what differs where numbers are predicted; None: it is for classes
    classes: bool = True  # False: it is for numbers only, and so is its estimator whatever the task
    check: Callable[[Mapping[str, Any]], None] | None = None  # raises where parameters break a rule of its source

    def for_task(self, task: str) -> System:
        """The system as it predicts classes or numbers; parameters that are about classes stay behind."""
        if task not in ("classification", "regression"):
            raise ParameterError(f"task={shown(task)}; it must be 'classification' or 'regression'.")
        if task == "classification" and self.classes:
            return self
        if self.numbers is None:
            from .systems import SYSTEMS

            fit = ", ".join(repr(s.name) for s in SYSTEMS.values() if s.numbers is not None)
            raise ParameterError(f"system {self.name!r} is for classes; for numbers there are {fit}.")
        known = estimator_class(self, "regression")().get_params()
        return replace(self, params={k: v for k, v in {**self.params, **self.numbers}.items() if k in known})

    def with_overrides(self, overrides: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of an estimator: those of the system, and over them the given ones.

        Dicts of parameters are merged; those of a part that is replaced by another are forgotten.
        """
        out = {k: dict(v) if k in NESTED else v for k, v in self.params.items()}
        for nested, part in NESTED.items():
            if nested in out and overrides.get(part, out.get(part)) != out.get(part):
                del out[nested]
        for name, value in overrides.items():
            merge = name in NESTED and isinstance(value, Mapping) and name in out
            out[name] = {**out[name], **value} if merge else value
        if self.check is not None:
            self.check(out)
        return out


def estimator_class(found: System, task: str = "classification") -> Any:
    """The class of the estimators that a system stands for."""
    from . import boosting_classifier, boosting_regressor, classifier, forest_classifier, forest_regressor, regressor

    if found.boosted:
        return boosting_regressor.BoostedRegressor if task == "regression" else boosting_classifier.BoostedClassifier
    if task == "regression" or not found.classes:
        return forest_regressor.ForestRegressor if found.forest else regressor.TreeRegressor
    return forest_classifier.ForestClassifier if found.forest else classifier.TreeClassifier
