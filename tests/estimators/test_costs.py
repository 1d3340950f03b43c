"""Costs of mixing classes: by their definition, on numeric and nominal columns, in trees and files."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bough
from bough import ParameterError, TreeClassifier, _core, partition
from support.combinations import named
from support.data import random_small
from support.oracle import criteria
from support.oracle import trees as oracle

CRITERIA = ["gini", "squared_gini", "max_cut"]


def random_costs(rng, k):
    c = rng.choice([0.0, 0.5, 1.0, 2.0, 7.0], (k, k))
    c = np.triu(c, 1)
    if k > 1 and not c.any():
        c[0, 1] = 1
    return c + c.T


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_gain_of_the_root_is_the_brute_force_optimum(criterion):
    rng = np.random.default_rng([20, len(criterion)])
    for _ in range(400):
        s = random_small(rng)
        if len(set(s.y)) < 2:
            continue
        costs = random_costs(rng, s.k)
        nominal = str(rng.choice(["exact", "one_vs_rest", "multiway", "auto"]))
        tree = TreeClassifier(criterion=criterion, nominal=nominal, costs=costs, max_depth=1, min_info_gain=-1)
        tree.fit(s.frame, s.y, s.weights)
        rows = list(range(len(s.y)))
        found = []
        for c, (kind, values) in enumerate(s.table):
            if kind == "numeric":
                splits = oracle.axis_splits(rows, c, values, s.w)
            else:
                search = "exact" if nominal == "auto" else nominal
                splits = oracle.nominal_splits(search, "max_cut", rows, c, values, s.y, s.w)
            found += [
                criteria.gain(criterion, children, s.y, s.w, s.k, z, costs=costs)
                for _, _, children, z in splits
                if all(children)
            ]
        if found and tree.tree_.node_count > 1:
            scale = max(1.0, max(map(abs, found)))
            assert abs(tree.tree_.gain[0] - max(found)) <= 1e-11 * scale, (costs, nominal, s)
        else:
            assert not found, s


@given(st.integers(0, 2**32 - 1), st.sampled_from(CRITERIA))
def test_equal_costs_are_no_costs(seed, criterion):
    rng = np.random.default_rng(seed)
    s = random_small(rng, most_rows=25)
    equal = 1.0 - np.eye(s.k)
    if s.k < 2:
        return
    plain = TreeClassifier(criterion=criterion).fit(s.frame, s.y, s.weights)
    costly = TreeClassifier(criterion=criterion, costs=equal).fit(s.frame, s.y, s.weights)
    assert plain.show() == costly.show()
    assert plain.tree_.impurity == pytest.approx(costly.tree_.impurity, abs=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_plain_gains_and_impurities_are_those_of_the_definition(criterion):
    rng = np.random.default_rng(21)
    for _ in range(100):
        k = int(rng.integers(2, 6))
        sides, costs = rng.integers(0, 9, (2, k)).astype(float) + 0.5, random_costs(rng, k)
        found = _core.gain(criterion, sides, costs.ravel().tolist())
        expected = criteria.gain_of(criterion, criteria.of_sides(sides.tolist(), costs))
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-12)


def test_partitions_of_tables_know_costs():
    rng = np.random.default_rng(22)
    for criterion, search in itertools.product(CRITERIA, ["exact", "pc_ext", "hypercube_cover", "sliq", "auto"]):
        for _ in range(10):
            table, costs = rng.integers(0, 8, (7, 4)).astype(float), random_costs(rng, 4)
            p = partition(table, search=search, criterion=criterion, costs=costs)
            rows = np.flatnonzero(table.sum(1) > 0)
            best = -math.inf
            for size in range(1, len(rows)):
                for left in itertools.combinations(rows, size):
                    sides = [table[list(left)].sum(0).tolist(), np.delete(table, left, axis=0).sum(0).tolist()]
                    value = criteria.gain_of(criterion, criteria.of_sides(sides, costs))
                    best = max(best, value)
            assert p.gain <= best + 1e-9 * max(1, abs(best))
            if search == "exact":
                assert p.gain == pytest.approx(best, rel=1e-10, abs=1e-12)


def test_cuts_with_costs_are_found_and_bounded():
    rng = np.random.default_rng(23)
    for search in ("greedy", "gw"):
        for _ in range(10):
            table, costs = rng.integers(1, 8, (9, 4)).astype(float), random_costs(rng, 4)
            p = partition(table, search=search, criterion="squared_gini", costs=costs)
            top = partition(table, search="exact", criterion="squared_gini", costs=costs)
            assert top.gain / 2 <= p.gain <= top.gain * (1 + 1e-12)
            assert p.bound >= top.gain * (1 - 1e-12)


def test_a_dict_names_pairs_of_classes():
    X, y = pd.DataFrame({"x": np.arange(6.0), "s": list("aabbcc")}), ["u", "v", "u", "w", "w", "v"]
    matrix = [[0, 5, 1], [5, 0, 1], [1, 1, 0]]
    a = TreeClassifier(costs={("v", "u"): 5}).fit(X, y)
    b = TreeClassifier(costs=matrix).fit(X, y)
    assert a.model_ == b.model_


def test_costs_are_kept_in_files_and_pruning_knows_them(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    costs = [[0, 9, 1], [9, 0, 1], [1, 1, 0]]
    tree = TreeClassifier(costs=costs, max_depth=4).fit(X, y)
    tree.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    assert again == tree.model_
    assert again.costs.tolist() == costs
    assert (again.nodes().impurities == tree.tree_.impurity).all()
    p = tree.model_.nodes().shares
    assert tree.tree_.impurity == pytest.approx(np.einsum("ni,ij,nj->n", p, np.array(costs), p))
    assert pickle.loads(pickle.dumps(tree)).predict(X).tolist() == tree.predict(X).tolist()
    path = tree.cost_complexity_pruning_path(X, y)
    assert path.impurities[-1] == pytest.approx(tree.tree_.impurity[0])
    small = TreeClassifier(costs=costs, max_depth=4, ccp_alpha=path.ccp_alphas[-1]).fit(X, y)
    assert small.get_n_leaves() == 1


def test_the_dear_pair_is_parted_first():
    X = pd.DataFrame({"s": list("aabbccdd")})
    y = [0, 0, 1, 1, 2, 2, 2, 2]
    tree = TreeClassifier(costs={(0, 1): 50}, max_depth=1).fit(X, y)
    leaves = tree.apply(X)
    assert leaves[0] != leaves[2]


def test_weights_of_any_size_and_threads_change_nothing():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=3000), "s": rng.choice(list("pqrstuvw"), 3000)})
    y = rng.integers(0, 4, 3000)
    costs = random_costs(rng, 4)
    for criterion in CRITERIA:
        a, b = (TreeClassifier(criterion=criterion, costs=costs, n_jobs=j, max_depth=5).fit(X, y) for j in (1, 2))
        assert a.model_.to_bytes() == b.model_.to_bytes()
        w = np.where(rng.random(3000) < 0.5, 1e-12, 1.0)
        assert TreeClassifier(criterion=criterion, costs=costs, max_depth=3).fit(X, y, w).get_n_leaves() > 1


@pytest.mark.parametrize(
    ("costs", "says"),
    [
        ([[0, 1], [1, 0]], r"shape \(2, 2\).*3 × 3"),
        ([[0, -1, 1], [-1, 0, 1], [1, 1, 0]], "not negative"),
        ([[1, 1, 1], [1, 0, 1], [1, 1, 0]], "itself"),
        ([[0, 0, 0]] * 3, "all 0"),
        ({("a", "z"): 2}, "'z', which is not a class"),
        ({"a": 2}, "pairs of classes"),
        ({("a", "b"): "dear"}, "must be a number"),
        ("dear", "3 × 3"),
    ],
)
def test_bad_costs_are_refused_in_words(costs, says):
    X, y = [[0.0], [1.0], [2.0]], ["a", "b", "c"]
    with pytest.raises(ParameterError, match=says):
        TreeClassifier(costs=costs).fit(X, y)


def test_other_criteria_refuse_costs_with_what_fits():
    X, y = [[0.0], [1.0], [2.0]], ["a", "b", "c"]
    own = bough.edge_weights(lambda left, right, n: left.sum(axis=1))
    for c in [own, *(c.name for c in named("criterion").values() if not (c.traits["regression"] or c.traits["costs"]))]:
        with pytest.raises(ParameterError, match="gini, max_cut, squared_gini"):
            TreeClassifier(criterion=c, costs=1 - np.eye(3)).fit(X, y)
    with pytest.raises(ParameterError, match="divergence"):
        TreeClassifier(nominal="k_means", costs=1 - np.eye(3)).fit(X, y)
