"""Boosted trees, 100 rounds of 31 leaves, beside scikit-learn's exact ones, its histograms, LightGBM and XGBoost; one
thread, by processor time, the best kernels."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

from bough import BoostedClassifier, BoostedRegressor, _core

from .measure import Options, best_kernels
from .numbers import smooth
from .timing import short
from .workloads import WORKLOADS, Data, DataMissing

ROUNDS = 100
# table: least speed of ours with bins, as a multiple of each of the others'
REQUIRED: dict[str, dict[str, float]] = {
    "numbers, 20,000 × 20": {"GradientBoosting, exact": 10},
    "2 classes, 20,000 × 20": {"GradientBoosting, exact": 10},
    "2 classes, 100,000 × 20": {"LightGBM": 0.5},
    "covertype, 100,000 × 54, 7 classes": {"HistGradientBoosting": 0.5},
}
EXACT = 10  # times scikit-learn's exact trees, ours without bins


def tables(quick: bool) -> dict[str, Callable[[], Data]]:
    many, few = (5_000, 1_000) if quick else (100_000, 20_000)
    return {
        "numbers, 20,000 × 20": lambda: smooth(few, 20),
        "2 classes, 20,000 × 20": lambda: WORKLOADS["100k_x_20"].make(few),
        "2 classes, 100,000 × 20": lambda: WORKLOADS["100k_x_20"].make(many),
        "covertype, 100,000 × 54, 7 classes": lambda: WORKLOADS["covertype"].make(many),
    }


def contestants(name: str, rounds: int) -> dict[str, Callable[[], Any]]:
    """What makes an estimator, by title. The exact ones only where that takes less than minutes."""
    classes, small = "classes" in name, "20,000" in name
    same: dict[str, Any] = {"max_iter": rounds, "early_stopping": False, "random_state": 0}
    ours = BoostedClassifier if classes else BoostedRegressor
    theirs = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    exact = GradientBoostingClassifier if classes else GradientBoostingRegressor
    found: dict[str, Callable[[], Any]] = {"bough": lambda: ours(**same)}
    if small:
        limits = {"max_leaf_nodes": 31, "max_depth": None, "min_samples_leaf": 20}
        found["bough, exact"] = lambda: ours(max_bins=None, **same)
        found["GradientBoosting, exact"] = lambda: exact(n_estimators=rounds, random_state=0, **limits)
    found["HistGradientBoosting"] = lambda: theirs(**same)
    if find_spec("lightgbm"):
        import lightgbm

        light = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
        found["LightGBM"] = lambda: light(n_estimators=rounds, n_jobs=1, verbose=-1)
    if find_spec("xgboost"):
        import xgboost

        other = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
        grown = {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 31, "max_depth": 0}
        found["XGBoost"] = lambda: other(n_estimators=rounds, learning_rate=0.1, n_jobs=1, **grown)
    return found


def boosting(options: Options) -> dict[str, Any]:
    """Processor time of a fit, the least of some that take turns, and the score on other rows."""
    _core.use_kernels(best_kernels())
    rounds = 10 if options.quick else ROUNDS
    found: dict[str, Any] = {}
    for name, make in tables(options.quick).items():
        try:
            X, y = make()
        except DataMissing as missing:
            found[name] = {"error": str(missing)}
            continue
        cut = len(y) - len(y) // 10
        of: dict[str, Any] = {}
        for turn in range(options.rounds(3)):
            for title, one in contestants(name, rounds).items():
                if turn > 0 and of[title]["seconds"][0] > 60:
                    continue
                began = time.process_time()
                fitted = one().fit(X[:cut], y[:cut])
                seconds = short(time.process_time() - began)
                entry = of.setdefault(title, {"seconds": [], "score": short(float(fitted.score(X[cut:], y[cut:])))})
                entry["seconds"].append(seconds)
        for title, entry in of.items():
            entry["min"] = min(entry["seconds"])
            if title.lower() in ("lightgbm", "xgboost"):
                entry["version"] = version(title.lower())
        found[name] = of
    return found


def times_faster(found: dict[str, Any]) -> Iterator[tuple[str, str, str, float, float | None]]:
    """Table, ours, theirs, how many times faster ours is, and how many it has to be."""
    for name, of in found.items():
        for title, entry in of.items():
            if title.startswith("bough") or "error" in of:
                continue
            yield name, "bough", title, entry["min"] / of["bough"]["min"], REQUIRED[name].get(title)
            if title == "GradientBoosting, exact":
                yield name, "bough, exact", title, entry["min"] / of["bough, exact"]["min"], EXACT


SECTIONS = {"boosting": boosting}
