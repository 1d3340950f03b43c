"""Explanations against shap's C code, in one process and one thread: `python -m benchmarks.explanations [--out FILE]`.

Processor time, the least of some turns, taken alternately. shap (0.51 was measured) has to be installed beside bough.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import bough

from .machine import commit, machine
from .timing import short

TURNS = 3
MOST_SECONDS = 1.0  # for 10,000 rows and a tree of 100 leaves


def table(rows: int, columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(rows, columns)) * 64) / 64  # the same as float32
    return X, X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + X[:, 3] + 0.3 * rng.normal(size=rows)


def least(contestants: dict[str, Callable[[], Any]]) -> dict[str, float]:
    found = dict.fromkeys(contestants, float("inf"))
    for _ in range(TURNS):
        for name, work in contestants.items():
            start = time.process_time()
            work()
            found[name] = min(found[name], time.process_time() - start)
    return {name: short(seconds) for name, seconds in found.items()}


def measured() -> dict[str, Any]:
    import shap
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.tree import DecisionTreeRegressor

    X, y = table(10_000, 20)
    params = {"max_leaf_nodes": 100, "min_samples_leaf": 20, "random_state": 0}
    tree, theirs = bough.TreeRegressor(**params).fit(X, y), DecisionTreeRegressor(**params).fit(X, y)
    trees = {"n_estimators": 500, "min_samples_leaf": 5, "random_state": 0}
    forest = bough.ForestRegressor(**trees).fit(X[:2000], y[:2000])
    their_forest = RandomForestRegressor(**trees).fit(X[:2000], y[:2000])
    found: dict[str, Any] = {}
    for name, ours, other, rows in (("tree", tree, theirs, X), ("forest", forest, their_forest, X[:20])):
        for kind, background in (("path-dependent", None), ("interventional", X[:100])):
            part = rows if background is None or name == "forest" else rows[:2000]
            explain = shap.TreeExplainer(other, background).shap_values
            found[f"{name}, {kind}"] = {
                "rows": len(part),
                **least(
                    {
                        "bough": lambda o=ours, p=part, b=background: o.contributions(p, b),
                        "shap": lambda e=explain, p=part: e(p, check_additivity=False),
                    }
                ),
            }
    wide = np.random.default_rng(0).normal(size=(1000, 100))
    linear = bough.TreeClassifier(split="lda", max_depth=3).fit(wide, wide.sum(axis=1) > 0)
    low = wide[linear.predict(wide) == False][0]  # noqa: E712
    found["linear splits over 100 columns, one row"] = {
        "rows": 1,
        **least(
            {
                "contributions, precision 0.01": lambda: linear.contributions(wide[:1], wide[:100], precision=0.01),
                "why_not": lambda: linear.why_not(low, True, background=wide),
            }
        ),
    }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.explanations", description=__doc__)
    parser.add_argument("--out", type=Path, help="where the result goes, as JSON")
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = measured()
    for name, seconds in found.items():
        print(f"{name}: {seconds}")
        if "shap" in seconds:
            verdict = "ok" if seconds["bough"] <= seconds["shap"] else "short"
            print(f"  {verdict}: {seconds['shap'] / seconds['bough']:.1f} times as fast as shap")
    seconds = found["tree, path-dependent"]["bough"]
    print(
        f"{'ok' if seconds < MOST_SECONDS else 'short'}: 10,000 rows, 100 leaves in {seconds} s (under {MOST_SECONDS})"
    )
    if given.out:
        result = {"machine": machine(), "commit": commit(), "shap": version("shap"), "seconds": found}
        given.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
