"""What is usual of a column: how far it spreads, which values it has, whether they are integers. From background rows;
without them, from what the tree says of itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError
from ..model.model import Model
from ..tables.like import columns_like

LEAF, AXIS, LINEAR = range(3)
WIDE = 3.0  # standard deviations that a column of a linear split may be away from its mean, where no rows are known


def axis_cuts(tree: _core.Tree) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
    """The column and the cut of every split of one number."""
    parts = tree.parts()
    kinds = parts["kinds"]
    cuts = parts["cuts"][kinds[(kinds == AXIS) | (kinds == LINEAR)] == AXIS]
    return parts["columns"][kinds[(kinds != LEAF) & (kinds != LINEAR)] == AXIS], cuts


class Usual:
    """Of the columns of a model."""

    def __init__(self, model: Model, background: Any, unseen: bool, row: npt.NDArray[np.float64]) -> None:
        self.schema, self.unseen, self.row = model.schema, unseen, row
        self.rows = None if background is None else columns_like(background, model.schema)
        parts = model.tree.parts()
        of, cuts = axis_cuts(model.tree)
        self._cuts = {int(c): cuts[(of == c) & np.isfinite(cuts)] for c in np.unique(of)}
        self._linear = parts["spreads"], parts["centers"]

    def name(self, column: int) -> str:
        return self.schema.columns[column].name

    def known(self, column: int) -> npt.NDArray[Any] | None:
        """The background's numbers of a column, if there are any."""
        if self.rows is None:
            return None
        x = self.rows[column]
        x = x[~np.isnan(x)]
        return x if len(x) else None

    def whole(self, column: int) -> bool:
        """Does the column hold integers only?"""
        info = self.schema.columns[column]
        if info.kind in ("boolean", "ordinal", "date"):
            return True
        x = self.known(column)
        if x is not None:
            return bool((x == np.floor(x)).all())
        own, cuts = float(self.row[column]), self._cuts.get(column, np.zeros(0))
        return (
            (math.isnan(own) or own == math.floor(own))
            and len(cuts) > 0
            and bool((2 * cuts == np.floor(2 * cuts)).all())
        )

    def spread(self, column: int, change: float) -> float:
        """What a change is measured in: the standard deviation; where nothing is known, half the range of the tree's
        cuts, or the change itself."""
        x = self.known(column)
        spreads, cuts = self._linear[0], self._cuts.get(column, np.zeros(0))
        found = float(np.std(x)) if x is not None else float(spreads[column]) if len(spreads) else 0.0
        if not found > 0 and x is None and len(cuts):
            found = float(np.ptp(cuts)) / 2
        return found if found > 0 else abs(change) or 1.0

    def inside(self, column: int, low: float, high: float, bounded: bool = False) -> tuple[float, float]:
        """The smallest and the largest value that are usual and above ``low``, up to ``high``; ``bounded``: never
        infinite."""
        whole = self.whole(column)
        first = math.nextafter(low, math.inf) if not whole else math.floor(low) + 1 if math.isfinite(low) else low
        last = math.floor(high) if whole and math.isfinite(high) else high
        info, x = self.schema.columns[column], self.known(column)
        if info.kind in ("boolean", "ordinal"):
            return max(first, 0), min(last, max(1, len(info.values) - 1))
        if x is not None and not self.unseen:
            first, last = max(first, float(x.min())), min(last, float(x.max()))
        elif bounded:
            spreads, centers = self._linear
            cuts = self._cuts.get(column, np.zeros(0))
            middle = float(centers[column]) if len(centers) else float(cuts.mean()) if len(cuts) else 0.0
            reach = WIDE * (float(spreads[column]) if len(spreads) else float(np.abs(cuts).max(initial=1.0)))
            own = float(self.row[column])
            middle, reach = (middle, reach) if len(centers) else (own, 2 * reach)
            first = first if math.isfinite(first) else min(middle - reach, last)
            last = last if math.isfinite(last) else max(middle + reach, first)
        return first, last

    def commonest(self, column: int, values: list[Any]) -> Any:
        """The category that most background rows have; None if there is none."""
        if not values or self.rows is None:
            return values[0] if values else None
        codes = [self.schema.columns[column].values.index(v) for v in values]
        counts = [int((self.rows[column] == code).sum()) for code in codes]
        return values[int(np.argmax(counts))]

    def middle(self, column: int, low: float, high: float) -> float:
        """A value between two bounds for a row that has none."""
        x = self.known(column)
        if x is not None and ((low <= x) & (x <= high)).any():
            found = float(np.median(x[(low <= x) & (x <= high)]))
        elif math.isfinite(low) and math.isfinite(high):
            found = (low + high) / 2
        else:
            found = low if math.isfinite(low) else high if math.isfinite(high) else 0.0
        return min(max(float(math.floor(found)), low), high) if self.whole(column) else found

    def given(self, column: int, x: float) -> Any:
        """A number as the table has it."""
        info = self.schema.columns[column]
        if info.ordinal:
            return info.values[int(x)]
        if info.kind == "boolean":
            return bool(x)
        return int(x) if self.whole(column) and x == math.floor(x) else x


def usual_of(model: Model, background: Any, unseen: bool, row: npt.NDArray[np.float64]) -> Usual:
    """What is usual, by background rows or by the tree."""
    found = Usual(model, background, unseen, row)
    if found.rows is not None and len(found.rows[0]) < 2:
        raise DataError("background has one row, which does not say how far columns spread; pass more, such as X.")
    return found
