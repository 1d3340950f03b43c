"""Numbers as they stand in the page: short, and never other than they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def short(x: float, digits: int = 6) -> float | int | None:
    """A number with few digits, as short as JSON allows; None for what JSON has no word for."""
    if not math.isfinite(x):
        return None
    y = float(f"{x:.{digits}g}")
    if math.isinf(y):  # the largest numbers are rounded to one that float64 does not hold
        return x
    return int(y) if y == int(y) and abs(y) < 1e15 else y


def exact(x: float) -> float | int | str:
    """A number that is read back as it was. JSON has no infinity; the page knows the word."""
    if math.isinf(x):
        return "inf"
    return int(x) if x == int(x) and abs(x) < 1e15 else x


def sparse(weights: Any) -> list[float | int | None]:
    """[class, weight, class, weight, …] of the classes that are there."""
    out: list[float | int | None] = []
    for k in np.flatnonzero(weights).tolist():
        out += [k, short(float(weights[k]), 9)]
    return out
