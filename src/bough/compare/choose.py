"""`choose`: a system by evidence. Cross-validation says which ones are good; the smallest tree among those wins."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from ..errors import ParameterError, shown
from ..estimators.classifier import TreeClassifier
from ..estimators.regressor import TreeRegressor
from ..estimators.systems import system
from .data import DataSet, data_sets
from .pruned import CrossPruned
from .result import Comparison
from .run import compare
from .systems import contestants, seeded

RULES = ("one_se", "best")
MOST_ELC = 4000  # rows times columns up to which the hyperplanes of cart-elc are searched
MANY_ROWS = 5000  # from which one division of the rows says enough


def choose(
    X: Any,
    y: Any,
    systems: Any = None,
    rule: str = "one_se",
    *,
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
        As in `bough.compare`. By default, each cut back by cross-validation: axis cuts, discriminant
        coordinates (``lda``), components of the node's rest means on standardised columns, hyperplanes over two
        columns (``cart-elc``, on small tables); and ``ctree``, which stops by itself.
    rule : {"one_se", "best"}
        The smallest tree that is not worse than the best by more than one standard error of their difference;
        or the best.
    measure : str, optional
        What is compared: "accuracy", or "r2" for numbers, unless said otherwise.
    folds, repeats : int
        Parts of a division of the rows, and how many divisions; by default 2, and 1 for 5,000 rows or more.
    seed : int
        All that is random follows from it.
    n_jobs : int, optional
        Processes; -1 uses all processors. The choice does not depend on it.
    progress : bool, optional
        Whether a bar is shown on stderr; by default where that is a terminal.

    Returns
    -------
    estimator
        The chosen system, fitted on all rows; ``system_`` is its name and ``comparison_`` the `Comparison`.

    Examples
    --------
    >>> import bough
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = bough.choose(X, y)
    >>> tree.get_n_leaves() <= 4
    True
    >>> tree.comparison_.systems
    ['pruned axis', 'lda', 'node-means PCA', 'ctree', 'cart-elc']
    """
    if rule not in RULES:
        raise ParameterError(f"rule is {shown(rule)}; it must be one of {', '.join(map(repr, RULES))}.")
    (data,) = data_sets((X, y))
    given = default_systems(data) if systems is None else systems
    parts = rows_of(data, folds, repeats or (1 if data.n_rows >= MANY_ROWS else 2), seed)
    found = compare(
        given, (X, y), task=data.task, folds=parts, seed=seed, measure=measure, n_jobs=n_jobs, progress=progress
    )
    name = chosen_by(found, rule)
    winner = next(c for c in contestants(given, data.task) if c.name == name)
    fitted = seeded(winner.estimator, seed).fit(X, y)
    fitted = getattr(fitted, "pruned_", fitted)
    fitted.system_, fitted.comparison_ = name, found
    return fitted


def default_systems(data: DataSet) -> dict[str, Any]:
    """Systems that differ in how they cut and are quick enough to try."""
    if data.regression:
        return {
            "pruned axis": CrossPruned(TreeRegressor()),
            "PCA": CrossPruned(TreeRegressor(split="node_pca", standardize=True)),
        }
    out: dict[str, Any] = {
        "pruned axis": CrossPruned(TreeClassifier()),
        "lda": CrossPruned(TreeClassifier(split="lda")),
        "node-means PCA": CrossPruned(TreeClassifier(split="node_means_pca", standardize=True)),
        "ctree": system("ctree"),
    }
    if data.n_rows * (len(data.table.names) - len(data.nominal)) <= MOST_ELC:
        out["cart-elc"] = CrossPruned(system("cart-elc"))
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


def chosen_by(found: Comparison, rule: str) -> str:
    """The system that a rule chooses.

    one_se: a system is within reach of the best one if it is not worse by more than one standard error of the
    mean difference on the same folds, which is smaller than that of either mean. Of those within reach the one
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
        d = sign * (values[best] - v)
        if s == best or d.mean() <= d.std(ddof=1) / np.sqrt(len(d)):
            size = np.nan_to_num(leaves[s].mean(), nan=np.inf)
            within.append((size, np.nan_to_num(terms[s].mean(), nan=np.inf), -sign * v.mean(), s))
    return min(within)[-1]
