"""The naive reference of the oblique families: directions by NumPy's eigenvectors, climbs row by row.

A node is a matrix (NaN: missing), its target, weights and number of classes (0: numbers are predicted).
Nothing here is fast and nothing is shared with the library, except the definition of its random numbers.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from support.oracle import trees as oracle

TIE = oracle.TIE


@dataclass
class Node:
    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    k: int
    criterion: str = "gini"
    min_leaf: int = 1

    @property
    def unit(self):
        return oracle.unit(self.criterion, range(len(self.y)), self.y, self.w, self.k)

    def filled(self):
        """Missing values at the mean of their column."""
        X = self.X.copy()
        for c in range(X.shape[1]):
            known = ~np.isnan(X[:, c])
            if known.any():
                X[~known, c] = np.average(X[known, c], weights=self.w[known])
            else:
                X[:, c] = 0.0
        return X

    def gain(self, left):
        """Of a split given by a mask, and the weight of its lighter side; −inf if it breaks the limits."""
        rows = [np.flatnonzero(left).tolist(), np.flatnonzero(~left).tolist()]
        if min(map(len, rows)) < max(1, self.min_leaf):
            return -math.inf, 0.0
        balance = min(math.fsum(self.w[r] for r in side) for side in rows)
        return oracle.gain(self.criterion, rows, self.y, self.w, self.k), balance


def best_along(node, direction):
    """The best gain of a cut along a direction; rows that miss a value it uses are tried on either side."""
    used = np.flatnonzero(np.abs(direction) > 1e-13 * np.abs(direction).max())  # what is smaller is rounding
    z = node.X[:, used] @ direction[used]
    known = ~np.isnan(z)
    levels = np.unique(z[known])
    if len(levels) == 0:
        return -math.inf
    blur = 1e-11 * max(1e-300, float(np.abs(node.X[known][:, used] * direction[used]).sum(axis=1).max()))
    best = -math.inf
    for low, high in itertools.pairwise(levels):
        if high - low <= blur:
            continue
        for missing_left in (False, True):
            left = np.where(known, z <= low, missing_left)
            best = max(best, node.gain(left)[0])
    return best


# ---- directions ---------------------------------------------------------------------------------------


def covariance(X, w):
    mean = np.average(X, axis=0, weights=w)
    apart = np.where(np.abs(X - mean) <= 1e-13 * np.abs(mean), 0.0, X - mean)  # the mean of equal numbers rounds
    return apart.T @ (apart * (w / w.sum())[:, None])


def canonical(v):
    v = v / np.linalg.norm(v)
    first = v[np.abs(v) > 1e-9 * np.abs(v).max()][0]
    return v if first > 0 else -v


def householder(v):
    """The reflection that brings v onto the first axis; its columns are the directions."""
    u = -v
    u[0] = v[1:] @ v[1:] / (1 + v[0])  # 1 − v[0] without the loss of digits where v is nearly that axis
    return np.eye(len(v)) - 2 * np.outer(u, u) / (u @ u) if u.any() else np.eye(len(v))


def groups_of(node):
    return [np.ones(len(node.y), bool)] if node.k == 0 else [node.y == c for c in np.unique(node.y)]


def eigenvectors(node, rows, X):
    """(values, vectors by rows) of a class's covariance, the largest first; none that are nothing."""
    matrix = covariance(X[rows], node.w[rows])
    values, vectors = np.linalg.eigh(matrix)
    values, vectors = values[::-1], vectors.T[::-1]
    vectors = np.where(np.diag(matrix) > 0, vectors, 0.0)  # solvers leave traces in constant columns
    size = np.abs(X[rows]).max() ** 2
    keep = (values > 1e-14 * values[0]) & (values > 1e-24 * size)
    return values[keep], vectors[keep]


def hhcart(node, every):
    X = node.filled()
    out = []
    for rows in groups_of(node):
        _, vectors = eigenvectors(node, rows, X)
        if len(vectors) == 0:
            out += list(np.eye(X.shape[1]))
        for v in vectors if every else vectors[:1]:
            out += list(householder(canonical(v)).T)
    return out


def ridge(node, price=2.0, terms=None, shrink=1e-3):
    """Directions of ridge regressions, refitted with every column that joins; and whether no two choices were close."""
    X = node.filled()
    X = X - np.average(X, axis=0, weights=node.w)
    deviation = np.sqrt(np.average(X**2, axis=0, weights=node.w))
    varies = np.flatnonzero(deviation > 1e-12 * np.abs(node.filled()).max(axis=0))
    Z, share = X[:, varies] / deviation[varies], node.w / node.w.sum()
    gram = Z.T @ (Z * share[:, None]) + shrink * np.eye(len(varies))
    present = np.unique(node.y)
    targets = [node.y] if node.k == 0 else [(node.y == c) * 1.0 for c in present[: 1 if len(present) == 2 else None]]
    found, clear = [], True
    for y in targets:
        y = y - share @ y
        with_y, error, chosen = (share * y) @ Z, share @ y**2, []
        for _ in range(len(varies) if terms is None else terms):
            errors = {}
            for c in set(range(len(varies))) - set(chosen):
                some = [*chosen, c]
                if np.linalg.cond(gram[np.ix_(some, some)]) < 1e8:
                    errors[c] = share @ y**2 - with_y[some] @ np.linalg.solve(gram[np.ix_(some, some)], with_y[some])
            if not errors:
                break
            best = min(errors, key=errors.get)
            others = [e for c, e in errors.items() if c != best]
            clear &= not others or min(others) - errors[best] > 1e-9 * error
            saved, least = error - errors[best], price * max(errors[best], 0) / node.w.sum() if chosen else 0.0
            clear &= abs(saved - least) > 1e-9 * (share @ y**2)
            if not saved > least:
                break
            chosen.append(best)
            error = errors[best]
        direction = np.zeros(X.shape[1])
        if chosen:
            direction[varies[chosen]] = np.linalg.solve(gram[np.ix_(chosen, chosen)], with_y[chosen])
            direction[varies[chosen]] /= deviation[varies[chosen]]
            found.append(direction)
    return found, clear


def lda(node, drop=1e-8):
    X = node.filled()
    X = X - np.average(X, axis=0, weights=node.w)
    deviation = np.sqrt(np.average(X**2, axis=0, weights=node.w))
    varies = deviation > 1e-12 * np.abs(node.filled()).max(axis=0)
    X = X[:, varies] / deviation[varies]
    if not varies.any():
        return list(np.eye(len(varies)))
    total = node.w.sum()
    if node.k == 0:
        centered = node.y - np.average(node.y, weights=node.w)
        within, means = covariance(X, node.w), ((node.w * centered) @ X / total)[None]
    else:
        within, means = 0, []
        for rows in groups_of(node):
            share = node.w[rows].sum() / total
            within = within + share * covariance(X[rows], node.w[rows])
            means.append(math.sqrt(share) * np.average(X[rows], axis=0, weights=node.w[rows]))
        means = np.array(means)
    values, vectors = np.linalg.eigh(within)
    top = max(values[-1], 0.0)
    if top <= 1e-10:
        kept, null = vectors[:, :0], vectors
    else:
        keep = values > max(drop, 1e-10) * top
        kept, null = vectors[:, keep] / np.sqrt(values[keep]), vectors[:, values <= 1e-10 * top]
    out = []
    for basis, least in ((kept, 1e-24), (null, 1e-10 * X.shape[1])):
        if basis.shape[1] == 0:
            continue
        sizes, axes = np.linalg.eigh(basis.T @ means.T @ means @ basis)
        if not ((means @ basis) ** 2).sum(axis=1).max() > least:
            continue
        for size, axis in zip(sizes[::-1], axes.T[::-1], strict=True):
            if size > 1e-12 * sizes[-1]:
                direction = np.zeros(len(varies))
                direction[varies] = basis @ axis / deviation[varies]
                out.append(direction)
    return out or list(np.eye(len(varies)))


# ---- climbs -------------------------------------------------------------------------------------------


def mean_and_deviation(x, w):
    mean = np.average(x, weights=w)
    return mean, math.sqrt(np.average((x - mean) ** 2, weights=w))


def median_and_quartiles(x, w):
    order = np.argsort(x, kind="stable")
    below = np.cumsum(w[order])

    def quantile(share):
        return x[order][np.flatnonzero(below >= share * w.sum() * (1 - 1e-12))[0]]

    width = quantile(0.75) - quantile(0.25)
    return quantile(0.5), width if width > 0 else x.max() - x.min()


@dataclass
class Plane:
    """Rows with X·a <= t are on the left."""

    a: np.ndarray
    t: float
    gain: float = -math.inf


class Climb:
    """A node in scaled columns, and moves of a plane along lines of planes."""

    def __init__(self, node, scaling):
        X = node.filled()
        X = X - np.average(X, axis=0, weights=node.w)
        self.node, self.tie = node, TIE * node.unit
        self.d = X.shape[1]
        self.columns = [c for c in range(self.d) if X[:, c].min() < X[:, c].max()]
        scales = [scaling(X[:, c], node.w) for c in self.columns]
        self.widths = np.array([width for _, width in scales])
        self.X = np.array([(X[:, c] - s[0]) / s[1] for c, s in zip(self.columns, scales, strict=True)]).T
        self.X = self.X.reshape(len(X), len(self.columns))

    def direction(self, plane):
        out = np.zeros(self.d)
        out[self.columns] = plane.a / self.widths
        return out

    def score(self, plane):
        plane.gain = self.node.gain(self.X @ plane.a - plane.t <= 0)[0]
        return plane

    def best_step(self, v, p):
        """δ and gain of the best split v − δ·p <= 0: every δ halfway between two that change a side."""
        with np.errstate(all="ignore"):
            critical = np.where(p == 0, np.nan, v / p)
        order = [i for i in np.argsort(critical, kind="stable") if np.isfinite(critical[i])]
        best = (0.0, -math.inf, 0.0)
        for a, b in itertools.pairwise(order):
            low, high = critical[a], critical[b]
            # rows that would change sides together but for the rounding of v do so together
            if not high - low > 1e-12 * np.abs(v).max() * (1 / abs(p[a]) + 1 / abs(p[b])):
                continue
            left = np.where(np.isfinite(critical), np.where(p > 0, critical <= low, critical > low), v <= 0)
            gain, balance = self.node.gain(left)
            if gain > best[1] + self.tie or (gain >= best[1] - self.tie and balance > best[2]):
                best = (oracle.between(low, high), gain, balance)
        return best[0], best[1]

    def move(self, plane, da, dt, level=lambda: False):
        """The best plane on the line a − δ·da, t − δ·dt, if it is better, or as good and level() agrees."""
        delta, gain = self.best_step(self.X @ plane.a - plane.t, self.X @ da - dt)
        if gain == -math.inf or gain < plane.gain - self.tie:
            return "none", plane
        to = self.score(Plane(plane.a - delta * da, plane.t - delta * dt))
        if to.gain > plane.gain + self.tie:
            return "better", to
        if to.gain < plane.gain - self.tie or not level():
            return "none", plane
        return "level", to

    def best_axis(self):
        best = Plane(np.zeros(len(self.columns)), 0.0)
        for c in range(len(self.columns)):
            delta, gain = self.best_step(self.X[:, c], np.ones(len(self.X)))
            if gain > best.gain + self.tie and gain > -math.inf:
                best = Plane(np.eye(len(self.columns))[c], delta, gain)
        return best


def cart_lc(node, tolerance=0.001, deletion=0.2):
    """The direction that CART-LC ends with, or None if there is nothing to climb."""
    climb = Climb(node, median_and_quartiles)
    units = np.eye(len(climb.columns))
    plane = climb.best_axis() if len(units) >= 2 else Plane(np.zeros(0), 0.0)
    if plane.gain == -math.inf:
        return None
    while True:
        before = plane.gain
        for unit in units:
            turned = [climb.move(plane, unit, -pivot) for pivot in (-0.25, 0.0, 0.25)]
            best = plane
            for how, to in turned:
                if how == "better" and to.gain > best.gain + climb.tie:
                    best = to
            plane = best
        plane = climb.move(plane, 0 * units[0], -1.0)[1]
        if not plane.gain > before + max(climb.tie, tolerance * node.unit):
            break
    while deletion > 0 and np.count_nonzero(plane.a) >= 2:
        options = []
        for c in np.flatnonzero(plane.a):
            a = np.where(np.arange(len(units)) == c, 0.0, plane.a)
            delta, gain = climb.best_step(climb.X @ a - plane.t, np.ones(len(climb.X)))
            options.append((plane.gain - gain, climb.score(Plane(a, plane.t + delta))))
        costs = [cost for cost, _ in options]
        if not min(costs) < deletion * max(costs):
            break
        plane = options[costs.index(min(costs))][1]
    return climb.direction(plane)


def oc1(node, seed, path, restarts=20, jumps=5):
    """The directions of all climbs of OC1."""
    climb = Climb(node, mean_and_deviation)
    d = len(climb.columns)
    if len(node.y) < 2 * node.X.shape[1] or d < 2:
        return []
    out = []
    for restart in range(restarts):
        rng = Rng(seed, child_path(path, restart))
        if restart == 0:
            plane = climb.best_axis()
            if plane.gain == -math.inf:
                continue
        else:
            a = np.array([2 * rng.uniform() - 1 for _ in range(d)])
            plane = climb.score(Plane(a, 2 * rng.uniform() - 1))
        plane = to_the_top(climb, plane, rng)
        tried = 0
        while tried < jumps:
            da = np.array([2 * rng.uniform() - 1 for _ in range(d)])
            how, plane = climb.move(plane, da, 2 * rng.uniform() - 1)
            tried += 1
            if how == "better":
                plane, tried = to_the_top(climb, plane, rng), 0
        if plane.gain > -math.inf:
            out.append(climb.direction(plane))
    return out


def to_the_top(climb, plane, rng):
    """Every coefficient in turn, then the threshold, until none improves the plane."""
    d = len(climb.columns)
    chance = [1.0]

    def level():
        go = rng.uniform() < chance[0]
        chance[0] -= 0.1
        return go

    better = True
    while better:
        better = False
        for c in range(d + 1):
            da, dt = (np.eye(d)[c], 0.0) if c < d else (np.zeros(d), -1.0)
            how, plane = climb.move(plane, da, dt, level)
            if how == "better":
                better, chance[0] = True, 1.0
    return plane


# ---- random numbers, as cpp/rng.hpp defines them ------------------------------------------------------

WORD = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
ROOT = GOLDEN


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def child_path(path, child):
    return mix(path + (child + 1) * GOLDEN & WORD)


class Rng:
    def __init__(self, seed, path):
        self.state = mix(seed ^ mix(path))

    def uniform(self):
        self.state = self.state + GOLDEN & WORD
        return (mix(self.state) >> 11) * 2.0**-53
