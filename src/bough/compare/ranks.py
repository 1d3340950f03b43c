"""Systems on many data sets: average ranks, Friedman's test, Nemenyi's critical difference, Holm against the best,
wins, ties and losses (Demšar 2006). The distributions and Nemenyi's p-values come from SciPy and scikit-posthocs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from ..errors import ParameterError
from .extra import needs
from .statistics import holm

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ranks:
    """What many data sets say together. Rank 1 is the best; ties share their ranks.

    ``friedman`` and ``iman_davenport`` are (statistic, p-value); ``critical_difference`` is Nemenyi's at
    ``alpha``; ``nemenyi`` are its p-values of all pairs; ``against_best`` those of each system against the one
    with the best average rank, by Holm's method.
    """

    systems: list[str]
    n_data: int
    average: dict[str, float]
    friedman: tuple[float, float]
    iman_davenport: tuple[float, float]
    alpha: float
    critical_difference: float
    nemenyi: Floats
    against_best: dict[str, float]

    @property
    def best(self) -> str:
        return min(self.systems, key=lambda s: self.average[s])

    def groups(self) -> list[list[str]]:
        """Maximal sets of systems whose average ranks lie within the critical difference, the best first."""
        order = sorted(self.systems, key=lambda s: self.average[s])
        found: list[list[str]] = []
        last_end = 0
        for i, first in enumerate(order):
            end = i
            while end < len(order) and self.average[order[end]] - self.average[first] <= self.critical_difference:
                end += 1
            if end - i > 1 and end > last_end:
                found.append(order[i:end])
                last_end = end
        return found


def ranks_of(means: Mapping[str, Sequence[float]], alpha: float = 0.05) -> Ranks:
    """Ranks of systems from their averages on the same data sets; larger is better, NaN (it failed) is last.

    Examples
    --------
    >>> from bough.compare.ranks import ranks_of
    >>> found = ranks_of({"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.7, 0.8], "c": [0.1, 0.2, 0.3, 0.4]})
    >>> found.average
    {'a': 1.125, 'b': 1.875, 'c': 3.0}
    """
    systems = list(means)
    table = np.array([means[s] for s in systems], float).T
    if table.ndim != 2 or len(systems) < 2 or len(table) < 2:
        raise ParameterError(f"ranks need at least 2 systems and 2 data sets; the table is {table.shape[::-1]}.")
    table = np.where(np.isnan(table), -np.inf, table)
    each = stats.rankdata(-table, axis=1)
    average = each.mean(axis=0)
    n, k = each.shape
    statistic, p = friedman(each)
    error = math.sqrt(k * (k + 1) / (6 * n))
    best = int(np.argmin(average))
    others = [i for i in range(k) if i != best]
    corrected = holm([2 * float(stats.norm.sf(abs(average[i] - average[best]) / error)) for i in others])
    return Ranks(
        systems,
        n,
        dict(zip(systems, average.tolist(), strict=True)),
        (statistic, p),
        iman_davenport(statistic, n, k),
        alpha,
        critical_difference(k, n, alpha),
        nemenyi(each),
        {systems[i]: q for i, q in zip(others, corrected, strict=True)},
    )


def friedman(each: Floats) -> tuple[float, float]:
    """Friedman's χ² of ranks, corrected for ties, and its p-value; NaN for two systems, where there is no such test."""
    if each.shape[1] < 3:
        return math.nan, math.nan
    found = stats.friedmanchisquare(*each.T)
    return float(found.statistic), float(found.pvalue)


def iman_davenport(statistic: float, n: int, k: int) -> tuple[float, float]:
    """The less conservative F of Iman and Davenport (1980), and its p-value."""
    room = n * (k - 1) - statistic
    if math.isnan(statistic):
        return math.nan, math.nan
    if room <= 1e-12 * n * k:
        return math.inf, 0.0
    f = (n - 1) * statistic / room
    return f, float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference of average ranks of k systems on n data sets.

    Examples
    --------
    >>> from bough.compare.ranks import critical_difference
    >>> round(critical_difference(4, 14), 2), round(critical_difference(4, 14, alpha=0.1), 2)
    (1.25, 1.12)
    """
    q = float(stats.studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)
    return q * math.sqrt(k * (k + 1) / (6 * n))


def nemenyi(each: Floats) -> Floats:
    """Nemenyi's p-values of all pairs, from ranks."""
    posthocs = needs("scikit_posthocs", "Nemenyi's test")
    return np.asarray(posthocs.posthoc_nemenyi_friedman(each), dtype=np.float64)


def wins_ties_losses(means: Mapping[str, Sequence[float]], digits: int = 12) -> dict[tuple[str, str], tuple[int, ...]]:
    """On how many data sets the first system of a pair is better, equal and worse."""
    out: dict[tuple[str, str], tuple[int, ...]] = {}
    for a in means:
        for b in means:
            if a != b:
                left, right = (np.nan_to_num(np.round(means[s], digits), nan=-np.inf) for s in (a, b))
                out[a, b] = (int((left > right).sum()), int((left == right).sum()), int((left < right).sum()))
    return out
