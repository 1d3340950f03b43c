"""What predictions cost and how likely classes are, as arrays over the classes of a target."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError, shown
from ..model.stakes import COST_SPLITS
from ..registry import Plugin, is_number, plugins

Floats = npt.NDArray[np.float64]
LEAST, MOST = 1e-100, 1e100  # costs whose squares, times weights, are numbers


def costs_of(given: Any, classes: npt.NDArray[Any]) -> Floats | None:
    """The matrix that ``costs`` stands for: given as such, or as a dict of pairs of class labels."""
    if given is None:
        return None
    matrix = of_pairs(given, classes) if isinstance(given, Mapping) else of_matrix(given, classes)
    for a in np.flatnonzero(matrix.diagonal()).tolist():
        raise ParameterError(f"costs of {label(classes, a)} with itself is {matrix[a, a]:g}; it must be 0.")
    for a, b in np.argwhere(~((matrix >= LEAST) & (matrix <= MOST) | (matrix == 0))).tolist():
        pair = f"costs of {label(classes, a)} taken for {label(classes, b)}"
        what = f"must be from {LEAST:g} to {MOST:g}, or 0; only their ratios count"
        if not np.isfinite(matrix[a, b]) or matrix[a, b] < 0:
            what = "must be finite and not negative"
        raise ParameterError(f"{pair} is {matrix[a, b]:g}; a cost {what}.")
    if len(classes) > 1 and not matrix.any():
        raise ParameterError("costs are all 0; at least one pair of classes must have a positive cost.")
    return matrix


def label(classes: npt.NDArray[Any], i: int) -> str:
    return repr(classes[i : i + 1].tolist()[0])


def of_matrix(given: Any, classes: npt.NDArray[Any]) -> Floats:
    k = len(classes)
    what = (
        f"a {k} × {k} matrix [true, predicted] in the order of the classes {classes.tolist()[:20]}, "
        "or a dict {(true, predicted): cost}"
    )
    try:
        matrix = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"costs is {shown(given)}; it must be {what}.") from None
    if matrix.shape != (k, k):
        raise ParameterError(f"costs has shape {matrix.shape}; it must be {what}.")
    return matrix


def of_pairs(given: Mapping[Any, Any], classes: npt.NDArray[Any]) -> Floats:
    """Pairs that are not listed cost 1, as they do without costs; one listed one way only costs the same the other."""
    place = {c: i for i, c in enumerate(classes.tolist())}
    matrix = 1.0 - np.eye(len(classes))
    listed: dict[tuple[int, int], float] = {}
    for pair, cost in given.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ParameterError(f"costs has the key {shown(pair)}; keys must be pairs of classes (a, b).")
        for c in pair:
            if not isinstance(c, Hashable) or c not in place:
                known = ", ".join(map(repr, list(place)[:20]))
                raise ParameterError(f"costs names {shown(c)}, which is not a class. Classes: {known}.")
        if not is_number(cost):
            raise ParameterError(f"costs of {pair!r} is {shown(cost)}; it must be a number.")
        a, b = place[pair[0]], place[pair[1]]
        listed[(a, b)] = cost
    for (a, b), cost in listed.items():
        matrix[a, b] = cost
        matrix[b, a] = listed.get((b, a), cost)
    return matrix


def cost_splits_of(given: Any) -> str:
    if not isinstance(given, str) or given not in COST_SPLITS:
        raise ParameterError(f"cost_splits is {shown(given)}; it must be 'pairs' or 'altered_priors'.")
    return given


def priors_of(given: Any, classes: npt.NDArray[Any]) -> Floats | None:
    """The probability of each class that ``priors`` names, given in their order or as a dict of class labels."""
    if given is None:
        return None
    k = len(classes)
    what = f"{k} numbers in the order of the classes {classes.tolist()[:20]}, or a dict {{class: probability}}"
    if isinstance(given, Mapping):
        known = classes.tolist()
        for c in given:
            if not isinstance(c, Hashable) or c not in known:
                raise ParameterError(
                    f"priors names {shown(c)}, which is not a class. Classes: {', '.join(map(repr, known[:20]))}."
                )
        absent = [c for c in known if c not in given]
        if absent:
            raise ParameterError(f"priors does not name the class {absent[0]!r}; it must be {what}.")
        given = [given[c] for c in known]
    try:
        priors = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"priors is {shown(given)}; it must be {what}.") from None
    if priors.shape != (k,):
        raise ParameterError(f"priors has shape {priors.shape}; it must be {what}.")
    for i in range(k):
        if not 0 <= priors[i] <= 1:
            raise ParameterError(
                f"priors of {label(classes, i)} is {priors[i]:g}; it must be a probability, from 0 to 1."
            )
    if abs(priors.sum() - 1) > 1e-6:
        raise ParameterError(f"priors sum to {priors.sum():g}; they must sum to 1.")
    return priors / priors.sum()


def scale_of(priors: Floats | None, codes: npt.NDArray[np.uint32], weights: Floats | None) -> Floats | None:
    """The prior of each class over its share of the rows; 0 for a class whose rows weigh nothing."""
    if priors is None:
        return None
    counts = np.bincount(codes, weights=weights, minlength=len(priors)).astype(np.float64)
    share = counts / counts.sum()
    scale = np.divide(priors, share, out=np.zeros_like(priors), where=share > 0)
    if not scale.any():
        raise ParameterError("priors are 0 for every class that has rows; at least one of them must be possible.")
    return scale


def check_costs(criterion: Plugin, nominal: Plugin) -> None:
    """Refuses parts that cannot weigh pairs of classes."""
    if not criterion.traits["costs"]:
        fitting = [c.name for c in plugins()["criterion"].values() if c.traits["costs"]]
        raise ParameterError(
            f"criterion={criterion.name!r} knows no costs of mixing classes. Costs go with {', '.join(fitting)}, "
            "and with every criterion by cost_splits='altered_priors'."
        )
    if nominal.traits["needs"] == "divergence":
        fitting = [n.name for n in plugins()["nominal"].values() if n.traits["needs"] not in ("divergence", "graph")]
        raise ParameterError(
            f"nominal={nominal.name!r} moves values by a divergence, which costs do not have. "
            f"With costs use {', '.join(fitting)}."
        )
