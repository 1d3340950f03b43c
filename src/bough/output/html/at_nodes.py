"""Rows at one node as pictures: values, a histogram along a column or a sum, cells of a plane. Never rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...model.splits import terms_of
from .numbers import short, sparse

if TYPE_CHECKING:
    from ...model.conditions import Term
    from ...tables.schema import Schema
    from .measure import Given

BINS = 28
CELLS = 22  # along each side of the plane of two columns
MOST_VALUES = 400  # values of one node
Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


def by_value(g: Given, rows: Rows, codes: npt.NDArray[Any]) -> dict[int, list[Any]]:
    seen, where, counts = np.unique(codes, return_inverse=True, return_counts=True)
    out: dict[int, list[Any]] = {}
    for j in np.argsort(-counts, kind="stable")[:MOST_VALUES]:
        here = rows[where == j]
        entry: list[Any] = [int(counts[j])]
        if g.classes is not None:
            entry.append(sparse(np.bincount(g.classes[here])))
        elif g.numbers is not None:
            entry.append(short(float(g.numbers[here].mean()), 5))
        out[int(seen[j])] = entry
    return out


def along(g: Given, rows: Rows, x: Floats, cut: float) -> dict[str, Any]:
    """Rows along a column or a sum: a histogram in which the cut lies on an edge."""
    known = ~np.isnan(x)
    found: dict[str, Any] = {"n": len(rows)}
    if not known.all():
        found["missing"] = int((~known).sum())
    if not known.any() or not math.isfinite(cut):
        return found
    v = x[known]
    below, above = v[v <= cut], v[v > cut]
    if len(below) and len(above):
        low, high = float(below.max()), float(above.min())
        found["gap"] = [short(low, 9), short(high, 9)]
    log = bool(v.min() >= 0 and cut >= 0 and np.quantile(v, 0.99) > 30 * (float(np.median(v)) + 1))
    edges = edges_of(v, cut, log)
    if edges is None:
        return found
    bins = np.clip(np.searchsorted(edges, np.log1p(v) if log else v, side="left") - 1, 0, len(edges) - 2)
    n = len(edges) - 1
    hist: dict[str, Any] = {"lo": short(float(edges[0])), "hi": short(float(edges[-1]))}
    if log:
        hist["log"] = 1
    here = rows[known]
    if g.classes is not None:
        c = g.classes[here]
        hist["c"] = [[int(k), np.bincount(bins[c == k], minlength=n).tolist()] for k in np.unique(c)]
    else:
        count = np.bincount(bins, minlength=n)
        hist["c"] = [[None, count.tolist()]]
        if g.numbers is not None:
            sums = np.bincount(bins, weights=g.numbers[here], minlength=n)
            hist["m"] = [short(float(a / b), 4) if b else 0 for a, b in zip(sums, count, strict=True)]
    found["hist"] = hist
    return found


def edges_of(x: Floats, cut: float, log: bool) -> Floats | None:
    v, c = (np.log1p(x), math.log1p(cut)) if log else (x, cut)
    low, high = np.quantile(v, [0.005, 0.995]) if len(v) > 200 else (v.min(), v.max())
    if not (np.isfinite([low, high]).all() and math.isfinite(high - low)):
        return None
    integral = not log and max(high, c) - min(low, c) <= 40 and bool(np.all(x == np.round(x)))
    if integral:
        return np.arange(math.floor(min(low, c)) - 0.5, math.ceil(max(high, c)) + 1, 1.0)
    pad = 0.02 * (high - low or abs(c) or 1.0)
    low, high = min(low, c - 3 * pad), max(high, c + 3 * pad)
    step = (high - low) / BINS
    if not (step > 0 and math.isfinite((c - low) / step)):  # of denormal numbers
        return None
    below = max(1, math.ceil((c - low) / step))
    edges: Floats = c + step * (np.arange(BINS + 2) - below)
    return edges if np.all(np.diff(edges) > 0) else None


def numbers_of(g: Given, rows: Rows, term: Term, schema: Schema) -> Floats:
    """What the weight of a term is multiplied by."""
    own = g.columns[term.column][rows]
    if not term.scores:
        return own
    values = schema.columns[term.column].values
    by_code = np.array([*map(term.score, values), 0.0])  # the last one: no category of training
    found: Floats = by_code[np.where((own >= 0) & (own < len(values)), own, len(values)).astype(np.int64)]
    return found


def linear(g: Given, rows: Rows, s: dict[str, Any], schema: Schema) -> dict[str, Any]:
    terms = sorted(terms_of(s, schema), key=lambda t: -t.strength)
    weights = np.array([t.weight for t in terms])
    x = np.column_stack([numbers_of(g, rows, t, schema) for t in terms])
    if s["gaps_at_center"]:
        x = np.where(np.isnan(x), [t.center for t in terms], x)
    cut = s["cut"] + float(np.dot(s["term_weights"], s["term_centers"]))
    with np.errstate(over="ignore", invalid="ignore"):
        parts = x * weights
        z = parts.sum(axis=1)
        found = along(g, rows, z, cut)
        means = np.nansum(x, axis=0) / np.maximum(1, (~np.isnan(x)).sum(axis=0))
        # the terms that are left out count with their mean
        rest = np.concatenate([np.cumsum((means * weights)[::-1])[::-1][1:], [0.0]])
        known = ~np.isnan(z)
        side = z[known] <= cut
        kept = np.cumsum(parts[known], axis=1) + rest
        changed = ((kept <= cut) != side[:, None]).sum(axis=0)
    changed[-1] = 0
    found["mu"] = [short(float(m)) or 0 for m in means]
    found["kb"] = changed.tolist()
    if len(terms) > 1 and not (terms[0].scores or terms[1].scores):
        cells = plane(g, rows, x[:, 0], x[:, 1])
        if cells:
            found["grid"] = cells
    return found


def plane(g: Given, rows: Rows, x: Floats, y: Floats) -> dict[str, Any] | None:
    known = ~(np.isnan(x) | np.isnan(y))
    if known.sum() < 2:
        return None
    x, y, rows = x[known], y[known], rows[known]
    ranges, places = [], []
    for v in (x, y):
        low, high = float(v.min()), float(v.max())
        pad = 0.04 * (high - low) or abs(high) or 1.0
        if not math.isfinite(high - low + 2 * pad):
            return None
        ranges.append([short(low - pad), short(high + pad)])
        places.append(np.minimum(CELLS - 1, ((v - low + pad) / (high - low + 2 * pad) * CELLS).astype(int)))
    seen, where, counts = np.unique(places[0] * CELLS + places[1], return_inverse=True, return_counts=True)
    cells = []
    for j, cell in enumerate(seen):
        here = rows[where == j]
        if g.classes is not None:
            colour: Any = int(np.bincount(g.classes[here]).argmax())
        else:
            colour = -1 if g.numbers is None else short(float(g.numbers[here].mean()), 4)
        cells.append([int(cell) // CELLS, int(cell) % CELLS, int(counts[j]), colour])
    return {"x": ranges[0], "y": ranges[1], "n": CELLS, "cells": cells}
