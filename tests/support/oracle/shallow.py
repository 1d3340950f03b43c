"""The best tree of a few levels by trying all of them."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np


class Best:
    """``least(depth)`` is the least cost of a tree over ``columns``: arrays of float, NaN where a number is missing, or
    of int, the codes of a nominal one. ``costs[row, answer]`` is what rows cost, ``leaf`` what each leaf costs."""

    def __init__(self, columns, costs, leaf=0.0):
        self.columns, self.costs, self.leaf = columns, costs, leaf
        self.above = [(c, s) for c, x in enumerate(columns) for s in self.sides(x, False)]
        self.last = [(c, s) for c, x in enumerate(columns) for s in self.sides(x, True)]

    def least(self, depth):
        @cache
        def best(rows, depth):
            here = list(rows)
            found = self.costs[here].sum(axis=0).min() + self.leaf
            if depth == 0:
                return found
            if depth > 1:  # no deeper: where a column has many values, the last level has more subsets of them
                found = best(rows, depth - 1)
            for _, side in self.last if depth == 1 else self.above:
                left = tuple(r for r in here if side[r])
                if 0 < len(left) < len(here):
                    right = tuple(r for r in here if not side[r])
                    found = min(found, best(left, depth - 1) + best(right, depth - 1))
            return found

        return best(tuple(range(len(self.costs))), depth)

    def choices(self, depth):
        """The least cost for each choice of columns, nodes in preorder and None for a leaf; every split costs less than
        a leaf in its place."""

        @cache
        def choices(rows, depth):
            here = list(rows)
            alone = self.costs[here].sum(axis=0).min() + self.leaf
            found = {(None,): alone}
            for c, side in [] if depth == 0 else self.last if depth == 1 else self.above:
                left, right = (tuple(r for r in here if side[r] == s) for s in (True, False))
                if not left or not right or self.all_missing(c, left):
                    continue  # all known ones against the others is the same split
                for a, x in choices(left, depth - 1).items():
                    for b, y in choices(right, depth - 1).items():
                        if x + y < alone - 1e-9:
                            key = (c, *a, *b)
                            found[key] = min(found.get(key, np.inf), x + y)
            return found

        return choices(tuple(range(len(self.costs))), depth)

    def all_missing(self, c, rows):
        x = self.columns[c][list(rows)]
        return x.dtype.kind != "i" and np.isnan(x).all()

    def sides(self, x, last):
        """The rows on the left of every split of a column."""
        if x.dtype.kind != "i":
            known = x[~np.isnan(x)]
            for cut in np.unique(known):
                for missing in (False, True) if len(known) < len(x) else (False,):
                    yield np.where(np.isnan(x), missing, x <= cut)
            return
        values = sorted(set(x.tolist()))
        for subset in self.all_subsets(values) if last or len(values) <= 5 else self.family(x, values):
            left = np.isin(x, list(subset))
            yield left if values[-1] not in subset else ~left  # the other orientation is the same split

    @staticmethod
    def all_subsets(values):
        for n in range(1, len(values)):
            yield from itertools.combinations(values, n)

    def family(self, x, values):
        """One value against the others, and the first values in the order of each class's share."""
        for v in values:
            yield (v,)
        saved = self.costs.max(axis=1, keepdims=True) - self.costs
        kind, weight = saved.argmax(axis=1), saved.max(axis=1)
        for c in range(1 if self.costs.shape[1] == 2 else self.costs.shape[1]):
            share = {v: weight[(x == v) & (kind == c)].sum() / max(weight[x == v].sum(), 1e-300) for v in values}
            order = sorted(values, key=lambda v: round(share[v], 12))
            for n in range(1, len(values)):
                yield tuple(order[:n])
