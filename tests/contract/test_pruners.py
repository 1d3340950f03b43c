"""What every registered pruner keeps."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from bough import ParameterError, TreeClassifier, TreeRegressor
from bough.registry import plugins

PRUNERS = sorted(plugins()["prune"])
# Parameters without which a pruner would do nothing, or refuse.
PARAMS = {"cost_complexity": {"alpha": 0.01}}
FOR_NUMBERS = {"collapse", "cost_complexity", "cost_complexity_cv"}  # the others count errors of classes
FROM_FEWER_ROWS = {"reduced_error"}  # their tree has not seen all rows


def table(seed=0, n=400):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "b": rng.normal(size=n),
            "s": rng.choice(list("pqrst"), n),
        }
    )
    return frame, ((frame["b"] > 0.3).astype(int) + frame["s"].isin(["p", "s"]) * (rng.random(n) < 0.9)).to_numpy()


KINDS = {
    "axis": {},
    "linear": {"split": "node_pca"},
    "multiway": {"nominal": "multiway"},
    "tested": {"selector": "conditional_inference"},
}


@pytest.mark.parametrize("pruner", PRUNERS)
class TestEveryPruner:
    def tree(self, kind, pruner, **params):
        return kind(prune=pruner, prune_params=PARAMS.get(pruner), **params)

    @pytest.mark.parametrize("splits", KINDS)
    @pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
    def test_it_leaves_the_top_of_the_grown_tree(self, pruner, kind, splits):
        if (kind is TreeRegressor and pruner not in FOR_NUMBERS) or pruner in FROM_FEWER_ROWS:
            return
        X, y = table()
        full = kind(**KINDS[splits]).fit(X, y)
        small = self.tree(kind, pruner, **KINDS[splits])
        if pruner == "error_based":
            small.set_params(prune_params={"raising": False})
        small.fit(X, y)
        assert 1 <= small.get_n_leaves() <= full.get_n_leaves()
        stack = [(0, 0)]
        while stack:
            a, b = stack.pop()
            assert small.tree_.n_node_samples[a] == full.tree_.n_node_samples[b]
            assert small.tree_.value[a] == pytest.approx(full.tree_.value[b], rel=1e-9, abs=1e-12)
            kids = small.tree_.children(a)
            if kids:
                assert str(small.tree_.split(a)) == str(full.tree_.split(b))
                stack += list(zip(kids, full.tree_.children(b)))
        counts = np.bincount(small.apply(X), minlength=small.tree_.node_count)
        assert (counts == np.where(small.tree_.kind == "leaf", small.tree_.n_node_samples, 0)).all()

    def test_it_is_the_same_for_any_threads_and_after_a_pickle(self, pruner):
        X, y = table(1)
        w = np.linspace(0.5, 2, len(y))
        trees = [self.tree(TreeClassifier, pruner, n_jobs=j, random_state=0).fit(X, y, w) for j in (1, 2)]
        assert trees[0].model_.to_bytes() == trees[1].model_.to_bytes()
        again = pickle.loads(pickle.dumps(trees[0]))
        assert (again.predict(X) == trees[0].predict(X)).all()

    def test_a_leaf_stays_a_leaf(self, pruner):
        assert self.tree(TreeClassifier, pruner).fit([[1.0], [2.0]], [3, 3]).get_n_leaves() == 1

    def test_its_parameters_have_their_limits(self, pruner):
        X, y = table()
        with pytest.raises(ParameterError, match="has no parameter 'alhpa'"):
            TreeClassifier(prune=pruner, prune_params={"alhpa": 1}).fit(X, y)
        for p in plugins()["prune"][pruner].params:
            if p.type in ("integer", "real") and np.isfinite(p.low):
                with pytest.raises(ParameterError, match=p.name):
                    TreeClassifier(prune=pruner, prune_params={p.name: p.low - 1}).fit(X, y)

    def test_ccp_alpha_cuts_back_further(self, pruner):
        X, y = table(2)
        if pruner == "cost_complexity":
            by_name = TreeClassifier(prune=pruner, prune_params={"alpha": 0.02}).fit(X, y)
            assert by_name.model_ == TreeClassifier(ccp_alpha=0.02).fit(X, y).model_
            assert by_name.model_ == TreeClassifier(prune=pruner, ccp_alpha=0.02).fit(X, y).model_
            with pytest.raises(ParameterError, match="price of a leaf once"):
                TreeClassifier(prune=pruner, prune_params={"alpha": 0.02}, ccp_alpha=0.1).fit(X, y)
            with pytest.raises(ParameterError, match="prune_params"):
                TreeClassifier(prune=pruner).fit(X, y)
        else:
            both = self.tree(TreeClassifier, pruner, ccp_alpha=0.02, random_state=0).fit(X, y)
            assert both.get_n_leaves() <= self.tree(TreeClassifier, pruner, random_state=0).fit(X, y).get_n_leaves()
            assert (
                pruner in FROM_FEWER_ROWS
                or both.get_n_leaves() <= TreeClassifier(ccp_alpha=0.02).fit(X, y).get_n_leaves()
            )


def test_parameters_without_a_pruner_are_refused():
    with pytest.raises(ParameterError, match="prune_params is .* None where prune is None"):
        TreeClassifier(prune_params={"alpha": 1}).fit([[1.0], [2.0]], [0, 1])


def test_an_unknown_pruner_is_named_with_the_nearest():
    with pytest.raises(ParameterError, match="did you mean 'collapse'"):
        TreeClassifier(prune="colapse").fit([[1.0], [2.0]], [0, 1])
