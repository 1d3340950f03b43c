"""How well predictions fit rows, partition by partition: sums that add up."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..estimators.classifier import labels_of
from .engine import Part
from .look import numbers_of, weights_or_zero


class Score(NamedTuple):
    """Sums over rows; the numbers of rows that are predicted right, or of a regression moments of target and error."""

    rows: int = 0
    weight: float = 0.0
    right: float = 0.0  # weight of the rows whose class is predicted
    mean: float = 0.0  # of the target
    spread: float = 0.0  # Σ w·(y − mean)²
    error: float = 0.0  # Σ w·(y − prediction)²

    @property
    def accuracy(self) -> float:
        return self.right / self.weight

    @property
    def r2(self) -> float:
        if self.spread == 0:
            return 1.0 if self.error == 0 else 0.0
        return 1 - self.error / self.spread

    @property
    def rmse(self) -> float:
        return math.sqrt(self.error / self.weight)

    def __add__(self, other: Any) -> Score:
        weight = self.weight + other.weight
        if not self.weight or not other.weight:
            return self if self.weight else other
        apart = other.mean - self.mean
        return Score(
            self.rows + other.rows,
            weight,
            self.right + other.right,
            self.mean + apart * other.weight / weight,
            self.spread + other.spread + apart**2 * self.weight * other.weight / weight,
            self.error + other.error,
        )


def score_of(parts: list[Part], estimator: Any) -> Score:
    """The score of one part, where it lies."""
    rows = parts[0].rows()
    n = len(rows.table)
    if n == 0:
        return Score()
    given = weights_or_zero(rows.weights, n)
    w = np.ones(n) if given is None else given
    total = float(w.sum())
    if total == 0:
        return Score()
    predicted = estimator.predict(rows.table)
    if hasattr(estimator, "classes_"):
        return Score(n, total, float(w[predicted == labels_of(rows.y)].sum()))
    numbers = numbers_of(rows.y, n)
    mean = float(w @ numbers) / total
    return Score(n, total, 0.0, mean, float(w @ (numbers - mean) ** 2), float(w @ (numbers - predicted) ** 2))
