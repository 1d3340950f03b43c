"""What the splits of a fit have to keep: the fields of its plan about rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ParameterError
from ..model.rules import NAMES
from . import column_costs, first_split, interactions
from .data import Data
from .monotone import signs_of

NO_RULES: tuple[Any, ...] = ((), 1, (), (), ())


def rules_of(p: Mapping[str, Any], data: Data) -> tuple[Any, ...]:
    """The fields of a plan from ``monotonic`` to ``first``: what its splits have to keep."""
    monotone, groups, costs, first = (p[name] for name in NAMES)
    if monotone is groups is costs is first is None:
        return NO_RULES
    signs, ruled = ((), 1) if monotone is None else signs_of(p, data)
    meet = () if groups is None else interactions.groups_of(groups, data.schema)
    prices = () if costs is None else column_costs.prices_of(costs, data.schema)
    for name, kept, why in (
        ("interaction_cst", meet, interactions.why_not(p)),
        ("column_costs", prices, column_costs.why_not(p) if prices else None),
    ):
        if kept and why:
            raise ParameterError(f"{name} does not go with {why}.")
    begin = () if first is None else first_split.splits_of(first, data.schema, p["max_depth"])
    if begin:
        first_split.check(begin, data.schema, meet, p)
    return signs, ruled, meet, prices, begin
