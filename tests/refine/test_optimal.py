"""optimal and lookahead: the proven tree against all trees there are, and what they say of themselves."""

import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from tests.support.interrupt import interrupted
from tests.support.oracle.shallow import Best

from bough import ParameterError, TreeClassifier, TreeRegressor, _core, system


def table(seed, values=4):
    """A tiny table with ties, repeated rows, missing values and categories, its classes, weights and costs."""
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(2, 13)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    columns = {}
    for j in range(d):
        kind = rng.integers(4)
        if kind == 0:
            columns[f"c{j}"] = pd.Categorical.from_codes(rng.integers(0, values, n), list("abcdefgh")[:values])
            continue
        x = rng.normal(size=n) if kind == 1 else rng.integers(0, 4, n).astype(float)
        if rng.random() < 0.4:
            x[rng.random(n) < 0.3] = np.nan
        columns[f"x{j}"] = x
    y = rng.integers(0, k, n)
    y[:2] = 0, 1
    kind = rng.integers(5)
    weights = None if kind < 2 else rng.integers(1, 4, n) * 0.5 if kind < 4 else rng.random(n) + 0.1
    costs = None
    if rng.random() < 0.3:
        costs = rng.integers(1, 6, (k, k)).astype(float)
        np.fill_diagonal(costs, 0)
    return pd.DataFrame(columns), y, weights, costs


def costs_of(y, weights, costs):
    """What each row costs by each answer."""
    classes, y = np.unique(y, return_inverse=True)
    matrix = 1 - np.eye(len(classes)) if costs is None else costs[np.ix_(classes, classes)]
    return matrix[y] * (1.0 if weights is None else weights[:, None])


def arrays(frame):
    return [
        c.cat.codes.to_numpy().astype(int) if hasattr(c, "cat") else c.to_numpy(dtype=float) for _, c in frame.items()
    ]


def check(seed, depth, values=4):
    frame, y, weights, costs = table(seed, values)
    of_row = costs_of(y, weights, costs)
    price = (0.0, 0.0, 0.5, 1.0, 2.3)[seed % 5]
    leaf = price * of_row.max(axis=1).mean()
    given = None if costs is None else costs[np.ix_(np.unique(y), np.unique(y))]
    if given is not None and len(given) == 1:
        given = None
    tree = TreeClassifier(refine="optimal", refine_params={"leaf_price": price}, max_depth=depth, costs=given)
    tree.fit(frame, y, weights)
    least = Best(arrays(frame), of_row, leaf).least(depth)
    assert tree.proven_, (seed, depth)
    assert tree.refinement_["objective"][-1] == pytest.approx(least, rel=1e-6), (seed, depth)
    assert tree.bound_ == pytest.approx(least, rel=1e-6), (seed, depth)
    predicted = np.searchsorted(np.unique(y), tree.predict(frame))
    paid = of_row[np.arange(len(y)), predicted].sum() + leaf * tree.get_n_leaves()
    assert paid <= least * (1 + 1e-6) + 1e-9, (seed, depth)
    near = TreeClassifier(refine="lookahead", refine_params={"leaf_price": price}, max_depth=depth, costs=given)
    assert near.fit(frame, y, weights).refinement_["objective"][-1] >= least * (1 - 1e-6)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("kernels", _core.kernel_names())
def test_it_is_the_best_of_all_trees(depth, kernels):
    before = _core.kernels_in_use()
    _core.use_kernels(kernels)
    try:
        for seed in range(12):
            check(100 * depth + seed, depth)
    finally:
        _core.use_kernels(before)


FAST = {"max_depth": 3, "refine_params": {"max_seconds": 0}}


def larger(n=300, k=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).round(1)
    return X, np.digitize(X[:, 0] * X[:, 1] + rng.normal(size=n) * 0.5, np.linspace(-0.5, 0.5, k - 1))


class TestWhatItSays:
    def test_a_proof_is_a_sentence_with_its_time(self):
        X, y = larger()
        tree = TreeClassifier(refine="optimal", **FAST).fit(X, y)
        wrong = int((tree.predict(X) != y).sum())
        assert tree.proven_
        assert tree.bound_ == wrong == tree.refinement_["objective"][-1]
        claim = f"(no tree of depth 3 makes fewer than {wrong} errors on these rows: proven"
        assert tree.model_.show().endswith(claim + ")")
        assert tree.show().endswith(f"{claim} in {max(tree.search_seconds_, 0.01):.2f} s)")

    def test_its_file_is_the_same_each_time(self):
        X, y = larger()
        assert len({TreeClassifier(refine="optimal", **FAST).fit(X, y).model_.to_bytes() for _ in range(2)}) == 1

    def test_a_leaf_has_a_price(self):
        X, y = larger()
        tree = TreeClassifier(refine="optimal", max_depth=3, refine_params={"leaf_price": 20.0}).fit(X, y)
        wrong = (tree.predict(X) != y).sum()
        assert tree.bound_ == pytest.approx(wrong + 20 * tree.get_n_leaves())
        assert "a leaf costing 20: proven" in tree.show().replace(f" in {max(tree.search_seconds_, 0.01):.2f} s", "")
        assert tree.get_n_leaves() < TreeClassifier(refine="optimal", **FAST).fit(X, y).get_n_leaves()
        assert TreeClassifier(refine="optimal", refine_params={"leaf_price": 1e9}).fit(X, y).get_n_leaves() == 1

    def test_a_price_is_chosen_by_cross_validation(self):
        X, y = larger(k=2, seed=3)
        y = np.where(np.random.default_rng(0).random(len(y)) < 0.3, 1 - y, y)
        tree = TreeClassifier(refine="optimal", refine_params={"leaf_price": "cv"}, random_state=0).fit(X, y)
        assert 1 <= tree.get_n_leaves() <= 8

    def test_one_that_ran_out_of_time_has_a_bound_that_holds(self):
        X, y = larger(1500, k=4)
        tree = TreeClassifier(refine="optimal", max_depth=5, refine_params={"max_seconds": 0.05}).fit(X, y)
        assert not tree.proven_
        assert 0 <= tree.bound_ < tree.refinement_["objective"][-1] == (tree.predict(X) != y).sum()
        assert "the search was cut off before the gap was closed" in tree.show()

    def test_lookahead_claims_nothing(self):
        X, y = larger()
        tree = TreeClassifier(refine="lookahead", max_depth=4).fit(X, y)
        assert tree.bound_ is None
        assert not tree.proven_
        best = TreeClassifier(refine="optimal", **FAST).fit(X, y)
        assert tree.refinement_["objective"][-1] <= best.bound_

    def test_uneven_weights_are_rounded_and_it_says_so(self):
        X, y = larger(60)
        w = np.random.default_rng(0).random(60) + 0.1
        tree = TreeClassifier(refine="optimal", **FAST).fit(X, y, w)
        assert tree.proven_
        assert "weights rounded to multiples of" in tree.show()
        assert "rounded" not in TreeClassifier(refine="optimal", **FAST).fit(X, y, np.full(60, 0.7)).show()

    def test_scaled_weights_leave_the_tree_as_it_is(self):
        X, y = larger(80)
        w = np.random.default_rng(0).integers(1, 4, 80).astype(float)
        trees = [TreeClassifier(refine="optimal", **FAST).fit(X, y, w * s) for s in (1.0, 1e-80, 1e80)]
        for tree in trees[1:]:
            assert (tree.tree_.threshold == trees[0].tree_.threshold).all()
        assert trees[1].bound_ == pytest.approx(trees[0].bound_ * 1e-80)

    def test_pruning_and_small_leaves_end_the_proof_and_keep_the_bound(self):
        X, y = larger()
        best = TreeClassifier(refine="optimal", **FAST).fit(X, y)
        for more in ({"min_samples_leaf": 60}, {"ccp_alpha": 10.0}):
            tree = TreeClassifier(refine="optimal", **FAST, **more).fit(X, y)
            assert tree.get_n_leaves() < best.get_n_leaves()
            assert not tree.proven_
            assert tree.bound_ == best.bound_
        assert tree.tree_.n_node_samples[tree.tree_.kind == "leaf"].min() >= 1


def told_of(report):
    return json.loads(re.search(r'id="data">(.*?)</script>', report.page, flags=re.S)[1])


def columns_in_preorder(tree):
    nodes = tree.tree_
    return tuple(None if k == "leaf" else int(c) for k, c in zip(nodes.kind, nodes.feature, strict=True))


class TestAlternatives:
    @pytest.mark.parametrize("depth", [1, 2, 3])
    def test_they_are_all_that_cost_little_more(self, depth):
        for seed in range(25):
            frame, y, weights, _ = table(7000 + 40 * depth + seed)
            frame, y = frame[:9], y[:9]
            weights = None if weights is None or weights[0] * 2 % 1 else weights[:9]
            of_row = costs_of(y, weights, None)
            leaf = (0.0, 0.7)[seed % 2] * of_row.max(axis=1).mean()
            tree = TreeClassifier(
                refine="optimal", max_depth=depth, refine_params={"leaf_price": (0.0, 0.7)[seed % 2]}
            ).fit(frame, y, weights)
            found = Best(arrays(frame), of_row, leaf).choices(depth)
            limit = tree.bound_ * 1.3
            wanted = {k: c for k, c in found.items() if c <= limit + 1e-6}
            near = tree.alternatives_(within=0.3 + 1e-6, most=10_000)
            assert near.complete
            told = sorted(near.objectives.tolist())
            assert told == pytest.approx(sorted(wanted.values()), abs=1e-5), seed
            for one, objective in zip(near, near.objectives, strict=True):
                classes = np.unique(y)
                paid = of_row[np.arange(len(y)), np.searchsorted(classes, one.predict(frame))].sum()
                assert paid + leaf * one.get_n_leaves() <= objective + 1e-5
                nodes = one.tree_
                if not any(frame.isna().any()):  # rows without a value alone: children change places
                    key = columns_in_preorder(one)
                    assert key in wanted, (seed, nodes)

    def test_the_best_comes_first_and_columns_are_counted(self):
        X, y = larger()
        tree = TreeClassifier(refine="optimal", **FAST).fit(X, y)
        near = tree.alternatives_(within=0.05, most=20)
        assert near.objectives[0] == tree.bound_
        assert (np.diff(near.objectives) >= 0).all()
        assert 1 < len(near) <= 20
        assert near.objectives[-1] <= 1.05 * tree.bound_
        assert len({columns_in_preorder(one) for one in near}) == len(near)
        assert {*near.in_all, *near.in_some, *near.in_none} == {f"x{i}" for i in range(5)}
        assert "x0" in near.in_all
        assert repr(near).startswith(f"{len(near)} trees of different columns, objective ")
        for one, objective in zip(near, near.objectives, strict=True):
            assert (one.predict(X) != y).sum() == objective
            assert one.predict_proba(X).shape == (len(y), 3)
            assert not hasattr(one, "bound_")
        assert [m.model_.to_bytes() for m in near] == [m.model_.to_bytes() for m in tree.alternatives_(0.05, 20)]

    def test_the_report_tells_them(self):
        X, y = larger()
        tree = TreeClassifier(refine="optimal", **FAST).fit(X, y)
        near, told = tree.alternatives_(), told_of(tree.report())["near"]
        assert (told["n"], told["d"], told["w"]) == (len(near), 1, 0.01)
        names = list(near.occurs)
        assert {names[c]: n for c, n in told["c"]} == {c: n for c, n in near.occurs.items() if n}
        assert [t[:2] for t in told["t"]] == [[tree.bound_, one.get_n_leaves()] for one in near][: len(told["t"])]
        for one, (_, _, root, further) in zip(near, told["t"], strict=False):
            asked = [c for c in columns_in_preorder(one) if c is not None]
            assert root == asked[0]
            assert set(further) == set(asked) - {root}

    def test_a_report_without_a_proof_or_the_rows_does_not(self):
        X, y = larger()
        cut_off = TreeClassifier(refine="optimal", max_depth=3, refine_params={"max_seconds": 1e-9}).fit(X, y)
        greedy, proven = TreeClassifier(max_depth=3).fit(X, y), TreeClassifier(refine="optimal", **FAST).fit(X, y)
        for tree in (cut_off, greedy, pickle.loads(pickle.dumps(proven))):
            assert "near" not in told_of(tree.report())

    def test_what_it_needs(self):
        X, y = larger(50)
        tree = TreeClassifier(refine="optimal", max_depth=2).fit(X, y)
        with pytest.raises(ParameterError, match="within is -1"):
            tree.alternatives_(within=-1)
        with pytest.raises(ParameterError, match="most is 0"):
            tree.alternatives_(most=0)
        with pytest.raises(ParameterError, match="read from a pickle"):
            pickle.loads(pickle.dumps(tree)).alternatives_()
        with pytest.raises(AttributeError, match="no attribute 'alternatives_'"):
            TreeClassifier(max_depth=2).fit(X, y).alternatives_()


def test_an_interrupt_keeps_the_best_tree_so_far_if_asked():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 12)), rng.integers(0, 4, 4000)
    params = {"max_depth": 5, "refine": "optimal"}
    kept = TreeClassifier(refine_params={"max_seconds": 0, "keep": True}, **params)
    assert interrupted(lambda: kept.fit(X, y), 0.3) is None  # no error
    assert not kept.proven_
    assert kept.get_n_leaves() > 4
    assert (kept.predict(X) != y).sum() == kept.refinement_["objective"][-1] >= kept.bound_
    lost = TreeClassifier(refine_params={"max_seconds": 0}, **params)
    assert interrupted(lambda: lost.fit(X, y), 0.3) is not None
    assert not hasattr(lost, "model_")


class TestBadInput:
    def test_more_levels_than_anyone_could_wait_for(self):
        with pytest.raises(ValueError, match="max_depth is 17; the best tree of more than 16 levels"):
            TreeClassifier(refine="optimal", max_depth=17).fit([[1.0], [2.0]], [0, 1])

    def test_numbers(self):
        with pytest.raises(ParameterError, match="refine='optimal' is for classes"):
            TreeRegressor(refine="optimal").fit([[1.0], [2.0]], [0.5, 1])


def test_the_systems():
    X, y = larger(100)
    assert system("optimal").fit(X, y).proven_
    assert system("lookahead").fit(X, y).get_depth() <= 4


def test_many_classes_and_wide_weights():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)).round(2), rng.integers(0, 40, 400)
    w = rng.integers(1, 1000, 400).astype(float)
    for weights in (None, w):
        tree = TreeClassifier(refine="optimal", max_depth=2).fit(X, y, weights)
        lost = (tree.predict(X) != y) @ (np.ones(400) if weights is None else w)
        assert tree.proven_
        assert tree.bound_ == pytest.approx(lost)


@pytest.mark.slow
def test_it_is_the_best_of_all_trees_of_1000_tables():
    for seed in range(1000):
        check(1000 + seed, 2 + seed % 3, values=4 if seed % 4 else 7)


@pytest.mark.parametrize("depth", [2, 3])
def test_columns_of_many_values_are_split_within_a_family(depth):
    for seed in range(20):
        check(10_000 + seed, depth, values=7)
