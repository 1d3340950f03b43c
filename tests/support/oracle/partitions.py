"""The naive reference of the nominal searches: each written down once more, on a table of weights.

A table is a list of rows (values) of class weights; a partition is the set of its left values.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from support.oracle import criteria

OF_PAIRS = ("chi2_cut", "gini_cut", "entropy_cut")  # edges that are a criterion of two values
RATIO = {"hypercube_cover": {"gini": 2, "entropy": 2}, "largest_class_alone": {"gini": 2, "entropy": 3}}


def total(rows):
    return [math.fsum(column) for column in zip(*rows)]


def edge(criterion, a, b, costs=None):
    """What a cut between two values weighs."""
    pair = criteria.of_sides([a, b], costs)
    if criterion in OF_PAIRS:
        pair.values = None
        return criteria.gain_of(criterion, pair)
    return criteria.gain_of("max_cut", pair)


def cut_scale(criterion, table):
    if criterion in OF_PAIRS:
        return 1 / (len(table) - 1)
    return 2 / math.fsum(map(math.fsum, table)) ** 2 if criterion == "squared_gini" else 1.0


def value(criterion, table, left):
    """The gain of a partition, by the criterion's definition."""
    groups = [[v for v in range(len(table)) if (v in left) == one] for one in (True, False)]
    return criteria.gain_of(criterion, criteria.of_table(table, groups))


def best(criterion, table, partitions):
    """The largest gain among partitions."""
    return max((value(criterion, table, left) for left in partitions), default=-math.inf)


# ---- searches: the partitions that each tries -----------------------------------------------------------


def every(table):
    n = len(table)
    for size in range(n - 1):
        for others in itertools.combinations(range(1, n), size):
            yield {0, *others}


def prefixes(order):
    for i in range(1, len(order)):
        yield set(order[:i])


def by_share(table, classes):
    def share(v):
        return round(math.fsum(table[v][c] for c in classes) / math.fsum(table[v]), 11)

    return sorted(range(len(table)), key=lambda v: (share(v), v))


def superclasses(table):
    k = len(table[0])
    for size in range(1, k):
        for others in itertools.combinations(range(k - 1), size):
            yield set(others)


def superclass(table):
    """Partitions with the best two-class Gini gain over all superclasses."""
    found = []
    for classes in superclasses(table):
        two = [
            [math.fsum(r[c] for c in classes), math.fsum(x for c, x in enumerate(r) if c not in classes)] for r in table
        ]
        for left in prefixes(by_share(table, classes)):
            found.append((value("gini", two, left), left))
    top = max(g for g, _ in found)
    return [left for g, left in found if g >= top - 1e-11]


def hypercube_cover(table):
    for classes in superclasses(table):
        yield from prefixes(by_share(table, classes))


def largest_class(table):
    sums = total(table)
    return sums.index(max(sums))


def largest_class_alone(table):
    yield from prefixes(by_share(table, {largest_class(table)}))


def list_scheduling(table):
    sums = total(table)
    groups = [set(), set()]
    for c in sorted(range(len(sums)), key=lambda c: -sums[c]):
        weights = [math.fsum(sums[d] for d in g) for g in groups]
        groups[0 if weights[0] < weights[1] or weights[0] == 0 else 1].add(c)
    yield from prefixes(by_share(table, groups[0]))


def supervalues(table):
    groups = {}
    for v, row in enumerate(table):
        whole = math.fsum(row)
        groups.setdefault(tuple(round(x / whole, 11) for x in row), []).append(v)
    return list(groups.values())


def component_order(table, projection):
    """Supervalues along the first principal component of their class shares."""
    groups = supervalues(table)
    rows = np.array([total([table[v] for v in g]) for g in groups])
    weights = rows.sum(1)
    shares = rows / weights[:, None]
    centred = shares - rows.sum(0) / rows.sum()
    _, vectors = np.linalg.eigh((centred * weights[:, None]).T @ centred)
    axis = vectors[:, -1]
    first = next((x for x in axis if abs(x) > 1e-12), 1.0)
    axis = axis * math.copysign(1, first)
    position = (rows if projection == "counts" else shares) @ axis
    spread = position.max() - position.min() or 1.0
    order = sorted(range(len(groups)), key=lambda g: (round((position[g] - position.min()) / spread, 11), g))
    return [groups[g] for g in order]


def pc(table, projection="probabilities", exchange=False):
    groups = component_order(table, projection)
    for i in range(1, len(groups)):
        yield {v for g in groups[:i] for v in g}
        if exchange:
            yield {v for g in [*groups[: i - 1], groups[i]] for v in g}


def pc_ext(table, projection="probabilities"):
    yield from pc(table, projection, exchange=True)


def guide(table):
    """Loh's rule: exact, or over groups of one majority class, or along the first discriminant coordinate."""
    n, k = len(table), len(table[0])
    if k == 2 or n <= 11:
        yield from every(table)
        return
    groups = {}
    for v, row in enumerate(table):
        groups.setdefault(row.index(max(row)), []).append(v)
    if k <= 11 and n > 20 and len(groups) > 1:
        for left in every([[0]] * len(groups)):
            yield {v for g, c in enumerate(sorted(groups)) if g in left for v in groups[c]}
        return
    yield from prefixes(discriminant_order(table))


def discriminant_order(table):
    """Values along the first discriminant coordinate of indicator columns, one row for each unit of weight."""
    rows = np.array(table, float)
    sizes, sums = rows.sum(1), rows.sum(0)
    # Indicators about their mean: total T = diag(sizes) - sizes·sizesᵀ/W; between classes B from the class means.
    whole = rows.sum()
    total_scatter = np.diag(sizes) - np.outer(sizes, sizes) / whole
    means = rows / sums - (sizes / whole)[:, None]
    between = (means * sums) @ means.T
    values, vectors = np.linalg.eigh(total_scatter)
    keep = values > 1e-9 * values.max()
    half = vectors[:, keep] / np.sqrt(values[keep])
    coefficients = half @ np.linalg.eigh(half.T @ between @ half)[1][:, -1]
    spread = np.ptp(coefficients) or 1.0
    return sorted(range(len(table)), key=lambda v: (round((coefficients[v] - coefficients.min()) / spread, 9), v))


def sliq(table, criterion, to_the_end=False):
    """The partitions on the way, and the last one is the result of the plain search."""
    left, now, way = set(range(len(table))), None, []
    while len(left) > 1:
        gains = [(value(criterion, table, left - {v}), -v) for v in left]
        top = max(g for g, _ in gains)
        v = -max(i for g, i in gains if g >= top - 1e-12 * abs(top))
        if not to_the_end and now is not None and not top > now + 1e-12 * abs(now):
            break
        left = left - {v}
        now = top
        way.append(set(left))
    return way


def greedy(criterion, table):
    """GreedyCut and LocalSearch as they are printed (Algorithms 2 and 3)."""
    n = len(table)
    w = [[edge(criterion, table[i], table[j]) if i != j else 0.0 for j in range(n)] for i in range(n)]
    least = 1e-12 * math.fsum(map(math.fsum, w)) / 2
    left = []
    for v in range(n):
        to_left = math.fsum(w[v][u] for u in range(v) if left[u])
        to_right = math.fsum(w[v][u] for u in range(v) if not left[u])
        left.append(not to_left > to_right)

    def cut(sides):
        return math.fsum(w[i][j] for i in range(n) for j in range(i) if sides[i] != sides[j])

    def better():
        now = cut(left)
        for i in range(n):
            other = [x != (j == i) for j, x in enumerate(left)]
            if cut(other) > now + least:
                return other
        for i in range(n):
            for j in range(n):
                if left[i] and not left[j]:
                    other = [x != (h in (i, j)) for h, x in enumerate(left)]
                    if cut(other) > now + least:
                        return other
        return None

    while (other := better()) is not None:
        left = other
    return {v for v in range(n) if left[v]}
