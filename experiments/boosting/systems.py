"""What is compared: boosted trees of ours with each kind of split, and other libraries' where they are installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    AdaBoostClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

import bough
from experiments.common.data import DataSet

MOST_VALUES = 254  # of a nominal column for the others; the rarest share one beyond
FEW = {"max_leaf_nodes": 8}
PEERS: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "LightGBM": ("lightgbm", "LGBM", {"verbose": -1, "n_jobs": 1}, "n_estimators"),
    "XGBoost": (
        "xgboost",
        "XGB",
        {"n_jobs": 1, "learning_rate": 0.1, "tree_method": "hist", "enable_categorical": True},
        "n_estimators",
    ),
    "CatBoost": ("catboost", "CatBoost", {"verbose": 0, "thread_count": 1, "allow_writing_files": False}, "iterations"),
}


def systems(rounds: int, data: DataSet, seed: int) -> dict[str, BaseEstimator]:
    """By name, those that a set is for: oblique splits need two columns of numbers, partitions a nominal one."""
    classes = data.y.dtype.kind in "US"
    how = {"max_iter": rounds, "early_stopping": False, "random_state": seed}
    ours = bough.BoostedClassifier if classes else bough.BoostedRegressor
    found = {"axis": ours(**how), "axis, 8 leaves": ours(**FEW, **how)}
    if not data.nominal:
        found["axis, exact"] = ours(max_bins=None, **how)
    if 2 <= len(data.numeric) <= 100:
        found["lda, 8 leaves"] = ours(split="lda", **FEW, **how)
        found["ridge, 8 leaves"] = ours(split="ridge", **FEW, **how)
        found["elc, 8 leaves"] = ours(split="elc", split_params={"max_planes": 300}, **FEW, **how)
    if data.nominal and classes:
        small = {"max_leaf_nodes": 8, "min_samples_leaf": 20}
        for name in ("pc-ext", "glchi2"):
            found[f"AdaBoost of {name}"] = AdaBoostClassifier(
                bough.system(name, **small), n_estimators=rounds, random_state=seed
            )
    hist = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    found["HistGradientBoosting"] = hist(categorical_features="from_dtype", **how)
    for name, (module, kind, fixed, count) in PEERS.items():
        if find_spec(module):
            own = {**fixed, count: rounds, "random_state": seed}
            if name == "CatBoost":
                own["cat_features"] = list(data.nominal)
            found[name] = getattr(import_module(module), kind + ("Classifier" if classes else "Regressor"))(**own)
    return found


def table_for(estimator: Any, data: DataSet) -> pd.DataFrame:
    """As it is for ours; for the others nominal columns are pandas' categories, and what is missing is one of those.
    AdaBoost, which refuses missing values, gets them as text, and medians of numbers."""
    if isinstance(estimator, bough.BoostedClassifier | bough.BoostedRegressor):
        return data.X
    X = data.X.copy()
    for name in data.nominal:
        values = X[name].astype(object).where(X[name].notna(), "(missing)")
        kept = values.value_counts(sort=True).index[:MOST_VALUES]
        X[name] = values.where(values.isin(kept), "(rare)").astype("category")
    if isinstance(estimator, AdaBoostClassifier):
        X[data.nominal] = X[data.nominal].astype(str)
        X = X.fillna(X[data.numeric].median())
    return X
