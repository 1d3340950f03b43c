"""The tests of columns that a selector made while a tree grew: p-values by their logarithms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class ColumnTest:
    """The p-value of one column at one node, as its natural logarithm."""

    column: int
    name: str
    log_p: float

    @property
    def p_text(self) -> str:
        return probability_text(self.log_p)


def column_tests(model: Model, node: int, adjusted: bool = True) -> list[ColumnTest]:
    """The columns that were tested at a node, surest first; adjusted: for their number (Bonferroni)."""
    if model.log_p_values is None:
        return []
    if not 0 <= node < model.n_nodes:
        raise IndexError(f"node {node} does not exist; the tree has nodes 0 to {model.n_nodes - 1}")
    found = [(c, p) for c, p in enumerate(model.log_p_values[node].tolist()) if not math.isnan(p)]
    more = math.log(len(found)) if adjusted and found else 0.0
    tests = [ColumnTest(c, model.schema.columns[c].name, min(0.0, p + more)) for c, p in found]
    return sorted(tests, key=lambda t: (t.log_p, t.column))


def probability_text(log_p: float) -> str:
    """A probability with two digits, also where no double holds it."""
    if log_p > -9:
        return f"{math.exp(log_p):.2g}"
    power = log_p / math.log(10)
    whole = math.floor(power)
    digits = f"{10 ** (power - whole):.1f}"
    if digits == "10.0":
        digits, whole = "1.0", whole + 1
    return f"{digits}e{whole}"


def p_values_text(model: Model, node: int, most: int) -> str:
    """What was found out about the columns of a node, to be written behind it."""
    tests = column_tests(model, node)
    if not tests:
        return ""
    shown = ", ".join(f"{t.name} {t.p_text}" for t in tests[:most])
    more = f", … {len(tests) - most} more" if len(tests) > most else ""
    return f"  [p: {shown}{more}]"
