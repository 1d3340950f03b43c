"""How long one exact `elc` split takes: the promised cases, growth, and data made to be hard.

    python -m benchmarks.elc [--quick] [--out FILE.json]

One thread, the root's split only unless a row says otherwise, least of a few repeats.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from bough import TreeClassifier

from .machine import commit, machine, pin, versions
from .workloads import DataMissing, path_of

Case = tuple[str, str, Callable[[], tuple[Any, Any]], dict[str, Any], float | None]


def stored(name: str) -> tuple[Any, Any]:
    """A data set of numbers, the class in its last column."""
    with gzip.open(path_of(f"{name}.csv.gz"), "rt", newline="") as f:
        rows = list(csv.reader(f))[1:]
    return np.array([r[:-1] for r in rows], dtype=float), np.array([r[-1] for r in rows])


def iris() -> tuple[Any, Any]:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return X, y


def synthetic(n: int = 4192) -> tuple[Any, Any]:
    from sklearn.datasets import make_classification

    X, y = make_classification(n, 14, n_informative=10, random_state=0)
    return X, y


def linear(n: int = 20_000, m: int = 14) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, m))
    return X, (X[:, 0] + 0.7 * X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)


def noise(n: int, m: int, k: int = 2) -> tuple[Any, Any]:
    """Labels that mean nothing: the worst case for bounds."""
    rng = np.random.default_rng(1)
    return rng.normal(size=(n, m)), rng.integers(0, k, n)


def hostile(kind: str, n: int = 2000, m: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(n, m)), rng.integers(0, 2, n)
    if kind == "one outlier of 1e9":
        X[0, 0] = 1e9
    elif kind == "ten outliers of 1e3 to 1e12":
        X[np.arange(10), rng.integers(0, m, 10)] = 10.0 ** rng.integers(3, 13, 10)
    elif kind == "Cauchy":
        X = rng.standard_cauchy(size=(n, m))
    elif kind == "log-normal, 20 decades":
        X = 10.0 ** rng.uniform(-10, 10, size=(n, m))
    elif kind == "tight clusters":
        X = rng.integers(0, 3, (n, 1)) + 1e-6 * X
    elif kind == "tight clusters off the diagonal":
        X = rng.normal(size=(5, m))[rng.integers(0, 5, n)] + 1e-6 * X
    elif kind == "binary columns":
        X = rng.integers(0, 2, (n, m)).astype(float)
    elif kind == "binary and continuous":
        X[:, :2] = rng.integers(0, 2, (n, 2))
    elif kind == "integer grid 10":
        X = rng.integers(0, 10, (n, m)).astype(float)
    elif kind == "integer grid 100":
        X = rng.integers(0, 100, (n, m)).astype(float)
    elif kind == "one decimal":
        X = np.round(X, 1)
    elif kind == "timestamps":
        X = 1.7e9 + np.round(1e5 * X)
    elif kind == "circle":
        angle = rng.uniform(0, 2 * np.pi, (n, m // 2))
        X = np.column_stack([np.cos(angle), np.sin(angle)])
    elif kind == "collinear but for a tenth":
        X = np.where(rng.random((n, 1)) < 0.9, np.arange(n)[:, None] * np.arange(1.0, m + 1), X)
    elif kind == "copies up to rounding":
        X[:, 1] = X[:, 0] * 2.54
    elif kind == "missing numbers":
        X[rng.random((n, m)) < 0.05] = np.nan
    elif kind == "10 classes":
        y = rng.integers(0, 10, n)
    elif kind == "30 classes":
        y = rng.integers(0, 30, n)
    return X, y


HOSTILE = (
    "normal",
    "one outlier of 1e9",
    "ten outliers of 1e3 to 1e12",
    "Cauchy",
    "log-normal, 20 decades",
    "tight clusters",
    "tight clusters off the diagonal",
    "binary columns",
    "binary and continuous",
    "integer grid 10",
    "integer grid 100",
    "one decimal",
    "timestamps",
    "circle",
    "collinear but for a tenth",
    "copies up to rounding",
    "missing numbers",
    "10 classes",
    "30 classes",
)


def cases(quick: bool) -> Iterator[Case]:
    promised: list[tuple[str, Callable[[], tuple[Any, Any]], float]] = [
        ("diabetes 768 × 8", lambda: stored("diabetes"), 0.03),
        ("cancer 683 × 9", lambda: stored("breast_cancer_original_683"), 0.03),
        ("synthetic 4192 × 14", synthetic, 0.3),
        ("linear signal 20,000 × 14", linear, 1.5),
        ("random labels 5,000 × 14", lambda: noise(5000, 14), 1.5),
        ("outlier of 1e9, 2,000 × 4", lambda: hostile("one outlier of 1e9"), 0.3),
    ]
    for name, data, limit in promised:
        yield "promised", name, data, {}, limit
    for criterion in ("entropy", "twoing"):
        yield "promised", f"diabetes, {criterion}", lambda: stored("diabetes"), {"criterion": criterion}, None
    yield "promised", "diabetes, optimal", lambda: stored("diabetes"), {"optimal": True}, None
    for r in (1, 2, 3, 4):
        yield "r", f"iris, r = {r}", iris, {"r": r}, None
    for r in (1, 2, 3):
        yield "r", f"diabetes, r = {r}", lambda: stored("diabetes"), {"r": r}, None
    for n in (500, 1000, 2000, 4000) if quick else (500, 1000, 2000, 4000, 8000, 16_000, 32_000):
        yield "rows", f"linear signal, {n} × 8", lambda n=n: linear(n, 8), {}, None  # type: ignore[misc]
        yield "rows", f"random labels, {n} × 4", lambda n=n: noise(n, 4), {}, None  # type: ignore[misc]
    for m in (4, 8, 16) if quick else (4, 8, 16, 32, 64):
        yield "columns", f"linear signal, 2000 × {m}", lambda m=m: linear(2000, m), {}, None  # type: ignore[misc]
    for k in (2, 3, 5, 10) if quick else (2, 3, 5, 10, 30, 100):
        yield "classes", f"random labels, 1000 × 4, {k}", lambda k=k: noise(1000, 4, k), {}, None  # type: ignore[misc]
    for kind in HOSTILE:
        own = {"max_seconds": 20}  # a warning tells that it ran out
        yield "hostile", f"{kind}, 2,000 × 4", lambda kind=kind: hostile(kind), own, None  # type: ignore[misc]


def seconds(X: Any, y: Any, params: dict[str, Any], repeats: int, **more: Any) -> tuple[float, float]:
    """Least time of a few fits, and the gain at the root."""
    own = {k: v for k, v in params.items() if k != "criterion"}
    tree = TreeClassifier(split="elc", split_params=own, criterion=params.get("criterion", "gini"), **more)
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        tree.fit(X, y)
        best = min(best, time.perf_counter() - start)
        if best > 3:
            break
    return best, float(tree.tree_.gain[0]) if tree.tree_.node_count > 1 else 0.0


def whole_experiment() -> float:
    """50 trees of depth 5 on diabetes: ten times 5-fold, as the paper does."""
    from sklearn.model_selection import KFold

    X, y = stored("diabetes")
    start = time.perf_counter()
    for trial in range(10):
        for train, _ in KFold(5, shuffle=True, random_state=71 + trial).split(X):
            TreeClassifier(split="elc", max_depth=5).fit(X[train], y[train])
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.elc", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller tables, one repeat")
    parser.add_argument("--only", default="", help="groups to measure: promised, r, rows, columns, classes, hostile")
    parser.add_argument("--out", type=Path, help="also write the table as JSON")
    given = parser.parse_args()
    wanted = {g for g in given.only.split(",") if g}
    pin(1)
    rows: list[dict[str, Any]] = []
    print("| group | case | seconds | asked | gain |\n|---|---|---|---|---|")

    def tell(group: str, name: str, took: float, limit: float | None, gain: float | None) -> None:
        rows.append({"group": group, "case": name, "seconds": took, "asked": limit, "gain": gain})
        asked = "" if limit is None else f"{limit:g}"
        print(f"| {group} | {name} | {took:.4f} | {asked} | {'' if gain is None else f'{gain:.6f}'} |", flush=True)

    for group, name, data, params, limit in cases(given.quick):
        if wanted and group not in wanted:
            continue
        try:
            X, y = data()
        except DataMissing as missing:
            print(f"| {group} | {name} | left out: {missing} | | |")
            continue
        took, gain = seconds(X, y, params, 1 if given.quick else 5, max_depth=1)
        tell(group, name, took, limit, gain)
    if not wanted or "promised" in wanted:
        try:
            tell("promised", "diabetes, 50 trees of depth 5", whole_experiment(), 30, None)
        except DataMissing as missing:
            print(f"| promised | diabetes, 50 trees of depth 5 | left out: {missing} | | |")
    if given.out:
        date = datetime.now(timezone.utc).isoformat(timespec="seconds")
        result = {"date": date, **commit(), "machine": machine(), "versions": versions(), "rows": rows}
        given.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
