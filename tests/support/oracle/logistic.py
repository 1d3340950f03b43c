"""The logistic model with a ridge by which linear splits of few columns are found."""

from __future__ import annotations

import math

import numpy as np

RIDGE, STEPS, SETTLED = 1e-3, 8, 2**-20


def score(z, weight, slope, curve):
    """The score statistic of one more column."""
    n = len(z)
    variance = float(weight @ z**2) / n - (float(weight @ z) / n) ** 2
    information = float(curve @ z**2) - float(curve @ z) ** 2 / float(curve.sum())
    if variance < 1e-10 or information < 1e-7 * n * variance:
        return 0.0
    return float(slope @ z) ** 2 / (information + RIDGE * n * variance)


def newton(x, weight, right, b):
    """Coefficients of the ridge logistic model, and its slopes and curvatures at the rows."""
    n = len(x)
    variance = weight @ x**2 / n - (weight @ x / n) ** 2
    ridge = RIDGE * n * np.maximum(variance, 1e-10)
    ridge[0] = 0
    move, promised = np.zeros(len(b)), math.inf
    for step in range(STEPS + 1):
        p = 1 / (1 + np.exp(-np.clip(x @ b, -40, 40)))
        slope, curve = weight * (right - p), weight * np.maximum(p * (1 - p), 1e-6)
        g = x.T @ slope - ridge * b
        if step == STEPS:
            break
        if g @ move < -promised:
            move, promised = move / 2, promised / 2
            b = b - move
            continue
        h = x.T @ (x * curve[:, None]) + np.diag(ridge + 1e-10 * n)
        move = np.linalg.solve(h, g)
        promised = g @ move
        if promised < 2 * SETTLED * n:
            break
        b = b + move
    return b, slope, curve
