"""What a fit of every estimator is made of: seed, threads and weights checked, the tree grown, its attributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import is_, itemgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sklearn.utils import check_random_state

from .. import _core
from ..errors import DataError, ParameterError
from ..model import refinement
from ..model.model import MOST_THREADS, Model
from ..model.origin import Origin
from ..model.stakes import NO_STAKES
from ..registry import find
from ..tables.arrays import at_hand, numbers_of, unmasked
from ..tables.schema import Schema
from .advice import warn
from .apart import must
from .bases import BaseEstimator
from .blas import calls_blas, one_thread
from .data import Data, Floats
from .functions import plugin_name
from .hyperplanes import hopeless
from .origins import origin_of
from .plan import Plan, plan_of
from .progress import Progress

Grown = TypeVar("Grown")
PARAMETERS: dict[Any, frozenset[str]] = {}  # their names, by estimator class


class Planned(NamedTuple):
    """What an estimator of some class came to with these parameters and facts of the data."""

    values: tuple[Any, ...]
    facts: tuple[Any, ...]
    plan: Plan
    origin: Origin


LAST: dict[Any, Planned] = {}  # by estimator class
PLAIN = frozenset((str, bool, int, float, type(None)))


def planned(estimator: Any, params: dict[str, Any], data: Data, seed: int) -> Planned | None:
    """The plan of a fit by plain parameters of a plain table, and its origin: those of the fit before it, if nothing
    has changed. None: something is not as plain."""
    target, schema = data.target, data.schema
    if data.weights is not None or target.stakes is not NO_STAKES or not schema.numbered:
        return None
    kind: Any = type(estimator)
    values = values_of(kind)(params)
    facts = data.columns.n_rows, len(schema), target.n_classes, target.offset
    last = LAST.get(kind)
    if last is not None and facts == last.facts and all(map(is_, values, last.values)):
        return last if last.plan.seed == seed else last._replace(plan=last.plan._replace(seed=seed))
    if not PLAIN.issuperset(map(type, values)):
        return None
    plan = plan_of(params, data, seed=seed, threads=threads_of(params["n_jobs"]))
    LAST[kind] = found = Planned(values, facts, plan, origin_of(kind, params, schema))
    return found


@lru_cache(maxsize=64)
def values_of(kind: Any) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    """What takes the parameters of an estimator class out of a dict."""
    return itemgetter(*kind._get_param_names())


def grown(params: dict[str, Any], data: Data, grow: Callable[..., Grown], seed: int, plan: Plan | None = None) -> Grown:
    """What the core grows from the data, the sample and the plan of an estimator with these parameters."""
    raised: list[BaseException] = []  # by a function of the user's own: passed on as it is
    if plan is None:
        plan = plan_of(params, data, seed=seed, threads=threads_of(params["n_jobs"]), raised=raised)
    if plan.split.name == "elc" and (warning := hopeless(plan, data)) is not None:
        warn(warning)
    try:
        if not calls_blas(plan, data.schema):
            return grow(data.for_core(), data.sample(), plan)
        with one_thread:
            return grow(data.for_core(), data.sample(), plan)
    except ValueError as e:
        if e in raised or isinstance(e, ParameterError):
            raise
        raise ParameterError(named_columns(str(e), data.schema)) from None


def attributes_of(
    estimator: Any,
    params: dict[str, Any],
    data: Data,
    trees: tuple[_core.Tree, ...],
    progress: Progress | None,
    out: Mapping[str, Any],
    origin: Origin | None = None,
) -> dict[str, Any]:
    """The attributes that every fitted estimator has; ``out`` is what the core reported besides the trees."""
    schema, target, criterion = data.schema, data.target, plugin_name(params["criterion"])
    model = model_of(
        trees=trees,
        schema=schema,
        classes=target.classes,
        criterion=criterion,
        costs=target.stakes.costs,
        standardize=bool(params["standardize"]),
        smoothing=params["smoothing"],
        pruning_table=out.get("pruning_table"),
        cost_splits=target.stakes.splits,
        class_scale=target.stakes.scale,
        origin=origin or origin_of(type(estimator), params, schema),
        printed=out.get("printed"),
        refinement=refinement.from_core(out.get("refinement")),
        criterion_params=find("criterion", criterion).encode(params["criterion_params"], "criterion_params"),
        boosting=out.get("boosting"),
    )
    if progress:
        progress.finish({"model_": model})
    attributes: dict[str, Any] = {"model_": model, "n_features_in_": len(schema), "_engine": out.get("engine")}
    if "refinement" in out:
        attributes["_search_seconds"] = out["refinement"]["seconds"] or None
    if schema.named:
        attributes["feature_names_in_"] = np.array(schema.names, dtype=object)
    if target.classes is not None:
        attributes["classes_"] = target.classes
        attributes["n_classes_"] = len(target.classes)
    return attributes


def model_of(**given: Any) -> Model:
    """As the constructor, in half of its time, which a fit of 150 rows feels."""
    model = object.__new__(Model)
    vars(model).update({"user_metadata": {}, "criterion_params": {}}, **given)
    model.__post_init__()
    return model


def parameters_of(estimator: BaseEstimator) -> dict[str, Any]:
    """An estimator's parameters by name, and what else it holds: quicker than to pick them, or scikit-learn's
    get_params, which reads the signature anew each time."""
    kind, held = type(estimator), vars(estimator)
    if kind not in PARAMETERS:
        PARAMETERS[kind] = frozenset(kind._get_param_names())
    names = PARAMETERS[kind]
    return held.copy() if names <= held.keys() else {name: getattr(estimator, name) for name in names}


def seeded(params: dict[str, Any]) -> int:
    """The seed of a fit. One that was given, as a number or a generator, is what ``params`` has from here on; one that
    nobody passed is left out, so that the same call makes the same file."""
    seed = seed_of(params["random_state"])
    if params["random_state"] is not None:
        params["random_state"] = seed
    return seed


def seed_of(random_state: Any) -> int:
    if random_state is None:
        return int(np.random.randint(0, 2**31 - 1))
    if isinstance(random_state, (int, np.integer)) and 0 <= random_state < 2**32:
        return int(random_state)  # to start a generator for it would cost more than a fit of 150 rows
    try:
        return int(check_random_state(random_state).randint(0, 2**31 - 1))
    except Exception:  # whatever its repr, which the error would show, raises
        raise must("random_state", random_state, "None, a non-negative integer or a numpy RandomState") from None


def threads_of(n_jobs: Any) -> int:
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise must("n_jobs", n_jobs, "None or an integer other than 0 (−1: all processors)")
    if n_jobs == 1:
        return 1
    from joblib import effective_n_jobs

    return min(int(effective_n_jobs(n_jobs)), MOST_THREADS)


def weights_of(sample_weight: Any, n: int, class_weights: Floats | None) -> Floats | None:
    """Row weights as positive numbers or zero, or None if every row weighs the same 1."""
    if sample_weight is None and class_weights is None:
        return None
    if sample_weight is None:
        w = np.ones(n)
    else:
        w = numbers_of(unmasked(at_hand(sample_weight, "sample_weight"), "sample_weight"), "sample_weight")
        if w.ndim == 0:
            w = np.full(n, float(w))
        if w.shape != (n,):
            raise DataError(f"sample_weight has shape {w.shape}; it must have one weight for each of the {n} rows.")
    if class_weights is not None:
        w = w * class_weights
    if not np.isfinite(w).all() or (w < 0).any():
        bad = int(np.flatnonzero(~(np.isfinite(w) & (w >= 0)))[0])
        raise DataError(f"sample_weight[{bad}] is {w[bad]}; weights must be finite and not negative.")
    if not w.any():
        raise DataError("All sample_weight are zero; at least one must be positive.")
    with np.errstate(over="ignore"):
        if not np.isfinite(w.sum()):
            raise DataError(
                f"sample_weight add up to more than a float64 holds (the largest is {w.max()}); divide them all."
            )
    return None if (w == 1).all() else np.require(w, requirements=["C", "A"])


def named_columns(message: str, schema: Schema) -> str:
    """The core speaks of column <#3>; the user knows its name."""
    return re.sub(r"<#(\d+)>", lambda m: repr(schema.columns[int(m[1])].name), message)
