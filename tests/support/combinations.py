"""Every legal combination of criterion, numeric family and nominal search, the same with everything else that an
estimator can be told, and a table that exercises them all."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np

from bough import ForestClassifier, ForestRegressor, ParameterError, TreeClassifier, TreeRegressor
from bough.registry import plugins


def by_name(kind):
    """Names of the plug-ins that a name is enough for: not those that need a function."""
    return [p.name for p in plugins()[kind].values() if not p.traits.get("function")]


def named(kind):
    """These plug-ins themselves, by name."""
    return {name: plugins()[kind][name] for name in by_name(kind)}


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


def varied(tree: Any, draw: random.Random, classes: int) -> Any:
    """The same combination with everything else drawn: missing values, pruner, selector, costs, priors; every third
    time as a forest. What it cannot be told stays as it was."""
    numbers = isinstance(tree, TreeRegressor)
    params = {name: value for name, value in tree.get_params().items() if name != "n_estimators"}
    chosen = tree
    if draw.random() < 1 / 3:
        more = {"bootstrap": draw.random() < 0.7, "max_features": draw.choice([1, "sqrt", None])}
        chosen = (ForestRegressor if numbers else ForestClassifier)(draw.randint(1, 4), **params | more)
        chosen.oob_score = bool(chosen.bootstrap and draw.random() < 0.5)
    costs = [[abs(i - j) * draw.choice([0.5, 1, 3]) for j in range(classes)] for i in range(classes)]
    priors = [draw.uniform(0.1, 1) for _ in range(classes)]
    for drawn in (
        {"missing": draw.choice(by_name("missing"))},
        {"prune": draw.choice([None, *by_name("prune")])},
        {"selector": draw.choice(by_name("selector"))},
        {"max_leaf_nodes": draw.choice([None, None, 6]), "simplify": draw.random() < 0.2},
        {"standardize": draw.choice([None, True]), "min_samples_leaf": draw.choice([1, 1, 0.1])},
        {}
        if numbers
        else {"costs": draw.choice([None, costs]), "cost_splits": draw.choice(["pairs", "altered_priors"])},
        {} if numbers else {"priors": draw.choice([None, [p / sum(priors) for p in priors]])},
    ):
        before = {name: getattr(chosen, name) for name in drawn}
        if not fits(chosen.set_params(**drawn), classes):
            chosen.set_params(**before)
    return chosen


def fits(tree: Any, classes: int) -> bool:
    try:
        tree.fit(np.arange(2.0 * classes)[:, None], np.arange(2 * classes) % classes)
    except ParameterError:
        return False
    return True


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
