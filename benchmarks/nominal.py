"""Nominal searches by themselves: time per call on one table, and how often each finds the optimum.

python -m benchmarks.nominal [--values 100] [--classes 15] [--hits 10000] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

import bough
from bough import _core
from bough.estimators.plan import misfit
from bough.registry import plugins

# seconds per call that are asked for 100 values × 15 classes
ASKED = {
    "superclass": 0.06,
    "hypercube_cover": 0.06,
    "greedy": 300e-6,
    "pc_ext": 200e-6,
    "largest_class_alone": 10e-6,
    "gw": 10e-3,
}


def seconds(call, least=0.2, repeats=5):
    """The least processor time of a call among several rounds of many."""
    start = time.process_time()
    call()
    once = time.process_time() - start
    rounds = max(1, int(least / repeats / max(once, 1e-6)))
    best = once
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(rounds):
            call()
        best = min(best, (time.process_time() - start) / rounds)
    return best


def pairs(n):
    """Names of every search and of every criterion that it goes with, for tables of n values."""
    return [
        (s.name, c.name)
        for s in plugins()["nominal"].values()
        for c in plugins()["criterion"].values()
        if not c.traits["regression"] and not c.traits["function"] and misfit(c, s) is None
        if not s.traits["multiway"] and not s.traits["function"] and (s.name != "exact" or n <= 20)
    ]


def times(n, k, seed=0):
    """Seconds per call of every search with every criterion that it goes with; calls of the core itself."""
    table = np.random.default_rng(seed).integers(0, 8, (n, k)).astype(float)
    out = []
    for search, criterion in pairs(n):
        took = seconds(lambda s=search, c=criterion: _core.partition(table, c, s, {}, 0, []))
        out.append({"search": search, "criterion": criterion, "seconds": took})
        asked = ASKED.get(search)
        note = f"   asked {asked * 1e6:,.0f}" if asked and (n, k) == (100, 15) else ""
        print(f"{search:22}{criterion:14}{took * 1e6:12,.0f} µs{note}", flush=True)
    return out


def hits(count, n=12, seed=0):
    """Share of random tables on which each search finds the optimum, and the best of the four."""
    names = [("hypercube_cover", {}), ("pc_ext", {}), ("pc_ext", {"projection": "counts"})]
    names += [("largest_class_alone", {}), ("list_scheduling", {}), ("auto", {})]
    out = []
    for k in (3, 5, 7, 9):
        rng = np.random.default_rng([seed, k])
        found = np.zeros((count, len(names) + 1))
        for i in range(count):
            table = rng.integers(0, 8, (n, k))
            while not (table.any(0).all() and table.any(1).all()):
                table = rng.integers(0, 8, (n, k))
            found[i, 0] = bough.partition(table, "exact").gain
            for j, (search, params) in enumerate(names):
                found[i, j + 1] = bough.partition(table, search, **params).gain
        published = found[:, [1, 3, 4, 5]]  # compared among themselves, with projection="counts"
        among = 100 * (published >= published.max(1, keepdims=True) - 1e-10).mean(0)
        optimal = 100 * (found[:, 1:] >= found[:, :1] - 1e-10).mean(0)
        labels = [s + ("" if not p else " (counts)") for s, p in names]
        out.append({"classes": k, "optimum": dict(zip(labels, optimal, strict=True)), "among four": among.tolist()})
        print(
            f"k = {k}: optimum",
            {s: round(x, 1) for s, x in zip(labels, optimal, strict=True)},
            "among four",
            among.round(1),
        )
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=100)
    parser.add_argument("--classes", type=int, default=15)
    parser.add_argument("--hits", type=int, default=0, help="random tables of Table 4.1")
    parser.add_argument("--json", help="file for the numbers")
    args = parser.parse_args()
    result = {"values": args.values, "classes": args.classes, "times": times(args.values, args.classes)}
    if args.hits:
        result["hits"] = hits(args.hits)
    if args.json:
        with open(args.json, "w") as f:
            json.dump(result, f, indent=1)


if __name__ == "__main__":
    main()
