"""What stands in for a missing value: surrogate splits of a node, and the shares of its children."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..tables.schema import Schema
from ..tables.values import is_missing
from .conditions import Among, Condition, Range


@dataclass(frozen=True, slots=True)
class Surrogate:
    """A split of another column that sends most rows as the node's own split does.

    ``agreement`` is the share of the weight that both send alike; ``adjusted`` is 0 for sending all rows to the larger
    side and 1 for sending every row alike.
    """

    column: int
    name: str
    conditions: tuple[Condition, Condition]
    agreement: float
    adjusted: float

    def side(self, value: Any) -> int | None:
        """0 or 1 for a value of the column; None where it cannot tell."""
        if is_missing(value):
            return None
        for i, c in enumerate(self.conditions):
            if isinstance(c, Among):
                if value in c.values:
                    return i
            elif isinstance(c, Range):
                if c.levels and value not in c.levels:
                    return None
                if c.low < (c.levels.index(value) if c.levels else value) <= c.high:
                    return i
        return None


def surrogates_of(tree: _core.Tree, schema: Schema, node: int) -> tuple[Surrogate, ...]:
    """The surrogates of a node, the best first."""
    found = []
    for s in tree.split(node)["surrogates"]:
        info = schema.columns[s["column"]]
        sides: Sequence[Condition]
        if info.nominal:
            values = [(info.values[v], left) for v, left in zip(s["values"], s["goes_left"], strict=True)]
            sides = [
                Among(s["column"], info.name, tuple(v for v, left in values if left is way)) for way in (True, False)
            ]
        else:
            flag, levels = info.kind == "boolean", info.values if info.ordinal else ()
            own = {"boolean": flag, "levels": levels, "moment": info.moment}
            low = Range(s["column"], info.name, -math.inf, s["cut"], **own)
            high = Range(s["column"], info.name, s["cut"], math.inf, **own)
            sides = (low, high) if s["low_left"] else (high, low)
        found.append(Surrogate(s["column"], info.name, (sides[0], sides[1]), s["agreement"], s["adjusted"]))
    return tuple(found)
