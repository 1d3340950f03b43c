"""Pruning, plainly: a tree as nested nodes, each pruner as its definition reads."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from support.oracle.j48 import J48, Node, Options, errors


@dataclass
class Question:
    """The split of a fitted node as J48's oracle asks it; the columns are numbers and values as in the table."""

    column: int
    cut: float | None = None
    side: dict = field(default_factory=dict)  # by value
    other: int | None = None
    n_branches: int = 2

    def branch(self, v):
        if v not in self.side and (v is None or v != v):
            return None
        if self.cut is not None:
            return 0 if v <= self.cut else 1
        return self.side.get(v, self.other)


def nested(model):
    """The tree of a model as nodes with questions."""
    core, values = model.tree, [list(c.values) for c in model.schema.columns]
    weights = model.nodes().weights.tolist()

    def made(i):
        node = Node(weights[i])
        kids = core.children(i)
        if kids:
            s = core.split(i)
            if s["kind"] == 1:
                node.test = Question(s["column"], cut=s["cut"])
            else:
                named = [values[s["column"]][v] for v in s["values"]]
                to = range(len(named)) if s["kind"] == 4 else [0 if left else 1 for left in s["goes_left"]]
                node.test = Question(
                    s["column"], side=dict(zip(named, to, strict=True)), other=s["other"], n_branches=len(kids)
                )
            node.children = [made(c) for c in kids]
        return node

    return made(0)


def preorder(node):
    """Class weights and number of children, node by node."""
    return [(node.dist, len(node.children)), *(line for child in node.children for line in preorder(child))]


def cut(node, becomes_leaf):
    """From the root down, the nodes of which that is true become leaves."""
    if not node.children or becomes_leaf(node):
        return Node(node.dist)
    return Node(node.dist, node.test, [cut(c, becomes_leaf) for c in node.children])


def leaves(node):
    return [node] if not node.children else [leaf for c in node.children for leaf in leaves(c)]


def training_errors(tree, scale=None, loss=None):
    def wrong(dist):
        return least_cost([w * s for w, s in zip(dist, scale or [1.0] * len(dist), strict=True)], loss)

    return cut(tree, lambda n: sum(wrong(leaf.dist) for leaf in leaves(n)) >= wrong(n.dist) - 1e-3)


def least_cost(weights, loss=None):
    """What the cheapest answer costs; without losses an error costs 1."""
    k = range(len(weights))
    return min(sum(weights[c] * (loss[c][a] if loss else c != a) for c in k) for a in k)


def pessimistic(tree):
    def cheap(node):
        n, below = sum(node.dist), sum(errors(leaf.dist) + 0.5 for leaf in leaves(node))
        return errors(node.dist) + 0.5 <= below + math.sqrt(max(0.0, below * (n - below) / n))

    return cut(tree, cheap)


def minimum_error(tree, m, scale=None, loss=None):
    def weighed(node):
        return [w * s for w, s in zip(node.dist, scale or [1.0] * len(node.dist), strict=True)]

    root = weighed(tree)

    def expected(node):
        own = weighed(node)
        shares = [(w + m * p / sum(root)) / (sum(own) + m) for w, p in zip(own, root, strict=True)]
        return least_cost(shares, loss)

    def best(node):
        """The best subtree and its expected error."""
        if not node.children:
            return node, expected(node)
        found = [best(c) for c in node.children]
        sizes = [sum(weighed(c)) for c in node.children]
        below = sum(n * e for n, (_, e) in zip(sizes, found, strict=True)) / sum(weighed(node))
        if expected(node) <= below + 1e-12:
            return Node(node.dist), expected(node)
        return Node(node.dist, node.test, [t for t, _ in found]), below

    return best(tree)[0]


def error_based(tree, columns, classes, n_classes, weights, confidence, raising):
    """J48's pruning of a tree that is already grown."""
    work = J48.__new__(J48)
    work.columns, work.classes, work.k = columns, classes, n_classes
    work.options = Options(confidence=confidence, raising=raising)
    work.prune(tree, [(i, w) for i, w in enumerate(weights)])
    return tree


def reduced_error(tree, columns, classes, weights, kept):
    """From the leaves up, a node becomes a leaf if that makes no more errors on the rows kept apart.

    Rows without a value are shared by the weights of the branches; a branch of no weight answers as its parent.
    """

    def answer(node, above):
        return max(range(len(node.dist)), key=lambda c: (node.dist[c], -c)) if sum(node.dist) > 0 else above

    def wrong(rows, said):
        return sum(w for i, w in rows if classes[i] != said)

    def best(node, rows, above):
        """The best subtree and its errors."""
        own = answer(node, above)
        if not node.children:
            return node, wrong(rows, own)
        sizes = [sum(c.dist) for c in node.children]
        parts = [[] for _ in sizes]
        for i, w in rows:
            to = node.test.branch(columns[node.test.column][i])
            if to is not None:
                parts[to].append((i, w))
                continue
            for part, size in zip(parts, sizes, strict=True):
                if size > 0:
                    part.append((i, w * size / sum(sizes)))
        found = [best(c, part, own) for c, part in zip(node.children, parts, strict=True)]
        below = sum(e for _, e in found)
        if wrong(rows, own) <= below + 1e-12 * below:
            return Node(node.dist), wrong(rows, own)
        return Node(node.dist, node.test, [t for t, _ in found]), below

    return best(tree, [(i, weights[i]) for i in kept], 0)[0]
