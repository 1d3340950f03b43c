"""Figures 2 to 9 and Table 3: grids of random data sets, each setting judged by the paper's tests."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from scipy.special import stdtr
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from bough.compare.statistics import labels, paired_greater

from .published import ALGORITHMS, TABLE_3
from .real import tree


@dataclass(frozen=True, order=True)
class Setting:
    """What a random data set is like."""

    classes: int
    rows: int  # for training
    dimensions: int  # that tell something
    noise: int = 0  # that tell nothing


@dataclass(frozen=True)
class Round:
    """One more data set of each of these settings, for the grids of figures 2 to 9 or for the study of noise."""

    part: str  # "grids" or "noise"
    settings: tuple[Setting, ...]
    number: int


@dataclass
class Found:
    """Of every algorithm the right answers, one entry for each data set of a setting, and all leaves together; of every
    data set the number of the run that made it."""

    test_rows: int
    right: dict[str, list[int]]
    leaves: dict[str, int]
    run: list[int]

    @property
    def sets(self) -> int:
        return len(self.run)

    @property
    def accuracies(self) -> dict[str, np.ndarray]:
        return {a: np.array(r) / self.test_rows for a, r in self.right.items()}

    def mean(self, algorithm: str) -> float:
        return float(np.mean(self.right[algorithm])) / self.test_rows

    def labels(self) -> dict[str, str]:
        if self.sets < 2:  # one data set proves nothing
            return dict.fromkeys(self.right, "Untested")
        return labels(self.accuracies, greater=greater)  # type: ignore[arg-type]

    def add(self, outcome: dict[str, tuple[int, int]], run: int) -> None:
        self.run.append(run)
        for a, (right, leaves) in outcome.items():
            self.right.setdefault(a, []).append(right)
            self.leaves[a] = self.leaves.get(a, 0) + leaves


def greater(a: np.ndarray, b: np.ndarray) -> float:
    """`paired_greater` for the 50,000 tests of the page, a hundred times as fast as SciPy's call."""
    d = a - b
    spread = d.std(ddof=1)
    if spread <= 1e-15 * np.abs(d).max():
        return paired_greater(a.tolist(), b.tolist())
    return float(stdtr(len(d) - 1, -d.mean() / (spread / np.sqrt(len(d)))))


Results = dict[Setting, Found]

SETS = 30  # of each setting in the paper
ROWS = {2: (100, 1_000, 10_000, 100_000), 10: (100, 1_000, 10_000, 100_000, 200_000, 300_000)}
FEW = (5, 16, 27, 38, 50)  # evenly over the paper's 4 to 50
# A round of a level comes when its number, from 1 on, times this is due: a run that is stopped has more sets of what is
# quick, and of what takes hours at least a few dimensions. Noise, at 10,000 rows, has four algorithms only.
LATER = {100: 1.0, 1_000: 1.0, 10_000: 2.0, 100_000: 10.0, 200_000: 16.0, 300_000: 15.0}
NOISE_LATER = 10.0


def grid(classes: int, rows: int, dimensions: Iterable[int] = range(4, 51)) -> tuple[Setting, ...]:
    """Rows against dimensions (figures 2, 3, 6, 7)."""
    return tuple(Setting(classes, rows, d) for d in dimensions)


def noise_grid(classes: int, full: bool) -> tuple[Setting, ...]:
    """Dimensions that tell something against such that tell nothing."""
    dimensions, noise = (range(5, 51, 5), range(0, 51, 5)) if full else ((5, 25), (0, 15, 40))
    return tuple(Setting(classes, 10**4, d, n) for d in dimensions for n in noise)


def rounds(full: bool, rows: Collection[int] | None = None) -> list[Round]:
    """All data sets, in the order in which they are worth their time; with ``rows`` only grids of these levels."""
    if rows is not None:
        return [r for r in rounds(full) if r.part == "grids" and r.settings[0].rows in rows]
    if not full:
        sizes = [(c, r, 1 if r == 10**5 else 5) for c in ROWS for r in ROWS[2]]
        grids = [Round("grids", grid(c, r, FEW), i) for c, r, n in sizes for i in range(n)]
        return grids + [Round("noise", noise_grid(c, full), i) for c in ROWS for i in range(3)]
    due = []
    for classes, levels in ROWS.items():
        for i in range(SETS):
            due.append((NOISE_LATER * (i + 1), Round("noise", noise_grid(classes, full), i)))
            for level in levels:
                others = tuple(s for s in grid(classes, level) if s.dimensions not in FEW)
                due.append((LATER[level] * (i + 1), Round("grids", grid(classes, level, FEW), i)))
                due.append((LATER[level] * (i + 1) * (1 if level < 10**5 else 2), Round("grids", others, i)))
    return [r for _, r in sorted(due, key=lambda d: d[0])]


def test_rows(full: bool) -> int:
    return 100_000 if full else 20_000


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


def one_set(s: Setting, test_rows: int, number: int, algorithms: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Right answers and leaves of each algorithm."""
    X, X_test, y, y_test = random_set(s, test_rows, number)
    out = {}
    for algorithm in algorithms:
        fitted = tree(algorithm, scaled=False).fit(X, y)
        out[algorithm] = (int((fitted.predict(X_test) == y_test).sum()), fitted.get_n_leaves())
    return out


def add_round(results: Results, r: Round, test_rows: int, jobs: int, run: int = 0) -> bool:
    """One more data set of the round's settings; false where they have it already."""
    algorithms = ALGORITHMS if r.part == "grids" else list(TABLE_3)
    todo = [s for s in r.settings if s not in results or results[s].sets == r.number]
    found = Parallel(n_jobs=jobs)(delayed(one_set)(s, test_rows, r.number, algorithms) for s in todo)
    for s, outcome in zip(todo, found, strict=True):
        results.setdefault(s, Found(test_rows, {}, {}, [])).add(outcome, run)
    return bool(todo)


def ratios(results: Results, over: str, under: str) -> np.ndarray:
    """Accuracy of one algorithm over that of another, for every data set."""
    return np.concatenate([np.divide(f.accuracies[over], f.accuracies[under]) for f in results.values()])


def by_level(results: Results) -> list[Results]:
    """The settings of each number of training rows."""
    return [{s: f for s, f in results.items() if s.rows == rows} for rows in sorted({s.rows for s in results})]


def mean_leaves(results: Results) -> dict[str, float]:
    """Mean over numbers of rows, and for each of them over its settings, however many data sets they have."""
    levels = by_level(results)
    return {
        a: float(np.mean([np.mean([f.leaves[a] / f.sets for f in level.values()]) for level in levels]))
        for a in ALGORITHMS
    }
