"""What every registered family keeps, numeric or nominal."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from bough import TreeClassifier, TreeRegressor
from bough.estimators.plan import misfit, part_of
from bough.registry import find
from support.combinations import named
from support.data import every_nominal, every_split

SPLITS = every_split()
NOMINAL = every_nominal()
COMBINATIONS = [(s, "auto") for s in SPLITS] + [("axis", n) for n in NOMINAL]


def classifier(split, nominal, **params):
    """With the first criterion that goes with the nominal search."""
    fitting = [c for c in named("criterion").values() if misfit(c, part_of("nominal", nominal)) is None]
    return TreeClassifier(split=split, nominal=nominal, criterion=fitting[0].name, **params)


def table(seed=0, n=250):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "b": rng.normal(size=n),
            "c": rng.integers(0, 4, n),
            "s": rng.choice(list("pqrst"), n),
            "t": rng.choice(["u", "v", None], n),
        }
    )
    y = (frame["b"] + frame["c"] / 2 > 0.5).astype(int) + frame["s"].isin(["p", "s"]).astype(int)
    return frame, y.to_numpy()


@pytest.mark.parametrize(("split", "nominal"), COMBINATIONS)
class TestEveryFamily:
    def test_rows_of_training_end_in_the_leaves_that_counted_them(self, split, nominal):
        X, y = table()
        tree = classifier(split, nominal, random_state=0).fit(X, y)
        counts = np.bincount(tree.apply(X), minlength=tree.tree_.node_count)
        own = np.where(tree.tree_.kind == "leaf", tree.tree_.n_node_samples, 0)
        assert (counts == own).all()

    def test_the_seed_decides(self, split, nominal):
        X, y = table(1)
        a, b = (classifier(split, nominal, random_state=5).fit(X, y) for _ in range(2))
        assert a.model_.to_bytes() == b.model_.to_bytes()

    def test_threads_change_nothing(self, split, nominal):
        X, y = table(2, 3000)
        a, b = (classifier(split, nominal, random_state=5, n_jobs=j, max_depth=6).fit(X, y) for j in (1, 2))
        assert a.model_.to_bytes() == b.model_.to_bytes()

    def test_limits_on_leaves_are_kept(self, split, nominal):
        X, y = table(3)
        tree = classifier(split, nominal, min_samples_leaf=11, random_state=0).fit(X, y)
        leaves = tree.tree_.kind == "leaf"
        assert tree.tree_.n_node_samples[leaves].min() >= 11
        tree = classifier(split, nominal, min_weight_fraction_leaf=0.1, random_state=0)
        tree.fit(X, y, np.linspace(0.5, 2, len(y)))
        w = tree.tree_.weighted_n_node_samples
        assert w[tree.tree_.kind == "leaf"].min() >= 0.1 * w[0] * (1 - 1e-12)

    def test_it_learns(self, split, nominal):
        X, y = table(4)
        tree = classifier(split, nominal, random_state=0).fit(X, y)
        assert tree.score(X, y) > 0.8

    def test_it_predicts_numbers_too(self, split, nominal):
        if misfit(find("criterion", "squared_error"), part_of("nominal", nominal)):
            pytest.skip("a search for classes; tests/test_partitions.py sees it refused")
        X, y = table(5)
        tree = TreeRegressor(split=split, nominal=nominal, random_state=0).fit(X, y * 2.5)
        assert tree.score(X, y * 2.5) > 0.5

    def test_the_model_survives_pickle_and_unknown_values(self, split, nominal):
        X, y = table(6)
        tree = classifier(split, nominal, random_state=0).fit(X, y)
        again = pickle.loads(pickle.dumps(tree))
        new = X.assign(s="zzz", a=np.nan)
        assert (again.predict(new) == tree.predict(new)).all()
        assert tree.show()
        assert len(list(tree.rules())) == tree.get_n_leaves()

    def test_one_row_one_class_and_constant_columns_are_leaves(self, split, nominal):
        for X, y in [([[1.0]], [1]), ([[1.0], [2.0]], [3, 3]), ([[1.0], [1.0]], [0, 1])]:
            tree = classifier(split, nominal, random_state=0).fit(X, y)
            assert tree.get_n_leaves() == 1
            assert len(tree.predict(X)) == len(y)

    def test_weights_that_are_counts_act_like_rows(self, split, nominal):
        X, y = table(7, 60)
        w = np.random.default_rng(0).integers(1, 4, len(y))
        tree = classifier(split, nominal, random_state=0).fit(X, y, w)
        assert tree.tree_.weighted_n_node_samples[0] == w.sum()
