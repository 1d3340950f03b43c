"""CART as rpart computes it, step by step: altered priors, losses, surrogates, the cost-complexity path, and
cross-validation with given folds.

A table is a list of columns; a column is a list of numbers (None or NaN: unknown), or, with ``sizes[c] > 0``, of codes
below that size (None: unknown). ``y`` is class codes, or numbers if ``n_classes`` is 0.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

NOTHING = 1e-10  # of the largest improvement met: no improvement


def unknown(v):
    return v is None or v != v


@dataclass
class Rule:
    """A test of one column: left if the value is below the cut, or among the left values."""

    column: int
    cut: float | None = None
    left: frozenset = frozenset()
    right: frozenset = frozenset()
    low_goes_left: bool = True
    improve: float = 0.0
    agree: float = 0.0
    adj: float = 0.0

    def side(self, v):
        """0 left, 1 right, None where it cannot tell."""
        if unknown(v):
            return None
        if self.cut is not None:
            return 0 if (v < self.cut) == self.low_goes_left else 1
        return 0 if v in self.left else 1 if v in self.right else None


@dataclass
class Node:
    rows: list
    dist: list
    answer: float
    risk: float
    rule: Rule | None = None
    surrogates: list = field(default_factory=list)
    larger: int | None = None
    children: list = field(default_factory=list)
    complexity: float = 0.0


@dataclass
class Options:
    minsplit: int = 20
    minbucket: int = 7
    cp: float = 0.01
    max_depth: int = 30
    criterion: str = "gini"
    max_surrogates: int = 5
    use_surrogates: bool = True


class Rpart:
    def __init__(self, columns, sizes, y, n_classes, weights=None, priors=None, loss=None, options=None):
        self.columns, self.sizes, self.y, self.k = columns, sizes, y, n_classes
        self.o = options or Options()
        self.n = len(y)
        self.w = [1.0] * self.n if weights is None else [float(v) for v in weights]
        if self.k:
            total = sum(self.w)
            share = [sum(w for w, c in zip(self.w, y, strict=True) if c == j) / total for j in range(self.k)]
            pi = share if priors is None else [p / sum(priors) for p in priors]
            self.loss = loss or [[float(a != b) for b in range(self.k)] for a in range(self.k)]
            self.scale = [p / s if s else 0.0 for p, s in zip(pi, share, strict=True)]
            a = [p * sum(row) for p, row in zip(pi, self.loss, strict=True)]
            self.alter = [v / sum(a) / s if s else 0.0 for v, s in zip(a, share, strict=True)]
        self.tree = self.fit(range(self.n), None)
        self.root_risk = self.tree.risk

    # ---- growing ----------------------------------------------------------------------------------

    def fit(self, rows, alpha):
        root = self.node(list(rows))
        self.alpha = self.o.cp * root.risk if alpha is None else alpha
        self.all_risk = root.risk
        self.largest = 0.0
        root.complexity = root.risk
        self.partition(root, 0)
        cap(root, root.complexity)
        return root

    def node(self, rows):
        if not self.k:
            total = sum(self.w[i] for i in rows)
            mean = sum(self.w[i] * self.y[i] for i in rows) / total if total else 0.0
            return Node(rows, [total], mean, sum(self.w[i] * (self.y[i] - mean) ** 2 for i in rows))
        dist = [0.0] * self.k
        for i in rows:
            dist[self.y[i]] += self.w[i]
        cost = [sum(dist[c] * self.scale[c] * self.loss[c][p] for c in range(self.k)) for p in range(self.k)]
        answer = min(range(self.k), key=lambda p: (cost[p], p))
        return Node(rows, dist, answer, cost[answer])

    def partition(self, node, depth):
        """Grows below a node; returns the risk of the leaves and the number of splits that are kept."""
        bound = min(node.risk, node.complexity)
        rule = None
        if len(node.rows) >= self.o.minsplit and depth < self.o.max_depth and bound > self.alpha:
            rule = self.best_rule(node.rows)
        if rule is None:
            node.complexity = self.alpha
            return node.risk, 0
        node.rule = rule
        if self.o.use_surrogates:
            self.find_surrogates(node)
        parts = self.sides(node)
        node.children = [self.node(p) for p in parts]
        first = self.first_side(node)  # the side that rpart calls left, and grows first
        left, right = node.children[first], node.children[1 - first]
        left.complexity = bound - self.alpha
        left_risk, left_splits = self.partition(left, depth + 1)
        bound = max((node.risk - left_risk) / (left_splits + 1), node.risk - left.risk)
        right.complexity = min(bound, node.complexity) - self.alpha
        right_risk, right_splits = self.partition(right, depth + 1)
        kept = [[left, left_risk, left_splits], [right, right_risk, right_splits]]

        def value():
            return (node.risk - kept[0][1] - kept[1][1]) / (kept[0][2] + kept[1][2] + 1)

        first, second = (kept[0], kept[1]) if right.complexity > left.complexity else (kept[1], kept[0])
        if value() > first[0].complexity:
            first[1:] = [first[0].risk, 0]
            if value() > second[0].complexity:
                second[1:] = [second[0].risk, 0]
        node.complexity = value()
        if node.complexity <= self.alpha + 1e-12 * self.all_risk:  # nothing but rounding
            node.rule, node.children, node.surrogates, node.complexity = None, [], [], self.alpha
            return node.risk, 0
        return kept[0][1] + kept[1][1], kept[0][2] + kept[1][2] + 1

    def impurity(self, dist):
        """Weight times impurity of a class vector, by the altered priors."""
        v = [d * a for d, a in zip(dist, self.alter, strict=True)]
        t = sum(v)
        if t <= 0:
            return 0.0
        if self.o.criterion == "gini":
            return t * sum(p / t * (1 - p / t) for p in v)
        return -sum(p * math.log(p / t) for p in v if p > 0)

    def gain(self, left, right):
        if self.k:
            dists = []
            for side in (left, right, left + right):
                d = [0.0] * self.k
                for i in side:
                    d[self.y[i]] += self.w[i]
                dists.append(self.impurity(d))
            return dists[2] - dists[0] - dists[1]
        whole = self.node(left + right)
        return whole.risk - self.node(left).risk - self.node(right).risk

    def best_rule(self, rows):
        best = None
        for c, size in enumerate(self.sizes):
            x = self.columns[c]
            known = [i for i in rows if not unknown(x[i])]
            found = None
            for rule in self.nominal_rules(c, known) if size else self.numeric_rules(c, known):
                left = [i for i in known if rule.side(x[i]) == 0]
                right = [i for i in known if rule.side(x[i]) == 1]
                if min(len(left), len(right)) < self.o.minbucket:
                    continue
                rule.improve = self.gain(left, right)
                if rule.improve > 0 and (found is None or rule.improve > found.improve * (1 + 1e-12)):
                    found = rule
            if found is not None:
                self.largest = max(self.largest, found.improve)
                if found.improve > self.largest * NOTHING and (
                    best is None or found.improve > best.improve * (1 + 1e-12)
                ):
                    best = found
        return best

    def numeric_rules(self, c, known):
        values = sorted({self.columns[c][i] for i in known})
        for low, high in itertools.pairwise(values):
            yield Rule(c, cut=(low + high) / 2)

    def nominal_rules(self, c, known):
        x = self.columns[c]
        values = sorted({x[i] for i in known})
        if self.k == 2 or not self.k:

            def key(v):
                rows = [i for i in known if x[i] == v]
                if not self.k:
                    return self.node(rows).answer
                d = [sum(self.w[i] * self.alter[j] for i in rows if self.y[i] == j) for j in (0, 1)]
                return d[0] / sum(d)

            order = sorted(values, key=lambda v: (key(v), v))
            for j in range(1, len(order)):
                yield Rule(c, left=frozenset(order[:j]), right=frozenset(order[j:]))
        else:
            rest = values[1:]
            for m in range(len(rest) + 1):
                for more in itertools.combinations(rest, m):
                    left = frozenset([values[0], *more]) if values else frozenset()
                    if len(left) < len(values):
                        yield Rule(c, left=left, right=frozenset(values) - left)

    def first_side(self, node):
        """The side of lower classes or numbers, of equals the right one."""
        x = self.columns[node.rule.column]
        means = []
        for side in (0, 1):
            rows = [i for i in node.rows if node.rule.side(x[i]) == side]
            weight = [self.w[i] * (self.alter[self.y[i]] if self.k else 1.0) for i in rows]
            means.append(sum(w * self.y[i] for w, i in zip(weight, rows, strict=True)) / sum(weight))
        return 0 if means[0] < means[1] else 1

    def sides(self, node):
        """The rows of the two children; rows that nothing can place stay behind."""
        out = [[], []]
        for i in node.rows:
            s = self.route(node, [c[i] for c in self.columns])
            if s is not None:
                out[s].append(i)
        return out

    def route(self, node, row):
        s = node.rule.side(row[node.rule.column])
        if s is not None or not self.o.use_surrogates:
            return s
        for rule in node.surrogates:
            s = rule.side(row[rule.column])
            if s is not None:
                return s
        return node.larger

    # ---- surrogates -------------------------------------------------------------------------------

    def find_surrogates(self, node):
        primary = node.rule
        x = self.columns[primary.column]
        known = [(i, primary.side(x[i])) for i in node.rows if primary.side(x[i]) is not None]
        weight = [sum(self.w[i] for i, s in known if s == side) for side in (0, 1)]
        node.larger = None if weight[0] == weight[1] else 0 if weight[0] > weight[1] else 1
        found = []
        tied = 1 - self.first_side(node) if node.larger is None else node.larger
        for c, size in enumerate(self.sizes):
            if c == primary.column:
                continue
            rows = [(i, s) for i, s in known if not unknown(self.columns[c][i])]
            rule = self.nominal_surrogate(c, rows, tied) if size else self.numeric_surrogate(c, node, rows)
            if rule is None:
                continue
            rule.agree /= sum(weight)
            rule.adj = (rule.agree * sum(weight) - max(weight)) / (sum(weight) - max(weight))
            if rule.adj > 1e-10:
                found.append(rule)
        found.sort(key=lambda r: -r.agree)
        node.surrogates = found[: self.o.max_surrogates]

    def numeric_surrogate(self, c, node, rows):
        x = self.columns[c]
        values = sorted({x[i] for i in node.rows if not unknown(x[i])})  # also of rows that lack the primary
        best = None
        for low, high in itertools.pairwise(values):
            below = [sum(1 for i, s in rows if x[i] <= low and s == side) for side in (0, 1)]
            above = [sum(1 for i, s in rows if x[i] > low and s == side) for side in (0, 1)]
            if sum(below) < 2 or sum(above) < 2:
                continue
            wb = [sum(self.w[i] for i, s in rows if x[i] <= low and s == side) for side in (0, 1)]
            wa = [sum(self.w[i] for i, s in rows if x[i] > low and s == side) for side in (0, 1)]
            for low_left, alike in ((True, wb[0] + wa[1]), (False, wb[1] + wa[0])):
                if best is None or alike > best.agree:
                    best = Rule(c, cut=(low + high) / 2, low_goes_left=low_left, agree=alike)
        return best

    def nominal_surrogate(self, c, rows, tied):
        x = self.columns[c]
        left, right, alike = set(), set(), 0.0
        for v in sorted({x[i] for i, _ in rows}):
            w = [sum(self.w[i] for i, s in rows if x[i] == v and s == side) for side in (0, 1)]
            (left, right)[tied if w[0] == w[1] else 0 if w[0] > w[1] else 1].add(v)
            alike += max(w)
        if not left or not right:
            return None
        return Rule(c, left=frozenset(left), right=frozenset(right), agree=alike)

    # ---- path, cross-validation, prediction ---------------------------------------------------------

    def table(self):
        """Rows of the table: complexity, splits, relative training error; largest complexity first."""
        found = sorted({n.complexity for n in below(self.tree) if n.children}, reverse=True)
        merged = []
        for c in found:
            if not merged or c < merged[-1] * (1 - 1e-10):
                merged.append(c)
        cps = [c / self.root_risk for c in merged] + [self.o.cp]
        out = []
        for j, cp in enumerate(cps):
            limit = math.inf if j == 0 else merged[j - 1] * (1 - 1e-10)
            kept = list(self.kept(self.tree, limit))
            leaves = [n for n, split in kept if not split]
            out.append((cp, len(kept) - len(leaves), sum(n.risk for n in leaves) / self.root_risk))
        return out

    def kept(self, node, limit):
        """Nodes of the tree in which those of complexity at least ``limit`` split, and whether they do."""
        split = bool(node.children) and node.complexity >= limit
        yield node, split
        if split:
            for child in node.children:
                yield from self.kept(child, limit)

    def cross_validated(self, folds):
        """xerror and xstd of every row of the table, for one fold number per row."""
        cps = [row[0] for row in self.table()]
        typical = [10 * cps[0]] + [math.sqrt(a * b) for a, b in itertools.pairwise(cps)]
        total = sum(self.w)
        errors = [[0.0] * self.n for _ in cps]
        for fold in sorted(set(folds)):
            rows = [i for i in range(self.n) if folds[i] != fold]
            share = sum(self.w[i] for i in rows) / total
            tree = self.fit(rows, self.o.cp * self.root_risk * share)
            for i in (i for i in range(self.n) if folds[i] == fold):
                for j, cp in enumerate(typical):
                    node = self.down(tree, [c[i] for c in self.columns], cp * self.root_risk * share)
                    errors[j][i] = (
                        self.scale[self.y[i]] * self.loss[self.y[i]][node.answer]
                        if self.k
                        else (self.y[i] - node.answer) ** 2
                    )
        out = []
        for e in errors:
            s1 = sum(w * v for w, v in zip(self.w, e, strict=True))
            s2 = sum(w * v * v for w, v in zip(self.w, e, strict=True))
            out.append((s1 / self.root_risk, math.sqrt(max(0.0, s2 - s1 * s1 / total)) / self.root_risk))
        return out

    def down(self, node, row, limit=0.0):
        while node.children and node.complexity > limit:
            s = self.route(node, row)
            if s is None:
                break
            node = node.children[s]
        return node

    def shares(self, row, limit=0.0):
        d = [v * s for v, s in zip(self.down(self.tree, row, limit).dist, self.scale, strict=True)]
        return [v / sum(d) for v in d]


def cap(node, most):
    node.complexity = min(node.complexity, most)
    for child in node.children:
        cap(child, node.complexity)


def below(node):
    yield node
    for child in node.children:
        yield from below(child)


def chosen(table, errors, rule="one_se"):
    """The row of the table that the rule takes."""
    least = min(range(len(table)), key=lambda j: (errors[j][0], j))
    limit = errors[least][0] + (errors[least][1] if rule == "one_se" else 0.0)
    return next(j for j in range(len(table)) if errors[j][0] <= limit)
