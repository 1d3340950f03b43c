"""The gain of auto as a share of the best gain of all searches, and how long each takes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from bough import partition
from bough.estimators.plan import misfit
from bough.registry import plugins
from experiments.common.data import DataMissing, load, manifest

SEED = 0
CRITERIA = ("gini", "entropy", "gain_ratio", "twoing", "squared_gini", "chi2_cut")
MOST_EXACT = 14  # values that exact searches are asked for: all partitions of more take long
MOST_CLASSES = 12  # that searches over all superclasses are asked for
MOST_VALUES = 120  # the commonest values of a real column; the others are left out
SHAPES = [(n, k) for n in (5, 9, 12, 16, 25, 50) for k in (2, 3, 5, 7, 9, 14)]


def searches(criterion: str, n: int, k: int) -> list[str]:
    """Every search that makes two groups by this criterion in bearable time; not auto."""
    by, found = plugins()["criterion"][criterion], []
    for search in plugins()["nominal"].values():
        if search.name == "auto" or search.traits["multiway"] or search.traits["function"] or misfit(by, search):
            continue
        if search.name in ("exact", "guide") and n > MOST_EXACT and (k > 2 or by.traits["graph"]):
            continue
        if search.name in ("hypercube_cover", "superclass") and k > MOST_CLASSES:
            continue
        found.append(search.name)
    return found


def judged(table: np.ndarray, criterion: str) -> tuple[float, float, float, str] | None:
    """Share of the best gain, seconds of auto, gain, name of the best search; None where nothing can be gained."""
    start = time.process_time()
    own = partition(table, search="auto", criterion=criterion).gain
    seconds = time.process_time() - start
    gains = {s: partition(table, search=s, criterion=criterion).gain for s in searches(criterion, *table.shape)}
    name = max(gains, key=lambda s: gains[s])
    best = max(gains[name], own)
    return (own / best, seconds, best, name) if best > 1e-9 else None


def random_tables(count: int) -> Iterator[np.ndarray]:
    """Shapes in turn; entries 0 to 7 as in the dissertation, or few rows spread over many cells."""
    rng = np.random.default_rng(SEED)
    made = 0
    while made < count:
        n, k = SHAPES[made % len(SHAPES)]
        table = rng.integers(0, 8, (n, k)) if rng.random() < 0.6 else rng.poisson(rng.gamma(0.5, 2.0, (n, k)))
        table = table[table.sum(axis=1) > 0]
        table = table[:, table.sum(axis=0) > 0]
        if table.shape[0] > 1 and table.shape[1] > 1:
            made += 1
            yield table.astype(np.float64)


def root_tables(rows: int) -> Iterator[tuple[str, np.ndarray]]:
    """Every nominal column of every set with classes, at the root."""
    for name, entry in manifest().items():
        if entry["task"] != "classification" or not entry["nominal"]:
            continue
        try:
            data = load(name, rows)
        except DataMissing:
            continue
        for column in data.nominal:
            counts = pd.crosstab(data.X[column].to_numpy(), data.y).to_numpy(np.float64)
            counts = counts[np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_VALUES]]
            counts = counts[:, counts.sum(axis=0) > 0]
            if min(counts.shape) > 1:
                yield f"{name}: {column}", counts


def summed(found: list[tuple[float, float, float, str]]) -> dict[str, Any]:
    """Mean, least, and how often it is the best, of shares; the mean and the longest time."""
    shares, seconds = np.array([f[0] for f in found]), np.array([f[1] for f in found])
    better: dict[str, int] = {}
    for share, _, _, name in found:
        if share < 1 - 1e-9:
            better[name] = better.get(name, 0) + 1
    return {
        "tables": len(found),
        "mean": float(shares.mean()),
        "least": float(shares.min()),
        "best": float((shares > 1 - 1e-9).mean()),
        "mean_ms": float(seconds.mean() * 1000),
        "most_ms": float(seconds.max() * 1000),
        "better": dict(sorted(better.items(), key=lambda b: -b[1])),
    }


def random_part(count: int) -> dict[str, Any]:
    """By criterion; each table is judged by one of them, in turn."""
    found: dict[str, list[tuple[float, float, float, str]]] = {c: [] for c in CRITERIA}
    for i, table in enumerate(random_tables(count)):
        one = judged(table, criterion := CRITERIA[i // len(SHAPES) % len(CRITERIA)])
        if one is not None:
            found[criterion].append(one)
    return {c: summed(f) for c, f in found.items() if f}


def real_part(rows: int) -> dict[str, Any]:
    found: dict[str, list[tuple[float, float, float, str]]] = {c: [] for c in CRITERIA}
    least: dict[str, Any] = {}
    for name, table in root_tables(rows):
        for criterion in CRITERIA:
            one = judged(table, criterion)
            if one is None:
                continue
            found[criterion].append(one)
            if one[0] < least.get("share", 2):
                least = {"share": one[0], "column": name, "criterion": criterion, "best": one[3]}
    return {**{c: summed(f) for c, f in found.items() if f}, "least": least}
