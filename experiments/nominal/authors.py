"""Trees by two rules of the author's program that bough does not have, grown node by node from trees of one split."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

LEAST_LOG_P = np.log(2.0**-53)  # below it 1 − cdf is 0


class Grown:
    """A tree each of whose nodes is split by a rule; ``rule()`` makes one, which is fitted to the rows of its node."""

    def __init__(self, rule: Any, depth: int) -> None:
        self.rule = rule
        self.depth = depth

    def fit(self, X: Any, y: Any) -> None:
        self.answers: list[int] = []
        self.splits: dict[int, tuple[Any, list[int]]] = {}  # of a node: its rule, and its children by side
        todo = [(np.arange(len(y)), 0, None, 0)]  # rows, depth, and whose child on which side
        for rows, depth, parent, side in todo:
            node = len(self.answers)
            self.answers.append(int(np.bincount(y[rows]).argmax()))
            if parent is not None:
                self.splits[parent][1][side] = node
            if depth == self.depth or (y[rows] == y[rows[0]]).all():
                continue
            own, rule = X.iloc[rows], self.rule()
            if not rule.fit(own, y[rows]):
                continue
            sides = rule.sides(own)
            self.splits[node] = (rule, [node, node])
            todo += [(rows[sides == s], depth + 1, node, s) for s in (0, 1)]

    def predict(self, X: Any) -> np.ndarray:
        at = np.zeros(len(X), dtype=int)
        for node, (rule, children) in self.splits.items():  # a parent comes before its children
            rows = np.flatnonzero(at == node)
            if len(rows):
                sides = rule.sides(X.iloc[rows])
                at[rows] = np.where(sides < 0, node, np.take(children, sides))
        return np.array(self.answers)[at]


class Split:
    """A tree of one split, as a rule: a value that the split does not know stays (−1)."""

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    def fit(self, X: Any, y: Any) -> bool:
        self.columns = list(X.columns)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* looks like an id")  # in a small node
            return self.tree.fit(X, y).get_n_leaves() > 1

    def sides(self, X: Any) -> np.ndarray:
        return self.tree.apply(X[self.columns]) - 1


class FirstOfTheSure(Split):
    """Of the columns whose p-value is 0, computed as 1 − cdf, the first in the file is split; where there is none, the
    surest."""

    def fit(self, X: Any, y: Any) -> bool:
        if not super().fit(X, y):
            return False
        sure = np.flatnonzero(self.tree.model_.log_p_values[0] < LEAST_LOG_P)
        return not len(sure) or super().fit(X[[X.columns[sure[0]]]], y)


class CutsInside(Split):
    """χ² as the author's program cuts numeric columns: it goes through the rows by value and class and remembers the
    value on the left only where a cut was the best so far. A cut inside a run of equal values can win; the threshold
    then lies halfway to a value further left."""

    def fit(self, X: Any, y: Any) -> bool:
        numeric = [c for c in X.columns if not isinstance(X[c].dtype, pd.CategoricalDtype)]
        found = super().fit(X.drop(columns=numeric), y)
        gain = self.tree.model_.nodes()[0].gain if found else -np.inf
        score, self.at, column = max((*best_of_scan(X[c].to_numpy(), y), c) for c in numeric)
        self.column = column if score > gain else None
        return found or self.column is not None

    def sides(self, X: Any) -> np.ndarray:
        return super().sides(X) if self.column is None else (X[self.column].to_numpy() > self.at).astype(int)


def best_of_scan(values: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """χ² and threshold of the cut that the scan ends with; −∞ where all values are one."""
    order = np.lexsort((y, values))
    values, n = values[order], len(y)
    left = np.cumsum(np.eye(y.max() + 1)[y[order]], axis=0)
    left, total = left[:-1], left[-1]
    rows = np.arange(1, n)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = (left - rows * total / n) ** 2 * n / total * (1 / rows + 1 / (n - rows))
    score = np.where(total > 0, parts, 0).sum(axis=1)
    best, at, seen = -np.inf, -np.inf, values[0]
    for value, s in zip(values[1:].tolist(), score.tolist(), strict=True):
        if s > best and value != seen:
            best, at, seen = s, (seen + value) / 2, value
    return best, at
