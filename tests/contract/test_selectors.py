"""What every registered selector keeps."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from bough import TreeClassifier, TreeRegressor
from bough.registry import plugins


def table(seed=0, n=400):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "b": rng.normal(size=n),
            "s": rng.choice(list("pqrst"), n),
            "t": rng.choice(["u", "v", None], n),
        }
    )
    return frame, ((frame["b"] > 0.3).astype(int) + frame["s"].isin(["p", "s"])).to_numpy()


# What a selector cannot do without; there is no such criterion for numbers.
NEEDS = {"average_gain": {"criterion": "gain_ratio"}}


@pytest.mark.parametrize("selector", sorted(plugins()["selector"]))
class TestEverySelector:
    @pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
    def test_it_learns_and_the_seed_and_threads_change_nothing(self, selector, kind):
        if kind is TreeRegressor and selector in NEEDS:
            return
        X, y = table()
        needs = NEEDS.get(selector, {})
        trees = [kind(selector=selector, random_state=s, n_jobs=j, **needs).fit(X, y) for s, j in [(0, 1), (1, 2)]]
        assert trees[0].model_ == trees[1].model_
        assert trees[0].score(X, y) > 0.8
        again = pickle.loads(pickle.dumps(trees[0]))
        assert (again.predict(X) == trees[0].predict(X)).all()

    @pytest.mark.parametrize("params", [{"max_leaf_nodes": 6}, {"max_features": 1}, {"min_samples_leaf": 20}])
    def test_it_goes_with_every_order_of_growth(self, selector, params):
        X, y = table(1)
        params = {**params, **NEEDS.get(selector, {})}
        tree = TreeClassifier(selector=selector, random_state=0, **params).fit(X, y, np.linspace(0.5, 2, len(y)))
        counts = np.bincount(tree.apply(X), minlength=tree.tree_.node_count)
        assert (counts == np.where(tree.tree_.kind == "leaf", tree.tree_.n_node_samples, 0)).all()
        assert tree.get_n_leaves() > 1

    def test_one_row_one_class_and_constant_columns_are_leaves(self, selector):
        for X, y in [([[1.0]], [1]), ([[1.0], [2.0]], [3, 3]), ([[1.0], [1.0]], [0, 1])]:
            tree = TreeClassifier(selector=selector, **NEEDS.get(selector, {}))
            assert tree.fit(X, y).get_n_leaves() == 1
