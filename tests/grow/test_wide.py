"""Tables of very many columns: time grows with their number, not with its square."""

from __future__ import annotations

import time

import numpy as np
import pytest

import bough
from bough import ForestClassifier, ForestRegressor, TreeClassifier

ROWS = 10
MODELS = {
    "forest": lambda: ForestClassifier(4, max_features=None, random_state=0, n_jobs=1),
    "regression forest": lambda: ForestRegressor(4, max_features=None, random_state=0, n_jobs=1),
    "cost_complexity_cv": lambda: TreeClassifier(prune="cost_complexity_cv", random_state=0),
    "cart": lambda: bough.system("cart", random_state=0),
    "rpart": lambda: bough.system("rpart", random_state=0),
    "c4.5": lambda: bough.system("c4.5"),
}


def seconds(work, repeats=3):
    """Processor time of the fastest of several runs."""
    found = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("nominal", [False, True])
def test_six_times_as_many_columns_take_about_six_times_as_long(name, nominal):
    rng = np.random.default_rng(0)
    y = np.arange(ROWS) % 2

    def time_of(columns):
        X = rng.integers(0, 3, (ROWS, columns)) if nominal else rng.normal(size=(ROWS, columns))
        given = {"categorical_features": list(range(columns))} if nominal else {}
        return seconds(lambda: MODELS[name]().set_params(**given).fit(X, y))

    assert time_of(24_000) < 14 * time_of(4_000)
