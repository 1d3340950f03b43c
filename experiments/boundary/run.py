"""What is measured: the three ways to choose cuts, and the ways to part categories."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import KFold

import bough
from experiments.common.data import load

from .sets import table
from .tree import WAYS, grow

SEED = 884
FOLDS = 5
NOMINAL = ("car", "nursery", "contraceptive", "mushroom", "adult")
SEARCHES = {"exact": "exact or by order", "k_means": "Chou's k-means", "multiway": "a branch for each value"}


LEAST = (1, 10)  # rows in a leaf: as in the theorem, and as in mlpack


def cuts(name: str, most: int) -> dict[str, Any]:
    """By the least rows of a leaf, each way on the same folds."""
    return {str(least): ways(name, most, least) for least in LEAST}


def ways(name: str, most: int, least: int) -> dict[str, Any]:
    """Test error, nodes, cuts judged, seconds of judging of each way and fold, and whether the trees agree."""
    X, y = table(name, most)
    folds: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    same = []
    parts = list(KFold(FOLDS, shuffle=True, random_state=SEED).split(X))
    work = (delayed(grow)(X[train], y[train], way, least) for train, _ in parts for way in WAYS)
    grown = iter(Parallel(n_jobs=-1)(work))
    for _, test in parts:
        trees = {way: next(grown) for way in WAYS}
        same.append(trees["all"].splits() == trees["boundary"].splits())
        for way, tree in trees.items():
            error = float(np.mean(tree.predict(X[test]) != y[test]))
            folds[way].append({
                "error": error, "nodes": len(tree.column), "judged": tree.judged, "possible": tree.possible,
                "seconds": tree.seconds,
            })  # fmt: skip
    return {"rows": len(y), "columns": X.shape[1], "same": same, "folds": folds}


def categories(name: str, most: int) -> dict[str, Any]:
    """Trees of mlpack's kind with each way to part categories: accuracy, leaves and seconds of each fold."""
    data = load(name).without_missing()
    rows = np.random.default_rng(SEED).permutation(len(data.y))[:most]
    X, y = data.X.iloc[rows].reset_index(drop=True), data.y[rows]
    out: dict[str, Any] = {"rows": len(y), "classes": len(np.unique(y)), "searches": {}}
    for search in SEARCHES:
        folds = []
        for train, test in KFold(FOLDS, shuffle=True, random_state=SEED).split(X):
            # Two classes: the order by shares is exact. More: all partitions where there are few, else the best search.
            tree = bough.system("mlpack", nominal="auto" if search == "exact" else search, random_state=SEED)
            began = time.process_time()
            tree.fit(X.iloc[train], y[train])
            seconds = time.process_time() - began
            folds.append([float(tree.score(X.iloc[test], y[test])), int(tree.get_n_leaves()), seconds])
        out["searches"][search] = folds
    return out
