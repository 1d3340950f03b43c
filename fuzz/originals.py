"""Model files of every kind, to be damaged: classes, numbers, text, gaps, linear splits, p-values, costs, priors,
shares, surrogates, tables of pruning, ordered values, published systems, forests, many classes."""

from __future__ import annotations

import numpy as np

from bough import (
    BoostedClassifier,
    BoostedRegressor,
    ForestClassifier,
    ForestRegressor,
    TreeClassifier,
    TreeRegressor,
    system,
)
from support.models import mixed_table


def originals(forests: bool = False) -> list[bytes]:
    """The files; or those of several trees alone."""
    table, y = mixed_table(60)
    costs = [[0, 1, 2], [1, 0, 0.5], [2, 0.5, 0]]
    ordered = {"größe": ["s", "m", "l"]}
    numbers = np.random.default_rng(1).normal(size=(60, 3))
    numbers[::9, 0] = np.nan
    ids = {"categorical_features": ["größe", "id"]}
    estimators = [
        TreeClassifier(max_depth=3).fit(table, y),
        TreeClassifier(nominal="multiway", nominal_params={"unseen": "stop"}, max_depth=2, **ids).fit(table, y),
        TreeClassifier(max_depth=2, criterion="entropy").fit(table, np.array(["ä", "b", "c"])[y]),
        TreeClassifier(costs=costs, max_depth=3, **ids).fit(table, y),
        TreeClassifier(selector="conditional_inference", selector_params={"alpha": 0.3}, max_depth=3).fit(table, y),
        TreeClassifier(split="node_means_pca", standardize=True, max_depth=3).fit(numbers, y),
        TreeClassifier(split="lda", max_depth=2).fit(numbers, y > 0),
        TreeClassifier(split="elc", max_depth=2).fit(np.nan_to_num(numbers), y),
        TreeRegressor(max_depth=3).fit(table, y * 1.5),
        TreeRegressor(split="pca", nominal="multiway", max_depth=3).fit(table, np.linspace(-5, 1e6, len(y))),
        TreeClassifier(missing="shared", max_depth=3).fit(table, y),
        TreeClassifier(missing="surrogate", max_depth=3).fit(table, y),
        TreeRegressor(missing="shared", nominal="multiway", max_depth=3).fit(table, y * 1.5),
        TreeRegressor(missing="surrogate", split="pca", max_depth=3).fit(table, y * 1.5),
        TreeClassifier().fit([[1.0], [2.0]], [0, 0]),
        TreeClassifier(max_depth=3, ordinal_features=ordered).fit(table.dropna(), y[table.notna().all(axis=1)]),
        TreeClassifier(costs=costs, cost_splits="altered_priors", priors=[0.2, 0.3, 0.5], max_depth=3).fit(table, y),
        TreeClassifier(prune="cost_complexity_cv", prune_params={"folds": 3}, max_depth=3, random_state=0).fit(
            table, y
        ),
        TreeRegressor(prune="cost_complexity_cv", prune_params={"folds": 3}, max_depth=3, random_state=0).fit(
            table, y * 1.5
        ),
        TreeRegressor(leaf="linear", leaf_params={"min_rows": 3}).fit(table, y + np.arange(len(y)) % 7 * 0.5),
        system("pilot").fit(numbers, np.nan_to_num(numbers[:, 0]) ** 2 + numbers[:, 1]),
        system("c4.5").fit(table, y),
        system("rpart", random_state=0).fit(table, y),
        ForestClassifier(3, max_depth=3, random_state=0).fit(table, y),
        ForestClassifier(3, max_depth=3, random_state=0, missing="surrogate").fit(table, y),
        ForestRegressor(2, max_depth=3, random_state=0, missing="shared").fit(table, y * 1.5),
        ForestClassifier(3, split="lda", smoothing=1.0, max_depth=2, random_state=0).fit(numbers, y),
        ForestClassifier(2, selector="conditional_inference", nominal="multiway", max_depth=2, random_state=0).fit(
            table, y
        ),
        ForestRegressor(3, max_features="sqrt", max_depth=3, random_state=0).fit(table, y * 1.5),
        BoostedClassifier(max_iter=2, max_leaf_nodes=4).fit(table, y),
        BoostedClassifier(max_iter=1, max_leaf_nodes=4, early_stopping=True, random_state=0).fit(table, y > 0),
        BoostedRegressor("poisson", max_iter=3, max_depth=2, missing="surrogate").fit(table, y),
        BoostedClassifier(max_iter=2, max_leaf_nodes=4, missing="shared").fit(table, y),
        BoostedRegressor("quantile", quantile=0.8, max_iter=2, max_leaf_nodes=4, split="lda").fit(numbers, y),
        TreeRegressor(criterion="quantile", criterion_params={"alpha": 0.8}, max_depth=3).fit(table, y * 1.5),
        TreeRegressor(criterion="absolute_error", missing="surrogate", max_depth=3).fit(table, y * 1.5),
        TreeRegressor(criterion="poisson", split="ridge", max_depth=3).fit(numbers, y),
        ForestRegressor(2, criterion="quantile", missing="shared", max_depth=3, random_state=0).fit(table, y * 1.5),
    ]
    many = np.random.default_rng(2).normal(size=(320, 3))  # as many classes as are listed, a few of them twice
    many[::9, 0] = np.nan
    of_many = np.arange(320) % 300
    estimators += [
        TreeClassifier(max_depth=4).fit(many, of_many),
        TreeClassifier(missing="surrogate", min_samples_leaf=8, smoothing="laplace").fit(many, of_many),
        ForestClassifier(2, max_depth=3, random_state=0).fit(many, of_many),
    ]
    models = [e.model_ for e in estimators]
    return [m.to_bytes() for m in models if len(m.trees) > 1 or not forests]
