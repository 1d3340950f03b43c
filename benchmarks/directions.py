"""Trees along directions: against scikit-learn's tree along the axes, against the same tree in NumPy, and
their prediction against that of an axis tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from bough import TreeClassifier, _core, system

from .measure import BUDGET, Options
from .numpy_tree import nodes
from .timing import Burst, alternate, short, timed
from .workloads import WORKLOADS, Array, DataMissing

# Times faster than scikit-learn's axis tree, one thread and portable kernels.
REQUIRED = {"100k_x_20": 40, "mnist": 14, "1m_x_20": 60, "covertype": 4}
AGAINST_NUMPY = {"node_pca": 15, "node_means_pca": 50}


def fit_of(make: Any, X: Array, y: Array) -> Burst:
    return lambda times: timed(lambda: make().fit(X, y), times)[0]


def directions(options: Options) -> dict[str, Any]:
    """Fits of max-cut-node-means-pca beside scikit-learn's axis tree."""
    found: dict[str, Any] = {}
    for name in options.wants(*REQUIRED):
        try:
            X, y = WORKLOADS[name].data(options.quick)
        except DataMissing as missing:
            found[name] = {"error": str(missing)}
            continue
        _core.use_kernels("portable")
        contestants = {
            "sklearn": fit_of(lambda: DecisionTreeClassifier(random_state=0), X, y),
            "bough": fit_of(lambda: system("max-cut-node-means-pca"), X, y),
        }
        found[name] = alternate(contestants, options.rounds(5), budget=BUDGET)
        found[name]["ratio"] = short(found[name]["sklearn"]["min"] / found[name]["bough"]["min"])
    return found


def numpy_trees(options: Options) -> dict[str, Any]:
    """The same trees in NumPy, on 10,000 rows × 20 columns of ten classes and of two."""
    from sklearn.datasets import make_classification

    found: dict[str, Any] = {}
    rows = 2_000 if options.quick else 10_000
    _core.use_kernels("portable")
    for classes in (10, 2):
        data = make_classification(rows, 20, n_informative=10, n_classes=classes, flip_y=0.01, random_state=0)
        for basis in AGAINST_NUMPY:
            timing = numpy_and_bough(*data, basis, options)
            ratio = short(timing["numpy"]["min"] / timing["bough"]["min"])
            found[f"{basis}, {classes} classes"] = {**timing, "basis": basis, "ratio": ratio}
    return found


def numpy_and_bough(X: Array, y: Array, basis: str, options: Options) -> dict[str, Any]:
    contestants: dict[str, Burst] = {
        "numpy": lambda times: timed(lambda: nodes(X, y, "max_cut", basis), times)[0],
        "bough": fit_of(lambda: TreeClassifier(criterion="max_cut", split=basis), X, y),
    }
    return alternate(contestants, options.rounds(3), budget=BUDGET)


def linear_predict(options: Options) -> dict[str, Any]:
    """Prediction of a linear tree of depth 10 beside an axis tree of that depth."""
    if not options.wants("100k_x_20"):
        return {}
    X, y = WORKLOADS["100k_x_20"].data(options.quick)
    rows = 100_000 if options.quick else 1_000_000
    many = X[np.random.default_rng(0).integers(0, len(X), rows)]
    axis = TreeClassifier(max_depth=10).fit(X, y)
    linear = TreeClassifier(max_depth=10, split="node_means_pca").fit(X, y)
    contestants: dict[str, Burst] = {
        "axis": lambda times: timed(lambda: axis.predict(many), times)[0],
        "linear": lambda times: timed(lambda: linear.predict(many), times)[0],
    }
    found: dict[str, Any] = alternate(contestants, options.rounds(7), budget=BUDGET)
    found["ratio"] = short(found["linear"]["min"] / found["axis"]["min"])
    found["rows"] = rows
    return found


SECTIONS = {"directions": directions, "numpy_trees": numpy_trees, "linear_predict": linear_predict}
