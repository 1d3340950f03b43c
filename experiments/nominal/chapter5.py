"""Chapter 5: trees on real data by 20 times 3-fold cross-validation, with the author's folds and filters."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import bough

from .authors import LEAST_LOG_P, CutsInside, FirstOfTheSure, Grown, Split
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


@dataclass(frozen=True)
class Table:
    """What one table of the chapter varies."""

    depth: int
    numeric: bool  # numeric columns besides the nominal ones
    inference: bool  # columns are selected by conditional inference
    methods: tuple[str, ...] = SIX
    rule: str = ""  # of the author's program, by which nodes are split: one of RULES


TABLES = {
    "5.3": Table(1, False, False),
    "5.4": Table(1, False, True),
    "5.4*": Table(1, False, True, rule="first of the sure"),
    "5.5": Table(1, True, False),
    "5.5*": Table(1, True, False, ("GLχ²",), "cuts inside"),
    "5.6": Table(5, False, False, EIGHT),
    "5.8": Table(5, False, True),
    "5.8*": Table(5, False, True, rule="first of the sure"),
    "5.9": Table(5, True, False),
    "5.9*": Table(5, True, False, ("GLχ²",), "cuts inside"),
    "5.10": Table(16, False, False),
    "5.11": Table(16, False, True),
    "5.11*": Table(16, False, True, rule="first of the sure"),
    "5.13": Table(16, True, False),
    "5.13*": Table(16, True, False, ("GLχ²",), "cuts inside"),
}
RULES: dict[str, type[Split]] = {"first of the sure": FirstOfTheSure, "cuts inside": CutsInside}
TIMES = {"5.7": "5.6", "5.12": "5.10"}  # tables of times, and the runs they time


def tree(method: str, table: Table) -> Any:
    """The estimator of one cell."""
    if table.rule:
        return Grown(lambda: RULES[table.rule](bough_tree(method, table, 1)), table.depth)
    return bough_tree(method, table, table.depth)


def bough_tree(method: str, table: Table, depth: int) -> Any:
    system, params = SYSTEMS[method]
    return bough.system(
        f"{system}-ctree" if table.inference else system,
        max_depth=depth,
        nominal_params={"unseen": "stop", **params},
        # the systems have the author's filters; the tables without a star compare p-values of every size
        selector_params={"p_values": "logarithms"} if table.inference else {},
        random_state=0,
    )


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
