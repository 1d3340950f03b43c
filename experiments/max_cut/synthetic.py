"""Figures 2 to 9 and Table 3: grids of random data sets, each setting judged by the paper's tests."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from joblib import Memory, Parallel, delayed
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from bough.compare.statistics import labels

from .published import ALGORITHMS
from .real import tree


@dataclass(frozen=True, order=True)
class Setting:
    """What a random data set is like."""

    classes: int
    rows: int  # for training
    dimensions: int  # that tell something
    noise: int = 0  # that tell nothing


@dataclass(frozen=True)
class Grid:
    """The settings of an experiment, and how many data sets each has."""

    sets: int
    test_rows: int
    settings: tuple[Setting, ...]
    single: tuple[Setting, ...] = ()  # settings with one data set only

    def tasks(self) -> list[tuple[Setting, int]]:
        counts = [(s, self.sets) for s in self.settings] + [(s, 1) for s in self.single]
        # the largest first, so that the last ones to run are short
        return [(s, i) for s, n in sorted(counts, key=lambda c: -c[0].rows * c[0].dimensions) for i in range(n)]


@dataclass
class Found:
    """Accuracy and leaves of every algorithm, one entry for each data set of a setting."""

    accuracies: dict[str, list[float]]
    leaves: dict[str, list[int]]

    @property
    def sets(self) -> int:
        return len(next(iter(self.accuracies.values())))

    def mean(self, algorithm: str) -> float:
        return float(np.mean(self.accuracies[algorithm]))

    def labels(self) -> dict[str, str]:
        if self.sets < 2:  # one data set proves nothing
            return dict.fromkeys(self.accuracies, "Untested")
        return labels(self.accuracies)


Results = dict[Setting, Found]


def grid(classes: int, full: bool) -> Grid:
    """Rows against dimensions (figures 2, 3, 6, 7)."""
    if full:
        rows = [10**2, 10**3, 10**4, 10**5] + ([2 * 10**5, 3 * 10**5] if classes > 2 else [])
        return Grid(30, 100_000, tuple(Setting(classes, r, d) for r in rows for d in range(4, 51)))
    dimensions = (5, 16, 27, 38, 50)  # evenly over the paper's 4 to 50
    small = tuple(Setting(classes, r, d) for r in (10**2, 10**3, 10**4) for d in dimensions)
    large = tuple(Setting(classes, 10**5, d) for d in dimensions)
    return Grid(10, 20_000, small, large)


def noise_grid(classes: int, full: bool) -> Grid:
    """Dimensions that tell something against such that tell nothing."""
    if full:
        settings = [Setting(classes, 10**4, d, n) for d in range(5, 51, 5) for n in range(0, 51, 5)]
        return Grid(30, 100_000, tuple(settings))
    return Grid(5, 20_000, tuple(Setting(classes, 10**4, d, n) for d in (5, 25) for n in (0, 15, 40)))


def random_set(s: Setting, test_rows: int, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """One cluster for each class, 1 % of the labels at random, random shifts and scales; then standardised."""
    seed = zlib.crc32(f"{s.classes} {s.rows} {s.dimensions} {s.noise} {number}".encode())
    X, y = make_classification(
        s.rows + test_rows,
        s.dimensions + s.noise,
        n_informative=s.dimensions,
        n_redundant=0,
        n_repeated=0,
        n_classes=s.classes,
        n_clusters_per_class=1,
        flip_y=0.01,
        shift=None,
        scale=None,
        random_state=seed,
    )
    X, X_test, y, y_test = train_test_split(X, y, train_size=s.rows, random_state=seed)
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test), y, y_test


def one_set(s: Setting, test_rows: int, number: int, algorithms: Iterable[str]) -> dict[str, tuple[float, int]]:
    X, X_test, y, y_test = random_set(s, test_rows, number)
    out = {}
    for algorithm in algorithms:
        fitted = tree(algorithm, scaled=False).fit(X, y)
        out[algorithm] = (float(fitted.score(X_test, y_test)), fitted.get_n_leaves())
    return out


def run(g: Grid, jobs: int, algorithms: Iterable[str] = ALGORITHMS, kept: Path | None = None) -> Results:
    algorithms, todo = list(algorithms), g.tasks()
    work = Memory(kept, verbose=0).cache(one_set)
    found = Parallel(n_jobs=jobs)(delayed(work)(s, g.test_rows, i, algorithms) for s, i in todo)
    results: Results = {}
    for (s, _), outcome in zip(todo, found, strict=True):
        own = results.setdefault(s, Found({a: [] for a in algorithms}, {a: [] for a in algorithms}))
        for a, (accuracy, leaves) in outcome.items():
            own.accuracies[a].append(accuracy)
            own.leaves[a].append(leaves)
    return dict(sorted(results.items()))


def ratios(results: Results, over: str, under: str) -> np.ndarray:
    """Accuracy of one algorithm over that of another, for every data set."""
    return np.concatenate([np.divide(f.accuracies[over], f.accuracies[under]) for f in results.values()])


def mean_leaves(results: Results) -> dict[str, float]:
    """Mean over settings, each of which counts the same however many data sets it has."""
    return {a: float(np.mean([np.mean(f.leaves[a]) for f in results.values()])) for a in ALGORITHMS}
