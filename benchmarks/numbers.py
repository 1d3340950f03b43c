"""Trees for numbers, random splits and components of all rows, each beside scikit-learn's tree of the same work; one
thread, portable kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

from bough import ForestRegressor, TreeClassifier, TreeRegressor, _core

from .measure import BUDGET, Options
from .timing import Burst, alternate, short, timed
from .workloads import WORKLOADS, Array, Data, DataMissing

# rows, columns: times faster than scikit-learn, fully grown and of depth 6
REGRESSION = {(1_000, 10): (6, 6), (50_000, 20): (10, 12), (200_000, 10): (10, 12)}
LOSSES = {"squared_error": 8, "poisson": 8, "absolute_error": 3}  # times faster than scikit-learn
PREDICTION = 2
FOREST = 6  # times scikit-learn's random forest of numbers
RANDOM = 1  # times scikit-learn's random splitter, all columns drawn
MOST_AXIS_TREES = 6  # that a tree along the components of all rows may cost


def smooth(rows: int, columns: int) -> Data:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return X, 2 * X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3] + rng.normal(size=rows) / 2


def fit_of(tree: Any, X: Array, y: Array) -> Burst:
    return lambda times: timed(lambda: tree.fit(X, y), times)[0]


def prediction_of(tree: Any, X: Array) -> Burst:
    return lambda times: timed(lambda: tree.predict(X), times)[0]


def beside(contestants: dict[str, Burst], rounds: int, times: int = 1) -> dict[str, Any]:
    found: dict[str, Any] = alternate(contestants, rounds, times, budget=BUDGET)
    first, second = (found[name]["min"] for name in contestants)
    return {**found, "ratio": short(first / second)}


def regression(options: Options) -> dict[str, Any]:
    """Fits and predictions of regression trees."""
    found: dict[str, Any] = {}
    _core.use_kernels("portable")
    for rows, columns in REGRESSION:
        X, y = smooth(rows // 10 if options.quick and rows > 1000 else rows, columns)
        times = 20 if rows == 1000 else 1
        for what, depth in (("full", None), ("depth 6", 6)):
            theirs, ours = DecisionTreeRegressor(max_depth=depth, random_state=0), TreeRegressor(max_depth=depth)
            trees = {"sklearn": theirs, "bough": ours}
            fits = beside({name: fit_of(t, X, y) for name, t in trees.items()}, options.rounds(5), times)
            answers = beside({name: prediction_of(t, X) for name, t in trees.items()}, options.rounds(5), times)
            found[f"{rows:,} × {columns}, {what}"] = {
                **fits,
                "predict": answers,
                "required": REGRESSION[rows, columns][depth is not None],
            }
    return found


def losses(options: Options) -> dict[str, Any]:
    """Fits by each criterion that scikit-learn has, of counts that every column tells something about."""
    found: dict[str, Any] = {}
    _core.use_kernels("portable")
    for rows, columns in ((1_000, 10), (5_000, 10), (20_000, 10)):
        X, y = smooth(rows // 10 if options.quick else rows, columns)
        y = np.random.default_rng(1).poisson(np.exp(y / 3)).astype(np.float64)
        for criterion, required in LOSSES.items():
            for what, depth in (("full", None), ("depth 6", 6)):
                given: dict[str, Any] = {"criterion": criterion, "max_depth": depth}
                trees = {"sklearn": DecisionTreeRegressor(**given, random_state=0), "bough": TreeRegressor(**given)}
                fits = beside({name: fit_of(t, X, y) for name, t in trees.items()}, options.rounds(5))
                found[f"{criterion}, {rows:,} × {columns}, {what}"] = {**fits, "required": required}
    return found


def regression_forests(options: Options) -> dict[str, Any]:
    """Forests of ten fully grown regression trees; what a forest of a hundred does, ten times."""
    found: dict[str, Any] = {}
    _core.use_kernels("portable")
    X, y = smooth(2_000 if options.quick else 50_000, 20)
    for draws in ("sqrt", 1.0):
        given: dict[str, Any] = {"n_estimators": 10, "max_features": draws, "random_state": 0, "n_jobs": 1}
        forests = {"sklearn": RandomForestRegressor(**given), "bough": ForestRegressor(**given)}
        fits = beside({name: fit_of(f, X, y) for name, f in forests.items()}, options.rounds(3))
        answers = beside({name: prediction_of(f, X) for name, f in forests.items()}, options.rounds(3))
        found[f"50,000 × 20, 10 trees, max_features={draws!r}"] = {**fits, "predict": answers, "required": FOREST}
    return found


def random_splits(options: Options) -> dict[str, Any]:
    """Fits with random thresholds, all columns drawn, beside scikit-learn's random splitter."""
    from sklearn.datasets import make_classification

    rows = 2_000 if options.quick else 20_000
    X, y = make_classification(rows, 20, n_informative=10, random_state=0)
    works: dict[str, tuple[Any, Any, Any]] = {
        "2 classes": (ExtraTreeClassifier, TreeClassifier, y),
        "numbers": (ExtraTreeRegressor, TreeRegressor, smooth(rows, 20)[1] + X[:, 0]),
    }
    found: dict[str, Any] = {}
    _core.use_kernels("portable")
    for what, (theirs, ours, target) in works.items():
        contestants = {
            "sklearn": fit_of(theirs(max_features=None, random_state=0), X, target),
            "bough": fit_of(ours(split="random", split_params={"candidates": 20}, random_state=0), X, target),
        }
        found[f"{rows:,} × 20, {what}"] = beside(contestants, options.rounds(7))
    return found


def components(options: Options) -> dict[str, Any]:
    """A tree along the components of all rows beside an axis tree of bough's own."""
    found: dict[str, Any] = {}
    _core.use_kernels("portable")
    for name in options.wants("100k_x_20", "mnist"):
        try:
            X, y = WORKLOADS[name].data(options.quick)
        except DataMissing as missing:
            found[name] = {"error": str(missing)}
            continue
        contestants = {"pca": fit_of(TreeClassifier(split="pca"), X, y), "axis": fit_of(TreeClassifier(), X, y)}
        found[name] = beside(contestants, options.rounds(3))
    return found


SECTIONS = {
    "regression": regression,
    "losses": losses,
    "regression_forests": regression_forests,
    "random_splits": random_splits,
    "components": components,
}
