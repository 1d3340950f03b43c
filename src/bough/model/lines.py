"""Linear leaves: the model of a node is the sum of the lines along its path, held within a range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import ParameterError
from ..tables.schema import Schema
from .conditions import Term


@dataclass(frozen=True, slots=True)
class LinearModel:
    """What a node predicts: ``offset`` and its lines added up, no less than ``low`` and no more than ``high``."""

    offset: float
    lines: tuple[Term, ...]
    low: float
    high: float

    @property
    def intercept(self) -> float:
        """The prediction where all columns are 0, before it is held within the range."""
        terms = [self.offset, *(-t.weight * t.center for t in self.lines)]
        try:
            return math.fsum(terms)
        except (OverflowError, ValueError):  # numbers at the end of float64
            return sum(terms)

    def __call__(self, values: Any) -> float:
        """The prediction of a row, given by its values in the order of the columns; a missing value adds nothing."""
        return min(max(self.unbounded(values), self.low), self.high)

    def unbounded(self, values: Any) -> float:
        """The same before it is held within the range."""
        known = (t for t in self.lines if not t.lacks(values[t.column]))
        return sum((t.weight * (t.number(values[t.column]) - t.center) for t in known), self.offset)

    def of_rows(self, columns: Sequence[npt.NDArray[Any]], rows: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The predictions of some rows of a table, given by its columns."""
        total = np.full(len(rows), self.offset)
        for t in self.lines:
            total += np.nan_to_num(t.weight * (numbers_of(t, columns, rows) - t.center), nan=0.0)
        found: npt.NDArray[np.float64] = np.clip(total, self.low, self.high)
        return found


def numbers_of(term: Term, columns: Sequence[npt.NDArray[Any]], rows: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The column of a term as numbers; NaN where there is no value, which for an order is the place behind its last."""
    x: npt.NDArray[np.float64] = columns[term.column][rows].astype(np.float64)
    return np.where(x >= len(term.levels), np.nan, x) if term.levels else x


def models_of(tree: _core.Tree, schema: Schema) -> list[LinearModel] | None:
    """The model of every node; None where nodes predict their mean."""
    parts = tree.parts()
    if not parts["line_counts"].size:
        return None
    centers = parts["centers"].tolist() or [0.0] * tree.n_columns
    counts, columns, slopes = (parts[f"line_{name}"].tolist() for name in ("counts", "columns", "slopes"))
    bounds = zip(parts["line_offsets"].tolist(), parts["line_lows"].tolist(), parts["line_highs"].tolist(), strict=True)
    above: list[tuple[float, dict[int, float]]] = []
    found, at = [], 0
    for node, (parent, (offset, low, high)) in enumerate(zip(tree.parents().tolist(), bounds, strict=True)):
        total, terms = above[parent] if node else (0.0, {})
        if counts[node]:
            terms = dict(terms)
        for t in range(at, at + counts[node]):
            terms[columns[t]] = terms.get(columns[t], 0.0) + slopes[t]
        at += counts[node]
        above.append((total + offset, terms))
        lines = tuple(term_of(schema, c, slope, centers[c]) for c, slope in sorted(terms.items()) if slope != 0)
        found.append(LinearModel(total + offset, lines, low, high))
    return found


def term_of(schema: Schema, column: int, slope: float, center: float) -> Term:
    info = schema.columns[column]
    return Term(column, info.name, slope, center, levels=info.values if info.ordinal else (), moment=info.moment)


def check_means(tree: _core.Tree) -> None:
    """Refuses a change to leaves that would pass their lines by."""
    if tree.linear:
        raise ParameterError(
            "this change is for leaves that predict one number, and this tree has linear leaves; "
            "pruned('cost_complexity', alpha=…), pruned_to() and without() cut it back, all else needs a new fit."
        )
