"""The tests of columns that a selector made while a tree grew: p-values by their logarithms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .nodes import Nodes


@dataclass(frozen=True, slots=True)
class ColumnTest:
    """The p-value of one column at one node, as its natural logarithm."""

    column: int
    name: str
    log_p: float

    @property
    def p(self) -> float:
        return min(1.0, math.exp(self.log_p))


def column_tests(nodes: Nodes, node: int, adjusted: bool = True) -> list[ColumnTest]:
    """The columns that were tested at a node, surest first; adjusted: for their number (Bonferroni)."""
    if nodes.log_p_values is None:
        return []
    nodes[node]  # one that exists
    found = [(c, p) for c, p in enumerate(nodes.log_p_values[node].tolist()) if not math.isnan(p)]
    more = math.log(len(found)) if adjusted and found else 0.0
    columns = nodes.schema.columns
    tests = [ColumnTest(c, columns[c].name, min(0.0, p + more)) for c, p in found]
    return sorted(tests, key=lambda t: (t.log_p, t.column))
