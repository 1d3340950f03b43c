"""Runs the experiment and writes forests.md and forests.json; what the JSON has is kept.

The full run, with all cores: python -m experiments.forests --full
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, train_test_split

from bough.compare.measures import sizes_of
from bough.compare.systems import takes_tables, with_encoding
from experiments.common.data import DataMissing, load
from experiments.common.table import arguments, kept, place, provenance, write, write_json

from .report import page
from .systems import forests

HERE = Path(__file__).resolve().parent
SEED = 12
SETS = (
    "iris", "breast_cancer_diagnostic", "diabetes", "wine_red", "wine_white", "phonemes", "housing", "car",
    "contraceptive", "mushroom", "nursery", "adult", "covertype", "mnist",
)  # fmt: skip
ROWS, TREES, FOLDS = {False: 300, True: 2_000}, {False: 10, True: 50}, {False: 3, True: 5}
ELC_ROWS = 600  # rows of sets that the exact search of hyperplanes is tried on


def rows_of(name: str, most: int) -> tuple[Any, np.ndarray, list[str]]:
    """Columns, classes, and which columns are nominal; a sample with the shares of the classes."""
    found = load(name)
    classes, counts = np.unique(found.y, return_counts=True)
    keep = np.flatnonzero(np.isin(found.y, classes[counts >= 10]))
    if len(keep) > most:
        keep = np.sort(train_test_split(keep, train_size=most, stratify=found.y[keep], random_state=SEED)[0])
    return found.X.iloc[keep].reset_index(drop=True), found.y[keep], found.nominal


def one(estimator: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> dict[str, float]:
    began = time.process_time()
    fitted = estimator.fit(X.iloc[train], y[train])
    between = time.process_time()
    said = fitted.predict(X.iloc[test])
    ended = time.process_time()
    accuracy = float(np.mean(np.asarray(said) == y[test]))
    return {
        "accuracy": accuracy,
        "fit": between - began,
        "predict": ended - between,
        "leaves": sizes_of(fitted)["leaves"],
    }


def measured(name: str, most: int, trees: int, n_folds: int) -> dict[str, Any]:
    X, y, nominal = rows_of(name, most)
    y = np.unique(y, return_inverse=True)[1]
    places = [X.columns.get_loc(c) for c in nominal]
    gaps = bool(X.isna().to_numpy().any())
    folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=SEED).split(X, y))
    systems = {}
    for label, forest in forests(trees, len(y) <= ELC_ROWS and not nominal, bool(nominal)).items():
        seeded = clone(forest).set_params(random_state=SEED)
        systems[label] = seeded if takes_tables(seeded) else with_encoding(seeded, places, X.shape[1], gaps)
    work = [(label, train, test) for label in systems for train, test in folds]
    jobs = int(os.environ.get("BOUGH_JOBS", "-1"))
    found = Parallel(n_jobs=jobs)(delayed(one)(clone(systems[s]), X, y, a, b) for s, a, b in work)
    out: dict[str, list[dict[str, float]]] = {label: [] for label in systems}
    for (label, _, _), fold in zip(work, found, strict=True):
        out[label].append(fold)
    return {"rows": len(y), "columns": X.shape[1], "test_share": 1 / n_folds, "folds": out}


def main() -> int:
    options: dict[str, Any] = {
        "data": {"nargs": "+", "choices": SETS, "default": list(SETS)},
        "again": {"action": "store_true", "help": "keep nothing of an earlier run"},
    }
    given = arguments("experiments.forests", __doc__, **options)
    out, full = place(given, HERE), given.full
    facts = provenance(SEED, full, trees=TREES[full], folds=FOLDS[full], rows=ROWS[full])
    result: dict[str, Any] = {
        "provenance": facts,
        "planned": list(SETS),
        "sets": kept(out / "forests.json", facts, given.again).get("sets", {}),
    }
    for name in given.data:
        if name in result["sets"]:
            continue
        print(name, file=sys.stderr, flush=True)
        try:
            result["sets"][name] = measured(name, ROWS[full], TREES[full], FOLDS[full])
        except DataMissing as e:
            print(f"{name}: {e}", file=sys.stderr, flush=True)
        write_json(out, "forests", result, indent=None)
    result = json.loads((out / "forests.json").read_text())
    result["sets"] = {n: result["sets"][n] for n in SETS if n in result["sets"]}
    write(out, "forests", page(result), result, indent=None)
    print(page(result))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
