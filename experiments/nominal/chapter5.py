"""Chapter 5: trees on real data by 20 times 3-fold cross-validation, with the author's folds and filters."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import bough

from .published import EIGHT, SIX
from .sets import Ready, load, prepared

# The method's system in bough, and what the published runs had besides.
SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "Twoing": ("twoing", {}),
    "GWSG": ("gwsg", {}),
    "GWχ²": ("gwchi2", {}),
    "GLSG": ("glsg", {}),
    "GLχ²": ("glchi2", {}),
    "PC-ext": ("pc-ext", {"projection": "counts"}),
    "HcC": ("hcc", {}),
    "LCA": ("lca", {}),
}
FILTERS = {"chi2_filter": 0.10, "min_second_value": 15}


@dataclass(frozen=True)
class Table:
    """What one table of the chapter varies."""

    depth: int
    numeric: bool  # numeric columns besides the nominal ones
    inference: bool  # columns are selected by conditional inference
    methods: tuple[str, ...] = SIX
    first: bool = False  # of columns whose p-value is 0 as 1 − cdf the first is split, as in the author's program
    inside: bool = False  # cuts inside equal values count, as in the author's program for χ²


TABLES = {
    "5.3": Table(1, False, False),
    "5.4": Table(1, False, True),
    "5.4*": Table(1, False, True, first=True),
    "5.5": Table(1, True, False),
    "5.5*": Table(1, True, False, ("GLχ²",), inside=True),
    "5.6": Table(5, False, False, EIGHT),
    "5.8": Table(5, False, True),
    "5.9": Table(5, True, False),
    "5.10": Table(16, False, False),
    "5.11": Table(16, False, True),
    "5.13": Table(16, True, False),
}
TIMES = {"5.7": "5.6", "5.12": "5.10"}  # tables of times, and the runs they time


def tree(method: str, table: Table) -> Any:
    """The estimator of one cell."""
    system, params = SYSTEMS[method]
    found = bough.system(
        f"{system}-ctree" if table.inference else system,
        max_depth=table.depth,
        nominal_params={"unseen": "stop", **params},
        selector_params={**FILTERS, **({"alpha": 1.0} if table.inference else {})},
        random_state=0,
    )
    if table.inside:
        return CutsInside(found)
    return FirstOfTheSure(found) if table.first else found


class FirstOfTheSure:
    """A tree of one split by the author's rule: of the columns whose p-value is 0, computed as 1 − cdf, the first in
    the file is split; where there is none, the surest."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    def fit(self, X: Any, y: Any) -> None:
        tests = self.tree.fit(X, y).model_.log_p_values[0]
        sure = np.flatnonzero(tests < LEAST_LOG_P)
        self.columns = list(X.columns) if not len(sure) else [X.columns[sure[0]]]
        self.tree.fit(X[self.columns], y)

    def predict(self, X: Any) -> Any:
        return self.tree.predict(X[self.columns])


class CutsInside:
    """A tree of one split by χ² as the author's program cuts numeric columns: it goes through the rows by value and
    class and remembers the value on the left only where a cut was the best so far. A cut inside a run of equal values
    can win; the threshold then lies halfway to a value further left."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree  # for the nominal columns

    def fit(self, X: Any, y: Any) -> None:
        numeric = [c for c in X.columns if not isinstance(X[c].dtype, pd.CategoricalDtype)]
        self.nominal = [c for c in X.columns if c not in numeric]
        gain = self.tree.fit(X[self.nominal], y).model_.nodes()[0].gain
        score, at, column = max((*best_of_scan(X[c].to_numpy(), y), c) for c in numeric)
        self.column = column if gain is None or score > gain else None
        if self.column is not None:
            self.at, low = at, X[column].to_numpy() <= at
            self.answers = [np.bincount(y[side]).argmax() if side.any() else 0 for side in (low, ~low)]

    def predict(self, X: Any) -> Any:
        if self.column is None:
            return self.tree.predict(X[self.nominal])
        return np.where(X[self.column].to_numpy() <= self.at, *self.answers)


def best_of_scan(values: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """χ² and threshold of the cut that the scan ends with; −∞ where all values are one."""
    order = np.lexsort((y, values))
    values, n = values[order], len(y)
    left = np.cumsum(np.eye(y.max() + 1)[y[order]], axis=0)
    left, total = left[:-1], left[-1]
    rows = np.arange(1, n)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = (left - rows * total / n) ** 2 * n / total * (1 / rows + 1 / (n - rows))
    score = np.where(total > 0, parts, 0).sum(axis=1)
    best, at, seen = -np.inf, -np.inf, values[0]
    for value, s in zip(values[1:].tolist(), score.tolist(), strict=True):
        if s > best and value != seen:
            best, at, seen = s, (seen + value) / 2, value
    return best, at


LEAST_LOG_P = np.log(2.0**-53)  # below it 1 − cdf is 0
Cell = dict[str, Any]  # accuracy of each trial in percent, seconds of its three fits


def run(
    data: Ready,
    tables: Iterable[str],
    trials: int,
    wanted: Callable[[str, str], bool],
    jobs: int = 1,
) -> dict[str, dict[str, Cell]]:
    """Every cell of some tables for one data set, trials side by side; ``wanted(table, method)`` leaves cells out."""
    todo = [
        (t, m) for t in tables for m in TABLES[t].methods if wanted(t, m) and (data.numeric or not TABLES[t].numeric)
    ]
    cells: dict[str, dict[str, Cell]] = {}
    for found in Parallel(n_jobs=jobs)(delayed(run_trial)(data, todo, trial) for trial in range(trials)):
        for t, m, right, seconds in found:
            cell = cells.setdefault(t, {}).setdefault(m, {"right": [], "seconds": []})
            cell["right"].append(right)
            cell["seconds"].append(seconds)
    for table in cells.values():
        for m, cell in table.items():
            three = np.array(cell["right"]).reshape(trials, -1).mean(axis=1)
            table[m] = {
                "accuracy": [round(100 * float(a), 4) for a in three],
                "seconds": round(float(np.array(cell["seconds"]).reshape(trials, -1).sum(axis=1).min()), 4),
            }
    return cells


def run_trial(data: Ready, todo: list[tuple[str, str]], trial: int) -> list[tuple[str, str, float, float]]:
    """Table, method, share of right answers and seconds of the fit, for every fold of one cross-validation."""
    found = []
    for train, test in data.folds(trial):
        parts = {
            numeric: (columns.iloc[train], columns.iloc[test])
            for numeric, columns in ((False, data.X[data.nominal]), (True, data.X))
        }
        for t, m in todo:
            X, new = parts[TABLES[t].numeric]
            estimator = tree(m, TABLES[t])
            start = time.process_time()  # fits use one thread; others may use the machine
            estimator.fit(X, data.y[train])
            seconds = time.process_time() - start
            found.append((t, m, float((estimator.predict(new) == data.y[test]).mean()), seconds))
    return found


def saturated(data: Ready) -> tuple[int, int]:
    """Nominal columns at the root, and those whose p-value is 0 if it is computed as 1 − cdf."""
    model = bough.system("ctree", selector_params={"alpha": 1.0}, max_depth=1).fit(data.X[data.nominal], data.y).model_
    tests = model.log_p_values[0]
    return int((~np.isnan(tests)).sum()), int((tests < LEAST_LOG_P).sum())


# The text: seconds of a 3-fold cross-validation with all classes, by depth.
ALL_CLASSES = {"S.F. Crime": "sf_crime", "Shelter": "shelter"}
QUICK = ("GLSG", "GLχ²", "PC-ext", "LCA")


def all_classes(name: str) -> dict[str, Any]:
    """Classes, and by table of depth 5 and 16 and method the processor time of the fits of one cross-validation."""
    data = prepared(name, load(ALL_CLASSES[name]))
    found = run_trial(data, [(t, m) for t in ("5.6", "5.10") for m in QUICK], 0)
    seconds: dict[str, dict[str, float]] = {"5.6": {}, "5.10": {}}
    for t, m, _, s in found:
        seconds[t][m] = round(seconds[t].get(m, 0.0) + s, 4)
    return {"classes": len(np.unique(data.y)), "seconds": seconds}
