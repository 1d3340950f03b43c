"""Forests against scikit-learn's: processor time of fit and predict, accuracy, nodes and bytes, both sides in one run.

python -m benchmarks.forests [--only NAME[,NAME]] [--trees 100] [--repeats 3] [--threads 1] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor

import bough
from bough import _core

from .workloads import Data, breast_cancer, covertype, iris, mnist, synthetic


def numbers(rows: int) -> Data:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 20))
    return X, X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] + rng.normal(size=rows)


# name: data, rows to fit, rows to predict, which forests
WORK: dict[str, tuple[Callable[[int], Data], int, int, str]] = {
    "20k_x_20": (synthetic(20, 10, 2, 0.01), 20_000, 20_000, "random"),
    "100k_x_20": (synthetic(20, 10, 2, 0.01), 100_000, 50_000, "random"),
    "mnist": (mnist, 20_000, 10_000, "random"),
    "covertype": (covertype, 100_000, 50_000, "random"),
    "breast_cancer": (breast_cancer, 569, 569, "random"),
    "iris": (iris, 150, 150, "random"),
    "extra_20k_x_20": (synthetic(20, 10, 2, 0.01), 20_000, 20_000, "extra"),
    "extra_100k_x_20": (synthetic(20, 10, 2, 0.01), 100_000, 50_000, "extra"),
    "extra_mnist": (mnist, 20_000, 10_000, "extra"),
    "extra_covertype": (covertype, 100_000, 50_000, "extra"),
    "numbers_50k_x_20": (numbers, 50_000, 20_000, "numbers"),
}


def forests(kind: str, trees: int, threads: int) -> dict[str, Callable[[int], Any]]:
    """By name, a function of a seed that makes a forest."""
    common = {"n_estimators": trees, "n_jobs": threads}
    if kind == "numbers":
        return {
            "bough": lambda seed: bough.ForestRegressor(**common, random_state=seed),
            "sklearn": lambda seed: RandomForestRegressor(**common, random_state=seed),
        }
    name, theirs = (
        ("random-forest", RandomForestClassifier) if kind == "random" else ("extra-trees", ExtraTreesClassifier)
    )
    return {
        "bough": lambda seed: bough.system(name, **common, random_state=seed),
        "sklearn": lambda seed: theirs(**common, random_state=seed),
    }


def spent(work: Callable[[], Any], wall: bool) -> tuple[float, Any]:
    clock = time.perf_counter if wall else time.process_time
    began = clock()
    result = work()
    return clock() - began, result


def measured(name: str, trees: int, repeats: int, threads: int) -> dict[str, Any]:
    make, n, n_new, kind = WORK[name]
    X, y = make(n + (n_new if n > 1000 else 0))
    new, truth = (X[n:], y[n:]) if n > 1000 else (X, y)
    X, y = X[:n], y[:n]
    found: dict[str, dict[str, Any]] = {}
    wall = threads > 1
    for seed in range(repeats):
        for who, forest in forests(kind, trees, threads).items():
            fit, fitted = spent(lambda f=forest, s=seed: f(s).fit(X, y), wall)
            predict, _ = spent(lambda f=fitted: f.predict(new), wall)
            again, _ = spent(lambda f=fitted: f.predict(new), wall)
            entry = found.setdefault(who, {"fit": [], "predict": [], "score": [], "nodes": []})
            entry["fit"].append(fit)
            entry["predict"].append(min(predict, again))
            entry["score"].append(float(fitted.score(new, truth)))
            nodes = [t.tree_.node_count for t in fitted.estimators_]
            entry["nodes"].append(float(np.mean(nodes)))
            if seed == 0:
                entry["bytes"] = len(fitted.model_.to_bytes() if who == "bough" else pickle.dumps(fitted))
            del fitted
    ours, theirs = found["bough"], found["sklearn"]
    ratios = {what: min(theirs[what]) / min(ours[what]) for what in ("fit", "predict")}
    ratios["nodes"] = float(np.mean(ours["nodes"]) / np.mean(theirs["nodes"]))
    return {"work": name, "trees": trees, "threads": threads, **found, "ratios": ratios}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(WORK))
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--kernels", default="portable")
    parser.add_argument("--json", help="file for the numbers")
    given = parser.parse_args()
    _core.use_kernels(given.kernels)
    results = []
    for name in given.only.split(","):
        r = measured(name, given.trees, given.repeats, given.threads)
        results.append(r)
        ours, theirs, ratio = r["bough"], r["sklearn"], r["ratios"]
        print(
            f"{name:18} fit {min(theirs['fit']):8.3f} s / {min(ours['fit']):7.3f} s = {ratio['fit']:5.2f}   predict "
            f"{min(theirs['predict']):7.3f} / {min(ours['predict']):7.3f} = {ratio['predict']:4.2f}   score "
            f"{np.mean(theirs['score']):.4f} / {np.mean(ours['score']):.4f}   nodes ratio {ratio['nodes']:.3f}   bytes "
            f"{theirs['bytes'] / 1e6:.1f} / {ours['bytes'] / 1e6:.1f} MB",
            flush=True,
        )
    if given.json:
        with open(given.json, "w") as f:
            json.dump({"kernels": given.kernels, "results": results}, f, indent=1)


if __name__ == "__main__":
    main()
