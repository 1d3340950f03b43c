"""What is measured of a fitted system: how right it is, how sure, how large, how fast.

Scores are computed from counts and ranks in NumPy: a fold of a small table takes less time than one call of
scikit-learn's metrics, which tests hold equal to these.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from ..errors import ParameterError, shown
from ..model.splits import KINDS
from ..registry import did_you_mean

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
LINEAR = KINDS.index("linear")


@dataclass(frozen=True)
class Measure:
    """A measure: how it is called, whether larger is better, and scikit-learn's scorer for choosing by it."""

    name: str
    title: str
    larger: bool
    scorer: str | None = None

    @property
    def sign(self) -> float:
        """What makes larger better: 1 or −1."""
        return 1.0 if self.larger else -1.0


CLASSIFICATION = [
    Measure("accuracy", "accuracy", True, "accuracy"),
    Measure("balanced_accuracy", "balanced accuracy", True, "balanced_accuracy"),
    Measure("precision", "precision, mean of the classes", True, "precision_macro"),
    Measure("recall", "recall, mean of the classes", True, "recall_macro"),
    Measure("f1", "F1, mean of the classes", True, "f1_macro"),
    Measure("log_loss", "log-loss", False, "neg_log_loss"),
    Measure("auc", "area under the ROC curve", True, "roc_auc_ovr"),
    Measure("brier", "Brier score", False, None),
]
# Of the class that `compare(positive=…)` names.
POSITIVE = [
    Measure("positive_precision", "precision of the positive class", True),
    Measure("positive_recall", "recall of the positive class", True),
    Measure("positive_f1", "F1 of the positive class", True),
]
REGRESSION = [
    Measure("r2", "R²", True, "r2"),
    Measure("rmse", "root mean squared error", False, "neg_root_mean_squared_error"),
    Measure("mae", "mean absolute error", False, "neg_mean_absolute_error"),
]
SIZES = [
    Measure("leaves", "leaves", False),
    Measure("depth", "depth", False),
    Measure("terms", "terms per split", False),
    Measure("bytes", "bytes of the model", False),
]
TIMES = [
    Measure("fit_seconds", "seconds to fit (processor)", False),
    Measure("predict_seconds", "seconds to predict (processor)", False),
    Measure("fit_wall", "seconds to fit (wall clock)", False),
    Measure("predict_wall", "seconds to predict (wall clock)", False),
]
MEASURES = {m.name: m for m in [*CLASSIFICATION, *POSITIVE, *REGRESSION, *SIZES, *TIMES]}


def find_measure(name: str, task: str) -> Measure:
    """The measure of that name for a task, or an error that names the nearest one."""
    scores = REGRESSION if task == "regression" else [*CLASSIFICATION, *POSITIVE]
    known = {m.name: m for m in [*scores, *SIZES, *TIMES]}
    if name not in known:
        near = did_you_mean(str(name), known)
        raise ParameterError(f"there is no measure {shown(name)} for {task}{near} Measures: {', '.join(known)}.")
    return known[name]


# ---- scores -----------------------------------------------------------------------------------------


def class_scores(
    truth: Codes, predicted: Codes, proba: Floats | None, k: int, positive: int | None = None
) -> dict[str, float]:
    """Scores of predicted classes, all given as numbers 0 … k−1; a predicted −1 is a class that is not known.

    Means over classes are over those that occur in ``truth`` or ``predicted``, as in scikit-learn; balanced
    accuracy over those in ``truth``. Of the class ``positive`` there are scores of its own.
    """
    n = len(truth)
    right = truth == predicted
    hits = np.bincount(truth[right], minlength=k).astype(float)
    true = np.bincount(truth, minlength=k).astype(float)
    said = np.bincount(predicted[predicted >= 0], minlength=k).astype(float)
    there = (true > 0) | (said > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = np.nan_to_num(hits / said), np.nan_to_num(hits / true)
        f1 = 2 * hits / (true + said)
    out = {
        "accuracy": float(right.mean()),
        "balanced_accuracy": float(recall[true > 0].mean()),
        "precision": float(precision[there].mean()),
        "recall": float(recall[there].mean()),
        "f1": float(f1[there].mean()),
    }
    if positive is not None:
        each = {"precision": precision, "recall": recall, "f1": np.nan_to_num(f1)}
        out |= {f"positive_{name}": float(v[positive]) for name, v in each.items()}
    if proba is not None:
        own = proba[np.arange(n), truth]
        tiny = np.finfo(np.float64).eps
        out["log_loss"] = float(-np.log(np.clip(own, tiny, 1 - tiny)).mean())
        out["brier"] = float(((proba**2).sum(axis=1) - 2 * own + 1).mean()) / (2 if k == 2 else 1)
        out["auc"] = area_under_curve(truth, proba, true)
    return out


def area_under_curve(truth: Codes, proba: Floats, counts: Floats) -> float:
    """The mean over classes of the area under one-against-the-rest curves; NaN where a class does not occur."""
    if (counts == 0).any():
        return float("nan")
    n, k = proba.shape
    columns = [1] if k == 2 else range(k)
    areas = []
    for c in columns:
        positive = counts[c]
        ranks = rankdata(proba[:, c])
        above = float(ranks[truth == c].sum()) - positive * (positive + 1) / 2
        areas.append(above / (positive * (n - positive)))
    return float(np.mean(areas))


def number_scores(truth: Floats, predicted: Floats) -> dict[str, float]:
    """Scores of predicted numbers."""
    errors = predicted - truth
    spread = float(np.square(truth - truth.mean()).sum())
    squares = float(np.square(errors).sum())
    return {
        "r2": 1 - squares / spread if spread > 0 else float("nan"),
        "rmse": float(np.sqrt(squares / len(truth))),
        "mae": float(np.abs(errors).mean()),
    }


# ---- sizes ------------------------------------------------------------------------------------------


def sizes_of(fitted: Any) -> dict[str, float]:
    """Leaves, depth, terms per split and bytes of a fitted estimator; NaN for what it does not have."""
    last = fitted
    while hasattr(last, "best_estimator_") or hasattr(last, "steps"):
        last = getattr(last, "best_estimator_", None) or last.steps[-1][1]
    model = getattr(last, "model_", None)
    if model is not None and hasattr(model, "to_bytes"):
        return {
            "leaves": float(sum(t.n_leaves for t in model.trees)),
            "depth": float(max(t.max_depth for t in model.trees)),
            "terms": terms_per_split(model),
            "bytes": float(len(model.to_bytes())),
        }
    out = {"leaves": float("nan"), "depth": float("nan"), "terms": float("nan")}
    trees = [t for t in np.ravel(getattr(last, "estimators_", [])) if hasattr(t, "get_n_leaves")]
    if hasattr(last, "get_n_leaves"):
        trees = [last]
    if trees:
        out = {"leaves": float(sum(t.get_n_leaves() for t in trees)), "depth": float(max(t.get_depth() for t in trees))}
        out["terms"] = 1.0 if out["leaves"] > len(trees) else 0.0
    return {**out, "bytes": pickled_bytes(fitted)}


def pickled_bytes(fitted: Any) -> float:
    """Bytes of a pickle; NaN for what cannot be pickled, such as a class that a notebook defines within a function."""
    try:
        return float(len(pickle.dumps(fitted)))
    except (pickle.PicklingError, AttributeError, TypeError):
        return float("nan")


def terms_in(parts: dict[str, Any]) -> int:
    """Columns of the linear splits; one with a score for each of its values counts once."""
    node = np.repeat(np.arange(len(parts["term_counts"])), parts["term_counts"])
    return len(np.unique(np.stack([node, parts["term_columns"]]), axis=1).T)


def terms_per_split(model: Any) -> float:
    """Columns that a split looks at, on average; 0 where there is none."""
    splits = terms = 0
    for tree in model.trees:
        parts = tree.parts()
        inner = int((parts["kinds"] != 0).sum())
        splits += inner
        terms += inner - int((parts["kinds"] == LINEAR).sum()) + terms_in(parts)
    return terms / splits if splits else 0.0
