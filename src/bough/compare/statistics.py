"""Tests for two systems: on the folds of one data set, on one split, and several tests at once.

Everything that SciPy has is taken from there; the corrected resampled t-test, Holm's correction, the effect size
and the labels are not in it. Larger is better in all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from ..errors import ParameterError

Values = Sequence[float] | npt.NDArray[np.float64]


@dataclass(frozen=True)
class Summary:
    """Mean, standard deviation and number of values: all that Welch's test and Cohen's d need."""

    mean: float
    deviation: float
    n: int

    @classmethod
    def of(cls, values: Values, ddof: int = 1) -> Summary:
        """Of values; ``ddof=0`` for papers that report NumPy's plain standard deviation."""
        a = np.asarray(values, float)
        return cls(float(a.mean()), float(a.std(ddof=ddof)) if len(a) > ddof else 0.0, len(a))


# ---- two systems on one data set ------------------------------------------------------------------------


def paired_greater(a: Values, b: Values, test_share: float = 0.0) -> float:
    """One-tailed paired t-test: the p-value of "a is not larger than b on average".

    Parameters
    ----------
    a, b : sequences of float
        What two systems reached on the same folds.
    test_share : float
        Test rows per training row of a fold. Above 0 the variance is that of Nadeau and Bengio (2003) for
        folds that share training rows: (1/n + test_share) s² in place of s²/n.

    Where every difference is the same the test has no variance to work with: the p-value is then 0 for a
    positive, 1 for a negative and 0.5 for no difference.

    Examples
    --------
    >>> from bough.compare.statistics import paired_greater
    >>> a, b = [0.9, 0.8, 0.85, 0.95], [0.8, 0.82, 0.8, 0.85]
    >>> round(paired_greater(a, b), 3), round(paired_greater(a, b, test_share=1 / 3), 3)
    (0.068, 0.138)
    """
    d = differences(a, b)
    if len(d) < 2:
        raise ParameterError(f"a paired test needs at least 2 folds that both systems finished; there are {len(d)}.")
    mean, spread = float(d.mean()), float(d.std(ddof=1))
    if spread <= 1e-15 * float(np.abs(d).max()):
        return 0.5 if mean == 0 else (0.0 if mean > 0 else 1.0)
    if test_share <= 0:
        return float(stats.ttest_rel(a, b, alternative="greater").pvalue)
    return float(stats.t.sf(mean / (spread * math.sqrt(1 / len(d) + test_share)), len(d) - 1))


def paired(a: Values, b: Values, test_share: float = 0.0) -> float:
    """Two-tailed `paired_greater`, each tail by itself: 1 − p would lose all p-values below 1e-16."""
    return min(1.0, 2 * min(paired_greater(a, b, test_share), paired_greater(b, a, test_share)))


def differences(a: Values, b: Values) -> npt.NDArray[np.float64]:
    left, right = np.asarray(a, float), np.asarray(b, float)
    if left.ndim != 1 or left.shape != right.shape:
        raise ParameterError(
            f"a paired test needs two lists of the same length; the shapes are {left.shape} and {right.shape}."
        )
    found: npt.NDArray[np.float64] = left - right
    return found


def wilcoxon(a: Values, b: Values) -> float:
    """Wilcoxon's signed-rank test, two-tailed; 1 where nothing differs."""
    d = differences(a, b)
    return float(stats.wilcoxon(d, zero_method="zsplit").pvalue) if d.any() else 1.0


def welch(a: Summary, b: Summary) -> float:
    """Welch's two-tailed t-test from means, deviations and counts; 1 where both have no spread and agree."""
    if a.deviation == b.deviation == 0:
        return 1.0 if a.mean == b.mean else 0.0
    if min(a.n, b.n) < 2:
        return math.nan
    found = stats.ttest_ind_from_stats(a.mean, a.deviation, a.n, b.mean, b.deviation, b.n, equal_var=False)
    return float(found.pvalue)


def cohens_d(a: Summary, b: Summary) -> float:
    """(a − b) in pooled standard deviations; positive where a is larger."""
    if a.n + b.n < 3:
        return math.nan
    pooled = math.sqrt(((a.n - 1) * a.deviation**2 + (b.n - 1) * b.deviation**2) / (a.n + b.n - 2))
    if pooled == 0:
        return 0.0 if a.mean == b.mean else math.copysign(math.inf, a.mean - b.mean)
    return (a.mean - b.mean) / pooled


def mcnemar(a: npt.NDArray[np.bool_], b: npt.NDArray[np.bool_]) -> float:
    """McNemar's exact test on one split: ``a`` and ``b`` say of each test row whether a system got it right."""
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return float(stats.binomtest(only_a, only_a + only_b).pvalue) if only_a + only_b else 1.0


# ---- several tests at once --------------------------------------------------------------------------------


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected by Holm's method: one at most alpha is a rejection with all of them together at alpha. The
    i-th smallest of m is multiplied by m − i, and none is below the one before it."""
    p = np.asarray(p_values, float)
    order = p.argsort(kind="stable")
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return corrected.tolist()


def holm_bonferroni(p_values: Sequence[float], alpha: float = 0.05) -> list[bool]:
    """Which null hypotheses are rejected together at alpha."""
    return [p <= alpha for p in holm(p_values)]


Greater = Callable[[Values, Values], float]


def labels(results: Mapping[str, Values], alpha: float = 0.05, greater: Greater = paired_greater) -> dict[str, str]:
    """Best, Not best or Undecidable for each system, as Bodine & Hochbaum (2022) define them.

    Each system is tested against every other one in both directions (paired, one-tailed), all its
    hypotheses corrected together by Holm–Bonferroni. Best: it beats every other. Not best: any other
    beats it. ``greater(a, b)`` is the test: the p-value of "a is not larger than b".
    """
    out = {}
    for name, own in results.items():
        others = [v for key, v in results.items() if key != name]
        p = [greater(own, v) for v in others] + [greater(v, own) for v in others]
        rejected = holm_bonferroni(p, alpha)
        if others and all(rejected[: len(others)]):
            out[name] = "Best"
        elif any(rejected[len(others) :]):
            out[name] = "Not best"
        else:
            out[name] = "Undecidable"
    return out


def win_counts(results: Mapping[str, Values], alpha: float = 0.05) -> dict[str, int]:
    """How many of the others each system beats in a paired one-tailed t-test at level alpha."""
    return {
        name: sum(paired_greater(own, v) < alpha for key, v in results.items() if key != name)
        for name, own in results.items()
    }
