"""What the page about one boosted tree tells of all of them: its round, the loss after each round, their scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .numbers import short

if TYPE_CHECKING:
    from ...model.model import Model

MOST_POINTS = 100  # of a curve


def rounds_of(model: Model, tree: int, X: Any, y: Any) -> dict[str, Any]:
    boosting = model.boosting
    assert boosting is not None
    k, scored = boosting.n_outputs, model.origin is not None and "scoring" in model.origin.parameters
    found: dict[str, Any] = {
        "at": [tree // k + 1, len(model.trees) // k],
        "w": "Score" if scored else f"Loss ({boosting.loss})",
    }
    if k > 1 and model.classes is not None:
        found["c"] = str(model.classes[tree % k])
    for key, scores in (("t", boosting.train_scores), ("v", boosting.validation_scores)):
        if len(scores) > 1:
            places = np.unique(np.linspace(0, len(scores) - 1, MOST_POINTS).round().astype(int))
            sign = 1.0 if scored else -1.0
            curve = [[int(i), short(sign * scores[i], 5)] for i in places]
            if all(value is not None for _, value in curve):
                found[key] = curve
    if found.get("v"):
        found["best"] = int(np.argmax(boosting.validation_scores))
    if X is not None and y is not None:
        found["f"] = facts_of(model, X, np.asarray(y))
    return found


def facts_of(model: Model, X: Any, y: Any) -> list[list[str]]:
    """How good all trees together are on the rows of the report, as pairs of texts."""
    outputs = model.outputs(model.columns_of(X))
    if model.classes is None:
        off = np.asarray(y, dtype=np.float64) - outputs.predictions()
        spread = float(np.var(np.asarray(y, dtype=np.float64)))
        pairs = [["Root mean square error", f"{math.sqrt(float(np.square(off).mean())):.4g}"]]
        return pairs + ([["R²", f"{1 - float(np.square(off).mean()) / spread:.4g}"]] if spread > 0 else [])
    known = {c: i for i, c in enumerate(model.classes.tolist())}
    right = np.array([known[a] for a in np.asarray(y).tolist()])
    predicted = np.array([known[a] for a in outputs.predictions().tolist()])
    sums = [
        np.log(np.maximum(shares[np.arange(len(shares)), right[part]], np.finfo(float).eps)).sum()
        for part, shares in outputs.shares_by_part()
    ]
    accuracy = float(np.mean(predicted == right))
    return [["Accuracy", f"{100 * accuracy:.4g} %"], ["Log loss", f"{-float(sum(sums)) / len(right):.4g}"]]
