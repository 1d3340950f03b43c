"""``column_costs``: what it costs to ask a column, once on every path that does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import ParameterError, shown
from ..registry import find, is_number
from ..tables.asked import place_of
from ..tables.schema import Schema
from .functions import plugin_name


def prices_of(given: Any, schema: Schema) -> tuple[float, ...]:
    """The price of each column; () if none has one."""
    n = len(schema)
    what = f"None, {n} numbers that are not negative, one for each column, or a dict {{column: price}}"
    if isinstance(given, Mapping):
        named = {place_of(name, schema, "column_costs"): price for name, price in given.items()}
        prices = [named.get(c, 0.0) for c in range(n)]
    elif isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        prices = list(given)
    else:
        raise ParameterError(f"column_costs is {shown(given)}; it must be {what}.")
    if len(prices) != n:
        raise ParameterError(f"column_costs has {len(prices)} prices; it must be {what}.")
    for column, price in zip(schema.columns, prices, strict=True):
        if not is_number(price) or not 0 <= price < math.inf:
            raise ParameterError(
                f"column_costs: the price of {column.name!r} is {shown(price)}; it must be a non-negative number."
            )
    return tuple(float(price) for price in prices) if any(prices) else ()


def why_not(p: Mapping[str, Any]) -> str | None:
    """What keeps gains from being compared with prices, or None."""
    traits = find("criterion", plugin_name(p["criterion"])).traits
    if traits["projection"] or not traits["sums"] or traits["degree"] > 0:
        return f"criterion={p['criterion']!r}, whose gains grow with the number of rows"
    if p["missing"] == "surrogate":
        return "missing='surrogate', which asks other columns where a value is missing; take 'either' or 'shared'"
    if p.get("refine") is not None:
        return f"refine={p['refine']!r}, which has a price of its own for each term"
    return None
