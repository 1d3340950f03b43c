"""``monotonic_cst``: columns with which predictions only rise or only fall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ParameterError, shown
from ..registry import find, is_number
from ..tables.asked import place_of
from ..tables.values import plain
from .data import Data
from .functions import plugin_name

CLASS = "class"  # the key of a dict that names the class whose probability it is about
MOST_CLASSES = 256  # among which one can be named


def signs_of(p: Mapping[str, Any], data: Data) -> tuple[tuple[int, ...], int]:
    """The sign of each column, where predictions are to rise or to fall with some, () if they need not; and the place
    of the class whose probability does."""
    given, columns = p["monotonic_cst"], data.schema.columns
    what = f"None, {len(columns)} numbers out of -1, 0 and 1, one for each column, or a dict {{column: number}}"
    named = None
    try:
        if isinstance(given, Mapping):
            rules = dict(given)
            if CLASS in rules and CLASS not in data.schema.names:
                named = rules.pop(CLASS)
            places = {place_of(name, data.schema, "monotonic_cst"): sign for name, sign in rules.items()}
            signs = [places.get(c, 0) for c in range(len(columns))]
        else:
            signs = list(given)
        whole = len(signs) == len(columns) and all(is_number(s) and s in (-1, 0, 1) for s in signs)
    except ParameterError:
        raise
    except Exception:  # whatever a foreign object raises
        whole = False
    if not whole:
        raise ParameterError(f"monotonic_cst is {shown(given)}; it must be {what}.")
    ruled = class_of(named, data)
    if not any(signs):
        return (), 1
    why = why_not(p, data, signs)
    if why:
        raise ParameterError(f"monotonic_cst does not go with {why}.")
    return tuple(int(s) for s in signs), ruled


def class_of(named: Any, data: Data) -> int:
    """The place of the class that is named; of two classes the second one, where none is."""
    if named is None:
        return 1
    if data.target.classes is None:
        raise ParameterError("monotonic_cst names a class, and numbers are predicted; leave 'class' out.")
    classes = data.target.classes.tolist()
    if plain(named) not in classes:
        raise ParameterError(
            f"monotonic_cst: {shown(plain(named))} is not a class. Classes: {', '.join(map(shown, classes[:20]))}."
        )
    return int(classes.index(plain(named)))


def why_not(p: Mapping[str, Any], data: Data, signs: list[Any]) -> str | None:
    """What keeps predictions from being made to rise or to fall with a column, or None."""
    columns, classes = data.schema.columns, data.target.n_classes
    if classes > 2:
        given = p["monotonic_cst"]
        if not isinstance(given, Mapping) or CLASS not in given or CLASS in data.schema.names:
            return (
                f"{classes} classes unless it names the one whose probability is meant: "
                f"{{'class': {shown(data.target.classes.tolist()[0])}, column: 1}}"  # type: ignore[union-attr]
            )
        if classes > MOST_CLASSES:
            return f"{classes} classes; among more than {MOST_CLASSES} none can be named"
        if data.target.stakes.scale is not None or data.target.stakes.splits == "altered_priors":
            return "priors, or cost_splits='altered_priors', of more than two classes"
    for column, sign in zip(columns, signs, strict=True):
        if column.nominal and sign:
            return f"column {column.name!r}, which is nominal; if its values have an order, pass ordinal_features"
    params = p["split_params"] or {}
    if p["split"] == "axis" and (params.get("sides", "any") != "any" or params.get("price", False)):
        return "these split_params of split='axis'"
    if p["missing"] != "either":
        return f"missing={p['missing']!r}; take 'either'"
    if p["prune"] == "error_based" and (p["prune_params"] or {}).get("raising", True):
        return "prune='error_based', which moves branches up; pass prune_params={'raising': False}"
    if p.get("refine") not in (None, "axis", "linear"):
        return f"refine={p['refine']!r}, which proves what is best among all trees; take 'axis' or 'linear'"
    smoothing = p.get("smoothing")
    if smoothing == "laplace" or is_number(smoothing):
        return f"smoothing={smoothing!r}, which moves leaves of few rows past others; take 'hierarchical'"
    if find("criterion", plugin_name(p["criterion"])).traits["projection"]:
        return f"criterion={p['criterion']!r}, which looks at positions"
    return None
