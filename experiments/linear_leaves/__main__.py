"""Runs the experiment and writes linear_leaves.md and linear_leaves.json.

Needs ``fast-model-trees`` for its line. What an earlier run of the same code has found is kept, unless --again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3, make_regression
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bough
from bough import TreeRegressor
from experiments.common.data import DataMissing, load
from experiments.common.each import each
from experiments.common.table import markdown, provenance, provenance_line

HERE = Path(__file__).resolve().parent
SEED, FOLDS = 0, 3
ROWS = {False: 200, True: 1000}  # of made sets, and of larger real ones a sample
NAMES = (
    "friedman1", "friedman2", "friedman3", "make_regression", "made: kinks", "made: steps", "diabetes (scikit-learn)",
    "housing_regression", "wine_red", "wine_white", "wine_both", "covertype: Elevation",
)  # fmt: skip
CUT = {"prune": "cost_complexity_cv", "prune_params": {"rule": "minimum"}, "random_state": 0}
TREES: dict[str, Any] = {
    "axis": lambda: TreeRegressor(**CUT),
    "ridge directions": lambda: TreeRegressor(split="ridge", **CUT),
    "pilot": lambda: bough.system("pilot"),
    "pilot, pruned": lambda: bough.system("pilot", **CUT),
    "pilot, not broken": lambda: bough.system("pilot", leaf_params={"broken": False}),
}
PEERS = ("fast-model-trees", "ridge regression")


@lru_cache(maxsize=1)
def sets(rows: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Numbers to predict from numbers."""
    rng = np.random.default_rng(SEED)
    x = rng.random((rows, 6))
    kinks = np.abs(4 * x[:, 0] - 2) + np.maximum(x[:, 1] - 0.6, 0) * 8 + x[:, 2] + rng.normal(scale=0.2, size=rows)
    steps = (x[:, 0] > 0.3) * 2.0 + (x[:, 1] > 0.6) * (x[:, 0] > 0.7) * 3 + rng.normal(scale=0.3, size=rows)
    found = {
        "friedman1": make_friedman1(rows, noise=1.0, random_state=SEED),
        "friedman2": make_friedman2(rows, noise=50.0, random_state=SEED),
        "friedman3": make_friedman3(rows, noise=0.1, random_state=SEED),
        "make_regression": make_regression(rows, 10, n_informative=5, noise=20.0, random_state=SEED),
        "made: kinks": (x, kinks),
        "made: steps": (x, steps),
        "diabetes (scikit-learn)": load_diabetes(return_X_y=True),
    }
    for name, target in (("housing_regression", None), *((f"wine_{c}", None) for c in ("red", "white", "both")),
                         ("covertype", 0)):  # fmt: skip
        try:
            data = load(name)
        except DataMissing as e:
            print(f"{name}: {e}", file=sys.stderr)
            continue
        X = data.X[data.numeric].to_numpy(np.float64)
        y = pd.to_numeric(pd.Series(data.y)).to_numpy(np.float64) if target is None else X[:, target]
        X = X if target is None else np.delete(X, target, axis=1)
        keep = np.sort(rng.permutation(len(y))[:rows])
        found[name if target is None else f"{name}: {data.numeric[target]}"] = (X[keep], y[keep])
    return found


def pilot_of_its_authors() -> Any:
    from pilot import PILOT

    class Fitted:
        def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
            self.tree = PILOT()
            self.tree.train(X, y)
            return self

        def predict(self, X: np.ndarray) -> np.ndarray:
            return np.asarray(self.tree.predict(X), dtype=np.float64).ravel()

    return Fitted()


def held_out(X: np.ndarray, y: np.ndarray, name: str) -> dict[str, Any]:
    """R², leaves and seconds of a fit, a list over folds each."""
    out: dict[str, Any] = {"r2": [], "leaves": [], "seconds": []}
    for train, test in KFold(FOLDS, shuffle=True, random_state=SEED).split(X):
        begin = time.process_time()
        if name == "choose":
            model = bough.choose(X[train], y[train], progress=False)
            out.setdefault("took", []).append(model.system_)
        elif name in TREES:
            model = TREES[name]().fit(X[train], y[train])
        elif name == "ridge regression":
            model = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13))).fit(X[train], y[train])
        else:
            model = pilot_of_its_authors().fit(X[train], y[train])
        out["seconds"].append(time.process_time() - begin)
        predicted = np.asarray(model.predict(X[test]), dtype=np.float64)
        out["r2"].append(float(1 - np.square(predicted - y[test]).sum() / np.square(y[test] - y[test].mean()).sum()))
        if hasattr(model, "get_n_leaves"):
            out["leaves"].append(model.get_n_leaves())
    return out


def measured(name: str, full: bool) -> dict[str, Any]:
    """Every system on one set."""
    found = sets(ROWS[full])
    if name not in found:
        raise DataMissing("not at hand")
    X, y = found[name]
    systems = [*TREES, "choose", *(p for p in PEERS if p != "fast-model-trees" or known())]
    return {"rows": len(y), "columns": X.shape[1], "held_out": {s: held_out(X, y, s) for s in systems}}


def facts(given: argparse.Namespace) -> dict[str, Any]:
    peers = {"fast-model-trees": known()} if known() else {}
    return provenance(SEED, given.full, rows=ROWS[given.full], folds=FOLDS, **peers)


def main() -> int:
    warnings.simplefilter("ignore")
    return each(HERE, __doc__, NAMES, lambda name, given: measured(name, given.full), facts, page, indent=1)


def known() -> str:
    """The version of fast-model-trees, if it is there."""
    try:
        return version("fast-model-trees")
    except ImportError:
        return ""


def page(result: dict[str, Any]) -> str:
    found, facts = result["data"], result["provenance"]
    systems = list(next(iter(found.values()))["held_out"])
    lines = [
        "# Linear leaves and other regression trees",
        "",
        f"**What is not there**: more than {facts['rows']:,} rows of a set, for time; nominal columns and missing "
        "values, which `fast-model-trees` does not take.",
        "",
        f"{len(found)} sets, {FOLDS} folds, all on the same rows. Trees of means are cut back by cross-validation "
        "(`cost_complexity_cv`, `rule='minimum'`); `pilot` is not, unless it says so. "
        "`fast-model-trees` is its authors' PILOT with its defaults; leaves of it are not counted.",
    ]
    for title, key, digits in (("R²", "r2", 3), ("Leaves", "leaves", 1), ("Seconds of a fit", "seconds", 3)):
        rows: list[list[object]] = []
        for name, of in found.items():
            cells = [of["held_out"][s][key] for s in systems]
            rows.append([name, *(f"{np.mean(c):.{digits}f}" if c else "–" for c in cells)])
        means = []
        for s in systems:
            each = [np.mean(of["held_out"][s][key]) for of in found.values() if of["held_out"][s][key]]
            means.append(float(np.mean(each)) if each else float("nan"))
        rows.append(["**mean**", *("–" if m != m else f"**{m:.{digits}f}**" for m in means)])
        lines += ["", f"## {title}", "", markdown(["set", *systems], rows)]
    lines += ["", "## Pairs", "", *pairs(found, systems)]
    took = {name: of["held_out"]["choose"]["took"] for name, of in found.items() if "choose" in of["held_out"]}
    if took:
        lines += [
            "",
            "## What `choose` took",
            "",
            markdown(["set", "in each fold"], [[n, ", ".join(t)] for n, t in took.items()]),
        ]
    return "\n".join([*lines, "", provenance_line(facts)])


def section(result: dict[str, Any]) -> str:
    """What docs/choosing.md says about numbers."""
    found = result["data"]
    rows = []
    for s in next(iter(found.values()))["held_out"]:
        each = [
            [np.mean(of["held_out"][s][key] or [np.nan]) for of in found.values()]
            for key in ("r2", "leaves", "seconds")
        ]
        r2, leaves, seconds = (float(np.mean(x)) for x in each)
        rows.append([s, f"{r2:.3f}", "–" if leaves != leaves else f"{leaves:.0f}", f"{1000 * seconds:.0f}"])
    facts = result["provenance"]
    return "\n".join(
        [
            f"By `python -m experiments.linear_leaves --full`: R² on rows held out, {len(found)} sets of at most "
            f"{facts['rows']:,} rows, {FOLDS} folds (`experiments/linear_leaves/results` has every set).",
            "",
            markdown(["tree", "R²", "leaves", "fit, ms"], rows),
        ]
    )


def committed() -> str | None:
    """The section from the committed result, if there is one."""
    path = HERE / "results" / "linear_leaves.json"
    return section(json.loads(path.read_text())) if path.exists() else None


def pairs(found: dict[str, Any], systems: list[str]) -> list[str]:
    """pilot against others: the mean difference of R², on how many sets it is ahead, and Wilcoxon's test over sets."""
    out = []
    for ours, other in (("pilot", "fast-model-trees"), ("pilot", "axis"), ("pilot", "pilot, pruned"),
                        ("pilot", "pilot, not broken"), ("ridge directions", "axis"), ("choose", "axis"),
                        ("choose", "pilot")):  # fmt: skip
        if ours in systems and other in systems:
            d = np.array(
                [np.mean(of["held_out"][ours]["r2"]) - np.mean(of["held_out"][other]["r2"]) for of in found.values()]
            )
            p = f", p = {wilcoxon(d).pvalue:.2g}" if np.count_nonzero(d) > 5 else ""
            told = f"{d.mean():+.3f}, median {np.median(d):+.3f}, ahead on {(d > 0).sum()} of {len(d)}"
            out.append(f"- {ours} against {other}: {told}{p}")
    return out


if __name__ == "__main__":
    raise SystemExit(main())
