"""The forests that are compared: ours with each kind of split, and those of other libraries that are installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline

from bough import ForestClassifier
from bough.compare.measures import sizes_of

WIDE = 30  # columns above which YDF tries as many projections at a node as columns; by default it tries their square
OBLIQUE = {"standardize": True, "max_features": "sqrt"}


class YdfForest(ClassifierMixin, BaseEstimator):
    """YDF's random forest with scikit-learn's conduct, as far as a comparison needs it."""

    def __init__(
        self, split_axis: str = "AXIS_ALIGNED", n_estimators: int = 100, random_state: int | None = None
    ) -> None:
        self.split_axis = split_axis
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> YdfForest:
        import ydf

        self.classes_, codes = np.unique(y, return_inverse=True)
        columns = self._columns(X)
        oblique = {}
        if self.split_axis == "SPARSE_OBLIQUE" and len(columns) > WIDE:
            oblique = {"sparse_oblique_num_projections_exponent": 1.0}
        learner = ydf.RandomForestLearner(
            label="y",
            num_trees=self.n_estimators,
            split_axis=self.split_axis,
            max_depth=-1,
            min_examples=1,
            winner_take_all=False,
            compute_oob_performances=False,
            num_threads=1,
            random_seed=self.random_state or 0,
            **oblique,
        )
        self.model_ydf_ = learner.train({**columns, "y": codes}, verbose=0)
        return self

    @staticmethod
    def _columns(X: Any) -> dict[str, Any]:
        return {f"x{i}": column for i, column in enumerate(np.asarray(X, dtype=np.float32).T)}

    def predict_proba(self, X: Any) -> np.ndarray:
        said = np.asarray(self.model_ydf_.predict(self._columns(X)))
        return np.column_stack([1 - said, said]) if said.ndim == 1 else said

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def leaves_of(fitted: Any) -> float:
    """Leaves of all trees together."""
    last = fitted[-1] if isinstance(fitted, Pipeline) else fitted
    if isinstance(last, YdfForest):
        nodes: int = last.model_ydf_.num_nodes()
        return (nodes + last.n_estimators) / 2
    if hasattr(last, "booster_"):
        return float(sum(tree["num_leaves"] for tree in last.booster_.dump_model()["tree_info"]))
    return sizes_of(fitted)["leaves"]


def forests(trees: int, elc: bool, nominal: bool) -> dict[str, Any]:
    """By name. ``elc``: the exact search of hyperplanes, for sets small enough; ``nominal``: there are such columns."""
    n = {"n_estimators": trees}
    found: dict[str, Any] = {
        "axis": ForestClassifier(**n),
        "axis, constant columns not counted": ForestClassifier(**n, count_constant=False),
        "lda": ForestClassifier(**n, split="lda", **OBLIQUE),
        "node_means_pca": ForestClassifier(**n, split="node_means_pca", **OBLIQUE),
        "max_cut": ForestClassifier(**n, criterion="max_cut", split="node_means_pca", **OBLIQUE),
        "max_cut, all columns as they are": ForestClassifier(
            **n, criterion="max_cut", split="node_means_pca", max_features=None
        ),
        "RandomForest": RandomForestClassifier(**n),
        "ExtraTrees": ExtraTreesClassifier(**n),
    }
    if elc:
        found["elc, 3 columns drawn"] = ForestClassifier(
            **n, split="elc", split_params={"r": 2, "max_seconds": 1.0}, max_features=3, max_depth=8
        )
    if nominal:
        found["pc_ext"] = ForestClassifier(**n, nominal="pc_ext")
    if find_spec("ydf"):
        found["YDF, axis"] = YdfForest("AXIS_ALIGNED", trees)
        found["YDF, sparse oblique"] = YdfForest("SPARSE_OBLIQUE", trees)
    if find_spec("lightgbm"):
        from lightgbm import LGBMClassifier

        found["LightGBM"] = LGBMClassifier(n_estimators=trees, n_jobs=1, verbose=-1)
    return found
