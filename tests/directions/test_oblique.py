"""HHCART, LDA, CART-LC and OC1 against their naive twins."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

from bough import TreeClassifier, TreeRegressor
from bough.estimators.fitting import seed_of
from support.oracle import oblique as naive
from support.oracle import trees as oracle

CASES = int(os.environ.get("BOUGH_CASES", "60"))
CRITERIA = ["gini", "entropy", "twoing"]
FAMILIES = ["hhcart_a", "hhcart_d", "lda", "ridge", "cart_lc", "oc1"]


def random_node(rng, *, missing=True, regression=False, rows=30):
    """A small table: clouds, grids of integers, duplicates, constant columns, gaps, weights, one class."""
    n, d, k = int(rng.integers(1, rows)), int(rng.integers(1, 5)), int(rng.integers(1, 4))
    style = rng.integers(4)
    if style == 0:
        X = rng.integers(0, 4, (n, d)).astype(float)
    elif style == 1:
        X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-4, 5, d) + rng.normal(size=d) * 100
    else:
        X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    if rng.random() < 0.2:
        X[:, rng.integers(d)] = 3.5
    if rng.random() < 0.3:
        X = X[rng.integers(0, n, n)]
    y = rng.integers(0, k, n)
    if rng.random() < 0.6:
        z = X @ rng.normal(size=d)
        y = np.clip(np.digitize(z, np.quantile(z, [0.3, 0.7])), 0, k - 1)
    if missing and rng.random() < 0.3:
        X = np.where(rng.random(X.shape) < 0.15, np.nan, X)
    w = rng.choice([0.25, 1.0, 3.0], n) if rng.random() < 0.3 else np.ones(n)
    if regression:
        return naive.Node(X, np.round(y + rng.normal(size=n), 2), w, 0, "squared_error")
    y = np.unique(y, return_inverse=True)[1]
    return naive.Node(X, y, w, int(y.max()) + 1, str(rng.choice(CRITERIA)), int(rng.choice([1, 1, 1, 2, 4])))


def root_of(node, split, **params):
    """The tree of one split; its gain, or −inf if there is none."""
    kind = TreeRegressor if node.k == 0 else TreeClassifier
    if node.k:
        params["min_info_gain"] = -1
    tree = kind(
        criterion=node.criterion, split=split, max_depth=1, min_samples_leaf=node.min_leaf, random_state=3, **params
    ).fit(node.X, node.y, node.w)
    return tree, float(tree.tree_.gain[0]) if tree.tree_.node_count > 1 else -math.inf


def best_axis(node):
    table = [("numeric", node.X[:, c].tolist()) for c in range(node.X.shape[1])]
    rows = list(range(len(node.y)))
    y, w = node.y.tolist(), node.w.tolist()
    found = oracle.candidates(table, rows, y, w, node.k, node.criterion, "auto", node.min_leaf)
    return max((c.gain for c in found), default=-math.inf)


def is_pure(node):
    return len(set(node.y.tolist())) < 2 or len(node.y) < 2 * node.min_leaf


def same(a, b, node):
    return a == b or abs(a - b) <= 1e-9 * max(node.unit, abs(b))


# ---- directions that follow from the data ---------------------------------------------------------------


def twins(node, split):
    """The naive directions, and whether they are settled: no two eigenvalues agree."""
    if split == "lda":
        return naive.lda(node), True
    X = node.filled()
    settled = True
    for rows in naive.groups_of(node):
        values, vectors = naive.eigenvectors(node, rows, X)
        every = np.linalg.eigvalsh(naive.covariance(X[rows], node.w[rows]))
        if ((3e-15 * every[-1] < every) & (every < 1e-8 * every[-1])).any():  # there or not: rounding decides
            settled = False
        if (np.diff(values) > -1e-6 * values[:1]).any() or any(sign_in_doubt(v) for v in vectors):
            settled = False
    return naive.hhcart(node, split == "hhcart_a"), settled


def sign_in_doubt(v):
    """Is the first coefficient so small that rounding decides on its sign?"""
    return 1e-14 < abs(v[0]) < 1e-7


@pytest.mark.parametrize("split", ["hhcart_a", "hhcart_d", "lda"])
@pytest.mark.parametrize("regression", [False, True])
def test_the_best_cut_is_that_of_the_naive_directions(split, regression):
    compared = 0
    for seed in range(CASES):
        node = random_node(np.random.default_rng([seed, 1]), regression=regression)
        if is_pure(node):
            continue
        directions, settled = twins(node, split)
        if not settled:
            continue
        tree, found = root_of(node, split)
        best = max((naive.best_along(node, v) for v in directions), default=-math.inf)
        if found == -math.inf and regression and best <= 1e-15 * node.unit:
            continue
        assert same(found, best, node), (seed, found, best)
        compared += 1
        s = tree.tree_.split(0) if found > -math.inf else None
        if s is not None and hasattr(s, "weights") and len(s.weights) > 1:
            assert any(parallel(dense(tree, node), v) for v in directions), seed
    assert compared > CASES / 4


def dense(tree, node):
    """The coefficients of the root, one for each column."""
    parts = tree.model_.tree.split(0)
    out = np.zeros(node.X.shape[1])
    if parts["kind"] == 1:
        out[parts["column"]] = 1
    out[parts["term_columns"]] = parts["term_weights"]
    return out


def parallel(a, b):
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return min(np.abs(a - b).max(), np.abs(a + b).max()) < 1e-6


def test_a_reflection_brings_the_eigenvector_onto_the_first_axis():
    rng = np.random.default_rng(0)
    for _ in range(20):
        v = naive.canonical(rng.normal(size=4))
        H = naive.householder(v)
        assert np.allclose(H @ np.eye(4)[0], v)
        assert np.allclose(H @ H, np.eye(4))


def test_lda_of_two_classes_is_fishers_direction():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
    y = (X @ [1, -2, 0.5] + rng.normal(size=200) > 0).astype(int)
    tree = TreeClassifier(split="lda", max_depth=1).fit(X, y)
    within = sum((y == c).mean() * np.cov(X[y == c].T, bias=True) for c in (0, 1))
    fisher = np.linalg.solve(within, X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    assert parallel(dense(tree, naive.Node(X, y, np.ones(200), 2)), fisher)


def test_lda_for_numbers_is_the_direction_of_least_squares():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 3)) @ rng.normal(size=(3, 3))
    y = X @ [1.0, 2.0, -1.0] + rng.normal(size=100)
    tree = TreeRegressor(split="lda", max_depth=1).fit(X, y)
    slope = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]
    assert parallel(dense(tree, naive.Node(X, y, np.ones(100), 0)), slope)


def test_lda_keeps_a_direction_in_which_nothing_varies_within_classes():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 40)
    X = np.c_[rng.normal(size=40), y * 1.0]
    assert TreeClassifier(split="lda", max_depth=1).fit(X, y).score(X, y) == 1


def test_lda_of_classes_with_the_same_mean_cuts_across_the_columns():
    X, y = [[-3.0, 1.0], [-1.0, 0.0], [1.0, 0.0], [3.0, 1.0]], [0, 1, 1, 0]
    X = np.array(X) - np.mean(X, axis=0) * [0, 1]
    assert TreeClassifier(split="lda").fit(X, y).score(X, y) == 1
    X[:, 1] = 0
    assert TreeClassifier(split="lda").fit(X, y).score(X, y) == 1


# ---- ridge --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("params", [{}, {"price": 0.0}, {"terms": 2, "shrink": 0.1}])
@pytest.mark.parametrize("regression", [False, True])
def test_ridge_is_the_best_of_the_axis_cuts_and_its_naive_directions(regression, params):
    compared = climbed = 0
    for seed in range(CASES):
        node = random_node(np.random.default_rng([seed, 5]), regression=regression)
        if is_pure(node):
            continue
        directions, clear = naive.ridge(node, **params)
        if not clear:
            continue
        own = max((naive.best_along(node, v) for v in directions), default=-math.inf)
        axis = best_axis(node)
        _, found = root_of(node, "ridge", split_params=params)
        if found == -math.inf and regression and max(axis, own) <= 1e-15 * node.unit:
            continue
        assert same(found, max(axis, own), node), (seed, found, axis, own)
        compared += 1
        climbed += own > axis + 1e-9
    assert compared > CASES / 6
    assert climbed > CASES / 30


def test_ridge_leaves_out_columns_that_say_nothing():
    rng = np.random.default_rng(12)
    X = rng.normal(size=(500, 8))
    y = X[:, 1] - 2 * X[:, 4] + rng.normal(size=500)
    sparse = TreeRegressor(split="ridge", max_depth=1, split_params={"price": 10.0}).fit(X, y)
    assert sparse.model_.tree.split(0)["term_columns"] == [1, 4]
    assert (
        len(TreeRegressor(split="ridge", max_depth=1, split_params={"price": 0.0}).fit(X, y).tree_.split(0).weights)
        == 8
    )
    one = TreeRegressor(split="ridge", max_depth=1, split_params={"terms": 1}).fit(X, y)
    assert one.tree_.kind[0] == "axis"


# ---- climbs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("split", ["cart_lc", "oc1"])
@pytest.mark.parametrize("regression", [False, True])
def test_a_climb_never_ends_below_the_best_axis_cut(split, regression):
    for seed in range(4 * CASES):
        node = random_node(np.random.default_rng([seed, 2]), regression=regression)
        if is_pure(node):
            continue
        _, found = root_of(node, split)
        best = best_axis(node)
        assert found >= best - 1e-12 * max(node.unit, abs(best)) or (regression and best <= 1e-15 * node.unit), seed


@pytest.mark.parametrize("regression", [False, True])
def test_cart_lc_ends_where_the_naive_climb_ends(regression):
    compared = climbed = 0
    for seed in range(CASES):
        node = random_node(np.random.default_rng([seed, 3]), regression=regression)
        if is_pure(node):
            continue
        direction = naive.cart_lc(node)
        own = naive.best_along(node, direction) if direction is not None else -math.inf
        axis = best_axis(node)
        _, found = root_of(node, "cart_lc")
        if found == -math.inf and regression and max(axis, own) <= 1e-15 * node.unit:
            continue
        assert same(found, max(axis, own), node), (seed, found, axis, own)
        compared += 1
        climbed += own > axis + 1e-9
    assert compared > CASES / 3
    assert climbed > CASES / 12


@pytest.mark.parametrize("regression", [False, True])
def test_oc1_ends_where_the_naive_climbs_end(regression):
    compared = agreed = climbed = 0
    for seed in range(CASES // 2):
        node = random_node(np.random.default_rng([seed, 4]), regression=regression, rows=24)
        if is_pure(node):
            continue
        params = {"restarts": 3, "jumps": 2}
        _, found = root_of(node, "oc1", split_params=params)
        directions = naive.oc1(node, seed_of(3), naive.ROOT, **params)
        own = max((naive.best_along(node, v) for v in directions), default=-math.inf)
        axis = best_axis(node)
        if found == -math.inf and regression and max(axis, own) <= 1e-15 * node.unit:
            continue
        compared += 1
        agreed += same(found, max(axis, own), node)
        climbed += own > axis + 1e-9
    assert agreed >= 0.98 * compared  # on a plateau the last bit can decide where a climb goes on
    assert compared > CASES / 10
    assert climbed > CASES / 60


def test_climbs_separate_what_a_line_separates():
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (300, 3))
    y = (X @ [1.0, -0.7, 0.3] > 0.1).astype(int)
    for split in ("cart_lc", "oc1"):
        tree = TreeClassifier(split=split, max_depth=1, random_state=0, split_params=lenient(split)).fit(X, y)
        assert tree.score(X, y) > 0.99, split


def lenient(split):
    return {"tolerance": 0.0, "deletion": 0.0} if split == "cart_lc" else {}


def test_deletion_leaves_out_columns_that_say_nothing():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(400, 6))
    y = (X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=400) > 0).astype(int)
    kept = TreeClassifier(split="cart_lc", max_depth=1).fit(X, y).model_.tree.split(0)["term_columns"]
    every = TreeClassifier(split="cart_lc", max_depth=1, split_params={"deletion": 0.0}).fit(X, y)
    assert kept == [0, 1]
    assert len(every.model_.tree.split(0)["term_columns"]) > 2


def test_more_restarts_and_jumps_never_score_lower():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(80, 4))
    y = rng.integers(0, 3, 80)
    gains = []
    for restarts in (1, 5, 20):
        params = {"restarts": restarts, "jumps": 5}
        gains.append(
            TreeClassifier(split="oc1", max_depth=1, random_state=0, split_params=params).fit(X, y).tree_.gain[0]
        )
    assert gains == sorted(gains)


def test_oc1_uses_axis_cuts_where_rows_are_few():
    X = np.random.default_rng(8).normal(size=(7, 4))
    tree = TreeClassifier(split="oc1", random_state=0).fit(X, [0, 1, 0, 1, 1, 0, 1])
    assert set(tree.tree_.kind) == {"axis", "leaf"}


@pytest.mark.parametrize("split", ["cart_lc", "oc1"])
def test_a_criterion_of_positions_is_refused_by_name(split):
    with pytest.raises(ValueError, match=f"split='{split}'.*gini"):
        TreeClassifier(split=split, criterion="max_cut").fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])


# ---- what all of them keep ------------------------------------------------------------------------------


@pytest.mark.parametrize("split", FAMILIES)
def test_units_of_columns_change_no_training_answer_of_an_affine_family(split):
    rng = np.random.default_rng(9)
    X = rng.normal(size=(120, 3)) @ rng.normal(size=(3, 3))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    a = TreeClassifier(split=split, random_state=0, max_depth=3).fit(X, y)
    b = TreeClassifier(split=split, random_state=0, max_depth=3, standardize=True).fit(X, y)
    if split in ("lda", "ridge", "cart_lc", "oc1"):  # eigenvectors of a covariance are not
        assert (a.predict(X) == b.predict(X)).all()
    shifted = TreeClassifier(split=split, random_state=0, max_depth=3).fit(X + 2.0**20, y)
    assert (shifted.predict(X + 2.0**20) == a.predict(X)).mean() > 0.98


@pytest.mark.parametrize("split", FAMILIES)
@pytest.mark.parametrize("jobs", [2, 3])
def test_threads_change_nothing_at_nodes_large_enough_to_share(split, jobs):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(1500, 5))
    y = (X @ rng.normal(size=5) + 0.5 * rng.normal(size=1500) > 0).astype(int)
    trees = [TreeClassifier(split=split, random_state=1, max_depth=4, n_jobs=j).fit(X, y) for j in (1, jobs)]
    assert trees[0].model_.to_bytes() == trees[1].model_.to_bytes()


@pytest.mark.parametrize("split", FAMILIES)
def test_hard_numbers_make_a_tree_and_no_noise(split):
    rng = np.random.default_rng(11)
    for X in (
        rng.normal(size=(40, 3)) * [1e-200, 1.0, 1e200],
        rng.normal(size=(40, 3)) * 1e300,
        rng.normal(size=(40, 3)) * 1e-310,
        np.full((40, 3), np.nan),
        1.7e9 + rng.integers(0, 3, (40, 3)),
    ):
        y = rng.integers(0, 2, 40)
        tree = TreeClassifier(split=split, random_state=0).fit(X, y)
        counts = np.bincount(tree.apply(X), minlength=tree.tree_.node_count)
        assert (counts[tree.tree_.kind == "leaf"] == tree.tree_.n_node_samples[tree.tree_.kind == "leaf"]).all()


@pytest.mark.parametrize("split", ["hhcart_a", "hhcart_d"])
@pytest.mark.parametrize("standardize", [False, True])
def test_a_cut_at_a_value_parts_the_training_rows_as_the_midpoint_does(split, standardize):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 3)) if seed % 2 else rng.integers(0, 5, (80, 3)).astype(float)
        y = (X @ [1, -2, 0.5] + rng.normal(size=80) > 0).astype(int)
        trees = [
            TreeClassifier(split=split, split_params={"cut": cut}, standardize=standardize, max_depth=4).fit(X, y)
            for cut in ("midpoint", "value")
        ]
        paths = [tree.decision_path(X).toarray() for tree in trees]
        assert (paths[0] == paths[1]).all()
        for node in trees[1].model_.nodes():
            if node.is_leaf:
                continue
            here = X[paths[1][:, node.number] == 1]
            left = X[paths[1][:, node.children[0]] == 1]
            condition = node.split.conditions[0]
            if node.kind == "axis":
                assert condition.high == left[:, condition.column].max()
                continue
            right = X[paths[1][:, node.children[1]] == 1]
            below = max(condition.total(row) for row in left.tolist())  # texts cut between the rows
            assert below <= condition.high < min(condition.total(row) for row in right.tolist())
            assert len(here) == len(left) + len(right)
