"""Model files of every kind, to be damaged: classes, numbers, text, gaps, linear splits, p-values, costs,
forests."""

from __future__ import annotations

import numpy as np

from bough import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor
from support.models import mixed_table


def originals() -> list[bytes]:
    table, y = mixed_table(60)
    numbers = np.random.default_rng(1).normal(size=(60, 3))
    numbers[::9, 0] = np.nan
    ids = {"categorical_features": ["größe", "id"]}
    estimators = [
        TreeClassifier(max_depth=3).fit(table, y),
        TreeClassifier(nominal="multiway", nominal_params={"unseen": "stop"}, max_depth=2, **ids).fit(table, y),
        TreeClassifier(max_depth=2, criterion="entropy").fit(table, np.array(["ä", "b", "c"])[y]),
        TreeClassifier(costs=[[0, 1, 2], [1, 0, 0.5], [2, 0.5, 0]], max_depth=3, **ids).fit(table, y),
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
        ForestClassifier(3, max_depth=3, random_state=0).fit(table, y),
        ForestClassifier(3, max_depth=3, random_state=0, missing="surrogate").fit(table, y),
        ForestRegressor(2, max_depth=3, random_state=0, missing="shared").fit(table, y * 1.5),
        ForestClassifier(3, split="lda", smoothing=1.0, max_depth=2, random_state=0).fit(numbers, y),
        ForestClassifier(2, selector="conditional_inference", nominal="multiway", max_depth=2, random_state=0).fit(
            table, y
        ),
        ForestRegressor(3, max_features="sqrt", max_depth=3, random_state=0).fit(table, y * 1.5),
    ]
    return [e.model_.to_bytes() for e in estimators]
