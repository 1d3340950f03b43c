"""The lines of linear leaves as pictures: along each column the line, and what the rows given leave for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.lines import numbers_of
from .numbers import short

if TYPE_CHECKING:
    from ...model.lines import LinearModel
    from ...model.nodes import Nodes
    from .measure import Given, Rows

MOST_LEAVES = 400
MOST_LINES = 4  # of a leaf, the strongest ones
DOTS = 12  # of a line
FEWEST = 3  # rows of a dot, which tells their mean


def leaf_lines(nodes: Nodes, g: Given) -> dict[int, list[Any]]:
    """By leaf: of each line its column, where its rows begin and end, the prediction at both ends before it is held
    within the range, and dots: place, mean of the target without what the other lines say, and rows."""
    assert nodes.models is not None
    leaves = [i for i, kind in enumerate(nodes.kinds) if kind == 0 and nodes.models[i].lines]
    counts = {i: len(g.at(i, 1)) for i in leaves}
    most = sorted(leaves, key=lambda i: (-counts[i], i))[:MOST_LEAVES]
    return {i: found for i in most if (found := lines_of(nodes.models[i], g, g.at(i, 1)))}


def lines_of(model: LinearModel, g: Given, rows: Rows) -> list[Any]:
    terms = [np.nan_to_num(t.weight * (numbers_of(t, g.columns, rows) - t.center)) for t in model.lines]
    if not len(rows):
        return []
    total = model.offset + np.sum(terms, axis=0)
    found = []
    for t, own in sorted(zip(model.lines, terms, strict=True), key=lambda pair: -float(np.std(pair[1])))[:MOST_LINES]:
        x = numbers_of(t, g.columns, rows)
        known = ~np.isnan(x)
        if not known.any() or x[known].min() == x[known].max():
            continue
        rest = float((total - own).mean())  # what the other lines say on average
        low, high = float(x[known].min()), float(x[known].max())
        ends = [short(v) for v in (low, high, *(rest + t.weight * (v - t.center) for v in (low, high)))]
        dots: list[Any] = []
        if g.numbers is not None:
            left = g.numbers[rows][known] - (total - own)[known] + rest
            place = np.minimum(DOTS - 1, ((x[known] - low) / (high - low) * DOTS).astype(int))
            for b in np.unique(place):
                here = place == b
                dot = [
                    short(low + (float(b) + 0.5) / DOTS * (high - low)),
                    short(float(left[here].mean())),
                    int(here.sum()),
                ]
                dots += [dot] if None not in dot and here.sum() >= FEWEST else []
        if None not in ends:
            found.append([t.column, *ends, dots])
    return found
