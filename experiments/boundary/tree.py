"""A plain tree for numbers with Gini: cuts are tried everywhere, at boundary points, or as the proposal first had it.

Everything is in NumPy and as simple as can be: the library itself tries all cuts, so the three ways
are compared here. Of equal gains the first column and the lowest threshold win in all three.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

WAYS = ("all", "boundary", "forgetful")
TIE = 1e-12  # gains closer than this are equal; all three ways then take the first


@dataclass
class Tree:
    """Column, threshold and children of every node; a leaf has column −1 and a class."""

    column: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    label: list[int] = field(default_factory=list)
    judged: int = 0  # cuts whose gain was computed
    possible: int = 0  # cuts between different values
    seconds: float = 0.0  # spent on judging cuts

    def predict(self, X: np.ndarray) -> np.ndarray:
        at = np.zeros(len(X), int)
        column, cut, left, right = (np.array(a) for a in (self.column, self.cut, self.left, self.right))
        while True:
            inner = np.flatnonzero(column[at] >= 0)
            if not len(inner):
                return np.array(self.label)[at]
            here = at[inner]
            at[inner] = np.where(X[inner, column[here]] <= cut[here], left[here], right[here])

    def splits(self) -> list[tuple[int, float]]:
        return list(zip(self.column, self.cut, strict=True))


def candidates(values: np.ndarray, classes: np.ndarray, way: str) -> np.ndarray:
    """Places i such that the cut after the i-th of the sorted rows is tried.

    A cut at a boundary lies between two values that hold different classes. The forgetful way compares the
    classes of the two rows beside the cut only: where a value is repeated, it forgets the other rows with it.
    """
    between = values[:-1] < values[1:]
    if way == "all":
        return np.flatnonzero(between)
    if way == "forgetful":
        return np.flatnonzero(between & (classes[:-1] != classes[1:]))
    first = np.concatenate([[0], np.flatnonzero(between) + 1])  # where each value begins
    low, high = np.minimum.reduceat(classes, first), np.maximum.reduceat(classes, first)
    mixed = low != high
    boundary = mixed[:-1] | mixed[1:] | (low[:-1] != low[1:])
    return first[1:][boundary] - 1


def best_cut(
    X: np.ndarray, y: np.ndarray, n_classes: int, way: str, least: int, tree: Tree
) -> tuple[int, float] | None:
    """The cut of largest Gini gain that leaves ``least`` rows on both sides."""
    n = len(y)
    best, found = -np.inf, None
    for c in range(X.shape[1]):
        order = np.argsort(X[:, c], kind="stable")
        values, classes = X[order, c], y[order]
        if values[0] == values[-1]:
            continue
        tree.possible += int(np.sum(values[:-1] < values[1:]))
        began = time.process_time()
        at = candidates(values, classes, way)
        at = at[(at + 1 >= least) & (n - at - 1 >= least)]
        tree.judged += len(at)
        if len(at):
            part = np.zeros(n, int)  # which of the stretches between tried cuts a row lies in
            part[at + 1] = 1
            cells = np.bincount(np.cumsum(part) * n_classes + classes, minlength=(len(at) + 1) * n_classes)
            sums = np.cumsum(cells.reshape(-1, n_classes), axis=0)
            below, above = sums[:-1], sums[-1] - sums[:-1]
            score = (below**2).sum(axis=1) / (at + 1) + (above**2).sum(axis=1) / (n - at - 1)
            i = int(np.argmax(score >= score.max() - TIE * n))
            if score[i] > best + TIE * n:
                best, found = float(score[i]), (c, (values[at[i]] + values[at[i] + 1]) / 2)
        tree.seconds += time.process_time() - began
    return found


def grow(X: np.ndarray, y: np.ndarray, way: str, least: int = 10) -> Tree:
    """A tree until nodes are pure or cannot be cut; ``least`` rows in a leaf, as mlpack has it by default."""
    if way not in WAYS:
        raise ValueError(f"way={way!r} is none of {', '.join(WAYS)}")
    n_classes = int(y.max()) + 1
    tree = Tree()
    stack = [(np.arange(len(y)), -1, False)]
    while stack:
        rows, parent, is_right = stack.pop()
        node = len(tree.column)
        if parent >= 0:
            (tree.right if is_right else tree.left)[parent] = node
        counts = np.bincount(y[rows], minlength=n_classes)
        tree.column.append(-1), tree.cut.append(0.0), tree.left.append(-1), tree.right.append(-1)
        tree.label.append(int(counts.argmax()))
        if counts.max() == len(rows) or len(rows) < 2 * least:
            continue
        found = best_cut(X[rows], y[rows], n_classes, way, least, tree)
        if found is None:
            continue
        tree.column[node], tree.cut[node] = found
        goes_left = X[rows, found[0]] <= found[1]
        stack.append((rows[~goes_left], node, True))
        stack.append((rows[goes_left], node, False))
    return tree
