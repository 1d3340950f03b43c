"""``leaf``: what a leaf predicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import ParameterError, shown
from ..registry import find


class Part(NamedTuple):
    """A plug-in by its name, with the parameters that were given, as the core takes them."""

    name: str
    params: Mapping[str, float]


PRUNERS = ("cost_complexity", "cost_complexity_cv")  # that compare the errors of models


def part_of_leaf(p: Mapping[str, Any]) -> Part | None:
    """What leaves predict, if it is not the mean of their rows."""
    leaf = p.get("leaf", "mean")
    if isinstance(leaf, str) and leaf == "mean" and p.get("leaf_params") is None:
        return None
    plugin = find("leaf", leaf)
    params = plugin.encode(p["leaf_params"], "leaf_params")
    if not plugin.traits["regression"]:
        return None
    why = why_not(p)
    if why:
        raise ParameterError(f"leaf={plugin.name!r} {why}.")
    return Part(plugin.name, params)


def why_not(p: Mapping[str, Any]) -> str | None:
    """What keeps leaves from being linear, and what to do instead; None: nothing."""
    if "n_estimators" in p:
        return "is for one tree; take TreeRegressor, or leave leaf out"
    if p["criterion"] != "squared_error":
        return f"fits lines by least squares; criterion={shown(p['criterion'])} judges otherwise. Leave criterion out"
    chosen = next((name for name, own in (("split", "axis"), ("nominal", "auto")) if p[name] != own), None)
    chosen = chosen or next((n for n in ("split_params", "nominal_params") if p[n]), None)
    if chosen:
        return f"chooses its splits together with its lines; {chosen}={shown(p[chosen])} has no effect. Leave it out"
    if p["selector"] != "score":
        return f"chooses columns by BIC; selector={shown(p['selector'])} would choose before. Leave selector out"
    if p["missing"] != "either":
        return f"sends rows without a value to the better side; missing={shown(p['missing'])} does not. Leave it out"
    if p["refine"] is not None:
        return f"cannot be refined; leave refine={shown(p['refine'])} out"
    if p["prune"] is not None and p["prune"] not in PRUNERS:
        return f"is cut back by {' or '.join(map(repr, PRUNERS))}; prune={shown(p['prune'])} knows no lines"
    if p["monotonic_cst"] is not None:
        return "has lines that may rise or fall; leave monotonic_cst out, or take leaf='mean'"
    if p["smoothing"] is not None:
        return f"has lines, which smoothing={shown(p['smoothing'])} does not shrink. Leave smoothing out"
    if p.get("keep_leaves"):
        return "predicts more than the numbers of a leaf's rows; leave keep_leaves out"
    return None
