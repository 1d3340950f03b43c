"""Every criterion once more, by its definition and as plainly as possible. This is the only place in the tests
where one is defined: trees, partitions of tables and oblique splits are all judged by these functions.

A definition gets a `Partition` and gives its value; a registered criterion without one here fails the contract tests.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property


class Partition:
    """Rows and the children they go to. ``y`` is a class number, or the number itself where k is 0."""

    def __init__(self, children, y, w, k=0, position=None, values=None, costs=None):
        self.children, self.y, self.w, self.k = children, y, w, k
        self.position = position  # of each row along the cut, for numeric columns
        self.values = values  # of each row, for nominal columns
        self.costs = costs  # of mixing two classes

    @cached_property
    def sides(self):
        """The class weights of each child."""
        return [class_weights(rows, self.y, self.w, self.k) for rows in self.children]

    @cached_property
    def weights(self):
        return [math.fsum(self.w[i] for i in rows) for rows in self.children]

    @property
    def total(self):
        return math.fsum(self.weights)

    @property
    def whole(self):
        """The class weights of all children together."""
        return [math.fsum(column) for column in zip(*self.sides)]

    @property
    def rows(self):
        return [i for child in self.children for i in child]

    def cost(self, i, j):
        """Of having two rows in one child."""
        a, b = self.y[i], self.y[j]
        return float(a != b) if self.costs is None else self.costs[a][b]

    def pairs_apart(self):
        """Pairs of rows in different children, the earlier child first."""
        for a, b in itertools.combinations(self.children, 2):
            yield from itertools.product(a, b)


def of_table(table, groups, costs=None):
    """The partition of a table of values and classes into groups of its values; a cell is a row."""
    cells = [(v, c, x) for v, row in enumerate(table) for c, x in enumerate(row)]
    values, y, w = map(list, zip(*cells))
    where = {v: g for g, group in enumerate(groups) for v in group}
    children = [[i for i, v in enumerate(values) if where.get(v) == g] for g in range(len(groups))]
    return Partition(children, y, w, len(table[0]), values=values, costs=costs)


def of_sides(sides, costs=None):
    """The partition whose children have these class weights."""
    return of_table(sides, [[v] for v in range(len(sides))], costs)


@dataclass(frozen=True)
class Criterion:
    name: str
    gain: Callable
    impurity: Callable  # (class weights, costs)
    unit: Callable  # of a node (a partition with one child): what differences of gain are measured against
    convex: bool
    leaf: Callable | None  # of numbers: what is predicted of rows; None: it is for classes


CRITERIA: dict[str, Criterion] = {}


def class_weights(rows, y, w, k):
    return [math.fsum(w[i] for i in rows if y[i] == c) for c in range(k)]


# ---- impurities ---------------------------------------------------------------------------------------


def gini_impurity(weights, costs=None):
    total = math.fsum(weights)
    if not total > 0:
        return 0.0
    if costs is None:
        return 1 - math.fsum((x / total) ** 2 for x in weights)
    return math.fsum(costs[a][b] * x * y for a, x in enumerate(weights) for b, y in enumerate(weights)) / total**2


def entropy_impurity(weights, costs=None):
    total = math.fsum(weights)
    return -math.fsum(x / total * math.log2(x / total) for x in weights if x > 0) if total > 0 else 0.0


def variance(rows, y, w):
    total = math.fsum(w[i] for i in rows)
    mean = math.fsum(w[i] * y[i] for i in rows) / total
    return math.fsum(w[i] * (y[i] - mean) ** 2 for i in rows) / total


def decrease(impurity, p):
    """How much less impure the children are than all of them together."""
    inside = (weight / p.total * impurity(side, p.costs) for weight, side in zip(p.weights, p.sides))
    return impurity(p.whole, p.costs) - math.fsum(inside)


# ---- criteria -----------------------------------------------------------------------------------------


def impurity_of_the_node(impurity):
    return lambda p: impurity(p.whole, p.costs)


def criterion(*, impurity=gini_impurity, unit=None, convex=False, leaf=None):
    """Adds the function below it to `CRITERIA`, under its own name."""

    def add(gain):
        CRITERIA[gain.__name__] = Criterion(
            gain.__name__, gain, impurity, unit or impurity_of_the_node(impurity), convex, leaf
        )
        return gain

    return add


@criterion(convex=True)
def gini(p):
    return decrease(gini_impurity, p)


@criterion(impurity=entropy_impurity, convex=True)
def entropy(p):
    return decrease(entropy_impurity, p)


@criterion(impurity=entropy_impurity, unit=lambda p: 1.0, convex=True)
def gain_ratio(p):
    own = entropy_impurity(p.weights)
    return entropy(p) / own if own > 0 else -math.inf


@criterion(convex=True)
def twoing(p):
    (left, right), (l, r) = p.sides, p.weights
    apart = math.fsum(abs(a / l - b / r) for a, b in zip(left, right))
    return 0.25 * l / p.total * r / p.total * apart**2


@criterion(unit=lambda p: 0.0)
def max_cut(p):
    if p.position is None:
        return math.fsum(p.w[i] * p.w[j] * p.cost(i, j) for i, j in p.pairs_apart())
    return math.fsum(p.w[i] * p.w[j] * p.cost(i, j) * (p.position[j] - p.position[i]) for i, j in p.pairs_apart())


@criterion()
def squared_gini(p):
    return 2 * math.fsum(p.w[i] * p.w[j] * p.cost(i, j) for i, j in p.pairs_apart()) / p.total**2


@criterion(unit=lambda p: p.total, convex=True)
def chi2(p):
    expected = [[weight * m / p.total for m in p.whole] for weight in p.weights]
    return math.fsum((x - e) ** 2 / e for side, row in zip(p.sides, expected) for x, e in zip(side, row) if e > 0)


def cut_of_values(edge, p):
    """What the edges between the children weigh; those of a numeric cut are two values."""
    if p.values is None:
        return edge(p)
    groups = [sorted({p.values[i] for i in rows}) for rows in p.children]
    counts = {v: class_weights([i for i in p.rows if p.values[i] == v], p.y, p.w, p.k) for g in groups for v in g}
    pairs = [(i, j) for a, b in itertools.combinations(groups, 2) for i in a for j in b]
    return math.fsum(edge(of_sides([counts[i], counts[j]])) for i, j in pairs) / (len(counts) - 1)


@criterion(unit=lambda p: p.total)
def chi2_cut(p):
    return cut_of_values(chi2, p)


def rows_times(impurity):
    return lambda p: p.total * decrease(impurity, p)


@criterion(unit=lambda p: p.total)
def gini_cut(p):
    return cut_of_values(rows_times(gini_impurity), p)


@criterion(impurity=entropy_impurity, unit=lambda p: p.total)
def entropy_cut(p):
    return cut_of_values(rows_times(entropy_impurity), p)


# ---- numbers ------------------------------------------------------------------------------------------


def mean(rows, y, w):
    total = math.fsum(w[i] for i in rows)
    return math.fsum(w[i] / total * y[i] for i in rows)


def quantile_at(alpha, middle=False):
    """The least number up to which there is that share of the weight; half way to the next one where it is exactly
    that share."""

    def leaf(rows, y, w):
        total = math.fsum(w[i] for i in rows)
        levels = sorted({y[i] for i in rows})
        for n, level in enumerate(levels):
            below = math.fsum(w[i] for i in rows if y[i] <= level)
            if below >= alpha * total * (1 - 1e-12):
                exact = below <= alpha * total * (1 + 1e-12)
                return (level + levels[n + 1]) / 2 if middle and exact and n + 1 < len(levels) else level
        raise AssertionError(levels)

    return leaf


def pinball(alpha):
    return lambda y, predicted: alpha * (y - predicted) if y > predicted else (1 - alpha) * (predicted - y)


def half_deviance(y, predicted):
    return (y * math.log(y / predicted) if y > 0 else 0.0) - y + predicted


def mean_loss(loss, leaf, rows, y, w):
    predicted = leaf(rows, y, w)
    total = math.fsum(w[i] for i in rows)
    return math.fsum(w[i] * loss(y[i], predicted) for i in rows) / total


def of_numbers(name, loss, leaf, allowed=lambda p: True, convex=False):
    """The criterion that lowers the mean loss of what leaves predict."""

    def lost(rows, p):
        return mean_loss(loss, leaf, rows, p.y, p.w)

    def gain(p):
        if not allowed(p):
            return -math.inf
        return lost(p.rows, p) - math.fsum(w / p.total * lost(rows, p) for w, rows in zip(p.weights, p.children))

    CRITERIA[name] = Criterion(name, gain, None, lambda p: lost(p.rows, p), convex, leaf)
    return CRITERIA[name]


def quantile(alpha):
    return of_numbers("quantile", pinball(alpha), quantile_at(alpha))


quantile(0.5)
of_numbers("absolute_error", lambda y, predicted: abs(y - predicted), quantile_at(0.5, middle=True))
of_numbers(
    "poisson",
    half_deviance,
    mean,
    allowed=lambda p: all(any(p.y[i] > 0 for i in rows) for rows in p.children),
    convex=True,
)


@criterion(unit=lambda p: variance(p.rows, p.y, p.w), convex=True, leaf=mean)
def squared_error(p):
    inside = (weight / p.total * variance(rows, p.y, p.w) for weight, rows in zip(p.weights, p.children))
    return variance(p.rows, p.y, p.w) - math.fsum(inside)


# ---- by name ------------------------------------------------------------------------------------------


def gain_of(name, partition):
    return CRITERIA[name].gain(partition)


def gain(name, children, y, w, k, position=None, values=None, costs=None):
    """The value of a partition of rows into children."""
    return gain_of(name, Partition(children, y, w, k, position, values, costs))


def unit(name, rows, y, w, k):
    """What differences of gain at a node are measured against."""
    return CRITERIA[name].unit(Partition([rows], y, w, k))
