"""Trees of a given depth on held-out rows: greedy ones, and those that `refine` makes."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

import bough
from experiments.common import data

SETS = (
    "iris", "breast_cancer_original", "breast_cancer_diagnostic", "housing", "housing_nan", "diabetes", "mushroom",
    "adult", "nursery", "car", "contraceptive", "poker", "phonemes", "shelter_15", "covertype", "covertype_cat",
    "sf_crime", "wine_red", "wine_white", "mnist",
)  # fmt: skip
DEPTHS = (3, 4, 6)
SYSTEMS: dict[str, dict[str, Any]] = {
    "cart": {"criterion": "gini"},
    "twoing": {"criterion": "twoing"},
    "tao": {**bough.system("tao").get_params()},
    "sparse-oblique": {**bough.system("sparse-oblique").get_params()},
}
SEED = 0
FEWEST = 6  # rows of a class


def rows(name: str, most: int) -> tuple[Any, np.ndarray]:
    """A data set without rare classes, or so many of its rows, drawn."""
    found = data.load(name, 20_000 if name in ("mnist", "poker", "covertype", "sf_crime") else None)
    order = np.random.RandomState(SEED).permutation(len(found.y))[:most]
    X, y = found.X.iloc[order].reset_index(drop=True), found.y[order]
    classes, counts = np.unique(y, return_counts=True)
    keep = np.isin(y, classes[counts >= FEWEST])
    return X[keep].reset_index(drop=True), y[keep]


def held_out(name: str, most: int, repeats: int) -> dict[str, dict[str, list[float]]]:
    """By depth and system: accuracy on the rows held out, leaves, terms, and seconds of a fit, the mean over splits of
    the rows; accuracies of each split beside them."""
    X, y = rows(name, most)
    out: dict[str, dict[str, list[float]]] = {}
    for depth in DEPTHS:
        found: dict[str, list[list[float]]] = {s: [] for s in SYSTEMS}
        for seed in range(repeats):
            X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
            for system, params in SYSTEMS.items():
                tree = bough.TreeClassifier(**{**params, "max_depth": depth, "random_state": 0})
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    began = time.process_time()
                    tree.fit(X_train, y_train)
                    took = time.process_time() - began
                score = float(np.mean(tree.predict(X_test) == y_test))
                found[system].append([score, tree.get_n_leaves(), terms(tree), took])
        out[str(depth)] = {s: [round(float(v), 6) for v in np.mean(f, axis=0)] for s, f in found.items()}
    return out


def terms(tree: Any) -> float:
    """Columns of a split, on average."""
    kinds = tree.tree_.kind
    inner = np.flatnonzero(kinds != "leaf")
    if not len(inner):
        return 0.0
    return float(np.mean([len(tree.tree_.split(i).columns) if kinds[i] == "linear" else 1 for i in inner]))
