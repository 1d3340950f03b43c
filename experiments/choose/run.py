"""Every data set in a few folds: `choose` sees the training part only and is judged on the rest, beside the systems
that it chooses from; and how long it takes on tables that are made for it."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import bough
from bough.compare.choose import rows_of, runners_of
from bough.compare.data import data_sets
from bough.compare.folds import given_splits
from bough.compare.measures import find_measure
from experiments.common import data

# Every data set of the manifest but images, variants of the same rows, and the regression.
SETS = (
    "iris", "breast_cancer_original", "breast_cancer_diagnostic", "housing", "housing_nan", "diabetes", "mushroom",
    "adult", "nursery", "car", "contraceptive", "poker", "phonemes", "shelter_15", "covertype", "sf_crime", "wine_red",
    "wine_white",
)  # fmt: skip
FOLDS = 3
SEED = 1
TABLES = ((1000, 20, 8, 2), (1000, 20, 8, 5), (4000, 50, 20, 2), (4000, 50, 20, 5), (4000, 50, 0, 5))
VALUES = (3, 5, 8, 12, 30, 60)  # of text columns, in turn


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
        record: dict[str, Any] = {"rows": len(train), "held_out": {}}
        for way, readable in (("choose", False), ("readable", True)):
            begin = time.process_time()
            tree = bough.choose(X_train, y[train], readable=readable, seed=SEED, progress=False)
            seconds = time.process_time() - begin
            record["held_out"][way] = judged(tree, X_test, y[test])
            tried = {t.system: [t.score, t.leaves, t.folds] for t in tree.choice_.tried}
            record[way] = {"chosen": tree.system_, "seconds": round(seconds, 3), "tried": tried}
            if way == "choose":
                record["log_loss"] = losses(tree, X_train, y[train], X_test, y[test])
        (part,) = data_sets((X_train, y[train]))
        splits = given_splits(part, rows_of(part, 5, 2, SEED), SEED)
        for runner in runners_of(part, None, False, find_measure("accuracy", "classification"), SEED):
            for split in splits:
                runner.run(split)
            record["held_out"][runner.contestant.name] = judged(runner.fitted(), X_test, y[test])
        out.append(record)
    return out


def judged(tree: Any, X: Any, y: np.ndarray) -> list[float]:
    """Accuracy and leaves."""
    return [float(np.mean(tree.predict(X) == y)), tree.get_n_leaves()]


def losses(tree: Any, X: Any, y: np.ndarray, X_test: Any, y_test: np.ndarray) -> dict[str, float]:
    """Log-loss on rows held out: of the chosen tree, as it is and without smoothing, and of a full tree with each kind
    of smoothing."""
    trees = {"chosen": tree, "chosen, none": type(tree)(**{**tree.get_params(), "smoothing": None}).fit(X, y)}
    for name, smoothing in (("none", None), ("laplace", "laplace"), ("2", 2.0), ("hierarchical", "hierarchical")):
        trees[f"full, {name}"] = bough.TreeClassifier(smoothing=smoothing, random_state=SEED).fit(X, y)
    known = np.isin(y_test, tree.classes_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # probabilities that do not sum to one in the last digit
        return {
            name: round(log_loss(y_test[known], t.predict_proba(X_test)[known], labels=tree.classes_), 4)
            for name, t in trees.items()
        }


def made(n_rows: int, n_columns: int, n_text: int, n_classes: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A table with text columns: a linear part, one interaction, and some values that tell."""
    rng = np.random.default_rng(SEED)
    x = rng.normal(size=(n_rows, n_columns))
    z = x[:, :5] @ rng.normal(size=5) + x[:, 5] * x[:, 6]
    columns: dict[str, np.ndarray] = {}
    for j in range(n_columns):
        if j < n_columns - n_text:
            columns[f"x{j}"] = x[:, j].round(2)
            continue
        n_values = VALUES[j % len(VALUES)]
        codes = rng.integers(0, n_values, n_rows)
        columns[f"c{j}"] = np.array([f"value {i}" for i in range(n_values)])[codes]
        if j % 4 == 0:
            z = z + rng.normal(size=n_values)[codes]
    z = z + 1.5 * rng.normal(size=n_rows)
    return pd.DataFrame(columns), np.digitize(z, np.quantile(z, np.linspace(0, 1, n_classes + 1)[1:-1])).astype(str)


def seconds(repeats: int = 3) -> list[dict[str, Any]]:
    """Processor time of `choose` on tables of several sizes, the least of some runs, one thread."""
    out = []
    for shape in TABLES:
        X, y = made(*shape)
        times = []
        for _ in range(repeats):
            begin = time.process_time()
            tree = bough.choose(X, y, seed=SEED, progress=False)
            times.append(time.process_time() - begin)
        out.append({"table": list(shape), "seconds": round(min(times), 2), "chosen": tree.system_})
    return out
