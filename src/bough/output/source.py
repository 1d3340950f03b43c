"""A model as Python source without an import: a function for one row."""

from __future__ import annotations

import math
import pprint
from typing import TYPE_CHECKING, Any

from ..model.stakes import TIE
from .lower import Compare, Lookup, Stay, lowered

if TYPE_CHECKING:
    from ..model.model import Model

PAGE = '''"""A decision tree as plain Python, written by bough. `predict(row)` takes a dict of column names and values;
a missing value is None or NaN."""

INFINITY = float("inf")
COLUMNS = {columns}
VALUES = {values}
CLASSES = {classes}
# Cost of predicting a class, [true][predicted]; None: the class with the largest share is predicted.
COSTS = {costs}

# Of every node: None (it ends here), or
# (columns, weights, centers, cut, left, right, missing, zero, places): is the sum of weight * (value - center) at most
# the cut? (missing: where a row without a value goes, and one whose sum is not a number; zero: a term without a value
# is 0; places: of a term that is 1 for one value of its column and else 0, the place of that value)
# (column, {{place of the value: node}}, other)
TREES = {trees}
# Where rows without a value are shared: the parts that the children of every node get.
PARTS = {parts}

# Boosted trees: where their sums begin, and what makes predictions of the sums; None: the mean of all trees counts.
START = {start}
LINK = {link}

# What every node predicts: class shares, or a number; and the number of its class. Of a linear leaf
# (offset, [(column, slope, center), ...], low, high): offset + slope * (value - center) + ..., between low and high.
PREDICTIONS = {predictions}
CODES = {codes}


def _missing(value):
    return value is None or value != value


def _number(row, column):
    """A number, or the place of an ordered value; None if it is missing."""
    value = row[column]
    if _missing(value):
        return None
    return float(value) if VALUES[column] is None else VALUES[column].get((type(value).__name__, value))


def _place(row, column):
    value = None if _missing(row[column]) else row[column]
    return VALUES[column].get((type(value).__name__, value), -1)


def _part(step, row, i):
    """What a weight is multiplied by; None if it is missing."""
    if step[8] and step[8][i] is not None:
        return 1.0 if _place(row, step[0][i]) == step[8][i] else 0.0
    number = _number(row, step[0][i])
    return None if number is None else number - step[2][i]


def _sum(parts, step):
    lanes = [0.0] * 8
    for i, part in enumerate(parts):
        if part is not None:
            lanes[i % 8] += step[1][i] * part
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))


def _next(step, row):
    if len(step) == 3:
        return step[1].get(_place(row, step[0]), step[2])
    parts = [_part(step, row, i) for i in range(len(step[0]))]
    if not step[7] and None in parts:
        return step[6]
    total = _sum(parts, step)
    if total != total:
        return step[6]
    return step[4] if total <= step[3] else step[5]


def _leaf(tree, row):
    node = 0
    while tree[node] is not None:
        following = _next(tree[node], row)
        if following == node:
            break
        node = following
    return node


def _mixed(tree, parts, values, row):
    """What all leaves say to which parts of a row come."""
    waiting, found = [(0, 1.0)], []
    while waiting:
        node, weight = waiting.pop()
        following = None if tree[node] is None else _next(tree[node], row)
        if following is None:
            found.append((values[node], weight))
        elif following >= 0:
            waiting.append((following, weight))
        else:
            waiting += [(child, weight * part) for child, part in reversed(list(parts[node].items())) if part > 0]
    if CLASSES is None or START is not None:
        return sum(value * weight for value, weight in found)
    return [sum(value[k] * weight for value, weight in found) for k in range(len(CLASSES))]


def _value(value, row):
    if not isinstance(value, tuple):
        return value
    offset, terms, low, high = value
    for column, slope, center in terms:
        number = _number(row, column)
        if number is not None:
            offset += slope * (number - center)
    return min(max(offset, low), high)


def _exp(x):
    return 2.718281828459045 ** min(x, 700.0)


def _linked(raw):
    """What the sums of boosted trees mean."""
    if LINK == "softmax":
        powers = [_exp(x - max(raw)) for x in raw]
        return [p / sum(powers) for p in powers]
    if LINK == "logistic":
        e = _exp(-abs(raw[0]))
        small, large = e / (1 + e), 1 / (1 + e)
        return [small, large] if raw[0] >= 0 else [large, small]
    return _exp(raw[0]) if LINK == "exp" else raw[0]


def predict_value(row):
    """The shares of the classes, or the number, that the model gives a row."""
    row = [row[name] for name in COLUMNS]
    if PARTS is None:
        found = [_value(values[_leaf(tree, row)], row) for tree, values in zip(TREES, PREDICTIONS)]
    else:
        found = [_mixed(*one, row) for one in zip(TREES, PARTS, PREDICTIONS)]
    if START is not None:
        raw = list(START)
        for i, value in enumerate(found):
            raw[i % len(raw)] += value
        return _linked(raw)
    if CLASSES is None:
        return sum(found[1:], found[0]) / len(found)
    total = list(found[0])
    for shares in found[1:]:
        total = [a + b for a, b in zip(total, shares)]
    return [a / len(found) for a in total]


def predict(row):
    """The class, or the number, that the model gives a row."""
    if CLASSES is None:
        return predict_value(row)
    if PARTS is None and len(TREES) == 1 and START is None:
        return CLASSES[CODES[0][_leaf(TREES[0], [row[name] for name in COLUMNS])]]
    shares = predict_value(row)
    if PARTS is not None:
        shares = [round(s, 9) for s in shares]
    if COSTS is None:
        return CLASSES[shares.index(max(shares))]
    costs = [sum(s * cost[k] for s, cost in zip(shares, COSTS)) for k in range(len(CLASSES))]
    limit = min(costs) + {tie} * max(costs)
    return CLASSES[[cost <= limit for cost in costs].index(True)]
'''


def write(model: Model) -> bytes:
    return to_python(model).encode()


def to_python(model: Model) -> str:
    """See `Model.to_python`."""
    low = lowered(model)
    values = [
        {(type(v).__name__, v): i for i, v in enumerate(c.values)} if c.values else None for c in low.schema.columns
    ]
    return PAGE.format(
        columns=written([c.name for c in low.schema.columns]),
        values=written(values),
        classes=written(low.classes),
        costs=written(low.costs),
        tie=TIE,
        start=written(None if low.boosting is None else list(low.boosting.start)),
        link=written(None if low.boosting is None else low.boosting.link),
        trees=written([[step_of(s) for s in t.steps] for t in low.trees]),
        predictions=written([t.written for t in low.trees]),
        codes=written([t.codes for t in low.trees]),
        parts=written(None if low.trees[0].shares is None else [t.shares for t in low.trees]),
    )


def step_of(step: Any) -> Any:
    if isinstance(step, Stay):
        return None
    if isinstance(step, Lookup):
        return (step.column, step.to, step.other)
    assert isinstance(step, Compare)
    cut = Infinite() if math.isinf(step.cut) else step.cut
    terms = (step.columns, step.weights, step.centers)
    return (*terms, cut, step.left, step.right, step.missing, step.gaps_at_center, step.values)


class Infinite:
    """Written as the name of the constant, since Python has no word for infinity."""

    def __repr__(self) -> str:
        return "INFINITY"


def written(value: Any) -> str:
    return pprint.pformat(value, width=118, compact=True, sort_dicts=False)
