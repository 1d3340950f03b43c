"""Which nominal columns tell together what none of them tells by itself: the search behind ``JoinColumns("auto")``."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import f as f_distribution

from ..errors import ParameterError, shown

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
LEAST_F = 1.5  # of a joined column, and of what it has beyond its parts; without any relation it is 1 on average
ALPHA = 0.01  # of the p-values of all pairs together
MOST_VALUES = 1000  # of both columns together: their sum is fitted by a square system of so many unknowns


class Join(NamedTuple):
    """Two columns that belong together.

    ``f`` compares what the joined column explains beyond the sum of its parts with what is left, each for one degree of
    freedom; ``p`` is its p-value.
    """

    columns: tuple[int, int]
    f: float
    p: float


def targets(y: Any, n: int) -> Floats:
    """The target as columns of numbers that sum to 0: one for each class, or the numbers themselves."""
    from sklearn.utils.multiclass import type_of_target

    if y is None:
        raise ParameterError('columns="auto" looks for columns that tell something about y; give y to fit.')
    target = np.asarray(y)
    if target.shape != (n,):
        raise ParameterError(f"y has shape {target.shape}; it must have one value for each of the {n} rows.")
    kind = type_of_target(target)
    if kind == "continuous":
        found = target.astype(np.float64).reshape(-1, 1)
    elif kind in ("binary", "multiclass"):
        found = np.eye(len(seen := np.unique(target)))[np.searchsorted(seen, target)]
    else:
        raise ParameterError(f"y is {shown(y)}; it must hold classes or numbers.")
    centered: Floats = found - found.mean(axis=0)
    return centered


def sums(codes: Codes, values: int, y: Floats) -> Floats:
    """Sums of the targets of the rows of each value."""
    return np.column_stack([np.bincount(codes, column, values) for column in y.T])


def explained(codes: Codes, y: Floats) -> tuple[float, int]:
    """The sum of squares between the values of a column, and how many values there are."""
    counts = np.bincount(codes)
    there = counts > 0
    return float((np.square(sums(codes, len(counts), y)).sum(axis=1)[there] / counts[there]).sum()), int(there.sum())


def explained_by_sum(a: Codes, b: Codes, y: Floats) -> float:
    """The sum of squares that two columns explain if what one value adds does not depend on the other column."""
    n_a, n_b = int(a.max()) + 1, int(b.max()) + 1
    both = np.bincount(a * n_b + b, minlength=n_a * n_b).reshape(n_a, n_b).astype(np.float64)
    system = np.block([[np.diag(both.sum(axis=1)), both], [both.T, np.diag(both.sum(axis=0))]])
    right = np.vstack([sums(a, n_a, y), sums(b, n_b, y)])
    return float((np.linalg.lstsq(system, right, rcond=None)[0] * right).sum())


def joined(a: Codes, b: Codes) -> Codes:
    """The combinations of two columns, numbered."""
    found: Codes = np.unique(a * (int(b.max()) + 1) + b, return_inverse=True)[1].reshape(-1)
    return found


def judged(pair: tuple[int, int], a: Codes, b: Codes, y: Floats) -> Join | None:
    """What two columns tell together; None where that is no more than chance."""
    n, k = len(y), max(1, y.shape[1] - 1)
    if int(a.max()) + int(b.max()) + 2 > MOST_VALUES:
        return None
    total = float(np.square(y).sum())
    (both, n_both), (_, n_a), (_, n_b) = (explained(c, y) for c in (joined(a, b), a, b))
    more, left = n_both - n_a - n_b + 1, n - n_both
    if more < 1 or left < 1 or total <= 0 or both / total * (n - 1) / (n_both - 1) < LEAST_F:
        return None
    rest = max(0.0, total - both)
    gained = max(0.0, both - explained_by_sum(a, b, y))
    f = gained / more / (rest / left) if rest > 1e-12 * total else np.inf if gained > 1e-12 * total else 0.0
    return Join(pair, float(f), float(f_distribution.sf(f, more * k, left * k)))


def search(columns: dict[int, Codes], y: Floats, most: int) -> list[Join]:
    """The pairs of columns that tell most beyond their parts, the surest first."""
    pairs = list(combinations(sorted(columns), 2))
    tried = [judged(p, columns[p[0]], columns[p[1]], y) for p in pairs]
    sure = [j for j in tried if j is not None and j.f >= LEAST_F and j.p * len(pairs) <= ALPHA]
    return sorted(sure, key=lambda j: (-j.f, j.columns))[:most]
