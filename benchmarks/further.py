"""What is measured beside full fits: other criteria and weights, prediction, memory, model files."""

from __future__ import annotations

import pickle
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from bough import TreeClassifier, _core

from . import boosting, directions, forests, numbers
from .install import reason_of
from .machine import CORES
from .measure import BUDGET, Options, best_kernels, saved
from .memory import fit_peak
from .timing import Burst, alternate, short, timed
from .workloads import WORKLOADS, Array, DataMissing


def variants(options: Options) -> dict[str, Any]:
    """Fits with weights and with other criteria, as multiples of the time of gini without weights."""
    return {name: variants_on(name, options) for name in options.wants("100k_x_20", "100k_x_50")}


def variants_on(name: str, options: Options) -> dict[str, Any]:
    X, y = WORKLOADS[name].data(options.quick)
    weights = np.random.default_rng(0).uniform(0.1, 1.0, len(X))

    def fit(criterion: str, w: Array | None = None) -> Burst:
        return lambda times: timed(lambda: TreeClassifier(criterion=criterion, random_state=0).fit(X, y, w), times)[0]

    _core.use_kernels(best_kernels())
    contestants = {"gini": fit("gini"), "gini, weights": fit("gini", weights)}
    contestants |= {c: fit(c) for c in ("entropy", "twoing", "max_cut")}
    found = alternate(contestants, options.rounds(5), budget=BUDGET)
    for timing in found.values():
        timing["ratio"] = short(timing["min"] / found["gini"]["min"])
    return found


def stages(options: Options) -> dict[str, Any]:
    """Processor time of whole fits, and of fits that end once the columns are read and sorted: one thread, the best
    kernels; and of whole fits with the kernels that every processor has."""
    found: dict[str, Any] = {}
    for name in options.wants("100k_x_20", "100k_x_50", "mnist", "covertype", "1m_x_20"):
        try:
            X, y = WORKLOADS[name].data(options.quick)
        except DataMissing as missing:
            found[name] = {"error": str(missing)}
            continue

        def work(kernels: str, least: int, X: Array = X, y: Array = y) -> float:
            _core.use_kernels(kernels)
            start = time.process_time()
            TreeClassifier(min_samples_split=least).fit(X, y)
            return time.process_time() - start

        turns = {"whole": (best_kernels(), 2), "sorted": (best_kernels(), len(X) + 1), "portable": ("portable", 2)}
        seconds = [{what: work(*how) for what, how in turns.items()} for _ in range(options.rounds(7))]
        found[name] = {what: short(min(turn[what] for turn in seconds)) for what in turns}
    return found


def predict(options: Options) -> dict[str, Any]:
    """Prediction of many rows with a large tree, one thread. scikit-learn also gets float32, which
    spares it a conversion."""
    if not options.wants("100k_x_20"):
        return {}
    X, y = WORKLOADS["100k_x_20"].data(options.quick)
    rows = 100_000 if options.quick else 1_000_000
    many = X[np.random.default_rng(0).integers(0, len(X), rows)]
    many32 = many.astype(np.float32)
    theirs = DecisionTreeClassifier(random_state=0).fit(X, y)
    _core.use_kernels(best_kernels())
    ours = TreeClassifier(random_state=0).fit(X, y)
    contestants: dict[str, Burst] = {
        "sklearn": lambda times: timed(lambda: theirs.predict(many), times)[0],
        "sklearn_float32": lambda times: timed(lambda: theirs.predict(many32), times)[0],
        "bough": lambda times: timed(lambda: ours.predict(many), times)[0],
    }
    found: dict[str, Any] = alternate(contestants, options.rounds(7), budget=BUDGET)
    found["ratio"] = short(found["sklearn"]["min"] / found["bough"]["min"])
    found["rows"] = rows
    found["nodes"] = {"sklearn": int(theirs.tree_.node_count), "bough": int(ours.tree_.node_count)}
    return found


def memory(options: Options) -> dict[str, Any]:
    """Peak memory of a fit beyond the float64 data, as a multiple of the data, with one and two threads."""
    found: dict[str, Any] = {}
    for name in options.wants("1m_x_20", "mnist"):
        try:
            data = WORKLOADS[name].data(options.quick)
            with saved(data) as paths:
                counts = {"one thread": 1, "two threads": 2}
                found[name] = {label: fit_peak(*paths, n) for label, n in counts.items() if n <= len(CORES)}
        except DataMissing as missing:
            found[name] = {"error": str(missing)}
        except subprocess.CalledProcessError as failure:
            found[name] = {"error": reason_of(str(failure.stderr).strip().rpartition("\n")[2])}
    return found


def files(options: Options) -> dict[str, Any]:
    """Bytes of bough's model file and of scikit-learn's pickle for the same data."""
    found = {}
    for name in options.wants("breast_cancer", "100k_x_20", "100k_x_50", "iris"):
        X, y = WORKLOADS[name].data(options.quick)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.bough"
            TreeClassifier(random_state=0).fit(X, y).save(path)
            ours = path.stat().st_size
        theirs = len(pickle.dumps(DecisionTreeClassifier(random_state=0).fit(X, y)))
        found[name] = {"bough": ours, "sklearn": theirs, "ratio": short(ours / theirs)}
    return found


SECTIONS = {
    "variants": variants,
    "stages": stages,
    "predict": predict,
    "memory": memory,
    "files": files,
    **directions.SECTIONS,
    **numbers.SECTIONS,
    **forests.SECTIONS,
    **boosting.SECTIONS,
}
