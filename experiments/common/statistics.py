"""The tests that the papers use, each in a few lines over SciPy's distributions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation and number of values: all that Welch's test and Cohen's d need."""

    mean: float
    deviation: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float], ddof: int = 1) -> Summary:
        """Of values; ``ddof=0`` for papers that report NumPy's plain standard deviation."""
        a = np.asarray(values, float)
        return cls(float(a.mean()), float(a.std(ddof=ddof)) if len(a) > ddof else 0.0, len(a))


def paired_greater(a: Sequence[float], b: Sequence[float]) -> float:
    """One-tailed paired t-test: the p-value of "a is not larger than b on average".

    Where every difference is the same the test has no variance to work with: the answer is then 0 for a
    positive, 1 for a negative and 0.5 for no difference.
    """
    d = np.asarray(a, float) - np.asarray(b, float)
    if d.ndim != 1 or len(d) < 2:
        raise ValueError(f"a paired test needs two lists of the same length, at least 2; got shape {d.shape}")
    mean, spread = float(d.mean()), float(d.std(ddof=1))
    if spread <= 1e-15 * float(np.abs(d).max()):
        return 0.5 if mean == 0 else (0.0 if mean > 0 else 1.0)
    return float(stats.t.sf(mean / (spread / math.sqrt(len(d))), len(d) - 1))


def welch(a: Summary, b: Summary) -> float:
    """Welch's two-tailed t-test from means, deviations and counts; 1 where both have no spread and agree."""
    va, vb = a.deviation**2 / a.n, b.deviation**2 / b.n
    if va + vb == 0:
        return 1.0 if a.mean == b.mean else 0.0
    if min(a.n, b.n) < 2:
        return math.nan
    freedom = (va + vb) ** 2 / (va**2 / (a.n - 1) + vb**2 / (b.n - 1))
    return float(2 * stats.t.sf(abs(a.mean - b.mean) / math.sqrt(va + vb), freedom))


def cohens_d(a: Summary, b: Summary) -> float:
    """(a − b) in pooled standard deviations; positive where a is larger."""
    if a.n + b.n < 3:
        return math.nan
    pooled = math.sqrt(((a.n - 1) * a.deviation**2 + (b.n - 1) * b.deviation**2) / (a.n + b.n - 2))
    if pooled == 0:
        return 0.0 if a.mean == b.mean else math.copysign(math.inf, a.mean - b.mean)
    return (a.mean - b.mean) / pooled


def holm_bonferroni(p_values: Sequence[float], alpha: float = 0.05) -> list[bool]:
    """Which null hypotheses are rejected: the i-th smallest p-value against alpha / (m − i), until one fails."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    rejected = [False] * len(p_values)
    for place, i in enumerate(order):
        if p_values[i] > alpha / (len(p_values) - place):
            break
        rejected[i] = True
    return rejected


def labels(results: Mapping[str, Sequence[float]], alpha: float = 0.05) -> dict[str, str]:
    """Best, Not best or Undecidable for each method, as the Max-Cut paper defines them.

    Each method is tested against every other one in both directions (paired, one-tailed), all its
    hypotheses corrected together by Holm–Bonferroni. Best: it beats every other. Not best: any other
    beats it.
    """
    out = {}
    for name, own in results.items():
        others = [v for key, v in results.items() if key != name]
        p = [paired_greater(own, v) for v in others] + [paired_greater(v, own) for v in others]
        rejected = holm_bonferroni(p, alpha)
        if others and all(rejected[: len(others)]):
            out[name] = "Best"
        elif any(rejected[len(others) :]):
            out[name] = "Not best"
        else:
            out[name] = "Undecidable"
    return out


def win_counts(results: Mapping[str, Sequence[float]], alpha: float = 0.05) -> dict[str, int]:
    """How many of the others each method beats in a paired one-tailed t-test at level alpha."""
    return {
        name: sum(paired_greater(own, v) < alpha for key, v in results.items() if key != name)
        for name, own in results.items()
    }
