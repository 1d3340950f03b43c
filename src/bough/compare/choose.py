"""`choose`: a system by evidence. Cross-validation says which ones are good; the smallest tree among those wins."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from ..errors import BoughError, ParameterError, shown
from ..estimators._base import BaseTree
from ..estimators.classifier import TreeClassifier
from ..estimators.regressor import TreeRegressor
from ..estimators.systems import system
from .choice import choice_of
from .data import DataSet, data_sets
from .folds import describe, given_splits
from .measures import find_measure
from .progress import Bar
from .race import Gap, Given, Grown, Runner, race
from .result import Comparison
from .run import jobs_of
from .store import FORMAT, Record
from .systems import Contestant, contestants, seeded
from .work import right_rows

RULES = ("one_se", "best")
MANY_ROWS = 5000  # from which one division of the rows says enough
FEW_ROWS, FEW_COLUMNS = 300, 10  # up to which hyperplanes are searched for numbers
MOST_LEAVES = 16  # of a readable tree
MEANS = ("accuracy", "r2", "rmse")  # measures that are means over rows, or as good as


def choose(
    X: Any,
    y: Any,
    systems: Any = None,
    rule: str = "one_se",
    *,
    readable: bool = False,
    measure: str | None = None,
    folds: int = 5,
    repeats: int | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Any:
    """Choose a system by cross-validation and fit it on all rows.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    systems : str, estimator, or a list or dict of these, optional
        As in `bough.compare`. By default axis cuts, discriminant coordinates (``lda``) and ``sparse-oblique`` in two
        sizes, cut back by cross-validation, and ``ctree``, which stops by itself. For numbers axis cuts, directions of
        ridge regressions, in tables of at most 300 rows and 10 columns hyperplanes (``elc``), and ``pilot``, all cut
        back by cross-validation.
    rule : {"one_se", "best"}
        The smallest tree that is not worse than the best by more than one standard error of their difference;
        or the best.
    readable : bool
        Whether only trees of at most 16 leaves take part, with at most three columns in a split.
    measure : str, optional
        What is compared: "accuracy", or "r2" for numbers, unless said otherwise.
    folds, repeats : int
        Parts of a division of the rows, and how many divisions; by default 2, and 1 for 5,000 rows or more.
    seed : int
        All that is random follows from it.
    n_jobs : int, optional
        Threads; -1 uses all processors. The choice does not depend on it.
    progress : bool, optional
        Whether a bar is shown on stderr; by default where that is a terminal.

    Returns
    -------
    estimator
        The chosen system, fitted on all rows; ``system_`` is its name, ``choice_`` says what was tried and why it was
        taken, and ``comparison_`` is the `Comparison`.

    Examples
    --------
    >>> import bough
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = bough.choose(X, y)
    >>> tree.get_n_leaves() <= 4
    True
    >>> tree.comparison_.systems
    ['pruned axis', 'lda', 'sparse-oblique', 'sparse-oblique, depth 4', 'ctree']
    >>> tree.system_ == tree.choice_.system
    True
    """
    if rule not in RULES:
        raise ParameterError(f"rule is {shown(rule)}; it must be one of {', '.join(map(repr, RULES))}.")
    if readable and systems is not None:
        raise ParameterError("readable=True chooses among systems of its own; leave out systems.")
    (data,) = data_sets((X, y))
    by = find_measure(measure or ("r2" if data.regression else "accuracy"), data.task)
    parts = rows_of(data, folds, repeats or (1 if data.n_rows >= MANY_ROWS else 2), seed)
    splits, jobs = given_splits(data, parts, seed), jobs_of(n_jobs)
    runners = runners_of(data, systems, readable, by, seed)
    names = [r.contestant.name for r in runners]
    bar = Bar([(data.name, name) for name in names for _ in splits], jobs, progress)
    try:
        dropped = race(runners, splits, data.n_rows, by.name in MEANS, bar, jobs)
    finally:
        bar.close()
    records = {r.contestant.name: r.records() for r in runners}
    plan: Record = {"kind": "comparison", "version": FORMAT, "task": data.task, "measure": by.name, "seed": seed}
    found = Comparison(
        [
            {**plan, "inner_folds": 3},
            {"kind": "data", **data.describe(), "folds": describe(splits)},
            *({"kind": "system", **r.contestant.describe()} for r in runners),
            *(record for name in names for record in records[name]),
        ]
    )
    if all(f["failure"] for f in found.folds):
        raise BoughError(f"every system failed; the first with {found.folds[0]['failure']}")
    gaps = gaps_of(found, runners, records, dropped, by.name in MEANS)
    name = chosen_by(found, rule, gaps)
    fitted = next(r for r in runners if r.contestant.name == name).fitted()
    fitted.system_, fitted.comparison_ = name, found
    fitted.choice_ = choice_of(found, name, rule, gaps, dropped)
    return fitted


def runners_of(data: DataSet, systems: Any, readable: bool, by: Any, seed: int) -> list[Runner]:
    """Those who take part."""
    if systems is not None:
        given = contestants(systems, data.task)
        return [Given(Contestant(c.name, seeded(c.estimator, seed)), data, by) for c in given]
    found = default_systems(data, readable)
    first: BaseTree = next(iter(found.values()))
    shared = first._data_of(data.table.native, data.y)
    most = MOST_LEAVES if readable else None
    return [
        Grown(Contestant(name, seeded(tree, seed)), data, shared, name != "ctree" or readable, most)
        for name, tree in found.items()
    ]


def default_systems(data: DataSet, readable: bool = False) -> dict[str, Any]:
    """Systems that differ in how they cut and are quick enough to try; which ones, `experiments/choose` decided."""
    task = data.task
    kind = TreeRegressor if data.regression else TreeClassifier
    out: dict[str, Any] = {"pruned axis": kind()}
    if data.regression and not readable:
        out["ridge"] = kind(split="ridge")
        if data.n_rows <= FEW_ROWS and len(data.table.names) <= FEW_COLUMNS:
            out["elc"] = kind(split="elc", max_depth=4)
        out["pilot"] = system("pilot")
        return out
    if not readable:
        out["lda"] = kind(split="lda", criterion="twoing")
    out["sparse-oblique"] = system("sparse-oblique", task=task, refine_params={"price": 1.0})
    out["sparse-oblique, depth 4"] = system("sparse-oblique", task=task, max_depth=4)
    out["ctree"] = system("ctree", task=task)
    return out


def rows_of(data: DataSet, folds: int, repeats: int, seed: int) -> list[tuple[Any, Any]]:
    """Divisions of the rows; a class may have fewer rows than there are folds, and is then in some of them only."""
    cut = RepeatedKFold if data.regression else RepeatedStratifiedKFold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parts = cut(n_splits=folds, n_repeats=repeats, random_state=seed)
            return list(parts.split(np.empty((data.n_rows, 0)), data.truth))
        except ValueError as e:
            raise ParameterError(f"the rows cannot be divided into {folds} folds: {e}") from None


# ---- the rule ---------------------------------------------------------------------------------------


def gaps_of(
    found: Comparison,
    runners: list[Runner],
    records: dict[str, list[Record]],
    dropped: dict[str, Gap],
    by_rows: bool,
) -> dict[str, Gap]:
    """By how much each system that did all folds is worse than the best one."""
    best, sign = found.best(), found.measure_of().sign
    values, n_rows = found.values(), runners[0].data.n_rows

    def losses(r: Runner) -> Any:
        if not by_rows:
            return None
        own = records[r.contestant.name]
        if all("right" in record for record in own):
            return [1.0 - right_rows(record) for record in own]
        return r.losses()

    finished = [r for r in runners if not np.isnan(values[r.contestant.name]).any()]
    each = {r.contestant.name: losses(r) for r in finished}
    out = {}
    for name, own in each.items():
        if own is not None and each[best] is not None:
            out[name] = Gap.of(own, each[best], n_rows)
        else:
            out[name] = of_folds(sign * (values[best] - values[name]))
    return out


def of_folds(d: Any) -> Gap:
    """The same from what was measured on each fold."""
    return Gap(float(d.mean()), float(d.std(ddof=1) / np.sqrt(len(d))), len(d))


def chosen_by(found: Comparison, rule: str, gaps: dict[str, Gap] | None = None) -> str:
    """The system that a rule chooses.

    one_se: a system is within reach of the best one if it is not worse by more than one standard error of the
    mean difference on the same rows, which is smaller than that of either mean. Of those within reach the one
    with the fewest leaves wins, of equals the one with fewer terms per split, then the better one.
    """
    best = found.best()
    if rule == "best":
        return best
    sign = found.measure_of().sign
    values = found.values()
    leaves, terms = found.values(measure="leaves"), found.values(measure="terms")
    within = []
    for s, v in values.items():
        if np.isnan(v).any():
            continue
        gap = gaps[s] if gaps else of_folds(sign * (values[best] - v))
        if s == best or gap.mean <= gap.error:
            size = np.nan_to_num(leaves[s].mean(), nan=np.inf)
            within.append((size, np.nan_to_num(terms[s].mean(), nan=np.inf), -sign * v.mean(), s))
    return min(within)[-1]
