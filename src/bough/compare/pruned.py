"""A tree cut back as far as cross-validation within its training rows says: CART's way to find the price of a leaf."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import get_tags

from ..model.model import Model
from .data import table_of

MOST_PRICES = 40  # of a leaf that are tried; a path has as many as the tree has splits


class CrossPruned(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A tree of bough with cost-complexity pruning by cross-validation.

    The tree is grown once on all rows and once without each fold; the price of a leaf (``ccp_alpha``) with the
    least error on the rows left out wins, the dearest of equals. ``pruned_`` is the tree of all rows, cut back by it.
    """

    def __init__(self, estimator: Any, folds: int = 5, random_state: Any = None) -> None:
        self.estimator = estimator
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> CrossPruned:
        y = np.asarray(y)
        path = self.estimator.cost_complexity_pruning_path(X, y)
        prices = between(np.asarray(path.ccp_alphas, dtype=np.float64))
        regression = is_regressor(self.estimator)
        splits = KFold if regression else StratifiedKFold
        cut = splits(min(self.folds, len(y)), shuffle=True, random_state=self.random_state)
        errors, table = np.zeros(len(prices)), table_of(X, "X")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a class may have fewer rows than there are folds
            parts = list(cut.split(np.empty((len(y), 0)), y))
        for train, test in parts:
            grown = clone(self.estimator).fit(table.rows(train).native, y[train]).model_
            X_test = table.rows(test).native
            errors += [error(m.predict(X_test), y[test], regression) for m in pruned_by(grown, prices)]
        best = np.flatnonzero(errors <= errors.min() * (1 + 1e-12))[-1]
        self.alpha_ = float(prices[best])
        self.pruned_ = clone(self.estimator).set_params(ccp_alpha=self.alpha_).fit(X, y)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        return np.asarray(self.pruned_.predict(X))

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        return np.asarray(self.pruned_.predict_proba(X))

    @property
    def classes_(self) -> npt.NDArray[Any]:
        return np.asarray(self.pruned_.classes_)

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)


def between(alphas: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A price for each tree of a path: 0 for the first, geometric means of neighbours for the others."""
    alphas = np.unique(np.maximum(alphas, 0.0))
    prices = np.sqrt(alphas[:-1] * alphas[1:])
    prices = np.unique(np.concatenate([[0.0], prices, alphas[-1:] * 1.01]))
    if len(prices) > MOST_PRICES:
        prices = prices[np.unique(np.linspace(0, len(prices) - 1, MOST_PRICES).round().astype(int))]
    return prices


def pruned_by(model: Model, prices: npt.NDArray[np.float64]) -> list[Model]:
    """A model cut back by each price of a leaf."""
    stakes = model.stakes.for_core
    cut = [model.tree.prune("cost_complexity", {"alpha": a}, model.criterion, stakes) for a in prices.tolist()]
    return [replace(model, trees=(tree,), printed=None) for tree in cut]


def error(predicted: npt.NDArray[Any], truth: npt.NDArray[Any], regression: bool) -> float:
    if regression:
        return float(np.square(predicted - truth).sum())
    return float((predicted != truth).sum())
