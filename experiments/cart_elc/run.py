"""Trees on folds: one deep tree for each fold, read off at every depth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import KFold

import bough
from bough.model.model import Model
from experiments.common.data import DataMissing, DataSet, folder, load, read_csv
from experiments.common.folds import Folds, cart_elc_folds

from .ties import accuracy_and_leaves

DEPTHS = (1, 2, 3, 4, 5)
NAMES = {"cancer": "breast_cancer_original_683", "iris": "iris", "housing": "housing_nan", "diabetes": "diabetes"}
STAR_GALAXY = {"bright": "star_galaxy_bright.csv", "dim": "star_galaxy_dim.csv"}

Fit = Callable[[np.ndarray, np.ndarray, int], Model]  # of rows, classes and a seed


def data_set(name: str) -> DataSet:
    """One of the paper's data sets. The star/galaxy ones are not public: they are read if they are there."""
    if name in NAMES:
        return load(NAMES[name])
    path = folder() / STAR_GALAXY[name]
    if not path.is_file():
        raise DataMissing(
            f"{STAR_GALAXY[name]} is not there. The star/galaxy sets are not public; whoever has them can put them "
            "beside manifest.json as CSV files of 14 numeric columns and a last column 'target'."
        )
    return read_csv(path, name, [])


def hhcart_folds(n_rows: int, trial: int) -> Folds:
    """The authors ran HHCART on other folds than CART-ELC."""
    return list(KFold(5, shuffle=True, random_state=15 + trial).split(np.empty((n_rows, 0))))


def at_depths(model: Model, X: np.ndarray, y: np.ndarray, depths: Iterable[int]) -> dict[int, tuple[float, int]]:
    """Accuracy in percent and leaves of the tree cut off at each depth; growing to that depth gives the same tree."""
    nodes = model.nodes()
    parents, depth_of, is_leaf = np.array(nodes.parents), np.array(nodes.depths), np.array(nodes.kinds) == 0
    out = {}
    at = model.apply(X)
    for depth in sorted(depths, reverse=True):
        while (low := depth_of[at] > depth).any():
            at = np.where(low, parents[at], at)
        leaves = int(((depth_of == depth) | (is_leaf & (depth_of < depth))).sum())
        out[depth] = (100 * float((nodes.predictions[at] == y).mean()), leaves)
    return out


def cross_validated(
    data: DataSet,
    fit: Fit,
    trials: int,
    folds: Callable[[int, int], Folds] = cart_elc_folds,
    depths: Iterable[int] = DEPTHS,
    *,
    impute: bool = False,
) -> dict[str, Any]:
    """By depth and trial the accuracy and leaves of each of the five folds; and the processor time of the fits."""
    X, y = data.matrix(), data.y
    scores: dict[int, list[list[tuple[float, int]]]] = {depth: [] for depth in depths}
    seconds = 0.0
    for trial in range(trials):
        found = []
        for fold, (train, test) in enumerate(folds(len(y), trial)):
            X_train, X_test = X[train], X[test]
            if impute:  # the mean of the training rows, as the authors did for HHCART
                means = np.nanmean(X_train, axis=0)
                X_train, X_test = (np.where(np.isnan(a), means, a) for a in (X_train, X_test))
            begin = time.process_time()
            model = fit(X_train, y[train], 100 * trial + fold)
            seconds += time.process_time() - begin
            found.append(at_depths(model, X_test, y[test], scores))
        for depth, trials_of in scores.items():
            trials_of.append([f[depth] for f in found])
    return {"depths": scores, "seconds": seconds}


def elc(criterion: str, r: int, touching: str, place: str) -> Fit:
    """CART-ELC; a node of no more than r rows is a leaf, as in the authors' program."""

    def fit(X: np.ndarray, y: np.ndarray, seed: int) -> Model:
        params = {"r": r, "touching": touching, "place": place}
        stop = {"max_depth": max(DEPTHS), "min_samples_split": r + 1}
        return bough.system("cart-elc", criterion=criterion, split_params=params, **stop).fit(X, y).model_

    return fit


def grown(name: str, **params: Any) -> Fit:
    """A system to the largest depth, without pruning."""
    return lambda X, y, seed: bough.system(name, max_depth=max(DEPTHS), random_state=seed, **params).fit(X, y).model_


def as_it_is(name: str) -> Fit:
    """A system as it stands, with its own pruning."""
    return lambda X, y, seed: bough.system(name, random_state=seed).fit(X, y).model_


def pruned(name: str) -> Fit:
    """A system to the end, cut back by cost-complexity: a tenth of the rows is held out to choose how far.

    That is OC1's own pruning, with which its authors got the figures of OC1, OC1-AP and CART-LC.
    """

    def fit(X: np.ndarray, y: np.ndarray, seed: int) -> Model:
        order = np.random.default_rng(seed).permutation(len(y))
        held, kept = order[: max(1, len(y) // 10)], order[max(1, len(y) // 10) :]
        grown = bough.system(name, random_state=seed).fit(X[kept], y[kept]).model_
        best, best_score = grown, -1.0
        for alpha in grown.tree.pruning_path(grown.criterion)[0]:  # ascending: of equal scores the smaller tree
            tree = grown.tree.prune("cost_complexity", {"alpha": float(max(alpha, 0.0))}, grown.criterion)
            model = replace(grown, trees=(tree,))
            score = float((model.predict(X[held]) == y[held]).mean())
            if score >= best_score:
                best, best_score = model, score
        return best

    return fit


def with_the_authors_ties(data: DataSet, r: int, trials: int, jobs: int = 1) -> dict[str, Any]:
    """As `cross_validated`, by plain enumeration with ties broken as the authors' program does (twoing only)."""
    X, y = data.matrix(), data.y
    parts = [(trial, *fold) for trial in range(trials) for fold in cart_elc_folds(len(y), trial)]
    found = Parallel(n_jobs=jobs)(delayed(timed_ties)(X, y, a, b, r) for _, a, b in parts)
    scores: dict[int, list[list[tuple[float, int]]]] = {depth: [] for depth in DEPTHS}
    for trial in range(trials):
        own = [f for (f, _), (number, *_) in zip(found, parts, strict=True) if number == trial]
        for depth in DEPTHS:
            scores[depth].append([f[depth] for f in own])
    return {"depths": scores, "seconds": sum(seconds for _, seconds in found)}


def timed_ties(
    X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray, r: int
) -> tuple[dict[int, tuple[float, int]], float]:
    begin = time.process_time()
    return accuracy_and_leaves(X, y, train, test, r, DEPTHS), time.process_time() - begin
