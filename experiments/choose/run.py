"""Every data set in a few folds: `choose` sees the training part only and is judged on the rest, beside the systems
that it chooses from."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

import bough
from bough.compare.choose import default_systems, rows_of
from bough.compare.data import data_sets
from experiments.common import data

# Every data set of the manifest but images, variants of the same rows, and the regression.
SETS = (
    "iris", "breast_cancer_original", "breast_cancer_diagnostic", "housing", "housing_nan", "diabetes", "mushroom",
    "adult", "nursery", "car", "contraceptive", "poker", "phonemes", "shelter_15", "covertype", "sf_crime", "wine_red",
    "wine_white",
)  # fmt: skip
FOLDS = 3
SEED = 1


def rows(name: str, most: int) -> tuple[Any, np.ndarray]:
    """A data set without classes of a single row, or a sample of it with the shares of its classes."""
    found = data.load(name)
    X, y = found.X, found.y
    classes, counts = np.unique(y, return_counts=True)
    keep = np.flatnonzero(np.isin(y, classes[counts > 1]))
    if len(keep) > most:
        keep = np.sort(train_test_split(keep, train_size=most, stratify=y[keep], random_state=SEED)[0])
    return X.iloc[keep].reset_index(drop=True), y[keep]


def held_out(name: str, most: int) -> list[dict[str, Any]]:
    """For each fold what `choose` saw within the training rows, what it took, and how all did on the others."""
    X, y = rows(name, most)
    (whole,) = data_sets((X, y))
    out = []
    for train, test in rows_of(whole, FOLDS, 1, SEED):
        X_train, X_test = X.iloc[train], X.iloc[test]
        tree = bough.choose(X_train, y[train], seed=SEED, progress=False)
        inner = tree.comparison_
        scores = {"choose": judged(tree, X_test, y[test])}
        (part,) = data_sets((X_train, y[train]))
        for system, estimator in default_systems(part).items():
            fitted = estimator.fit(X_train, y[train])
            scores[system] = judged(getattr(fitted, "pruned_", fitted), X_test, y[test])
        within = {
            s: {"accuracy": v.tolist(), "leaves": float(inner.values(measure="leaves")[s].mean())}
            for s, v in inner.values().items()
        }
        out.append({"chosen": tree.system_, "rows": len(train), "inner": within, "held_out": scores})
    return out


def judged(tree: Any, X: Any, y: np.ndarray) -> list[float]:
    """Accuracy and leaves."""
    return [float(np.mean(tree.predict(X) == y)), tree.get_n_leaves()]
