"""From an estimator's parameters to the plan that a tree is grown by: every value is checked here, once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from inspect import signature
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError, integers, shown
from ..model.smoothing import HIERARCHICAL
from ..registry import LARGEST, Plugin, find, is_number, is_whole, plugins
from .apart import folds_of, kept_of, must
from .costs import check_costs
from .data import Data
from .first_split import First
from .functions import Own
from .leaves import Part, part_of_leaf
from .rules import rules_of

NO_LIMIT = 2**32 - 1


class Plan(NamedTuple):  # made in a third of the time of a frozen dataclass, which a fit of 150 rows feels
    """All that a tree is grown by; the core has a record of the same fields (cpp/grow/plan.hpp)."""

    criterion: str
    criterion_params: Mapping[str, float]
    split: Part
    nominal: Part
    selector: Part
    missing: str
    refine: Part | None
    prune: tuple[Part, ...]  # one after the other
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: float
    min_impurity_decrease: float
    min_info_gain: float
    max_leaf_nodes: int  # 0: no limit
    max_features: int  # 0: all
    count_constant: bool
    standardize: bool
    simplify: bool
    leaf: Part | None  # None: the mean of its rows, or the shares of their classes
    ties_by_seed: bool  # which of tied columns wins; else the first one
    monotonic: tuple[int, ...]  # per column: predictions rise with it (1), fall (-1), or may do both (0); (): no rule
    ruled: int  # the class whose probability does
    interactions: tuple[tuple[int, ...], ...]  # groups of columns that may meet on a path; (): all may
    prices: tuple[float, ...]  # per column, for asking it on a path; (): none has one
    first: tuple[First, ...]  # splits that the tree begins with, the root's first
    seed: int
    threads: int
    engine: str  # the store to grow from, by name; empty: the one that is faster
    target_offset: float
    functions: Mapping[str, Callable[..., Any]]  # of the user's own, by what the core calls them
    kept: npt.NDArray[np.uint32] | None  # rows that a pruner keeps apart, of those that weigh something; None: drawn
    folds: npt.NDArray[np.uint32] | None  # of each row that weighs something; None: drawn


def integer(name: str, value: Any, least: int, what: str) -> int:
    if not is_whole(value) or value < least:
        raise must(name, value, what)
    return min(int(value), NO_LIMIT)


def count(name: str, value: Any, least: int) -> int:
    """A limit that may also be None."""
    return integer(name, value, least, f"{integers(least)} or None (no limit)")


def real(name: str, value: Any, low: float, high: float, what: str) -> float:
    if not is_number(value) or not low <= value <= high:
        raise must(name, value, what)
    return float(value)


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise must(name, value, "True or False")
    return bool(value)


def is_float(value: Any) -> bool:
    return isinstance(value, (float, np.floating))


def count_or_share(name: str, value: Any, least: int, n_rows: int, open_end: bool) -> int:
    """A number of rows: given as such, or as a share of all rows."""
    if is_float(value):
        if 0 < value < 1 or (value == 1 and not open_end):
            return max(least, math.ceil(float(value) * n_rows))
    elif is_whole(value) and value >= least:
        return min(int(value), NO_LIMIT)
    raise must(name, value, f"{integers(least)}, or a share of the rows between 0 and 1")


def max_features_of(value: Any, n_columns: int) -> int:
    what = "None, 'sqrt', 'log2', a positive integer, or a share of the columns between 0 and 1"
    if value is None:
        return n_columns
    if isinstance(value, str):
        if value not in ("sqrt", "log2"):
            raise must("max_features", value, what)
        return max(1, int(math.sqrt(n_columns) if value == "sqrt" else math.log2(n_columns)))
    if is_float(value):
        if not 0 < value <= 1:
            raise must("max_features", value, what)
        return max(1, int(value * n_columns))
    return integer("max_features", value, 1, what)


def smoothing_of(p: Mapping[str, Any]) -> Any:
    """How values of leaves are smoothed."""
    value, regression = p["smoothing"], "priors" not in p
    if value is None or (isinstance(value, str) and value == "laplace" and not regression):
        return value
    if isinstance(value, str) and value == HIERARCHICAL:
        if "n_estimators" in p:
            raise ParameterError(
                "smoothing='hierarchical' chooses its strength for one tree; a forest needs it given, as "
                "smoothing={'hierarchical': 10}."
            )
        return value
    if isinstance(value, Mapping) and list(value) == [HIERARCHICAL]:
        strength = value[HIERARCHICAL]
        if not is_number(strength) or not 0 <= strength <= LARGEST:
            raise must("smoothing['hierarchical']", strength, "a non-negative number")
        return {HIERARCHICAL: float(strength)}
    if regression or not is_number(value) or not 0 <= value < math.inf:
        classes = "" if regression else "'laplace', the weight of the root's shares (a non-negative number), "
        raise must("smoothing", value, f"None, {classes}'hierarchical' or {{'hierarchical': a non-negative number}}")
    return float(value)


def part_of(kind: str, value: Any) -> Plugin:
    """The plug-in that a name, or a function of the user's own, stands for."""
    if isinstance(value, Own) and value.kind == kind:
        return value.found()
    plugin = find(kind, value)
    if plugin.traits["function"]:
        raise ParameterError(f"{kind}={shown(value)} needs a function: {kind}=bough.{value}(fn).")
    return plugin


def misfit(criterion: Plugin, nominal: Plugin) -> str | None:
    """Why a nominal search cannot be used with a criterion, or None if it can."""
    needs, has = nominal.traits["needs"], criterion.traits
    if has["ordered"] and nominal.name != "auto":
        return "puts categories in the order of what a leaf of each would predict, and tries every cut of that"
    if nominal.traits["multiway"] and not has["multiway"]:
        return "judges two sides and cannot score one child for each value"
    if needs != "nothing" and has["regression"]:
        return "is for numbers, and the search is for classes"
    if needs in ("classes", "divergence") and not has["sums"]:
        return "is not a function of the class weights of two sides, by which the search judges"
    if needs == "divergence" and not has["divergence"]:
        return "has no divergence between a value and a side, by which the search moves values"
    if needs == "graph" and not has["graph"]:
        return "is not a cut in a graph of values, which the search makes large"
    return None


def check_pair(criterion: Plugin, nominal: Plugin, regression: bool, split: Plugin | None = None) -> None:
    """Refuses pairs that make no sense, with what fits either of the two."""
    if criterion.traits["regression"] != regression:
        task = "numbers (TreeRegressor)" if criterion.traits["regression"] else "classes (TreeClassifier)"
        wanted = "numbers" if regression else "classes"
        fit = ", ".join(c.name for c in plugins()["criterion"].values() if c.traits["regression"] == regression)
        raise ParameterError(f"criterion={criterion.name!r} is for {task}; for {wanted} there are: {fit}.")
    if split is not None and split.traits["bounds"] and not criterion.traits["box_corners"]:
        fit = ", ".join(
            c.name
            for c in plugins()["criterion"].values()
            if c.traits["box_corners"] and c.traits["regression"] == regression
        )
        raise ParameterError(
            f"split={split.name!r} needs a criterion that it can bound: {fit}; criterion={criterion.name!r} is not one."
        )
    why = misfit(criterion, nominal)
    if why is None:
        return
    same_task = [c for c in plugins()["criterion"].values() if c.traits["regression"] == regression]
    criteria = [c.name for c in same_task if misfit(c, nominal) is None]
    searches = [n.name for n in plugins()["nominal"].values() if misfit(criterion, n) is None]
    fitting = f" nominal={nominal.name!r} goes with criterion {', '.join(criteria)}." if criteria else ""
    raise ParameterError(
        f"criterion={criterion.name!r} does not go with nominal={nominal.name!r}: it {why}.{fitting} "
        f"criterion={criterion.name!r} goes with nominal {', '.join(searches)}."
    )


def parts_of(criterion: Any, split: Any, nominal: Any, selector: Any, regression: bool) -> tuple[Plugin, ...]:
    """The plug-ins that an estimator names, if they go together."""
    found = part_of("criterion", criterion), part_of("split", split), part_of("nominal", nominal)
    selects = find("selector", selector)
    check_pair(found[0], found[2], regression, found[1])
    if selects.name == "average_gain" and found[0].name != "gain_ratio":
        raise ParameterError(
            f"selector='average_gain' compares gain ratios; criterion is {found[0].name!r}, it must be 'gain_ratio'."
        )
    return *found, selects


def missing_apart(missing: Any) -> bool:
    """Does a missing nominal value have a way of its own, so that it is not a value?"""
    return isinstance(missing, str) and missing in ("shared", "surrogate")


def check_unseen(missing: str, nominal_params: Any) -> None:
    """Where rows without a value have a way of their own, values that were not at a node have the same."""
    if missing != "either" and isinstance(nominal_params, Mapping) and nominal_params.get("unseen") == "stop":
        raise ParameterError(
            f"nominal_params has unseen='stop', but with missing={missing!r} a value that was not at a node counts as "
            "missing; leave unseen out, or take missing='either'."
        )


def collapses(selector: Any, selector_params: Any) -> bool:
    """Does the selector ask for subtrees to be cut back that do not lower the training error?"""
    return bool(selector == "average_gain" and (selector_params or {}).get("collapse", True))


def parts_of_pruning(prune: Any, prune_params: Any, ccp_alpha: Any) -> tuple[Part, ...]:
    """What is cut back after growing, in order: ``prune``, then by ``ccp_alpha``."""
    alpha = real("ccp_alpha", ccp_alpha, 0, math.inf, "a non-negative number")
    sugar = (Part("cost_complexity", {"alpha": alpha}),) if alpha > 0 else ()
    if prune is None:
        if prune_params is not None and not (isinstance(prune_params, Mapping) and not prune_params):
            raise must("prune_params", prune_params, "None where prune is None")
        return sugar
    pruner = find("prune", prune)
    params = pruner.encode(prune_params, "prune_params")
    if pruner.name != "cost_complexity":
        return (Part(pruner.name, params), *sugar)
    if "alpha" in params and sugar:
        raise ParameterError(
            f"ccp_alpha is {alpha:g} and prune_params has alpha={params['alpha']:g}; give the price of a leaf once."
        )
    if "alpha" not in params and not sugar:
        raise ParameterError(
            "prune='cost_complexity' cuts back by ccp_alpha, which is 0; give ccp_alpha a positive value, "
            "or prune_params={'alpha': ...}."
        )
    return sugar or (Part(pruner.name, params),)


def part_of_refining(
    refine: Any, refine_params: Any, criterion: Plugin, nominal: Plugin, missing: str, max_leaf_nodes: Any
) -> Part | None:
    """What is improved once the tree stands."""
    if refine is None:
        if refine_params is not None and not (isinstance(refine_params, Mapping) and not refine_params):
            raise must("refine_params", refine_params, "None where refine is None")
        return None
    refiner = find("refine", refine)
    named = f"refine={refiner.name!r}"
    if criterion.traits["regression"] and not refiner.traits["regression"]:
        raise ParameterError(f"{named} is for classes; leave it out where numbers are predicted.")
    if criterion.traits["regression"] and not criterion.traits["squares"]:
        raise ParameterError(
            f"{named} lowers squared errors, which criterion={criterion.name!r} does not count; take 'squared_error', "
            "or leave refine out."
        )
    if nominal.traits["multiway"]:
        raise ParameterError(
            f"{named} moves rows between two sides, and nominal={nominal.name!r} may make more; take another search."
        )
    if missing != "either":
        raise ParameterError(
            f"{named} sends rows without a value to the better side; missing={missing!r} has another way for them. "
            "Leave missing out."
        )
    if max_leaf_nodes is not None:
        raise ParameterError(f"{named} bounds a tree by its depth; pass max_depth instead of max_leaf_nodes.")
    return Part(refiner.name, refiner.encode(refine_params, "refine_params"))


def fields_of(
    regression: bool,
    n_rows: int,
    n_columns: int,
    weight: float,
    min_info_gain: Any,
    criterion: Any,
    criterion_params: Any,
    split: Any,
    split_params: Any,
    nominal: Any,
    nominal_params: Any,
    selector: Any,
    selector_params: Any,
    missing: Any,
    refine: Any,
    refine_params: Any,
    prune: Any,
    prune_params: Any,
    ccp_alpha: Any,
    max_depth: Any,
    min_samples_split: Any,
    min_samples_leaf: Any,
    min_weight_fraction_leaf: Any,
    min_impurity_decrease: Any,
    max_leaf_nodes: Any,
    max_features: Any,
    standardize: Any,
    simplify: Any,
    count_constant: Any,
) -> tuple[Any, ...]:
    """The fields of a plan from ``criterion`` to ``simplify``, for a table of this size."""
    by, splits, searches, selects = parts_of(criterion, split, nominal, selector, regression)
    mode = find("missing", missing).name
    check_unseen(mode, nominal_params)
    share = real("min_weight_fraction_leaf", min_weight_fraction_leaf, 0, 0.5, "a share from 0 to 0.5")
    if min_info_gain is not None and (not is_number(min_info_gain) or math.isnan(min_info_gain)):
        raise must("min_info_gain", min_info_gain, "None or a number of bits")
    drawn = max_features_of(max_features, n_columns)
    pruned = parts_of_pruning(prune, prune_params, ccp_alpha)
    return (
        by.name,
        by.encode(criterion_params, "criterion_params"),
        Part(splits.name, splits.encode(split_params, "split_params")),
        Part(searches.name, searches.encode(nominal_params, "nominal_params")),
        Part(selects.name, selects.encode(selector_params, "selector_params")),
        mode,
        part_of_refining(refine, refine_params, by, searches, mode, max_leaf_nodes),
        (Part("training_errors", {}), *pruned) if collapses(selector, selector_params) else pruned,
        count("max_depth", max_depth, 1) if max_depth is not None else NO_LIMIT,
        count_or_share("min_samples_split", min_samples_split, 2, n_rows, open_end=False),
        count_or_share("min_samples_leaf", min_samples_leaf, 1, n_rows, open_end=True),
        share * weight,
        real("min_impurity_decrease", min_impurity_decrease, 0, math.inf, "a non-negative number"),
        -math.inf if min_info_gain is None else float(min_info_gain),
        count("max_leaf_nodes", max_leaf_nodes, 2) if max_leaf_nodes is not None else 0,
        0 if drawn >= n_columns else drawn,
        flag("count_constant", count_constant),
        standardize is not None and flag("standardize", standardize),
        flag("simplify", simplify),
    )


known_fields = lru_cache(maxsize=256, typed=True)(fields_of)  # a fit of 150 rows feels every microsecond
parameters_in = itemgetter(*list(signature(fields_of).parameters)[5:])  # that every estimator has


def ties_by_seed(p: Mapping[str, Any]) -> bool:
    """In a forest: otherwise the first of tied columns would win in every tree."""
    return "n_estimators" in p


def plan_of(
    p: Mapping[str, Any], data: Data, *, seed: int, threads: int, raised: list[BaseException] | None = None
) -> Plan:
    """The plan of an estimator with the parameters ``p``; ``raised`` keeps errors of the user's own functions."""
    target, kept, folds = data.target, None, None
    if p["prune_params"] is not None:
        p, folds = folds_of(p, data)
        p, kept = kept_of(p, data)
    table = target.classes is None, data.n_rows, len(data.schema), data.weight
    given = *table, p.get("min_info_gain"), *parameters_in(p)
    parts = p["criterion"], p["split"], p["nominal"]
    plain = all(type(part) is str for part in parts)  # else a function of the user's own, which is not kept
    try:
        fields = (known_fields if plain else fields_of)(*given)
    except ParameterError:
        raise
    except Exception:  # a value that cannot be looked up, such as an array or a dict
        fields = fields_of(*given)
    if target.stakes.costs is not None and target.stakes.splits == "pairs":
        check_costs(part_of("criterion", p["criterion"]), part_of("nominal", p["nominal"]))
    own = () if plain else [f for f in parts if isinstance(f, Own)]
    functions = {f.call: f.bound(target, [] if raised is None else raised) for f in own}
    rules = part_of_leaf(p), ties_by_seed(p), *rules_of(p, data)
    return Plan._make((*fields, *rules, seed, threads, "", target.offset, functions, kept, folds))
