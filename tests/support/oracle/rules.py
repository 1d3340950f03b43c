"""The plainest regression tree whose columns have groups and prices: every cut of every column that may be asked."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def predictions(X, y, w, groups, prices, max_depth, least, first=None):
    """What it predicts for its training rows. ``groups``: sets of columns, none of them: all may meet; ``first``: the
    (column, cut) that the root asks."""
    found = np.empty(len(y))
    stack = [(np.arange(len(y)), 0, frozenset(), first)]
    while stack:
        rows, depth, asked, given = stack.pop()
        best = given
        if best is None and depth < max_depth:
            best = best_cut(X[rows], y[rows], w[rows], allowed(X.shape[1], groups, asked), prices, asked, least)
        if best is None:
            found[rows] = np.average(y[rows], weights=w[rows])
            continue
        column, cut = best
        left = X[rows, column] <= cut
        stack += [(rows[side], depth + 1, asked | {column}, None) for side in (left, ~left)]
    return found


def allowed(n, groups, asked):
    """The columns that are in one group with all that were asked."""
    if not groups:
        return set(range(n))
    return {c for group in groups if asked <= set(group) for c in group}


def best_cut(X, y, w, columns, prices, asked, least):
    best, most = None, -np.inf
    for column in sorted(columns):
        price = 0 if column in asked else prices[column]
        for below, above in pairwise(np.unique(X[:, column])):
            side = X[:, column] <= below
            if min(side.sum(), (~side).sum()) < least:
                continue
            left, right = np.average(y[side], weights=w[side]), np.average(y[~side], weights=w[~side])
            gain = w[side].sum() * w[~side].sum() / w.sum() ** 2 * (left - right) ** 2 - price
            if (price > 0 and gain <= 0) or gain <= most:
                continue
            best, most = (column, (below + above) / 2), gain
    return best


def paths(model):
    """Every node with a split, and the columns that each split on the way to it and its own asks."""
    for tree in range(len(model.trees)):
        nodes, above = model.nodes(tree), {}
        for node in nodes:
            before = above.get(node.parent, []) if node.number else []
            if node.is_leaf:
                continue
            own = frozenset(columns_of(node.split))
            above[node.number] = [*before, own]
            yield node, above[node.number]


def columns_of(split):
    names = getattr(split, "columns", None)
    return tuple(names) if names is not None else (split.column,)
