"""The Bayesian signed-rank test with a region of practical equivalence (Benavoli et al. 2014, 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .statistics import differences

STRENGTH = 0.5  # of the prior: weight of a pseudo-observation without a difference (Benavoli et al. 2014)
SAMPLES = 50_000
AT_ONCE = 1_000  # samples, so that memory stays at a few megabytes


@dataclass(frozen=True)
class Posterior:
    """How probable it is that, on a further data set, the first is better, that both are practically
    equal, and that the second is better."""

    better: float
    equal: float
    worse: float


def signed_rank(
    a: Sequence[float], b: Sequence[float], rope: float = 0.01, samples: int = SAMPLES, seed: int = 0
) -> Posterior:
    """Posterior of the signed-rank test from averages of two systems on several data sets.

    Differences get Dirichlet weights w; the share of "better" is the weight of the pairs of differences (i, j)
    whose mean lies above ``rope`` (half of it where it lies on it), and so on; each sample votes for the largest
    of the three shares.

    Examples
    --------
    >>> from bough.compare.bayes import signed_rank
    >>> found = signed_rank([0.9, 0.8, 0.85, 0.95, 0.7], [0.8, 0.7, 0.8, 0.85, 0.6])
    >>> found.better > 0.95
    True
    """
    z = np.concatenate([[0.0], differences(a, b)])
    z = z[~np.isnan(z)]
    pairs = z[:, None] + z[None, :]
    above, below = np.heaviside(pairs - 2 * rope, 0.5), np.heaviside(-pairs - 2 * rope, 0.5)
    rng = np.random.default_rng(seed)
    weights = np.ones(len(z))
    weights[0] = STRENGTH
    votes = np.zeros(3)
    for begin in range(0, samples, AT_ONCE):
        w = rng.dirichlet(weights, size=min(AT_ONCE, samples - begin))
        better, worse = (np.einsum("si,ij,sj->s", w, m, w, optimize=True) for m in (above, below))
        shares = np.stack([better, 1 - better - worse, worse])
        votes += np.bincount(shares.argmax(axis=0), minlength=3)
    return Posterior(*(float(v) / samples for v in votes))
