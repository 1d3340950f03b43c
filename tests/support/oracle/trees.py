"""The naive reference: every definition written down once more, as plainly as possible.

Nothing here is fast, and nothing here is shared with the library. A table is a list of columns; a
numeric column is a list of floats (NaN: missing), a nominal one a list of ints. Splits are tuples, so
that trees can be compared with ``==``.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

from support.oracle import criteria
from support.oracle.criteria import class_weights, gain, unit

TIE = 1e-12
NOTHING = 1e-28


# ---- candidates ---------------------------------------------------------------------------------------


@dataclass
class Candidate:
    gain: float
    balance: float
    column: int
    order: tuple
    split: tuple
    children: list = field(repr=False)


def between(low, high):
    """The midpoint, unless rounding makes it the upper value."""
    middle = low / 2 + high / 2 if math.isinf(low + high) else (low + high) / 2
    return middle if low <= middle < high else low


def axis_splits(rows, column, values, w):
    """(order, split, children, position) of every threshold, missing values on either side."""
    known = [i for i in rows if not math.isnan(values[i])]
    missing = [i for i in rows if math.isnan(values[i])]
    if not known:
        return
    weight = math.fsum(w[i] for i in known)
    origin = values[known[0]]
    mean = origin + math.fsum(w[i] / weight * (values[i] - origin) for i in known)
    position = {i: values[i] - mean for i in known} | dict.fromkeys(missing, 0.0)
    levels = sorted({values[i] + 0.0 for i in known})
    for low, high in itertools.pairwise(levels):
        cut = between(low, high)
        left = [i for i in known if values[i] <= low]
        right = [i for i in known if values[i] > low]
        if not missing:
            heavier = math.fsum(w[i] for i in left) >= math.fsum(w[i] for i in right) - 1e-12
            yield (cut, 0), ("axis", column, cut, heavier), [left, right], position
        else:
            yield (cut, 0), ("axis", column, cut, True), [left + missing, right], position
            yield (cut, 1), ("axis", column, cut, False), [left, right + missing], position
    if missing:
        yield (math.inf, 1), ("axis", column, math.inf, False), [known, missing], position


def subset(rows, column, codes, left_codes, present, w):
    left_codes = set(left_codes)
    if present[0] not in left_codes:
        left_codes = set(present) - left_codes
    left = [i for i in rows if codes[i] in left_codes]
    right = [i for i in rows if codes[i] not in left_codes]
    order = tuple(0 if v in left_codes else 1 for v in present)
    mine = tuple(v for v in present if v in left_codes)
    other = tuple(v for v in present if v not in left_codes)
    return order, ("subset", column, mine, other), [left, right], None


def ordered_by_share(rows, codes, y, w, present, leaf):
    def share(v):
        here = [i for i in rows if codes[i] == v]
        if leaf:
            return leaf(here, y, w)
        return math.fsum(w[i] for i in here if y[i] == top) / math.fsum(w[i] for i in here)

    top = None if leaf else max(y[i] for i in rows)
    # shares that are equal up to rounding keep the order of the values
    return sorted(present, key=lambda v: (round(share(v), 12), v))


def nominal_splits(search, criterion, rows, column, codes, y, w):
    present = sorted({codes[i] for i in rows})
    if len(present) < 2:
        return
    leaf = criteria.CRITERIA[criterion].leaf
    by_order = leaf or (criteria.CRITERIA[criterion].convex and len({y[i] for i in rows}) == 2)
    if search == "auto":
        search = "exact" if len(present) <= 10 or by_order else "one_vs_rest"
    if search == "multiway":
        children = [[i for i in rows if codes[i] == v] for v in present]
        yield (), ("multiway", column, tuple(present)), children, None
    elif search == "one_vs_rest":
        for v in present:
            yield subset(rows, column, codes, {v}, present, w)
    elif search == "exact" and by_order:
        order = ordered_by_share(rows, codes, y, w, present, leaf)
        for n in range(1, len(order)):
            yield subset(rows, column, codes, order[:n], present, w)
    elif search == "exact":
        for n in range(len(present)):
            for others in itertools.combinations(present[1:], n):
                if len(others) + 1 < len(present):
                    yield subset(rows, column, codes, {present[0], *others}, present, w)
    else:
        raise AssertionError(search)


def candidates(table, rows, y, w, k, criterion, nominal, min_leaf=1, min_weight=0.0):
    out = []
    for c, (kind, values) in enumerate(table):
        if kind == "numeric":
            splits = axis_splits(rows, c, values, w)
        else:
            splits = nominal_splits(nominal, criterion, rows, c, values, y, w)
        for order, split, children, position in splits:
            weights = [math.fsum(w[i] for i in rows) for rows in children]
            if min(map(len, children)) < max(1, min_leaf) or min(weights) < min_weight:
                continue
            g = gain(criterion, children, y, w, k, position, None if kind == "numeric" else values)
            out.append(Candidate(g, min(weights), c, order, split, children))
    return out


def winner(found, scale, weight):
    """The one tie rule: gain, then balance, then column, then threshold, then missing left."""
    top = max(c.gain for c in found)
    found = [c for c in found if c.gain >= top - TIE * max(scale, abs(top))]
    even = max(c.balance for c in found)
    found = [c for c in found if c.balance >= even - TIE * weight]
    return min(found, key=lambda c: (c.column, c.order))


# ---- the tree -----------------------------------------------------------------------------------------


@dataclass
class Rules:
    max_depth: float = math.inf
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight: float = 0.0
    min_impurity_decrease: float = 0.0
    min_info_gain: float = -math.inf


def grow(table, y, w, k, criterion="gini", nominal="auto", rules=None):
    """The tree in preorder: a split tuple for each inner node, ('leaf', weights…) for each leaf."""
    rules = rules or Rules()
    leaf = criteria.CRITERIA[criterion].leaf
    whole = math.fsum(w)
    out = []
    stack = [(list(range(len(y))), 0)]
    while stack:
        rows, depth = stack.pop()
        best = None if stop(rows, depth, y, w, rules) else best_split(table, rows, y, w, k, criterion, nominal, rules)
        if best is None or not worth(best, rows, y, w, k, criterion, rules, whole):
            if leaf:
                out.append(("leaf", len(rows), leaf(rows, y, w)))
            else:
                out.append(("leaf", len(rows), *class_weights(rows, y, w, k)))
            continue
        out.append(best.split)
        for child in reversed(best.children):
            stack.append((sorted(child), depth + 1))
    return out


def stop(rows, depth, y, w, rules):
    if len({y[i] for i in rows}) == 1 or depth >= rules.max_depth:
        return True
    if len(rows) < rules.min_samples_split or len(rows) < 2 * rules.min_samples_leaf:
        return True
    return math.fsum(w[i] for i in rows) < 2 * rules.min_weight


def best_split(table, rows, y, w, k, criterion, nominal, rules):
    found = candidates(table, rows, y, w, k, criterion, nominal, rules.min_samples_leaf, rules.min_weight)
    found = [c for c in found if c.gain > -math.inf]
    if not found:
        return None
    return winner(found, unit(criterion, rows, y, w, k), math.fsum(w[i] for i in rows))


def worth(best, rows, y, w, k, criterion, rules, whole):
    total = math.fsum(w[i] for i in rows)
    if criteria.CRITERIA[criterion].leaf:
        drop = gain(criterion, best.children, y, w, k)
        least = rules.min_impurity_decrease
        return least == 0 or total / whole * drop >= least * (1 - TIE)
    made = criteria.Partition(best.children, y, w, k)
    drop = total / whole * criteria.decrease(criteria.CRITERIA[criterion].impurity, made)
    if rules.min_impurity_decrease > 0 and drop < rules.min_impurity_decrease * (1 - TIE):
        return False
    if rules.min_info_gain < 0:
        return True
    if rules.min_info_gain == 0:
        return tells_anything(made)
    return criteria.entropy(made) > rules.min_info_gain


def tells_anything(made):
    """Does any child mix the classes differently from the node?"""
    shares = [[x / weight for x in side] for side, weight in zip(made.sides, made.weights)]
    return any(abs(x - all_ / made.total) > 1e-13 for child in shares for x, all_ in zip(child, made.whole))
