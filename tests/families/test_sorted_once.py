"""Trees of a forest take their lists from those of the whole table: each is the tree of its rows alone."""

from __future__ import annotations

import time

import numpy as np
import pytest

from bough import ForestClassifier, TreeClassifier, TreeRegressor, _core
from bough.estimators.plan import plan_of
from support.drawn import assert_same, table


@pytest.mark.parametrize("regression", [True, False])
@pytest.mark.parametrize("engine", ["", "row_ids"])
@pytest.mark.parametrize("share", [0.0, 0.6, 1.0])
def test_a_tree_of_a_forest_is_that_of_its_rows_alone(regression, engine, share):
    for seed in range(14):
        rng = np.random.default_rng([seed, int(10 * share)])
        n = int(rng.choice([2, 12, 60, 900]))
        X, y = table(rng, n, int(rng.choice([1, 4, 15])), 3)
        if seed % 3 == 0:  # near the share of rows from which a value is left out of the lists
            X[:, 0] = np.where(rng.random(n) < 0.3, 5.0, rng.normal(size=n))
        if seed % 4 == 0:
            X[rng.random(n) < 0.1, -1] = np.nan
        tree = TreeRegressor() if regression else TreeClassifier()
        tree.set_params(max_features=[None, "sqrt"][seed % 2], min_samples_leaf=1 + seed % 2)
        data = tree._data_of(X, y + rng.normal(size=n) if regression else y)
        core = data.for_core()
        size = round(share * n)
        seeds = [11, 12, 13]
        plan = plan_of(tree.get_params(), data, seed=0, threads=1 + seed % 2)._replace(engine=engine)
        trees = _core.grow_forest(core, None, plan, seeds, size, False)
        for made, own in zip(trees, seeds, strict=True):
            rows = np.repeat(np.arange(n, dtype=np.uint32), _core.times_drawn(n, size, own))
            sample = _core.Sample(rows) if size else None
            assert_same(made.parts(), _core.grow(core, sample, plan._replace(seed=own)).parts())


def test_a_missing_value_does_not_have_the_table_ranked_or_sorted_again_for_every_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 20))
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    missing = X.copy()
    missing[-1, -1] = np.nan
    forest = ForestClassifier(30, max_samples=0.01, random_state=0, n_jobs=1)

    def seconds(table):
        found = []
        for _ in range(3):
            begin = time.process_time()
            forest.fit(table, y)
            found.append(time.process_time() - begin)
        return min(found)

    assert seconds(missing) < 3 * seconds(X)  # 25 times as long where each tree ranks the table
