"""Trees whose rows may lack values, plainly: shared among the children as in C4.5, or led by surrogates as in CART.

A table is a list of (kind, values); a number that is missing is NaN, a nominal value that is missing None. A row of a
node is (number, weight), so that a part of a row is a row of less weight.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

from support.oracle import trees
from support.oracle.criteria import CRITERIA, gain, unit


def lacking(v):
    return v is None or v != v


@dataclass
class Node:
    rows: list  # (number, weight)
    dist: list  # class weights; of numbers, weight and mean
    split: tuple | None = None
    children: list = field(default_factory=list)
    surrogates: list = field(default_factory=list)
    heavier: int | None = 0  # None: rows that no surrogate knows end here

    def preorder(self):
        return [self, *(n for c in self.children for n in c.preorder())]


@dataclass
class Surrogate:
    column: int
    rule: tuple  # ("cut", threshold, low goes left) or ("values", left, right)
    agreement: float
    adjusted: float = 0.0

    def side(self, v):
        if lacking(v):
            return None
        if self.rule[0] == "cut":
            return 0 if (v <= self.rule[1]) == self.rule[2] else 1
        return 0 if v in self.rule[1] else 1 if v in self.rule[2] else None


def side(split, v):
    """The child of a value, or None where it is lacking or was not at the node."""
    if lacking(v):
        return None
    if split[0] == "axis":
        return 0 if v <= split[2] else 1
    groups = split[2:] if split[0] == "subset" else [(v,) for v in split[2]]
    return next((i for i, g in enumerate(groups) if v in g), None)


def split_bits(sizes):
    total = math.fsum(sizes)
    return -math.fsum(s / total * math.log2(s / total) for s in sizes if s > 0)


class Grower:
    """``mode`` is "shared" or "surrogate"."""

    def __init__(self, table, y, w, k, mode, criterion="gini", nominal="auto", min_leaf=1, max_depth=math.inf):
        self.table, self.y, self.k, self.mode = table, y, k, mode
        self.criterion, self.nominal, self.min_leaf, self.max_depth = criterion, nominal, min_leaf, max_depth
        self.tree = self.grow([(i, float(w[i])) for i in range(len(y))], 0)

    def dist(self, rows):
        if self.k:
            return [math.fsum(w for i, w in rows if self.y[i] == c) for c in range(self.k)]
        total = math.fsum(w for _, w in rows)
        return [total, CRITERIA[self.criterion].leaf([i for i, _ in rows], self.y, dict(rows))]

    def grow(self, rows, depth):
        node = Node(rows, self.dist(rows))
        if len({self.y[i] for i, _ in rows}) == 1 or depth >= self.max_depth or len(rows) < 2 * self.min_leaf:
            return node
        best = self.best(rows)
        if best is None:
            return node
        values = self.table[best.column][1]
        node.split = best.split if best.split[0] != "axis" else best.split[:3]
        n = len(best.children)
        known = [(r, side(node.split, values[r[0]])) for r in rows]
        sizes = [math.fsum(r[1] for r, s in known if s == c) for c in range(n)]
        node.heavier = next(c for c in range(n) if sizes[c] >= max(sizes) - 1e-12 * sum(sizes))
        if self.mode == "surrogate" and n == 2 and node.split[0] != "multiway":
            node.surrogates = self.surrogates(best.column, known)
            if abs(sizes[0] - sizes[1]) <= 1e-12 * sum(sizes):
                node.heavier = None
        parts = [[r for r, s in known if s == c] for c in range(n)]
        for r, s in known:
            if s is not None:
                continue
            if self.mode == "shared":
                for c in range(n):
                    if sizes[c] / sum(sizes) > 1e-6:
                        parts[c].append((r[0], r[1] * sizes[c] / sum(sizes)))
            else:
                to = self.stand_in(node, [v[r[0]] for _, v in self.table])
                if to is not None:
                    parts[to].append(r)
        node.children = [self.grow(sorted(p), depth + 1) for p in parts]
        return node

    def best(self, rows):
        w = dict(rows)
        total = math.fsum(w.values())
        found = []
        for c, (kind, values) in enumerate(self.table):
            known = [i for i in w if not lacking(values[i])]
            if not known:
                continue
            if kind == "numeric":
                splits = trees.axis_splits(known, c, values, w)
            else:
                splits = trees.nominal_splits(self.nominal, self.criterion, known, c, values, self.y, w)
            of_column = []
            for order, split, children, position in splits:
                if min(map(len, children)) < max(1, self.min_leaf):
                    continue
                g = gain(self.criterion, children, self.y, w, self.k, position, None if kind == "numeric" else values)
                sizes = [math.fsum(w[i] for i in part) for part in children]
                if g == -math.inf:
                    continue
                of_column.append(trees.Candidate(g, min(sizes), c, order, split, children))
            if not of_column:
                continue
            # The best of a column by its known rows, then the columns by what their best tells of all rows.
            weight = math.fsum(w[i] for i in known)
            best = trees.winner(of_column, unit(self.criterion, known, self.y, w, self.k), weight)
            if len(known) < len(w):
                sizes = [math.fsum(w[i] for i in part) for part in best.children]
                best.gain *= weight / total
                if self.criterion == "gain_ratio" and self.mode == "shared":
                    best.gain *= split_bits(sizes) / split_bits([*sizes, total - weight])
            found.append(best)
        if not found:
            return None
        return trees.winner(found, unit(self.criterion, list(w), self.y, w, self.k), total)

    # ---- surrogates -------------------------------------------------------------------------------

    def surrogates(self, own, known):
        rows_here = [(i, w, s) for (i, w), s in known]
        known = [r for r in rows_here if r[2] is not None]
        weight = [math.fsum(w for _, w, s in known if s == c) for c in (0, 1)]
        tied = 0 if weight[0] > weight[1] else 1
        if abs(weight[0] - weight[1]) <= 1e-12 * sum(weight):  # the side of the higher classes or numbers
            means = [math.fsum(w * self.y[i] for i, w, s in known if s == c) / weight[c] for c in (0, 1)]
            tied = 0 if means[0] >= means[1] else 1
        found = []
        for c, (kind, values) in enumerate(self.table):
            if c == own:
                continue
            rows = [(values[i], w, s) for i, w, s in rows_here if not lacking(values[i])]
            best = by_cut(c, rows) if kind == "numeric" else by_values(c, rows, tied)
            if best is None:
                continue
            best.adjusted = (best.agreement - max(weight)) / (sum(weight) - max(weight))
            best.agreement /= sum(weight)
            if best.adjusted > 1e-10:
                found.append(best)
        return sorted(found, key=lambda s: -round(s.agreement, 11))[:5]

    def stand_in(self, node, row):
        for s in node.surrogates:
            to = s.side(row[s.column])
            if to is not None:
                return to
        return node.heavier

    # ---- prediction -------------------------------------------------------------------------------

    def reached(self, row, node=None, share=1.0):
        """The leaves that a row comes to, and its shares there."""
        node = node or self.tree
        if not node.children:
            return [(node, share)]
        to = side(node.split, row[node.split[1]])
        if to is None and self.mode == "surrogate":
            to = self.stand_in(node, row)
            if to is None:
                return [(node, share)]
        if to is not None:
            return self.reached(row, node.children[to], share)
        sizes = [math.fsum(w for _, w in c.rows) for c in node.children]
        pairs = zip(node.children, sizes, strict=True)
        return [found for c, s in pairs if s > 0 for found in self.reached(row, c, share * s / sum(sizes))]

    def predicted(self, row):
        """Class shares, or the mean."""
        if not self.k:
            return math.fsum(share * leaf.dist[1] for leaf, share in self.reached(row))
        return [
            math.fsum(share * leaf.dist[c] / math.fsum(leaf.dist) for leaf, share in self.reached(row))
            for c in range(self.k)
        ]


def by_cut(column, rows):
    """The cut that sends most weight alike, the lowest of equals."""
    best = None
    levels = sorted({v for v, _, _ in rows})  # also of rows that lack the value of the node's own split
    rows = [r for r in rows if r[2] is not None]
    for low, high in itertools.pairwise(levels):
        below = [r for r in rows if r[0] <= low]
        if len(below) < 2 or len(rows) - len(below) < 2:
            continue
        for low_left in (True, False):
            alike = math.fsum(w for v, w, s in rows if (s == 0) == ((v <= low) == low_left))
            if best is None or alike > best.agreement * (1 + 1e-12):
                best = Surrogate(column, ("cut", trees.between(low, high), low_left), alike)
    return best


def by_values(column, rows, tied):
    """Each value where most of its weight goes, of equals to the side ``tied``."""
    left, right, alike = set(), set(), 0.0
    rows = [r for r in rows if r[2] is not None]
    for v in {v for v, _, _ in rows}:
        sides = [math.fsum(w for u, w, s in rows if u == v and s == c) for c in (0, 1)]
        to = tied if abs(sides[0] - sides[1]) <= 1e-12 * sum(sides) else 0 if sides[0] > sides[1] else 1
        (left, right)[to].add(v)
        alike += max(sides)
    return Surrogate(column, ("values", frozenset(left), frozenset(right)), alike) if left and right else None
