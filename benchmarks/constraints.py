"""What constraints cost: fits with and without them, in one process and one thread:
`python -m benchmarks.constraints [--out FILE]`.

Processor time, the least of some turns, taken alternately. Trees with a constraint are other trees, so their leaves are
counted, too.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bough

from .machine import commit, machine
from .timing import short

TURNS = 5
MOST = 1.15  # times as long as a fit without


def table(rows: int, columns: int) -> tuple[Any, Any]:
    """Numbers of which the first ones matter in one direction, as columns with a constraint do."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return X, X[:, 0] - X[:, 1] + X[:, 2] * X[:, 3] + 0.5 * X[:, 4] + rng.normal(size=rows)


def measured() -> dict[str, Any]:
    found: dict[str, Any] = {}
    rules: dict[str, dict[str, Any]] = {
        "free": {},
        "monotonic_cst": {"monotonic_cst": {0: 1, 1: -1, 4: 1}},
        "interaction_cst": {"interaction_cst": [[0, 1], [2, 3], [1, 4, 5]]},
        "column_costs": {"column_costs": {0: 1e-3, 1: 1e-3}},
        "first_split": {"first_split": (4, "<=", 0.0)},
    }
    for rows in (1_000, 100_000):
        X, y = table(rows, 20)
        for kind, target in (("classes", y > 0), ("numbers", y)):
            tree = bough.TreeClassifier if kind == "classes" else bough.TreeRegressor
            fits: dict[str, Callable[[], Any]] = {
                name: lambda r=rule, t=tree, x=X, g=target: t(max_depth=6, min_samples_leaf=20, **r).fit(x, g)
                for name, rule in rules.items()
            }
            best = dict.fromkeys(fits, float("inf"))
            leaves = {name: fit().get_n_leaves() for name, fit in fits.items()}
            for _ in range(TURNS):
                for name, fit in fits.items():
                    start = time.process_time()
                    for _ in range(1 if rows > 10_000 else 10):
                        fit()
                    best[name] = min(best[name], (time.process_time() - start) / (1 if rows > 10_000 else 10))
            found[f"{rows} rows, {kind}"] = {
                name: {"seconds": short(best[name]), "leaves": leaves[name], "ratio": short(best[name] / best["free"])}
                for name in fits
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.constraints", description=__doc__)
    parser.add_argument("--out", type=Path, help="where the result goes, as JSON")
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = measured()
    for name, fits in found.items():
        print(name)
        for rule, one in fits.items():
            verdict = "ok" if one["ratio"] < MOST else "short"
            print(f"  {verdict}: {rule} {one['seconds']} s, {one['ratio']} of a free fit, {one['leaves']} leaves")
    if given.out:
        given.out.write_text(json.dumps({"machine": machine(), "commit": commit(), "fits": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
