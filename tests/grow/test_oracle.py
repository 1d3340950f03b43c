"""The core against the naive reference, for every registered criterion: the best gain of roots, and whole trees.

The slow ones try 20,000 roots and 2,000 trees.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bough import TreeClassifier, TreeRegressor, system
from bough.estimators.plan import misfit
from bough.registry import find, plugins
from support.combinations import by_name
from support.data import numeric, random_small, same_trees, target_for, tree_of
from support.oracle import trees as oracle
from support.oracle.criteria import variance

CRITERIA = by_name("criterion")
NOMINAL = ["auto", "exact", "one_vs_rest", "multiway"]
ROOTS = [4_000, pytest.param(20_000, marks=pytest.mark.slow)]  # of all criteria together; a tenth as many whole trees


def estimator(criterion, **params):
    kind = TreeRegressor if numeric(criterion) else TreeClassifier
    return kind(criterion=criterion, **params)


def pick_nominal(rng, criterion):
    fitting = [n for n in NOMINAL if misfit(find("criterion", criterion), find("nominal", n)) is None]
    return str(rng.choice(fitting))


@pytest.mark.parametrize("roots", ROOTS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_gain_of_the_root_is_the_brute_force_optimum(criterion, roots):
    rng = np.random.default_rng([1, CRITERIA.index(criterion), roots])
    for _ in range(roots // len(CRITERIA) + 1):
        s = random_small(rng, **target_for(criterion))
        nominal = pick_nominal(rng, criterion)
        params = {"max_depth": 1, "nominal": nominal}
        if not numeric(criterion):
            params["min_info_gain"] = -1
        tree = estimator(criterion, **params).fit(s.frame, s.y, s.weights)
        rows = list(range(len(s.y)))
        found = oracle.candidates(s.table, rows, s.y, s.w, s.k, criterion, nominal) if len(set(s.y)) > 1 else []
        best = max((c.gain for c in found), default=-math.inf)
        if tree.tree_.node_count > 1:
            scale = max(oracle.unit(criterion, rows, s.y, s.w, s.k), abs(best))
            assert abs(tree.tree_.gain[0] - best) <= 1e-12 * scale, s
        else:
            none = not found or best == -math.inf
            flat = numeric(criterion) and best <= 1e-15 * variance(rows, s.y, s.w)
            assert none or flat, s


@pytest.mark.parametrize("roots", ROOTS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_whole_trees_are_those_of_the_naive_grower(criterion, roots):
    rng = np.random.default_rng([2, CRITERIA.index(criterion), roots])
    for _ in range(roots // 10 // len(CRITERIA) + 1):
        s = random_small(rng, **target_for(criterion))
        nominal = pick_nominal(rng, criterion)
        rules = oracle.Rules(
            max_depth=float(rng.choice([math.inf, math.inf, 2])),
            min_samples_split=int(rng.choice([2, 2, 4])),
            min_samples_leaf=int(rng.choice([1, 1, 1, 2, 3])),
        )
        tree = estimator(
            criterion,
            nominal=nominal,
            max_depth=None if math.isinf(rules.max_depth) else int(rules.max_depth),
            min_samples_split=rules.min_samples_split,
            min_samples_leaf=rules.min_samples_leaf,
        ).fit(s.frame, s.y, s.weights)
        expected = oracle.grow(s.table, s.y, s.w, s.k, criterion, nominal, rules)
        assert same_trees(tree_of(tree), expected), (nominal, rules, s)


@given(st.integers(0, 2**32 - 1), st.sampled_from(CRITERIA))
@example(19139378, "max_cut")  # the best cut that leaves enough weight is beyond the window of the best
def test_stop_rules_leave_the_same_tree_as_the_naive_grower(seed, criterion):
    rng = np.random.default_rng(seed)
    regression = numeric(criterion)
    s = random_small(rng, most_rows=20, **target_for(criterion))
    share = float(rng.choice([0.0, 0.1, 0.3]))
    drop = float(rng.choice([0.0, 0.02, 0.1]))
    bits = float(rng.choice([-1.0, 0.0, 0.05, 0.4]))
    rules = oracle.Rules(min_weight=share * math.fsum(s.w), min_impurity_decrease=drop, min_info_gain=bits)
    nominal = "auto" if plugins()["criterion"][criterion].traits["ordered"] else "exact"
    params = {"min_weight_fraction_leaf": share, "min_impurity_decrease": drop, "nominal": nominal}
    if not regression:
        params["min_info_gain"] = bits
    tree = estimator(criterion, **params).fit(s.frame, s.y, s.weights)
    assert same_trees(tree_of(tree), oracle.grow(s.table, s.y, s.w, s.k, criterion, nominal, rules)), s


@given(st.integers(0, 2**32 - 1))
def test_whole_weights_are_repeated_rows(seed):
    rng = np.random.default_rng(seed)
    s = random_small(rng, weighted=False)
    times = rng.integers(1, 4, len(s.y))
    weighted = TreeClassifier().fit(s.frame, s.y, times.astype(float))
    repeated = TreeClassifier().fit(s.frame.loc[np.repeat(s.frame.index, times)], np.repeat(s.y, times))
    a, b = tree_of(weighted), tree_of(repeated)
    assert [p for p in a if p[0] != "leaf"] == [q for q in b if q[0] != "leaf"]
    assert [p[2:] for p in a if p[0] == "leaf"] == [q[2:] for q in b if q[0] == "leaf"]


@given(st.integers(0, 2**32 - 1))
def test_rows_without_weight_are_as_if_they_were_not_there(seed):
    rng = np.random.default_rng(seed)
    s = random_small(rng, weighted=False, most_rows=15)
    keep = rng.random(len(s.y)) < 0.7
    keep[0] = True
    y = np.array(s.y)
    zeroed = TreeClassifier().fit(s.frame, y, keep.astype(float))
    dropped = TreeClassifier().fit(s.frame[keep], y[keep])
    assert zeroed.predict(s.frame).tolist() == dropped.predict(s.frame).tolist()
    assert zeroed.tree_.node_count == dropped.tree_.node_count


@given(st.integers(0, 2**32 - 1), st.sampled_from([c for c in CRITERIA if not numeric(c)]))
def test_a_common_factor_of_all_weights_changes_nothing(seed, criterion):
    rng = np.random.default_rng(seed)
    s = random_small(rng, weighted=True)
    w = np.array(s.w)
    trees = [tree_of(TreeClassifier(criterion=criterion).fit(s.frame, s.y, w * f)) for f in (1.0, 2.0**-300, 2.0**300)]
    shapes = [[p for p in t if p[0] != "leaf"] for t in trees]
    assert shapes[0] == shapes[1] == shapes[2]


XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


def test_a_split_that_tells_nothing_is_made_unless_an_information_gain_is_asked_for():
    X, y = XOR
    assert TreeClassifier().fit(X, y).score(X, y) == 1
    assert TreeRegressor().fit(X, y).score(X, y) == 1
    assert TreeClassifier(min_info_gain=0).fit(X, y).tree_.node_count == 1
    assert system("scc461").fit(X, y).tree_.node_count == 1


@pytest.mark.parametrize("params", [{"criterion": "max_cut"}, {"criterion": "squared_gini"}, {"split": "random"}])
def test_an_impure_node_is_split_though_its_winner_carries_no_information(params):
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    for seed in range(10):
        assert TreeClassifier(random_state=seed, **params).fit(X, y).score(X, y) == 1
    X, y = XOR
    assert TreeClassifier(random_state=0, **params).fit(X, y).score(X, y) == 1
