"""Both trees, cross-validated for every minimum number of rows to split: what each fold gave."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import bough
from experiments.common.data import load

from .published import CASES, FOLDS

SEED = 461
BENIGN = "benign"
REPEATS = 3  # of every fit and prediction; the shortest time counts
MODELS = ("bough", "scikit-learn")
TEN = "bough, best of ten"  # random splits once more: ten columns are drawn, and the best threshold is taken
DRAWS = {"range": "bough", "row": "bough, row", "midpoint": "bough, midpoint"}  # random thresholds: three readings
# Of each fold, in this order: test rows that are truly and falsely benign, falsely and truly malignant, seconds, …
KEPT = ("tp", "fp", "fn", "tn", "fit", "predict", "depth", "bytes")


def tree(model: str, criterion: str, kind: str, min_split: int, seed: int) -> Any:
    """The report's settings: at most 50 levels, one row suffices for a leaf, no split without information."""
    if model != "scikit-learn":
        own: dict[str, Any] = {"split": {"best": "axis", "random": "random"}[kind]}
        if model == TEN:
            own["split_params"] = {"candidates": 10}
        elif model != "bough":
            own["split_params"] = {"draw": model.removeprefix("bough, ")}
        return bough.system("scc461", criterion=criterion, min_samples_split=min_split, random_state=seed, **own)
    return DecisionTreeClassifier(
        criterion=criterion, splitter=kind, min_samples_split=min_split, max_depth=50, random_state=seed
    )


def size_of(fitted: Any) -> int:
    """Bytes of the model as its library saves it: our file, scikit-learn's pickle."""
    return len(fitted.model_.to_bytes() if hasattr(fitted, "model_") else pickle.dumps(fitted))


def shortest(work: Any) -> float:
    """The shortest of a few runs, in seconds."""
    best = np.inf
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return best


@lru_cache(maxsize=1)
def rows() -> tuple[np.ndarray, np.ndarray]:
    """The Original breast cancer data without its 16 rows that lack a number: columns, and whether benign."""
    data = load("breast_cancer_original_683")
    return data.matrix(), (data.y == BENIGN).astype(int)


def folds_of(model: str, criterion: str, kind: str, min_split: int) -> list[list[float]]:
    """What each fold gave, as KEPT lists it. The positive class is benign."""
    X, y = rows()
    out = []
    for fold, (train, test) in enumerate(StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y)):
        made = tree(model, criterion, kind, min_split, SEED + 1000 * fold + min_split)
        fit = shortest(lambda made=made, train=train: made.fit(X[train], y[train]))
        predict = shortest(lambda made=made, test=test: made.predict(X[test]))
        answer, truth = made.predict(X[test]).astype(bool), y[test].astype(bool)
        counts = [np.sum(answer & truth), np.sum(answer & ~truth), np.sum(~answer & truth), np.sum(~answer & ~truth)]
        out.append([*map(int, counts), round(fit, 6), round(predict, 7), int(made.get_depth()), size_of(made)])
    return out


def name_of(criterion: str, kind: str) -> str:
    return f"{criterion}, {kind}"


def everything(min_splits: list[int], found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Fills ``found`` (case → minimum → model → folds) and yields it after each case; what is there is kept."""
    for criterion, kind in CASES:
        case = found.setdefault(name_of(criterion, kind), {})
        print(f"{criterion}, {kind} splits", file=sys.stderr, flush=True)
        for min_split in min_splits:
            if str(min_split) not in case:
                models = (*MODELS, TEN) if kind == "random" else MODELS
                case[str(min_split)] = {m: folds_of(m, criterion, kind, min_split) for m in models}
        yield found


def draws(min_splits: list[int]) -> dict[str, Any]:
    """Random splits by each reading of the report (minimum → model → folds); one criterion, since none is asked."""
    print("random thresholds", file=sys.stderr, flush=True)
    return {str(m): {d: folds_of(d, "gini", "random", m) for d in DRAWS.values()} for m in min_splits}
