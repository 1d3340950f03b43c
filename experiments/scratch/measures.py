"""The seven measures and the depth, from what was kept of each fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .run import KEPT, MODELS

Fold = dict[str, float]


def ratio(a: float, b: float) -> float:
    return a / b if b else 0.0


MEASURES: dict[str, Callable[[Fold], float]] = {
    "accuracy": lambda f: (f["tp"] + f["tn"]) / (f["tp"] + f["fp"] + f["fn"] + f["tn"]),
    "f1": lambda f: ratio(2 * f["tp"], 2 * f["tp"] + f["fp"] + f["fn"]),
    "precision": lambda f: ratio(f["tp"], f["tp"] + f["fp"]),
    "recall": lambda f: ratio(f["tp"], f["tp"] + f["fn"]),
    "fit": lambda f: f["fit"],
    "predict": lambda f: f["predict"],
    "depth": lambda f: f["depth"],
    "bytes": lambda f: f["bytes"],
}


def curve(case: dict[str, Any], model: str, measure: str) -> np.ndarray:
    """The measure's mean over the folds, for every minimum in order."""
    of = MEASURES[measure]
    return np.array(
        [np.mean([of(dict(zip(KEPT, fold, strict=True))) for fold in case[m][model]]) for m in sorted(case, key=int)]
    )


def curves(case: dict[str, Any], measure: str) -> tuple[np.ndarray, np.ndarray]:
    """Ours and scikit-learn's."""
    ours, theirs = (curve(case, model, measure) for model in MODELS)
    return ours, theirs
