"""Every legal combination of criterion, numeric family and nominal search, and a table that exercises them all."""

from __future__ import annotations

import itertools

import numpy as np

from bough import ParameterError, TreeClassifier, TreeRegressor
from bough.registry import plugins


def by_name(kind):
    """Names of the plug-ins that a name is enough for: not those that need a function."""
    return [p.name for p in plugins()[kind].values() if not p.traits.get("function")]


def estimator(criterion, split, nominal, **params):
    """The estimator of a combination, or None where one of its parts refuses another."""
    kind = TreeRegressor if plugins()["criterion"][criterion].traits["regression"] else TreeClassifier
    try:
        kind(criterion=criterion, split=split, nominal=nominal).fit([[0.0], [1.0]], [0, 1])
    except ParameterError:
        return None
    return kind(criterion=criterion, split=split, nominal=nominal, **params)


def legal_combinations(every=False, **params):
    """Every criterion with every family, nominal searches in turn or, with `every`, all of them."""
    for i, (c, s) in enumerate(itertools.product(by_name("criterion"), by_name("split"))):
        legal = [e for n in by_name("nominal") if (e := estimator(c, s, n, **params))]
        if legal:
            yield from legal if every else [legal[i % len(legal)]]


def mixed_rows(seed, n=200, classes=3, gaps=True, few=False):
    """A table of numbers (with ties where `few`), gaps and values, classes that they explain in part, and weights."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 6, (n, 3)).astype(float) if few else rng.normal(size=(n, 3))
    y = np.minimum((numbers[:, 0] + numbers[:, 1] > numbers.mean()) + (rng.random(n) < 0.2), classes - 1)
    y = np.where(rng.random(n) < 0.1, rng.integers(0, classes, n), y)
    y[:classes] = range(classes)
    if gaps:
        numbers[rng.random((n, 3)) < 0.05] = np.nan
    table = np.empty((n, 4), dtype=object)
    table[:, :3] = numbers
    table[:, 3] = rng.choice(list("pqrstu"), n)
    weights = np.exp(rng.normal(size=n))  # as boosting makes them
    return table, y, weights
