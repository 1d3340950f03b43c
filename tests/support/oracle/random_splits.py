"""Random splits by their definition, with the library's own random numbers written down once more."""

from __future__ import annotations

import math

from support.oracle.trees import Candidate, gain, unit, winner

WORD = 2**64
STEP = 0x9E3779B97F4A7C15


def mix(x):
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ x >> shift) * factor % WORD
    return x ^ x >> 31


class Rng:
    """The numbers of one node; ``path`` is that of the root unless given."""

    def __init__(self, seed, path=STEP):
        self.state = mix(seed ^ mix(path))

    def next(self):
        self.state = (self.state + STEP) % WORD
        return mix(self.state)

    def uniform(self):
        return (self.next() >> 11) * 2.0**-53

    def below(self, n):
        while True:
            product = (self.next() >> 32) * n
            if product % 2**32 >= 2**32 % n:
                return product >> 32


def drawn_cut(draw, known, u):
    """Where a column with these numbers is cut, by one random number."""
    low, high = min(known), max(known)
    if draw == "range":
        cut = low * (1 - u) + high * u
        return cut if low <= cut < high else low
    below = sorted(v for v in known if v < high)  # a cut at the greatest number leaves nothing above
    if draw == "row":
        return below[min(len(below) - 1, int(u * len(below)))]
    levels = [*sorted(set(below)), high]
    i = min(len(levels) - 2, int(u * (len(levels) - 1)))
    middle = levels[i] / 2 + levels[i + 1] / 2
    return middle if levels[i] <= middle < levels[i + 1] else levels[i]


def root_split(columns, y, w, k, criterion, seed, tries, draw="range"):
    """(column, threshold, gain) of the root: the best threshold of ``tries`` columns that vary."""
    rng, undrawn, found = Rng(seed), list(range(len(columns))), []
    rows = range(len(y))
    drawn = 0
    while drawn < tries and undrawn:
        i = rng.below(len(undrawn))
        column = undrawn[i]
        undrawn[i] = undrawn[-1]
        undrawn.pop()
        x = columns[column]
        known = [v for v in x if not math.isnan(v)]
        if not known or min(known) == max(known):
            continue
        drawn += 1
        cut = drawn_cut(draw, known, rng.uniform())
        weight = math.fsum(w[i] for i in rows if not math.isnan(x[i]))
        mean = math.fsum(w[i] * x[i] for i in rows if not math.isnan(x[i])) / weight
        position = {i: 0.0 if math.isnan(x[i]) else x[i] - mean for i in rows}
        for order, missing_left in enumerate([True, False]):
            left = [i for i in rows if (missing_left if math.isnan(x[i]) else x[i] <= cut)]
            children = [left, [i for i in rows if i not in set(left)]]
            value = gain(criterion, children, y, w, k, position)
            balance = min(math.fsum(w[i] for i in c) for c in children)
            found.append(Candidate(value, balance, column, (order,), ("axis", column, cut), children))
    if not found:
        return None
    best = winner(found, unit(criterion, rows, y, w, k), math.fsum(w))
    return best.column, best.split[2], best.gain
