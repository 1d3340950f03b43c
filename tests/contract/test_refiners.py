"""What every registered refiner keeps."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from bough import ForestClassifier, ParameterError, TreeClassifier, TreeRegressor
from bough.model.model import Model
from bough.registry import plugins

REFINERS = sorted(plugins()["refine"])
PARAMS = {"max_depth": 2, "random_state": 0}


def table(seed=0, n=150):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "b": rng.normal(size=n).round(1),
            "s": rng.choice(list("pqrst"), n),
        }
    )
    return frame, ((frame["b"] > 0.3).astype(int) + frame["s"].isin(["p", "s"]) * (rng.random(n) < 0.9)).to_numpy()


def kinds_of(refiner):
    return [TreeClassifier, TreeRegressor] if plugins()["refine"][refiner].traits["regression"] else [TreeClassifier]


@pytest.mark.parametrize("refiner", REFINERS)
class TestEveryRefiner:
    def test_its_tree_knows_its_rows(self, refiner):
        X, y = table()
        for kind in kinds_of(refiner):
            tree = kind(refine=refiner, **PARAMS).fit(X, y)
            counts = np.bincount(tree.apply(X), minlength=tree.tree_.node_count)
            assert (counts == np.where(tree.tree_.kind == "leaf", tree.tree_.n_node_samples, 0)).all()
            assert tree.get_depth() <= 2

    def test_it_is_the_same_for_any_threads_and_after_a_pickle(self, refiner):
        X, y = table(1)
        w = np.linspace(0.5, 2, len(y))
        trees = [TreeClassifier(refine=refiner, n_jobs=j, **PARAMS).fit(X, y, w) for j in (1, 2)]
        assert trees[0].model_.to_bytes() == trees[1].model_.to_bytes()
        again = pickle.loads(pickle.dumps(trees[0]))
        assert (again.predict(X) == trees[0].predict(X)).all()

    def test_it_tells_its_objective_and_the_file_keeps_it(self, refiner):
        X, y = table()
        tree = TreeClassifier(refine=refiner, **PARAMS).fit(X, y)
        told = tree.refinement_
        assert len(told["stage"]) == len(told["objective"]) > 0
        assert Model.from_bytes(tree.model_.to_bytes()).refinement == tree.model_.refinement
        assert tree.model_.show().endswith(f"({tree.model_.refinement.summary()})")
        assert tree.bound_ is None or tree.bound_ <= told["objective"][-1] * (1 + 1e-9)

    def test_a_leaf_stays_a_leaf(self, refiner):
        assert TreeClassifier(refine=refiner).fit([[1.0], [2.0]], [3, 3]).get_n_leaves() == 1
        assert TreeClassifier(refine=refiner).fit([[1.0]], [3]).get_n_leaves() == 1

    def test_pruning_comes_afterwards(self, refiner):
        X, y = table()
        tree = TreeClassifier(refine=refiner, ccp_alpha=10.0, **PARAMS).fit(X, y)
        assert tree.get_n_leaves() == 1

    def test_its_parameters_have_their_limits(self, refiner):
        X, y = table()
        with pytest.raises(ParameterError, match="has no parameter 'alhpa'"):
            TreeClassifier(refine=refiner, refine_params={"alhpa": 1}).fit(X, y)
        for p in plugins()["refine"][refiner].params:
            if p.type in ("integer", "real") and np.isfinite(p.low):
                with pytest.raises(ParameterError, match=p.name):
                    TreeClassifier(refine=refiner, refine_params={p.name: p.low - 1}).fit(X, y)

    def test_what_it_cannot_work_on_is_refused(self, refiner):
        X, y = table()
        for cls, params in (
            (ForestClassifier, {}),
            (TreeClassifier, {"nominal": "multiway"}),
            (TreeClassifier, {"missing": "shared"}),
            (TreeClassifier, {"missing": "surrogate"}),
            (TreeClassifier, {"max_leaf_nodes": 4}),
        ):
            with pytest.raises(ParameterError, match=f"refine='{refiner}'"):
                cls(refine=refiner, **params).fit(X, y)


def test_an_unknown_refiner_is_named_with_the_nearest():
    with pytest.raises(ParameterError, match="did you mean 'linear'"):
        TreeClassifier(refine="linera").fit([[1.0], [2.0]], [0, 1])
