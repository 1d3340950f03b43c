"""refine="axis" and "linear": what they promise."""

import numpy as np
import pandas as pd
import pytest

import bough
from bough import ForestClassifier, ParameterError, TreeClassifier, TreeRegressor

KINDS = ["axis", "linear"]


def mixed(n=300, seed=0, k=3):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "b": rng.normal(size=n).round(1),
            "c": rng.normal(size=n),
            "s": rng.choice(list("pqrstuv"), n),
        }
    )
    z = frame["b"] + frame["c"] + frame["s"].isin(["p", "s"]) * 1.5 + rng.normal(size=n) * 0.3
    return frame, np.digitize(z, np.quantile(z, np.arange(1, k) / k)), z.to_numpy()


@pytest.mark.parametrize("kind", KINDS)
class TestEveryKind:
    def test_the_objective_never_rises_inside_a_stage(self, kind):
        for seed in range(5):
            frame, y, z = mixed(seed=seed)
            for cls, target in ((TreeClassifier, y), (TreeRegressor, z)):
                found = pd.DataFrame(cls(refine=kind, max_depth=4).fit(frame, target).refinement_)
                for _, stage in found.groupby("stage", sort=False):
                    x = stage["objective"].to_numpy()
                    assert (np.diff(x) <= 1e-9 * abs(x[:-1])).all()

    def test_it_is_the_same_for_any_threads_and_kernels(self, kind):
        from bough import _core

        frame, y, _ = mixed(600)
        w = np.linspace(0.5, 2, len(y))
        first = TreeClassifier(refine=kind, max_depth=4).fit(frame, y, w).model_.to_bytes()
        for jobs in (2, 3):
            assert TreeClassifier(refine=kind, max_depth=4, n_jobs=jobs).fit(frame, y, w).model_.to_bytes() == first
        used = _core.kernels_in_use()
        try:
            for name in _core.kernel_names():
                _core.use_kernels(name)
                assert TreeClassifier(refine=kind, max_depth=4).fit(frame, y, w).model_.to_bytes() == first
        finally:
            _core.use_kernels(used)

    def test_the_tree_counts_the_rows_that_reach_its_leaves(self, kind):
        frame, y, z = mixed()
        for cls, target in ((TreeClassifier, y), (TreeRegressor, z)):
            tree = cls(refine=kind, max_depth=4).fit(frame, target)
            counts = np.bincount(tree.apply(frame), minlength=tree.tree_.node_count)
            assert (counts == np.where(tree.tree_.kind == "leaf", tree.tree_.n_node_samples, 0)).all()
            assert tree.get_depth() <= 4

    def test_the_last_objective_is_that_of_the_tree(self, kind):
        frame, y, _ = mixed()
        tree = TreeClassifier(refine=kind, refine_params={"price": 0.0}, max_depth=4).fit(frame, y)
        assert tree.refinement_["objective"][-1] == pytest.approx((tree.predict(frame) != y).sum())

    def test_a_weight_of_two_is_a_row_twice(self, kind):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(120, 3))
        y = (X[:, 0] + X[:, 1] > 0).astype(int) ^ (rng.random(120) < 0.1)
        w = rng.integers(1, 3, 120)
        params = {"refine": kind, "refine_params": {"price": 1.0}, "max_depth": 3}
        weighed = TreeClassifier(**params).fit(X, y, w.astype(float))
        repeated = TreeClassifier(**params).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        # a price counts rows of average weight
        scaled = TreeClassifier(**{**params, "refine_params": {"price": len(y) / w.sum()}}).fit(X, y, w.astype(float))
        assert weighed.score(X, y) > 0.8
        assert (scaled.predict(X) == repeated.predict(X)).mean() > 0.97

    def test_scaled_weights_and_costs_change_nothing(self, kind):
        frame, y, _ = mixed()
        w = np.linspace(0.5, 2, len(y))
        costs = np.array([[0, 1, 5], [2, 0, 1], [1, 1, 0.0]])
        one = TreeClassifier(refine=kind, max_depth=3, costs=costs).fit(frame, y, w)
        for f in (2.0**-20, 2.0**200):
            other = TreeClassifier(refine=kind, max_depth=3, costs=costs).fit(frame, y, w * f)
            assert (other.apply(frame) == one.apply(frame)).all()
            assert other.refinement_["objective"] / f == pytest.approx(one.refinement_["objective"], rel=1e-9)
        other = TreeClassifier(refine=kind, max_depth=3, costs=costs * 8).fit(frame, y, w)
        assert (other.apply(frame) == one.apply(frame)).all()

    def test_costs_move_the_tree_to_cheaper_mistakes(self, kind):
        frame, y, _ = mixed(k=2)
        costs = np.array([[0, 1], [10, 0.0]])
        plain, dear = (
            TreeClassifier(refine=kind, max_depth=2, costs=c, refine_params={"price": 1.0}).fit(frame, y)
            for c in (None, costs)
        )
        cost = [costs[y, t.predict(frame)].sum() for t in (plain, dear)]
        assert cost[1] <= cost[0]

    def test_small_tables(self, kind):
        for X, y in (
            ([[1.0]], [0]),
            ([[1.0], [2.0]], [0, 1]),
            ([[1.0], [1.0]], [0, 1]),
            ([[1.0], [2.0], [3.0]], [5, 5, 5]),
            ([[np.nan], [np.nan], [1.0]], [0, 0, 1]),
            ([[7.0, 7.0]] * 4, [0, 1, 0, 1]),
        ):
            for cls in (TreeClassifier, TreeRegressor):
                tree = cls(refine=kind, refine_params={"price": 0.0}).fit(X, y)
                plain = cls().fit(X, y)
                assert tree.predict(X) == pytest.approx(plain.predict(X))

    def test_limits_of_leaves_are_kept(self, kind):
        frame, y, _ = mixed()
        tree = TreeClassifier(refine=kind, max_depth=5, min_samples_leaf=25, refine_params={"price": 0.1}).fit(frame, y)
        leaves = tree.tree_.kind == "leaf"
        assert tree.tree_.n_node_samples[leaves].min() >= 25

    def test_pruning_comes_afterwards(self, kind):
        frame, y, _ = mixed()
        full = TreeClassifier(refine=kind, refine_params={"price": 0.0}, max_depth=6).fit(frame, y)
        small = TreeClassifier(refine=kind, refine_params={"price": 0.0}, max_depth=6, ccp_alpha=0.02).fit(frame, y)
        assert 1 < small.get_n_leaves() < full.get_n_leaves()

    def test_what_it_tells_is_in_the_file_and_in_texts(self, kind, tmp_path):
        frame, y, _ = mixed()
        tree = TreeClassifier(refine=kind, max_depth=3).fit(frame, y)
        tree.save(tmp_path / "tree.bough")
        again = bough.load(tmp_path / "tree.bough")
        assert again.refinement == tree.model_.refinement
        assert again.to_bytes() == tree.model_.to_bytes()
        assert "refined in" in again.show()
        assert tree.bound_ is None
        assert tree.proven_ is False

    def test_a_price_by_cross_validation_is_the_same_every_time(self, kind):
        frame, y, _ = mixed(200)
        params = {"refine": kind, "refine_params": {"price": "cv"}, "max_depth": 3, "random_state": 3}
        trees = [TreeClassifier(**params, n_jobs=j).fit(frame, y) for j in (1, 2)]
        assert trees[0].model_.to_bytes() == trees[1].model_.to_bytes()
        noise = np.random.default_rng(0).integers(0, 2, len(y))
        assert TreeClassifier(**params).fit(frame, noise).get_n_leaves() < 8


@pytest.mark.parametrize("kind", KINDS)
def test_small_trees_make_fewer_mistakes_in_training_than_greedy_ones(kind):
    greedy, refined = [], []
    for seed in range(8):
        frame, y, _ = mixed(400, seed=seed, k=4)
        greedy.append(TreeClassifier(criterion="twoing", max_depth=3).fit(frame, y).score(frame, y))
        tree = TreeClassifier(criterion="twoing", refine=kind, refine_params={"price": 0.0}, max_depth=3)
        refined.append(tree.fit(frame, y).score(frame, y))
    assert np.mean(refined) > np.mean(greedy) + 0.01


def test_a_slanted_line_takes_one_linear_split():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] - 2 * X[:, 2] > 0.3).astype(int)
    tree = TreeClassifier(refine="linear", max_depth=4).fit(X, y)
    assert tree.get_n_leaves() == 2
    assert tree.score(X, y) > 0.98
    assert set(tree.tree_.split(0).columns) == {0, 2}


def test_terms_bound_the_columns_of_a_split():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 8))
    y = (X.sum(axis=1) > 0).astype(int)
    for terms, most in ((2, 2), (5, 5), (None, 8)):
        tree = TreeClassifier(refine="linear", refine_params={"terms": terms}, max_depth=2).fit(X, y)
        used = [len(tree.tree_.split(i).columns) for i in np.flatnonzero(tree.tree_.kind == "linear")]
        assert max(used) <= most
    assert max(used) > 5


class TestRefusals:
    def test_forests(self):
        with pytest.raises(ParameterError, match="refine='axis' improves a tree by itself"):
            ForestClassifier(refine="axis").fit([[1.0], [2.0]], [0, 1])

    def test_multiway_splits(self):
        with pytest.raises(ParameterError, match="nominal='multiway' may make more"):
            TreeClassifier(refine="axis", nominal="multiway").fit([[1.0], [2.0]], [0, 1])

    @pytest.mark.parametrize("missing", ["shared", "surrogate"])
    def test_other_ways_of_missing_values(self, missing):
        with pytest.raises(ParameterError, match=f"missing='{missing}' has another way"):
            TreeClassifier(refine="axis", missing=missing).fit([[1.0], [2.0]], [0, 1])

    def test_a_number_of_leaves(self):
        with pytest.raises(ParameterError, match="pass max_depth instead"):
            TreeClassifier(refine="axis", max_leaf_nodes=4).fit([[1.0], [2.0]], [0, 1])

    def test_parameters_without_a_refiner(self):
        with pytest.raises(ParameterError, match="None where refine is None"):
            TreeClassifier(refine_params={"price": 1}).fit([[1.0], [2.0]], [0, 1])

    def test_words_that_are_none(self):
        with pytest.raises(ParameterError, match="of at least 0 or 'cv'"):
            TreeClassifier(refine="axis", refine_params={"price": "vc"}).fit([[1.0], [2.0]], [0, 1])

    def test_what_an_unrefined_tree_does_not_have(self):
        tree = TreeClassifier().fit([[1.0], [2.0]], [0, 1])
        for name in ("refinement_", "bound_", "proven_"):
            assert not hasattr(tree, name)


@pytest.mark.parametrize("refine", ["axis", "linear"])
def test_a_tree_of_numbers_whose_squares_are_beyond_float64_is_saved_and_shown(refine, tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, 1e160, -1e160)
    tree = bough.TreeRegressor(refine=refine, max_depth=2, random_state=0).fit(X, y)
    assert np.isfinite(tree.refinement_["objective"]).all()
    tree.save(tmp_path / "m.bough")
    assert bough.load(tmp_path / "m.bough").predict(X).tolist() == tree.predict(X).tolist()
    assert "bytes" in repr(tree.report(X, y))
