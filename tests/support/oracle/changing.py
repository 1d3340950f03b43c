"""The nearest change that gives another prediction, by trying every combination of values that a tree tells apart."""

from __future__ import annotations

import itertools
import math

import numpy as np


def values_told_apart(model, column, own, whole):
    """The row's own value and the nearest to it on each side of every cut, or every category."""
    info = model.schema.columns[column]
    if info.nominal:
        return [own, *(v for v in info.values if v is not None and v != own)]
    found = [own]
    for node in model.nodes():
        s = node.split
        if s is None or s.kind != "axis" or s.column != column:
            continue
        if whole:
            found += [math.floor(s.cut), math.floor(s.cut) + 1]
        else:
            found += [s.cut, math.nextafter(s.cut, math.inf)]
    return [own, *sorted(set(found) - {own})]


def nearest(model, row, right, spreads, whole, free):
    """(changed columns, distance) of the nearest row that is predicted right; None if there is none. ``free(column,
    value)`` tells whether a column may have a value."""
    tried = [
        [v for i, v in enumerate(values_told_apart(model, c, row[c], whole[c])) if i == 0 or free(c, v)]
        for c in range(len(row))
    ]
    best = None
    for combination in itertools.product(*tried):
        moved = [c for c, v in enumerate(combination) if v != row[c]]
        distance = math.fsum(
            1.0 if model.schema.columns[c].nominal else abs(combination[c] - row[c]) / spreads[c] for c in moved
        )
        if best is not None and (len(moved), distance) >= best:
            continue
        cells = np.empty((1, len(row)), dtype=object)
        cells[0] = combination
        if right(model.predict(cells)[0]):
            best = (len(moved), distance)
    return best
