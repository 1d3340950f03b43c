"""Forests of other libraries, told to do the same work as scikit-learn's: full trees, bootstrap, √columns at a node.

Run by the peer's own interpreter: `python -m benchmarks.forest_peers PEER DATA.npz TREES` prints one line of JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from .machine import pin

Array = npt.NDArray[Any]
Model = tuple[Callable[[], Any], Callable[[Any, Array], Array]]  # fit; predict with what fit gave


def snapml(X: Array, y: Array, trees: int) -> Model:
    import snapml

    table = np.ascontiguousarray(X, dtype=np.float32)
    forest = snapml.RandomForestClassifier(n_estimators=trees, n_jobs=1, use_histograms=False, random_state=0)
    return lambda: forest.fit(table, y), lambda m, new: m.predict(np.ascontiguousarray(new, dtype=np.float32))


def ydf(X: Array, y: Array, trees: int) -> Model:
    import ydf

    def columns(table: Array) -> dict[str, Array]:
        return {f"x{i}": np.ascontiguousarray(table[:, i], dtype=np.float32) for i in range(table.shape[1])}

    label = ydf.Column("y", ydf.Semantic.CATEGORICAL, min_vocab_frequency=1)
    data = ydf.create_vertical_dataset({**columns(X), "y": y}, columns=[label], include_all_columns=True)
    learner = ydf.RandomForestLearner(
        label="y",
        num_trees=trees,
        max_depth=-1,
        min_examples=1,
        winner_take_all=False,
        compute_oob_performances=False,
        num_threads=1,
    )
    return lambda: learner.train(data, verbose=0), lambda m, new: m.predict_class(columns(new)).astype(np.int64)


def lightgbm(X: Array, y: Array, trees: int) -> Model:
    import lightgbm

    classes = int(y.max()) + 1
    params = {
        "boosting": "rf",
        "objective": "binary" if classes == 2 else "multiclass",
        "num_class": 1 if classes == 2 else classes,
        "num_leaves": min(len(X), 131_072),
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "min_gain_to_split": 1e-6,
        "bagging_fraction": 0.632,
        "bagging_freq": 1,
        "feature_fraction_bynode": X.shape[1] ** -0.5,
        "histogram_pool_size": 1,
        "num_threads": 1,
        "verbosity": -1,
    }
    return (
        lambda: lightgbm.train(params, lightgbm.Dataset(X, y), num_boost_round=trees),
        lambda m, new: classes_said(np.asarray(m.predict(new))),
    )


def xgboost(X: Array, y: Array, trees: int) -> Model:
    import xgboost

    classes = int(y.max()) + 1
    params = {
        "objective": "binary:logistic" if classes == 2 else "multi:softprob",
        "num_parallel_tree": trees,
        "tree_method": "hist",  # its exact method draws no columns at a node
        "max_depth": 0,
        "min_child_weight": 0,
        "lambda": 0,
        "learning_rate": 1,
        "subsample": 0.632,
        "colsample_bynode": X.shape[1] ** -0.5,
        "nthread": 1,
    } | ({} if classes == 2 else {"num_class": classes})
    return (
        lambda: xgboost.train(params, xgboost.DMatrix(X, y, nthread=1), num_boost_round=1),
        lambda m, new: classes_said(m.predict(xgboost.DMatrix(new, nthread=1))),
    )


def classes_said(shares: Array) -> Array:
    return (shares > 0.5).astype(np.int64) if shares.ndim == 1 else shares.argmax(axis=1)


# by name: the package, the function (none: R's, see ranger.R), and how near to the same work it is
FOREST_PEERS: dict[str, tuple[str, Callable[[Array, Array, int], Model] | None, str]] = {
    "SnapML": ("snapml", snapml, "exact, float32, bootstrap; conversion not timed"),
    "YDF": ("ydf", ydf, "exact, float32, bootstrap, information gain; conversion not timed"),
    "ranger": ("ranger", None, "exact, bootstrap, a vote for each tree"),
    "XGBoost": ("xgboost", xgboost, "256 bins, float32, 63 % of the rows, a tree for each class"),
    "LightGBM": ("lightgbm", lightgbm, "255 bins, 63 % of the rows, a tree for each class"),
}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    pin(1)
    name, path, trees = sys.argv[1:]
    package, make, _ = FOREST_PEERS[name]
    assert make is not None
    with np.load(path) as data:
        X, y, new, truth = data["X"], data["y"], data["new"], data["truth"]
    fit, predict = make(X, y, int(trees))
    began = time.process_time()
    model = fit()
    fitted = time.process_time()
    said = predict(model, new)
    ended = time.process_time()
    score = float(np.mean(np.asarray(said).ravel() == truth))
    found = {"fit": fitted - began, "predict": ended - fitted, "score": score, "version": version(package)}
    print(json.dumps(found), file=answers)


if __name__ == "__main__":
    main()
