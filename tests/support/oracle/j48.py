"""C4.5 as J48 computes it, step by step: no speed, no arrays, rows are (number, weight) pairs.

A table is a list of columns; a column is a list of numbers (None or NaN: unknown), or, with ``sizes[c] > 0``, of codes
below that size (None: unknown).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

SMALL = 1e-6


def more(a, b):
    return a - b > SMALL


def at_least(a, b):
    return a - b > -SMALL


def unknown(v):
    return v is None or v != v


def xlogx(v):
    return 0.0 if v < SMALL else v * math.log2(v)


@dataclass
class Options:
    least: float = 2  # M
    confidence: float | None = 0.25  # None: unpruned
    raising: bool = True
    binary: bool = False
    collapse: bool = True


@dataclass
class Test:
    column: int
    cut: float | None = None  # numeric
    value: int | None = None  # binary: this value against the others
    n_branches: int = 2
    gain: float = 0.0
    ratio: float = 0.0

    def branch(self, v):
        if unknown(v):
            return None
        if self.cut is not None:
            return 0 if v - self.cut <= SMALL else 1
        if self.value is not None:
            return 0 if v == self.value else 1
        return v


@dataclass
class Node:
    dist: list[float]
    test: Test | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def empty(self):
        return sum(self.dist) < SMALL

    def nodes(self):
        return 1 + sum(c.nodes() for c in self.children)

    def leaves(self):
        return sum(c.leaves() for c in self.children) if self.children else 1


class J48:
    def __init__(self, columns, sizes, classes, n_classes, weights=None, options=None):
        self.columns, self.sizes, self.classes, self.k = columns, sizes, classes, n_classes
        self.options = options or Options()
        self.n = len(classes)
        self.rows = [(i, 1.0 if weights is None else float(weights[i])) for i in range(self.n)]
        self.tree = self.grow(self.rows)
        if self.options.collapse:
            self.collapse(self.tree)
        if self.options.confidence is not None:
            self.prune(self.tree, self.rows)

    # ---- growing ----------------------------------------------------------------------------------

    def dist_of(self, rows):
        d = [0.0] * self.k
        for i, w in rows:
            d[self.classes[i]] += w
        return d

    def grow(self, rows):
        node = Node(self.dist_of(rows))
        total = sum(node.dist)
        if more(2 * self.options.least, total) or not more(total, max(node.dist)):
            return node
        test = self.choose(rows, total)
        if test is None:
            return node
        node.test = test
        node.children = [self.grow(r) for r in self.branches(test, rows)]
        return node

    def choose(self, rows, total):
        tests = [
            self.numeric(c, rows, total) if not s else self.nominal(c, rows, total) for c, s in enumerate(self.sizes)
        ]
        valid = [t for t in tests if t is not None]
        if not valid:
            return None
        many = [bool(self.sizes[t.column]) and self.sizes[t.column] >= 0.3 * self.n for t in valid]
        everything_many = all(s and s >= 0.3 * self.n for s in self.sizes)
        counted = [t.gain for t, m in zip(valid, many, strict=True) if not m or everything_many]
        if not counted:
            return None
        average = sum(counted) / len(counted)
        best, top = None, 0.0
        for t in valid:
            if t.gain >= average - 1e-3 and more(t.ratio, top):
                best, top = t, t.ratio
        if best is not None and best.cut is not None:
            best.cut = max(v for v in self.columns[best.column] if not unknown(v) and v <= best.cut)
        return best

    def score(self, bags, total):
        """Gain and ratio of the class vectors of branches."""
        known = sum(map(sum, bags))
        whole = [sum(b[c] for b in bags) for c in range(self.k)]
        old = xlogx(known) - sum(map(xlogx, whole))
        new = sum(xlogx(sum(b)) - sum(map(xlogx, b)) for b in bags)
        numerator = known / total * (old - new)
        return 0.0 if abs(numerator) <= SMALL else numerator / known

    def ratio(self, gain, bags, total):
        sizes = [sum(b) for b in bags]
        split = xlogx(total) - sum(map(xlogx, sizes)) - xlogx(total - sum(sizes))
        return 0.0 if abs(split) <= SMALL else gain / (split / total)

    def numeric(self, c, rows, total):
        x = self.columns[c]
        known = sorted(((x[i], i, w) for i, w in rows if not unknown(x[i])), key=lambda t: t[0])
        weight = sum(w for _, _, w in known)
        least = 0.1 * weight / self.k
        least = self.options.least if not more(least, self.options.least) else min(least, 25.0)
        if more(2 * least, len(known)):
            return None
        left, right = [0.0] * self.k, self.dist_of([(i, w) for _, i, w in known])
        best, at, candidates = 0.0, None, 0
        for j in range(1, len(known)):
            _, i, w = known[j - 1]
            left[self.classes[i]] += w
            right[self.classes[i]] -= w
            if known[j - 1][0] + 1e-5 < known[j][0] and at_least(sum(left), least) and at_least(sum(right), least):
                gain = self.score([left, right], total)
                if more(gain, best):
                    best, at = gain, j
                candidates += 1
        if not candidates:
            return None
        gain = best - math.log2(candidates) / total
        if not more(gain, 0) or at is None:
            return None
        low, high = known[at - 1][0], known[at][0]
        cut = (low + high) / 2
        bags = [self.dist_of([(i, w) for _, i, w in part]) for part in (known[:at], known[at:])]
        return Test(c, cut=low if cut == high else cut, gain=gain, ratio=self.ratio(gain, bags, total))

    def nominal(self, c, rows, total):
        least, x = self.options.least, self.columns[c]
        bags = [self.dist_of([(i, w) for i, w in rows if x[i] == v]) for v in range(self.sizes[c])]
        if not self.options.binary:
            if sum(at_least(sum(b), least) for b in bags) < 2:
                return None
            gain = self.score(bags, total)
            return Test(c, n_branches=len(bags), gain=gain, ratio=self.ratio(gain, bags, total))
        found = None
        whole = [sum(b[j] for b in bags) for j in range(self.k)]
        for v, bag in enumerate(bags):
            rest = [a - b for a, b in zip(whole, bag, strict=True)]
            if not at_least(sum(bag), least) or not at_least(sum(rest), least):
                continue
            gain = self.score([bag, rest], total)
            ratio = self.ratio(gain, [bag, rest], total)
            if found is None or more(ratio, found.ratio):
                found = Test(c, value=v, gain=gain, ratio=ratio)
        return found

    def branches(self, test, rows):
        """The rows of every branch; unknown ones with their share in each."""
        x = self.columns[test.column]
        out = [[(i, w) for i, w in rows if test.branch(x[i]) == b] for b in range(test.n_branches)]
        sizes = [sum(w for _, w in part) for part in out]
        lost = [(i, w) for i, w in rows if test.branch(x[i]) is None]
        known = sum(sizes)
        for b, size in enumerate(sizes):
            share = size / known if known > 0 else 1 / len(sizes)
            if more(share, 0):
                out[b] += [(i, w * share) for i, w in lost]
        return out

    # ---- cutting back -----------------------------------------------------------------------------

    def collapse(self, node):
        if not node.children:
            return
        if self.training_errors(node) >= errors(node.dist) - 1e-3:
            node.test, node.children = None, []
        for child in node.children:
            self.collapse(child)

    def training_errors(self, node):
        if not node.children:
            return errors(node.dist)
        return sum(map(self.training_errors, node.children))

    def estimate(self, dist):
        n, e = sum(dist), errors(dist)
        return 0.0 if abs(n) <= SMALL else e + add_errors(n, e, self.options.confidence)

    def estimate_of_tree(self, node):
        if not node.children:
            return self.estimate(node.dist)
        return sum(map(self.estimate_of_tree, node.children))

    def estimate_of_branch(self, node, rows):
        if not node.children:
            return self.estimate(self.dist_of(rows))
        parts = self.branches(node.test, rows)
        return sum(self.estimate_of_branch(c, p) for c, p in zip(node.children, parts, strict=True))

    def prune(self, node, rows):
        if not node.children:
            return
        for child, part in zip(node.children, self.branches(node.test, rows), strict=True):
            self.prune(child, part)
        sizes = [sum(c.dist) for c in node.children]
        heaviest = max(range(len(sizes)), key=lambda b: (sizes[b], b))
        for b in range(len(sizes)):  # the last of equals, up to rounding
            if at_least(sizes[b], sizes[heaviest]):
                heaviest = b
        branch = self.estimate_of_branch(node.children[heaviest], rows) if self.options.raising else math.inf
        leaf, tree = self.estimate(node.dist), self.estimate_of_tree(node)
        if not more(leaf, tree + 0.1) and not more(leaf, branch + 0.1):
            node.test, node.children = None, []
        elif not more(branch, tree + 0.1):
            child = node.children[heaviest]
            node.test, node.children = child.test, child.children
            self.refill(node, rows)
            self.prune(node, rows)

    def refill(self, node, rows):
        node.dist = self.dist_of(rows)
        if node.children:
            for child, part in zip(node.children, self.branches(node.test, rows), strict=True):
                self.refill(child, part)

    # ---- prediction -------------------------------------------------------------------------------

    def distribution(self, row, laplace=False):
        """Class shares of a row, a list of values."""
        out = [0.0] * self.k
        self.add(self.tree, row, 1.0, out, laplace)
        total = sum(out)
        return [v / total for v in out]

    def add(self, node, row, weight, out, laplace):
        if not node.children:
            self.add_leaf(node.dist, weight, out, laplace)
            return
        b = node.test.branch(row[node.test.column])
        if b is None:
            total = sum(sum(c.dist) for c in node.children)
            for child in node.children:
                if not child.empty:
                    self.add(child, row, weight * sum(child.dist) / total, out, laplace)
        elif node.children[b].empty:
            self.add_leaf(node.dist, weight, out, laplace)
        else:
            self.add(node.children[b], row, weight, out, laplace)

    def add_leaf(self, dist, weight, out, laplace):
        n = sum(dist)
        for c in range(self.k):
            out[c] += weight * ((dist[c] + 1) / (n + self.k) if laplace else dist[c] / n)


def errors(dist):
    return sum(dist) - max(dist)


def add_errors(n, e, confidence):
    cf = float(np.float32(confidence))
    if cf > 0.5:
        return 0.0
    if e < 1:
        base = n * (1 - cf ** (1 / n))
        return base if e == 0 else base + e * (add_errors(n, 1.0, confidence) - base)
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    z = NormalDist().inv_cdf(1 - cf)
    f = (e + 0.5) / n
    r = (f + z * z / (2 * n) + z * math.sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n)
    return r * n - e
