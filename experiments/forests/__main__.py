"""Runs the experiment and writes forests.md and forests.json; a forest on a set that the JSON has is not run again.

The full run, with all cores: python -m experiments.forests --full; one of an hour on one core: --middle. The page of
the middle size, which has every set, is in results/, that of the full one in results/full/.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from bough.compare.systems import takes_tables, with_encoding
from experiments.common.data import DataMissing, load, sample_of
from experiments.common.table import PAGE, arguments, kept, provenance, remade, write_json

from .report import page
from .systems import forests, leaves_of

HERE = Path(__file__).resolve().parent
SEED = 12
SETS = (
    "iris", "breast_cancer_diagnostic", "diabetes", "wine_red", "wine_white", "phonemes", "housing", "car",
    "contraceptive", "mushroom", "nursery", "adult", "covertype", "mnist",
)  # fmt: skip


@dataclass(frozen=True)
class Size:
    """How much of everything is run."""

    rows: int  # of a set, at most
    trees: int
    folds: int
    elc_rows: int  # of sets that the exact search of hyperplanes is tried on, at most


SIZES = {"reduced": Size(300, 10, 3, 150), "middle": Size(2_000, 50, 5, 600), "full": Size(10_000, 100, 10, 1_500)}
FOLDERS = {"reduced": "results/reduced", "middle": "results", "full": "results/full"}


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
        "leaves": leaves_of(fitted),
    }


def measure(name: str, size: Size, found: dict[str, Any], save: Callable[[], None]) -> None:
    """Adds to what was found the folds of each forest that is not there yet, and saves after each."""
    data = sample_of(load(name), size.rows, 10, SEED)
    X, y, nominal = data.X, np.unique(data.y, return_inverse=True)[1], data.nominal
    places = [X.columns.get_loc(c) for c in nominal]
    gaps = bool(X.isna().to_numpy().any())
    folds = list(StratifiedKFold(size.folds, shuffle=True, random_state=SEED).split(X, y))
    found.update({"rows": len(y), "columns": X.shape[1]})
    done = found.setdefault("folds", {})
    jobs = int(os.environ.get("BOUGH_JOBS", "-1"))
    compared = forests(size.trees, len(y) <= size.elc_rows and not nominal, bool(nominal))
    for label, forest in compared.items():
        if label in done:
            continue
        seeded = clone(forest).set_params(random_state=SEED)
        system = seeded if takes_tables(seeded) else with_encoding(seeded, places, X.shape[1], gaps)
        done[label] = Parallel(n_jobs=jobs)(delayed(one)(clone(system), X, y, *fold) for fold in folds)
        save()


def main() -> int:
    options: dict[str, Any] = {
        "middle": {"action": "store_true", "help": "between full and reduced: every set, with fewer rows and trees"},
        "data": {"nargs": "+", "choices": SETS, "default": list(SETS)},
        "page": PAGE,
        "again": {"action": "store_true", "help": "keep nothing of an earlier run"},
    }
    given = arguments("experiments.forests", __doc__, **options)
    name_of_size = "full" if given.full else "middle" if given.middle else "reduced"
    size = SIZES[name_of_size]
    out = given.out or HERE / FOLDERS[name_of_size]
    if given.page:
        remade(out, "forests", page)
        return 0
    peers = {name: version(name) for name in ("ydf", "lightgbm") if find_spec(name)}
    facts = provenance(SEED, True, size=name_of_size, **asdict(size), **peers)
    sets = kept(out / "forests.json", facts, given.again).get("sets", {})

    def result() -> dict[str, Any]:
        ordered = {n: sets[n] for n in SETS if sets.get(n, {}).get("folds")}
        return {"provenance": facts, "planned": list(SETS), "sets": ordered}

    for name in given.data:
        print(name, file=sys.stderr, flush=True)
        try:
            measure(name, size, sets.setdefault(name, {}), lambda: write_json(out, "forests", result(), indent=None))
        except DataMissing as e:
            print(f"{name}: {e}", file=sys.stderr, flush=True)
    write_json(out, "forests", result(), indent=None)
    print(remade(out, "forests", page))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
