"""``monotonic_cst``: columns with which predictions only rise or only fall."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ParameterError, shown
from ..registry import find, is_number
from .data import Data


def signs_of(p: Mapping[str, Any], data: Data) -> tuple[int, ...]:
    """The sign of each column, where predictions are to rise or to fall with some; () if they need not."""
    given, columns = p["monotonic_cst"], data.schema.columns
    what = f"None, {len(columns)} numbers out of -1, 0 and 1, one for each column, or a dict {{column: number}}"
    try:
        if isinstance(given, Mapping):
            names = [c.name for c in columns]
            places = {names.index(name): sign for name, sign in given.items()}
            signs = [places.get(c, 0) for c in range(len(columns))]
        else:
            signs = list(given)
        whole = len(signs) == len(columns) and all(is_number(s) and s in (-1, 0, 1) for s in signs)
    except Exception:  # whatever a foreign object raises
        whole = False
    if not whole:
        raise ParameterError(f"monotonic_cst is {shown(given)}; it must be {what}.")
    if not any(signs):
        return ()
    why = why_not(p, data, signs)
    if why:
        raise ParameterError(f"monotonic_cst does not go with {why}.")
    return tuple(int(s) for s in signs)


def why_not(p: Mapping[str, Any], data: Data, signs: list[Any]) -> str | None:
    """What keeps predictions from being made to rise or to fall with a column, or None."""
    columns, classes = data.schema.columns, data.target.n_classes
    if classes > 2:
        return f"{classes} classes; it is about numbers, or the share of the second of two classes"
    for column, sign in zip(columns, signs, strict=True):
        if column.nominal and sign:
            return f"column {column.name!r}, which is nominal and has no order"
    params = p["split_params"] or {}
    if p["split"] not in ("axis", "random") or params.get("sides", "any") != "any" or params.get("price", False):
        return f"split={p['split']!r}" + (" and these split_params" if p["split"] == "axis" else "; take 'axis'")
    if p["missing"] != "either":
        return f"missing={p['missing']!r}; take 'either'"
    if p.get("refine") is not None:
        return f"refine={p['refine']!r}, which moves cuts by all rows"
    if find("criterion", p["criterion"]).traits["projection"]:
        return f"criterion={p['criterion']!r}, which looks at positions"
    return None
