"""The four estimators under calls in any order: estimator, file, pickle and clone agree, or an error says why in a
sentence and nothing has changed."""

from __future__ import annotations

import pickle
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sklearn.base import clone

import bough
from bough import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor

KINDS = {k.__name__: k for k in (TreeClassifier, TreeRegressor, ForestClassifier, ForestRegressor)}


def table(seed: int, n: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.normal(size=n).round(2), "b": rng.integers(0, 4, n) * 1.0, "c": rng.choice(list("pqr"), n)}
    )
    X.loc[rng.random(n) < 0.15, "a"] = np.nan
    return X


TABLES = [
    table(0, 40),
    table(1, 40),
    table(2, 25),
    table(3, 40)[["a", "b"]],
    table(4, 40).rename(columns={"a": "z"}),
    table(5, 1),
    table(6, 30)[["a", "b"]].to_numpy(),
]
NEW = {len(t.T): t for t in (table(7, 15), table(8, 15)[["a", "b"]])}

COMMON = {
    "criterion": ["gini", "entropy", "max_cut", "squared_error", "bogus"],
    "split": ["axis", "lda", "pca", "random", "oc1"],
    "nominal": ["auto", "multiway", "exact"],
    "nominal_params": [None, {"unseen": "stop"}],
    "selector": ["score", "conditional_inference"],
    "missing": ["either", "shared", "surrogate"],
    "prune": [None, "cost_complexity_cv", "reduced_error"],
    "standardize": [None, True],
    "simplify": [False, True],
    "max_depth": [None, 1, 3, -1],
    "max_features": [None, 1, 0.5, "sqrt"],
    "max_leaf_nodes": [None, 3],
    "min_samples_leaf": [1, 5, 0.2],
    "ccp_alpha": [0.0, 0.01],
    "random_state": [0, 1, None],
    "n_jobs": [None, 2],
}
CLASSES = {
    "class_weight": [None, "balanced", "balanced_subsample", {0: 2, 1: 1, 2: 1}],
    "costs": [None, {(0, 1): 5}],
    "cost_splits": ["pairs", "altered_priors"],
    "priors": [None, [0.2, 0.3, 0.5]],
    "smoothing": [None, "laplace", 2.0],
}
FORESTS = {
    "n_estimators": [1, 3, 5],
    "bootstrap": [True, False],
    "max_samples": [None, 0.5, 10],
    "oob_score": [False, True],
    "warm_start": [False, True],
    "keep_leaves": [False, True],
}


COUNTS = {"done": 0, "refused": 0}


def told(estimator, X):
    """Everything that an estimator says of a table."""
    found = [estimator.predict(X), estimator.apply(X)]
    if hasattr(estimator, "predict_proba"):
        found.append(estimator.predict_proba(X))
    if getattr(estimator, "keep_leaves", False) and estimator._neighbours is not None:
        found.append(estimator.predict_quantiles(X, [0.1, 0.5]))
    return found


def same(some, other):
    return all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(some, other, strict=True))


class Estimators(RuleBasedStateMachine):
    @initialize(kind=st.sampled_from(sorted(KINDS)))
    def begin(self, kind):
        self.estimator = KINDS[kind](random_state=0)
        if kind.startswith("Forest"):
            self.estimator.set_params(n_estimators=2)

    def attempt(self, call):
        """A call that works, or says in a sentence why not and leaves the estimator as it was, byte for byte."""
        before = pickle.dumps(self.estimator)
        try:
            call()
        except bough.BoughError as e:
            refused = str(e)
        else:
            COUNTS["done"] += 1
            return
        COUNTS["refused"] += 1
        assert "\n" not in refused
        assert len(refused.split()) > 4
        assert pickle.dumps(self.estimator) == before

    @rule(data=st.data(), number=st.integers(1, 3))
    def set_params(self, data, number):
        known = {**COMMON, **(CLASSES if "Classifier" in type(self.estimator).__name__ else {})}
        known |= FORESTS if type(self.estimator).__name__.startswith("Forest") else {}
        known = {n: v for n, v in known.items() if n in self.estimator.get_params()}
        for _ in range(number):
            name = data.draw(st.sampled_from(sorted(known)))
            self.estimator.set_params(**{name: data.draw(st.sampled_from(known[name]))})

    @rule(which=st.integers(0, len(TABLES) - 1), seed=st.integers(0, 2), weighted=st.booleans())
    def fit(self, which, seed, weighted):
        X, rng = TABLES[which], np.random.default_rng(seed)
        y = rng.integers(0, 3, len(X)) if "Classifier" in type(self.estimator).__name__ else rng.normal(size=len(X))
        self.attempt(lambda: self.estimator.fit(X, y, rng.integers(0, 3, len(X)) * 1.0 if weighted else None))

    @rule(more=st.integers(1, 2), which=st.integers(0, 3))
    def grow_more_trees(self, more, which):
        if not isinstance(self.estimator, (ForestClassifier, ForestRegressor)) or not hasattr(self.estimator, "model_"):
            return
        self.estimator.set_params(warm_start=True, n_estimators=len(self.estimator) + more)
        before = self.estimator.model_.trees
        self.fit(which, 0, False)
        assert self.estimator.model_.trees[: len(before)] == before

    @rule()
    def take_a_clone(self):
        twin = clone(self.estimator)
        assert not hasattr(twin, "model_")
        assert repr(twin.get_params()) == repr(self.estimator.get_params())
        if not hasattr(self.estimator, "model_"):
            self.estimator = twin

    @rule()
    def go_on_with_the_pickle(self):
        self.estimator = pickle.loads(pickle.dumps(self.estimator))

    @rule()
    def use(self):
        """Whatever is asked for of an estimator, fitted or not."""
        for name in ("feature_importances_", "tree_", "estimators_", "estimators_samples_", "oob_score_", "get_depth"):
            found = getattr(self.estimator, name, None) if hasattr(self.estimator, "model_") else None
            if name == "feature_importances_" and found is not None:
                assert np.isfinite(found).all()
        if hasattr(self.estimator, "model_"):
            self.attempt(lambda: self.estimator.model_.show())
            assert repr(self.estimator.model_)

    @invariant()
    def the_file_the_pickle_and_the_estimator_agree(self):
        if not hasattr(self, "estimator") or not hasattr(self.estimator, "model_"):
            return
        model = self.estimator.model_
        named = "feature_names_in_" in self.estimator.__dict__
        new = [t for t in NEW.values() if not named or list(t.columns) == model.schema.names]
        new = [t if named else t.to_numpy() for t in new if len(t.T) == len(model.schema)]
        twin = pickle.loads(pickle.dumps(self.estimator))
        assert twin.model_.to_bytes() == model.to_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "m.bough")
            self.estimator.save(path)
            read = bough.load(path)
        assert read.to_bytes() == model.to_bytes()
        for X in new:
            said = told(self.estimator, X)
            assert same(said, told(twin, X))
            assert np.array_equal(read.predict(X), said[0])
            if len(model.trees) > 1:
                assert np.array_equal(said[1][:, 0], self.estimator.estimators_[0].apply(X))
        if hasattr(self.estimator, "oob_decision_function_") and model.costs is None and model.class_scale is None:
            assert self.estimator.oob_decision_function_.shape[1] == len(model.classes)
        samples = getattr(self.estimator, "estimators_samples_", [])
        assert len(samples) in (0, len(model.trees))
        for rows, tree in zip(samples, model.trees, strict=False):
            assert tree.missing == model.missing == "shared" or tree.rows()[0] == len(rows)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_estimators_agree_with_their_files_and_pickles_whatever_is_called():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = Estimators.TestCase
        run.settings = settings(
            max_examples=60,
            stateful_step_count=15,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        run().runTest()
    assert min(COUNTS.values()) > 4, "calls of both kinds are tried"
