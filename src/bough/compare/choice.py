"""What `choose` tried, what it dropped and why it took what it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .extra import needs
from .words import aligned, mean_text, plus_minus, time_text

if TYPE_CHECKING:
    from .race import Gap
    from .result import Comparison


@dataclass(frozen=True)
class Tried:
    """One system: the mean of the measure, of leaves and of columns of a split over the folds it did, seconds of a fit,
    and what became of it."""

    system: str
    score: float
    leaves: float
    terms: float
    folds: int
    seconds: float
    verdict: str


@dataclass(frozen=True)
class Choice:
    """Why `choose` took a system.

    Attributes
    ----------
    system : str
        The one that was taken.
    why : str
        In a few words.
    rule, measure : str
        By what.
    tried : tuple of Tried
        All that took part, in the order in which they were tried.

    Examples
    --------
    >>> import bough
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> choice = bough.choose(X, y).choice_
    >>> choice.system == next(t.system for t in choice.tried if t.verdict.startswith("taken"))
    True
    """

    system: str
    why: str
    rule: str
    measure: str
    tried: tuple[Tried, ...]
    _rows: tuple[tuple[str, ...], ...] = ()

    def text(self) -> str:
        """A table with a line for each system, and the reason above it."""
        header = ("system", self.measure, "leaves", "columns of a split", "folds", "fit", "")
        return f"{self.system}: {self.why}\n{aligned([header, *self._rows])}"

    __str__ = text

    def __repr__(self) -> str:
        return f"<Choice of {self.system!r} among {len(self.tried)} systems: {self.why}>"

    def frame(self) -> Any:
        """The same as a pandas data frame."""
        pandas = needs("pandas", "Choice.frame")
        return pandas.DataFrame([vars(t) for t in self.tried]).set_index("system")


def choice_of(found: Comparison, name: str, rule: str, gaps: dict[str, Gap], dropped: dict[str, Gap]) -> Choice:
    """What is to be said of a race."""
    by, best = found.measure_of(), found.best()
    scores, leaves, terms, seconds = (found.values(measure=m) for m in (by.name, "leaves", "terms", "fit_seconds"))
    failures = found.failures()
    share = by.name == "accuracy"
    tried, rows = [], []
    for s in found.systems:
        failed = failures.get((found.data[0], s))
        if failed:
            verdict = f"failed: {failed[0]}"
        elif s in dropped:
            verdict = f"dropped after {dropped[s].folds} folds: {worse(dropped[s], share)}"
        elif s == name:
            verdict = "taken"
        elif s == best:
            verdict = "the best, but larger"
        elif rule == "one_se" and gaps[s].mean <= gaps[s].error:
            verdict = "within one standard error of the best, but not smaller"
        else:
            verdict = worse(gaps[s], share)
        done = int((~np.isnan(scores[s])).sum())
        means = (float(np.nanmean(v[s])) if done else float("nan") for v in (scores, leaves, terms))
        score, size, columns = means
        tried.append(Tried(s, score, size, columns, done, float(np.nanmean(seconds[s])) if done else 0.0, verdict))
        sizes = (mean_text(leaves[s], 1), mean_text(terms[s], 1))
        rows.append((s, plus_minus(scores[s]), *sizes, str(done), time_text(seconds[s]), verdict))
    why = f"the best of {len(found.systems)}"
    if name != best:
        why = f"fewer leaves than {best}, the best, and within one standard error of it ({worse(gaps[name], share)})"
    return Choice(name, why, rule, by.title, tuple(tried), tuple(rows))


def worse(gap: Gap, share: bool) -> str:
    """A difference in words."""
    if share:
        return f"worse by {100 * gap.mean:.1f} ± {100 * gap.error:.1f} points"
    return f"worse by {gap.mean:.3g} ± {gap.error:.2g}"
