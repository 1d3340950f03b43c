"""Ctrl-C during a fit: answered within a quarter of a second, and the estimator is as it was."""

from __future__ import annotations

import numpy as np
import pytest

from bough import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor
from support.data import every_split
from support.interrupt import LIMIT, interrupted


@pytest.fixture(scope="module")
def slow():
    rng = np.random.default_rng(0)
    return rng.normal(size=(400_000, 20)), rng.integers(0, 3, 400_000)


@pytest.mark.parametrize("after", [0.02, 0.15, 0.6])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_stops_at_once_and_leaves_the_estimator_alone(slow, after, n_jobs):
    X, y = slow
    tree = TreeClassifier(n_jobs=n_jobs).fit(X[:100], y[:100])
    before = tree.model_
    waited = interrupted(lambda: tree.fit(X, y), after)
    assert waited is not None, "the fit was over before the signal"
    assert waited < LIMIT
    assert tree.model_ is before


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_a_forest_stops_at_once(slow, kind, n_jobs):
    X, y = slow
    forest = kind(1000, n_jobs=n_jobs, max_features="sqrt").fit(X[:50], y[:50])
    before = forest.model_
    for after in (0.05, 0.8):
        waited = interrupted(lambda: forest.fit(X, y), after)
        assert waited is not None, "the fit was over before the signal"
        assert waited < LIMIT
        assert forest.model_ is before


@pytest.mark.parametrize("after", [0.1, 0.2, 0.4])
def test_a_forest_of_many_classes_that_is_judged_out_of_bag_stops_at_once(after):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10_000, 4)), rng.integers(0, 2000, 10_000)
    forest = ForestClassifier(8, oob_score=True, max_samples=0.3, random_state=0)
    waited = interrupted(lambda: forest.fit(X, y), after)
    assert waited is None or waited < LIMIT  # None: the fit was over before the signal
    assert waited is None or not hasattr(forest, "model_")


@pytest.mark.parametrize("split", every_split(), ids=str)
@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
def test_every_family_can_be_interrupted(slow, split, kind):
    X, y = slow
    tree = kind(split=split, max_leaf_nodes=100_000)
    waited = interrupted(lambda: tree.fit(X, y), 0.2)
    assert waited is None or waited < LIMIT
    assert waited is None or not hasattr(tree, "model_")


@pytest.mark.parametrize("after", [0.3, 0.6, 0.9, 1.2])
def test_elc_answers_between_two_splits_that_are_better_than_the_last(slow, after):
    X, y = slow  # each of them is checked row by row
    tree = TreeClassifier(split="elc", split_params={"r": 1}, max_depth=1)
    waited = interrupted(lambda: tree.fit(X[:200_000, :4], y[:200_000]), after)
    assert waited is None or waited < LIMIT


def test_a_failing_callback_stops_the_fit_with_its_own_error(slow):
    pytest.importorskip("sklearn.callback")

    class Failing:
        def setup(self, estimator, context): ...

        def teardown(self, estimator, context): ...

        def on_fit_task_begin(self, estimator, context):
            if context.task_name != "fit":
                raise RuntimeError("no more")

        def on_fit_task_end(self, estimator, context): ...

    X, y = slow
    tree = TreeClassifier().set_callbacks(Failing())
    with pytest.raises(RuntimeError, match="no more"):
        tree.fit(X, y)
    assert not hasattr(tree, "model_")
