"""The systems of a comparison: published names, estimators, dicts of either, each as a `Contestant`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor

from ..errors import ParameterError, shown
from ..estimators._base import Conduct
from ..estimators.systems import system
from ..registry import did_you_mean

MOST_COLUMNS = 32  # that a nominal column becomes for a system that takes numbers only


@dataclass(frozen=True)
class Contestant:
    """A system in a comparison: its name, an estimator that is cloned for every fold, and a grid to choose
    parameters from by cross-validation within the training rows (None: nothing is chosen)."""

    name: str
    estimator: Any
    grid: Mapping[str, Sequence[Any]] | None = None

    def describe(self) -> dict[str, Any]:
        """What the results file says of it: its type and the parameters that are not the default."""
        out: dict[str, Any] = {"name": self.name, "estimator": type(self.estimator).__name__}
        out["params"] = {k: text_of(v) for k, v in sorted(unusual(self.estimator).items())}
        if self.grid is not None:
            out["grid"] = {k: [text_of(v) for v in vs] for k, vs in sorted(self.grid.items())}
        return out


def text_of(value: Any) -> Any:
    """A parameter as JSON has it; what JSON has not, in words without addresses."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [text_of(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): text_of(v) for k, v in value.items()}
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def unusual(estimator: Any) -> dict[str, Any]:
    """Parameters that are not the default."""
    try:
        default = type(estimator)().get_params(deep=False)
    except TypeError:  # it cannot be made without arguments: a pipeline, say
        default = {}
    given = estimator.get_params(deep=False)
    return {k: v for k, v in given.items() if k not in default or repr(default[k]) != repr(v)}


# ---- what users give --------------------------------------------------------------------------------


def contestants(
    given: Any,
    task: str,
    grid: Mapping[str, Any] | None = None,
    along: Mapping[str, Sequence[Any]] | None = None,
) -> list[Contestant]:
    """The systems that a user gives.

    Parameters
    ----------
    given : str, estimator, or a list or dict of these
    task : {"classification", "regression"}
    grid : dict, optional
        By system: a dict of parameters and the values to choose from.
    along : dict, optional
        Parameters and values: each system is taken once for each combination of them.
    """
    found = [Contestant(name, one) for name, one in named(given, task)]
    if not found:
        raise ParameterError("there is no system to compare: give a name of `bough list systems` or an estimator.")
    names = [c.name for c in found]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise ParameterError(f"two systems are called {twice!r}; give them as a dict with a name for each.")
    for c in found:
        check_task(c, task)
    grid = dict(grid or {})
    for name, values in grid.items():
        if name not in names:
            raise ParameterError(f"the grid is for {name!r}, which is no system here{did_you_mean(name, names)}")
        check_values(next(c for c in found if c.name == name), values, "grid")
    found = [Contestant(c.name, c.estimator, grid.get(c.name)) for c in found]
    return [v for c in found for v in variants(c, along)] if along else found


def named(given: Any, task: str) -> list[tuple[str, Any]]:
    if isinstance(given, Mapping):
        return [(str(k), estimator_of(v, task)) for k, v in given.items()]
    if isinstance(given, str) or hasattr(given, "fit"):
        given = [given]
    if not isinstance(given, Iterable):
        raise ParameterError(f"systems is {shown(given)}; it must be names, estimators, or a list or dict of them.")
    return [(v if isinstance(v, str) else name_of(v), estimator_of(v, task)) for v in given]


def name_of(estimator: Any) -> str:
    words = type(estimator).__name__
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else None
    return words if last is None else f"{words} {type(last).__name__}"


def estimator_of(given: Any, task: str) -> Any:
    if isinstance(given, str):
        return system(given, task=task)
    if not (hasattr(given, "fit") and hasattr(given, "predict") and hasattr(given, "get_params")):
        raise ParameterError(f"{shown(given)} is no system: give a name of `bough list systems` or an estimator.")
    return clone(given)


def check_task(c: Contestant, task: str) -> None:
    fits = is_regressor(c.estimator) if task == "regression" else is_classifier(c.estimator)
    if not fits:
        other = "classes" if task == "regression" else "numbers"
        wanted = "numbers" if task == "regression" else "classes"
        raise ParameterError(
            f"system {c.name!r} predicts {other} and the data asks for {wanted}; leave it out, or give the other task."
        )


def check_values(c: Contestant, values: Any, what: str) -> None:
    """Refuses parameters that a system does not have, and lists without values."""
    if not isinstance(values, Mapping) or not values:
        raise ParameterError(f"the {what} of {c.name!r} is {values!r}; it must be a dict of parameters and values.")
    known = c.estimator.get_params()
    for parameter, choices in values.items():
        if parameter not in known:
            near = did_you_mean(parameter, known)
            raise ParameterError(f"system {c.name!r} has no parameter {parameter!r} for the {what}{near}")
        if isinstance(choices, str) or not isinstance(choices, Sequence) or not len(choices):
            raise ParameterError(f"the {what} of {c.name!r} has {parameter}={choices!r}; it must be a list of values.")


def variants(c: Contestant, along: Mapping[str, Sequence[Any]]) -> list[Contestant]:
    """A system once for each combination of values."""
    check_values(c, along, "along")
    out = []
    for values in product(*along.values()):
        chosen = dict(zip(along, values, strict=True))
        words = " ".join(f"{k}={v}" for k, v in chosen.items())
        out.append(Contestant(f"{c.name} {words}", clone(c.estimator).set_params(**chosen), c.grid))
    return out


# ---- systems that take numbers only -------------------------------------------------------------------


def takes_tables(estimator: Any) -> bool:
    """Whether a system is given the table as it is: bough's trees, and pipelines, which see to it themselves."""
    inner = getattr(estimator, "estimator", None)
    return isinstance(estimator, Conduct) or hasattr(estimator, "steps") or (inner is not None and takes_tables(inner))


def with_encoding(estimator: Any, nominal: Sequence[int], n_columns: int, missing: bool) -> Any:
    """An estimator for a matrix in which nominal values are numbers without an order, and some may be missing.

    Nominal columns become one column for each value (the rarest together beyond ``MOST_COLUMNS``), missing values in
    others the median, unless the estimator handles missing values. Learned from the training rows of each fold.
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.utils import get_tags

    fills = missing and not get_tags(estimator).input_tags.allow_nan
    if not nominal and not fills:
        return estimator
    numeric = [i for i in range(n_columns) if i not in set(nominal)]
    values = OneHotEncoder(max_categories=MOST_COLUMNS, handle_unknown="infrequent_if_exist", sparse_output=False)
    numbers = SimpleImputer(strategy="median", keep_empty_features=True) if fills else "passthrough"
    encode = ColumnTransformer([("nominal", values, list(nominal)), ("numeric", numbers, numeric)])
    return Pipeline([("encode", encode), ("system", estimator)])


def seeded(estimator: BaseEstimator, seed: int) -> Any:
    """A copy in which everything random starts from a seed, unless the user gave one."""
    made = clone(estimator)
    free = {k: seed for k, v in made.get_params().items() if k.split("__")[-1] == "random_state" and v is None}
    return made.set_params(**free) if free else made
