"""The nearest point of a set of half-spaces and bounds: fewest changed columns first, then the smallest change. A small
mixed-integer program, solved twice by HiGHS through `scipy.optimize.milp`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..model.conditions import Sum

Floats = npt.NDArray[np.float64]
MARGINS = (1e-9, 1e-7, 1e-5, 1e-3)  # of the cut, as a share of the sum's size: the solver's own tolerance is 1e-7
SECONDS = 20.0  # for one program


@dataclass(frozen=True)
class Choice:
    """A nominal column of a sum: its value, those it may have instead, whether it has to, and what that costs."""

    column: int
    own: Any
    others: tuple[Any, ...]
    must: bool
    price: float


@dataclass(frozen=True)
class Problem:
    """A point, the bounds of its columns, and what a change costs. A column that is missing has bounds of 0 and NaN.

    Behind the columns a point has a number for each other value of each choice: 1 if it is taken, else 0.
    """

    sums: list[Sum]
    columns: list[int]
    at: Floats
    low: Floats
    high: Floats
    unit: Floats  # of a change: its spread
    price: Floats  # ... of one spread
    whole: npt.NDArray[np.bool_]
    choices: list[Choice]


def nearest(problem: Problem, right: Callable[[Floats], bool]) -> Floats | None:
    """The nearest point for which ``right`` holds; None if there is none."""
    p = with_choices(problem)
    known = ~np.isnan(p.at)
    whole = p.whole & known & (p.at == np.floor(p.at))
    step = np.where(whole, 1.0, p.unit)  # what a variable counts
    weights, lows, highs = [], [], []
    for s in p.sums:
        w = np.zeros(len(p.at))
        own, places = 0.0, {c: i for i, c in enumerate(p.columns)}
        scores = {t.column: t for t in s.terms if t.scores}
        for t in s.terms:
            if not t.scores and known[places[t.column]]:
                own += t.weight * (p.at[places[t.column]] - t.center)
            if not t.scores:
                w[places[t.column]] = t.weight
        at = len(p.columns)
        for c in p.choices:
            term = scores.get(c.column)
            if term is not None:
                own += term.score(c.own)
                w[at : at + len(c.others)] = [term.score(v) - term.score(c.own) for v in c.others]
            at += len(c.others)
        size = float(np.abs(w * step).max()) or 1.0
        weights.append(w * step / size)
        lows.append((s.centered[0] - own) / size)
        highs.append((s.centered[1] - own) / size)
    for margin in MARGINS:
        found = solved(p, known, whole, step, np.array(weights), np.array(lows) + margin, np.array(highs) - margin)
        if found is None:
            return None
        if right(found):
            return found
    return None


def with_choices(p: Problem) -> Problem:
    """The same with a number for each other value of each choice."""
    n = sum(len(c.others) for c in p.choices)
    prices = [c.price for c in p.choices for _ in c.others]

    def longer(a: npt.NDArray[Any], more: object) -> npt.NDArray[Any]:
        return np.concatenate([a, np.broadcast_to(np.asarray(more, dtype=a.dtype), n)])

    return replace(
        p,
        at=longer(p.at, 0),
        low=longer(p.low, 0),
        high=longer(p.high, 1),
        unit=longer(p.unit, 1),
        price=longer(p.price, prices),
        whole=longer(p.whole, True),
    )


def solved(
    p: Problem,
    known: npt.NDArray[np.bool_],
    whole: npt.NDArray[np.bool_],
    step: Floats,
    weights: Floats,
    low: Floats,
    high: Floats,
) -> Floats | None:
    """The point by one margin. Variables: the change of each column in steps, its size, whether there is one."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    n = len(p.at)
    least, most = np.where(known, p.low - p.at, 0.0) / step, np.where(known, p.high - p.at, 0.0) / step
    zero, one = np.zeros((n, n)), np.eye(n)
    far = np.maximum(np.abs(least), np.abs(most))
    rules = [
        LinearConstraint(np.hstack([weights, np.zeros((len(weights), 2 * n))]), low, high),
        LinearConstraint(np.hstack([one, -one, zero]), -np.inf, 0),
        LinearConstraint(np.hstack([-one, -one, zero]), -np.inf, 0),
        LinearConstraint(np.hstack([zero, one, -np.diag(far)]), -np.inf, 0),
    ]
    at = len(p.columns)
    for c in p.choices:
        one_of = np.zeros((1, 3 * n))
        one_of[0, at : at + len(c.others)] = 1
        rules.append(LinearConstraint(one_of, int(c.must), 1))
        at += len(c.others)
    bounds = Bounds(np.concatenate([least, np.zeros(2 * n)]), np.concatenate([most, far, np.ones(n)]))
    kinds = np.concatenate([whole, np.zeros(n), np.ones(n)])
    many = np.concatenate([np.zeros(2 * n), np.ones(n)])
    cost = np.concatenate([np.zeros(n), p.price * step / p.unit, np.zeros(n)])
    options = {"time_limit": SECONDS}
    first = milp(many, constraints=rules, bounds=bounds, integrality=kinds, options=options)
    if first.x is None:
        return None
    few = LinearConstraint(many[np.newaxis], -np.inf, round(first.fun))
    second = milp(cost, constraints=[*rules, few], bounds=bounds, integrality=kinds, options=options)
    x = first.x if second.x is None else second.x
    change = np.where(whole, np.round(x[:n]), x[:n]) * step
    moved = (x[2 * n :] > 0.5) & (np.abs(x[:n]) > 1e-12)
    out: Floats = np.where(moved, np.clip(p.at + change, p.low, p.high), p.at)
    return out
