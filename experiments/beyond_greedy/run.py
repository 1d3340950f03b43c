"""Trees of a given depth on held-out rows: greedy ones, those that see further, and those of other libraries."""

from __future__ import annotations

import json
import resource
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import bough
from bough.compare.data import data_sets
from bough.compare.measures import terms_per_split
from bough.compare.systems import with_encoding
from bough.estimators.systems import SYSTEMS as KNOWN
from experiments.common import data

from .install import interpreter

SETS = (
    "iris", "breast_cancer_original", "breast_cancer_diagnostic", "housing", "housing_nan", "diabetes", "mushroom",
    "adult", "nursery", "car", "contraceptive", "poker", "phonemes", "shelter_15", "covertype", "covertype_cat",
    "sf_crime", "wine_red", "wine_white", "mnist",
)  # fmt: skip
DEPTHS = (3, 4, 6)
PRUNED = {"prune": "cost_complexity_cv", "prune_params": {"rule": "minimum"}}
SYSTEMS: dict[str, dict[str, Any]] = {
    "cart": {"criterion": "gini"},
    "twoing": {"criterion": "twoing"},
    "cart, pruned": {"criterion": "gini", **PRUNED},
    "lda by twoing": {"split": "lda", "criterion": "twoing"},
    **{s: bough.system(s).get_params() for s in ("tao", "sparse-oblique", "lookahead", "optimal") if s in KNOWN},
}
SHALLOW = {"optimal": 3, "pycontree": 3, "LicketySPLIT": 4}  # deeper takes too long
PEERS = ("imodels TAO", "imodels FIGS", "sgtlearn", "LicketySPLIT", "pycontree")
LIMIT = 20  # processor seconds that a peer has for all depths and splits of a set
SECONDS = {"optimal": 1.0}  # of a fit, then the best tree so far is taken
SEED = 0
FEWEST = 6  # rows of a class


def rows(name: str, most: int) -> tuple[Any, np.ndarray]:
    """A data set without rare classes, or so many of its rows, drawn."""
    found = data.load(name, 20_000 if name in ("mnist", "poker", "covertype", "sf_crime") else None)
    order = np.random.RandomState(SEED).permutation(len(found.y))[:most]
    X, y = found.X.iloc[order].reset_index(drop=True), found.y[order]
    classes, counts = np.unique(y, return_counts=True)
    keep = np.isin(y, classes[counts >= FEWEST])
    return X[keep].reset_index(drop=True), y[keep]


def splits_of(X: Any, y: np.ndarray, repeats: int) -> list[list[Any]]:
    """70 % of the rows for the fit, the others held out."""
    every = np.arange(len(y))
    return [train_test_split(every, test_size=0.3, random_state=seed, stratify=y) for seed in range(repeats)]


def held_out(name: str, most: int, repeats: int, peers: bool) -> dict[str, Any]:
    """By depth and system: accuracy on the rows held out, leaves, columns of a split, and processor seconds of a fit,
    the mean over splits of the rows; or what went wrong."""
    X, y = rows(name, most)
    splits = splits_of(X, y, repeats)
    out: dict[str, Any] = {str(depth): {} for depth in DEPTHS}
    for depth in DEPTHS:
        for system, params in SYSTEMS.items():
            if depth > SHALLOW.get(system, depth):
                continue
            if system in SECONDS:
                params = {**params, "refine_params": {"max_seconds": SECONDS[system]}}
            found = [ours(params, depth, X.iloc[a], y[a], X.iloc[b], y[b]) for a, b in splits]
            out[str(depth)][system] = mean(found)
    if peers:
        theirs(X, y, splits, out)
    return out


def mean(found: list[list[float]]) -> list[float | None]:
    values = np.mean(found, axis=0)
    return [round(float(v), 6) if np.isfinite(v) else None for v in values]


def ours(params: dict[str, Any], depth: int, X: Any, y: np.ndarray, X_test: Any, y_test: np.ndarray) -> list[float]:
    limit = {} if params.get("prune") else {"max_depth": depth}
    tree = bough.TreeClassifier(**{**params, **limit, "random_state": 0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = time.process_time()
        tree.fit(X, y)
        took = time.process_time() - began
    return [float(np.mean(tree.predict(X_test) == y_test)), tree.get_n_leaves(), terms_per_split(tree.model_), took]


def theirs(X: Any, y: np.ndarray, splits: list[list[Any]], out: dict[str, Any]) -> None:
    """The peers, each in a process of its own: nominal columns one-hot encoded, missing numbers by the median."""
    (whole,) = data_sets((X, y))
    matrix, codes = whole.matrix, whole.truth
    arrays = {}
    for s, (a, b) in enumerate(splits):
        made = with_encoding(LogisticRegression(), whole.nominal, matrix.shape[1], bool(np.isnan(matrix).any()))
        if hasattr(made, "named_steps"):
            encode = made.named_steps["encode"].fit(matrix[a])
            parts = encode.transform(matrix[a]), encode.transform(matrix[b])
        else:
            parts = matrix[a], matrix[b]
        arrays |= {f"X{s}": parts[0], f"y{s}": codes[a], f"T{s}": parts[1], f"t{s}": codes[b]}
    python = str(interpreter())
    with tempfile.TemporaryDirectory(prefix="bough-peers-") as folder:
        path = Path(folder, "arrays.npz")
        np.savez(path, **{k: np.ascontiguousarray(v) for k, v in arrays.items()})
        for peer in PEERS:
            depths = [d for d in DEPTHS if d <= SHALLOW.get(peer, d)]
            command = [python, str(Path(__file__).with_name("peers.py")), peer, str(path), str(len(splits))]
            lines, late = run([*command, *map(str, depths)])
            for depth in depths:
                of = [json.loads(line) for line in lines]
                of = [r for r in of if r["depth"] == depth]
                wrong = [r["failure"] for r in of if "failure" in r]
                if wrong or len(of) < len(splits):
                    out[str(depth)][peer] = wrong[0] if wrong else late
                else:
                    out[str(depth)][peer] = mean([r["found"] for r in of])


def run(command: list[str]) -> tuple[list[str], str]:
    """The lines that a process wrote in time, and why there are no more."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))

    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
    lines = [line for line in done.stdout.splitlines() if line.endswith("}")]
    return lines, f"more than {LIMIT} s" if done.returncode < 0 else f"ended with {done.returncode}"
