"""The plainest tree whose predictions rise or fall with some columns: every cut of every node is tried."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def predictions(X, y, w, signs, max_depth, least, prices=None):
    """What a regression tree predicts for its training rows; a cut may go no way that the signs forbid, and a column
    costs its price once on a path."""
    found = np.empty(len(y))
    stack = [(np.arange(len(y)), 0, -np.inf, np.inf, np.zeros(X.shape[1]) if prices is None else np.array(prices))]
    while stack:
        rows, depth, low, high, costs = stack.pop()
        best = best_cut(X[rows], y[rows], w[rows], signs, low, high, least, costs) if depth < max_depth else None
        if best is None:
            found[rows] = np.clip(np.average(y[rows], weights=w[rows]), low, high)
            continue
        column, cut, left, right = best
        goes_left, middle = X[rows, column] <= cut, (left + right) / 2
        ends = [(low, high), (low, high)]
        if signs[column] > 0:
            ends = [(low, middle), (middle, high)]
        elif signs[column] < 0:
            ends = [(middle, high), (low, middle)]
        paid = np.where(np.arange(len(costs)) == column, 0, costs)
        stack.append((rows[goes_left], depth + 1, *ends[0], paid))
        stack.append((rows[~goes_left], depth + 1, *ends[1], paid))
    return found


def best_cut(X, y, w, signs, low, high, least, costs):
    best, most = None, 0.0
    for column in range(X.shape[1]):
        numbers = np.unique(X[:, column])
        for below, above in pairwise(numbers):
            side = X[:, column] <= below
            if min(side.sum(), (~side).sum()) < least:
                continue
            left, right = np.average(y[side], weights=w[side]), np.average(y[~side], weights=w[~side])
            outside = min(left, right) < low or max(left, right) > high
            if signs[column] != 0 and (outside or (right - left) * signs[column] < 0):
                continue
            gain = w[side].sum() * w[~side].sum() / w.sum() ** 2 * (left - right) ** 2 - costs[column]
            if gain > most * (1 + 1e-12):
                best, most = (column, (below + above) / 2, left, right), gain
    return best
