"""What it costs to mix two classes, as a matrix over the classes of a target."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError, shown
from ..registry import Plugin, is_number, plugins

Floats = npt.NDArray[np.float64]


def costs_of(given: Any, classes: npt.NDArray[Any]) -> Floats | None:
    """The matrix that ``costs`` stands for: given as such, or as a dict of pairs of class labels."""
    if given is None:
        return None
    matrix = of_pairs(given, classes) if isinstance(given, Mapping) else of_matrix(given, classes)
    k = len(classes)
    for a in range(k):
        if matrix[a, a] != 0:
            raise ParameterError(f"costs of {label(classes, a)} with itself is {matrix[a, a]:g}; it must be 0.")
        for b in range(k):
            pair = f"costs of {label(classes, a)} and {label(classes, b)}"
            if not np.isfinite(matrix[a, b]) or matrix[a, b] < 0:
                raise ParameterError(f"{pair} is {matrix[a, b]:g}; a cost must be finite and not negative.")
            if matrix[a, b] != matrix[b, a]:
                raise ParameterError(
                    f"{pair} is {matrix[a, b]:g} one way and {matrix[b, a]:g} the other; costs must be symmetric."
                )
    if k > 1 and not matrix.any():
        raise ParameterError("costs are all 0; at least one pair of classes has to cost something.")
    return matrix


def label(classes: npt.NDArray[Any], i: int) -> str:
    return repr(classes[i : i + 1].tolist()[0])


def of_matrix(given: Any, classes: npt.NDArray[Any]) -> Floats:
    k = len(classes)
    what = (
        f"a symmetric {k} × {k} matrix in the order of the classes {classes.tolist()[:20]}, or a dict {{(a, b): cost}}"
    )
    try:
        matrix = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"costs is {shown(given)}; it must be {what}.") from None
    if matrix.shape != (k, k):
        raise ParameterError(f"costs has shape {matrix.shape}; it must be {what}.")
    return matrix


def of_pairs(given: Mapping[Any, Any], classes: npt.NDArray[Any]) -> Floats:
    """Pairs that are not listed cost 1, as they do without costs; either order will do."""
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
        if listed.get((b, a), cost) != cost:
            raise ParameterError(
                f"costs of {pair!r} is {cost!r} and of {pair[::-1]!r} {listed[(b, a)]!r}; costs must be symmetric."
            )
        listed[(a, b)] = cost
        matrix[a, b] = matrix[b, a] = cost
    return matrix


def check_costs(criterion: Plugin, nominal: Plugin) -> None:
    """Refuses parts that cannot weigh pairs of classes."""
    if not criterion.traits["costs"]:
        fitting = [c.name for c in plugins()["criterion"].values() if c.traits["costs"]]
        raise ParameterError(
            f"criterion={criterion.name!r} knows no costs of mixing classes. Costs go with {', '.join(fitting)}."
        )
    if nominal.traits["needs"] == "divergence":
        fitting = [n.name for n in plugins()["nominal"].values() if n.traits["needs"] not in ("divergence", "graph")]
        raise ParameterError(
            f"nominal={nominal.name!r} moves values by a divergence, which costs do not have. "
            f"With costs use {', '.join(fitting)}."
        )
