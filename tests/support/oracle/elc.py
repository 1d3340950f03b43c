"""The best hyperplane through r rows by trying all of them, in exact whole numbers.

A float64 is a whole multiple of a power of two, so a column times a power of two is a list of whole numbers,
and no side of any hyperplane changes by that.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from support.oracle.trees import gain


def whole_columns(columns):
    """Every column in whole numbers; None where a number is missing."""
    out = []
    for values in columns:
        known = [Fraction(v) for v in values if not math.isnan(v)]
        factor = math.lcm(*(f.denominator for f in known)) if known else 1
        out.append([None if math.isnan(v) else int(Fraction(v) * factor) for v in values])
    return out


def determinant(rows):
    if not rows:
        return 1
    first, rest = rows[0], rows[1:]
    return sum(
        (-1) ** t * first[t] * determinant([[*row[:t], *row[t + 1 :]] for row in rest])
        for t in range(len(first))
        if first[t]
    )


def normal_through(points):
    """The normal of the hyperplane through r points in r dimensions, or None if they span less."""
    r = len(points)
    edges = [[a - b for a, b in zip(p, points[0])] for p in points[1:]]
    normal = [(-1) ** t * determinant([[*e[:t], *e[t + 1 :]] for e in edges]) for t in range(r)]
    first = next((x for x in normal if x), None)
    if first is None:
        return None
    return normal if first > 0 else [-x for x in normal]


def hyperplanes(whole, columns, rows):
    """(below, on, above, lacking) rows of every hyperplane over some columns."""
    known = [i for i in rows if all(whole[c][i] is not None for c in columns)]
    lacking = [i for i in rows if i not in known]
    at = {i: [whole[c][i] for c in columns] for i in known}
    seen = set()
    for basis in itertools.combinations(known, len(columns)):
        normal = normal_through([at[i] for i in basis])
        if normal is None:
            continue
        height = sum(n * x for n, x in zip(normal, at[basis[0]]))
        values = {i: sum(n * x for n, x in zip(normal, at[i])) - height for i in known}
        below = tuple(i for i in known if values[i] < 0)
        on = tuple(i for i in known if values[i] == 0)
        if (below, on) in seen:
            continue
        seen.add((below, on))
        yield list(below), list(on), [i for i in known if values[i] > 0], lacking


def partings(whole, columns, rows, touching="either"):
    """(left, right) of every hyperplane; rows that lack a number are on the lower side."""
    for below, on, above, lacking in hyperplanes(whole, columns, rows):
        yield below + lacking, on + above
        if touching == "either":
            yield above + lacking, on + below


def dichotomies(whole, columns, rows):
    """(left, right) of every way in which a straight line can part the rows: one or two columns."""
    known = [i for i in rows if all(whole[c][i] is not None for c in columns)]
    lacking = [i for i in rows if i not in known]
    found = set()
    place = {i: tuple(whole[c][i] for c in columns) for i in known}
    for below, on, above, _ in hyperplanes(whole, columns, rows):
        order = sorted(on, key=place.get)
        for n in range(len(order) + 1):
            if 0 < n < len(order) and place[order[n - 1]] == place[order[n]]:
                continue
            found.add((frozenset(below + order[:n]), frozenset(above + order[n:])))
            found.add((frozenset(below + order[n:]), frozenset(above + order[:n])))
    for a, b in found:
        yield sorted(a) + lacking, sorted(b)
        yield sorted(b) + lacking, sorted(a)


def best_gain(columns, y, w, k, criterion, r, touching="either", optimal=False, min_leaf=1):
    """The largest gain, or −inf; where r columns give no split, fewer are tried."""
    whole, rows = whole_columns(columns), range(len(y))
    varying = [c for c, v in enumerate(whole) if len({x for x in v if x is not None}) > 1]
    for terms in range(min(r, len(varying)), 0, -1):
        best = -math.inf
        for chosen in itertools.combinations(varying, terms):
            if optimal:
                found = dichotomies(whole, chosen, rows)
            else:
                found = partings(whole, chosen, rows, touching)
            for left, right in found:
                if min(len(left), len(right)) >= max(1, min_leaf):
                    best = max(best, gain(criterion, [left, right], y, w, k))
        if best > -math.inf:
            return best
    return -math.inf
