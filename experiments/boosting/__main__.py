"""Runs the experiment and writes boosting.md and boosting.json; what the JSON has is not run again.

``python -m experiments.boosting``: a reduced run of minutes; ``--full``: less than an hour on one core.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.datasets import make_friedman1
from sklearn.metrics import log_loss, r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from threadpoolctl import threadpool_limits

import bough
from experiments.common.data import DataMissing, DataSet, load, sample_of
from experiments.common.table import PAGE, arguments, kept, place, provenance, remade, write_json

from .report import page
from .systems import PEERS, systems, table_for

HERE = Path(__file__).resolve().parent
SEED = 28
SETS = (
    "iris", "breast_cancer_original", "breast_cancer_diagnostic", "housing_nan", "diabetes", "wine_red", "wine_white",
    "car", "contraceptive", "mushroom_full", "nursery", "adult_full", "poker", "phonemes", "shelter_15", "sf_crime",
    "covertype_cat", "mnist",
)  # fmt: skip
NUMBERS = ("housing_regression", "wine_red", "wine_white", "covertype_cat")  # the last: its first column
BINNED = ("wine_both", "breast_cancer_diagnostic", "adult_full", "covertype_cat", "friedman1")  # columns of numbers
BINS = (15, 63, 255, None)


@dataclass(frozen=True)
class Size:
    """How much of a part is run."""

    rows: int  # of a set, at most
    rounds: int
    folds: int


SLOW = 20  # seconds of processor time; a system whose first fit takes longer is left out of a set
SIZES = {
    "reduced": {"bins": Size(1_000, 20, 3), "numbers": Size(400, 20, 3), "sets": Size(400, 20, 3)},
    "full": {"bins": Size(5_000, 100, 5), "numbers": Size(2_000, 100, 5), "sets": Size(500, 50, 3)},
}


def found_in(name: str, most: int) -> DataSet:
    """A sample, without the classes of which it would have fewer than about twelve rows."""
    data = load(name)
    return sample_of(data, most, math.ceil(12 * max(1, len(data.y) / most)), SEED)


def of_numbers(name: str, most: int) -> DataSet:
    """A set whose target is a number: its own, or its first column."""
    data = load(name)
    if name == "covertype_cat":
        first, *rest = data.numeric
        y = data.X[first].to_numpy()
        data = DataSet(name, data.X.drop(columns=first), y, rest, data.nominal)
    return sample_of(replace(data, y=np.asarray(data.y, dtype=np.float64)), most, 1, SEED)


def of_columns(name: str, most: int) -> DataSet:
    """A set without its nominal columns, or a made one."""
    if name == "friedman1":
        X, y = make_friedman1(most, noise=1.0, random_state=SEED)
        made = sample_frame(X)
        return DataSet(name, made, y, list(made.columns), [])
    data = found_in(name, most)
    return data.only(data.numeric)


def sample_frame(X: np.ndarray) -> Any:
    import pandas as pd

    return pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])


def one(estimator: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> dict[str, float]:
    with threadpool_limits(1):
        began = time.process_time()
        fitted = estimator.fit(X.iloc[train], y[train])
        seconds = time.process_time() - began
        if not is_classifier(estimator):
            return {"R²": float(r2_score(y[test], fitted.predict(X.iloc[test]))), "fit": seconds}
        shares = np.clip(fitted.predict_proba(X.iloc[test]), 1e-7, 1)
    shares /= shares.sum(axis=1, keepdims=True)
    accuracy = float(np.mean(shares.argmax(axis=1) == y[test]))
    return {"accuracy": accuracy, "log loss": float(log_loss(y[test], shares, labels=np.unique(y))), "fit": seconds}


def measure(
    data: DataSet, size: Size, found: dict[str, Any], compared: dict[str, Any], save: Callable[[], None]
) -> None:
    """Adds the folds of each system that is not there yet, and saves after each."""
    classes = data.y.dtype.kind in "US"
    y = np.unique(data.y, return_inverse=True)[1] if classes else data.y
    kind = StratifiedKFold if classes else KFold
    folds = list(kind(size.folds, shuffle=True, random_state=SEED).split(data.X, y))
    found.update({"rows": len(y), "columns": data.X.shape[1], "nominal": len(data.nominal)})
    if classes:
        found["classes"] = len(np.unique(y))
    done, slow = found.setdefault("folds", {}), found.setdefault("slow", [])
    for label, estimator in compared.items():
        if label in done or label in slow:
            continue
        X = table_for(estimator, data)
        each = [one(deepcopy(estimator), X, y, *folds[0])]
        if each[0]["fit"] > SLOW:
            slow.append(label)
        else:
            done[label] = each + [one(deepcopy(estimator), X, y, *fold) for fold in folds[1:]]
        save()


def by_bins(data: DataSet, rounds: int) -> dict[str, Any]:
    kind = bough.BoostedClassifier if data.y.dtype.kind in "US" else bough.BoostedRegressor
    how = {"max_iter": rounds, "early_stopping": False, "random_state": SEED}
    return {f"{n} bins" if n else "exact": kind(max_bins=n, **how) for n in BINS}


def main() -> int:
    options: dict[str, Any] = {
        "page": PAGE,
        "again": {"action": "store_true", "help": "keep nothing of an earlier run"},
    }
    given = arguments("experiments.boosting", __doc__, **options)
    out, sizes = place(given, HERE), SIZES["full" if given.full else "reduced"]
    if given.page:
        remade(out, "boosting", page)
        return 0
    warnings.simplefilter("ignore")
    peers = {module: version(module) for module, *_ in PEERS.values() if find_spec(module)}
    facts = provenance(SEED, given.full, **peers)
    told = {part: asdict(size) for part, size in sizes.items()}
    result = {"provenance": facts, "sizes": told, "planned": list(SETS), "bins": {}, "numbers": {}, "sets": {}}
    result.update(kept(out / "boosting.json", facts, given.again))
    parts: dict[str, Any] = {
        "bins": (BINNED, of_columns, lambda data, rounds: by_bins(data, rounds)),
        "numbers": (NUMBERS, of_numbers, lambda data, rounds: systems(rounds, data, SEED)),
        "sets": (SETS, found_in, lambda data, rounds: systems(rounds, data, SEED)),
    }
    for part, (names, read, compared) in parts.items():
        size = sizes[part]
        for name in names:
            print(part, name, file=sys.stderr, flush=True)
            try:
                data = read(name, size.rows)
            except DataMissing as e:
                print(f"{name}: {e}", file=sys.stderr, flush=True)
                continue
            found = result[part].setdefault(name, {})
            ours = compared(data, size.rounds)
            measure(data, size, found, ours, lambda: write_json(out, "boosting", result, indent=None))
    print(remade(out, "boosting", page))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
