"""elc: the exact best hyperplane through r rows, against trying all of them in exact arithmetic."""

from __future__ import annotations

import itertools
import math
import os
import time

import numpy as np
import pytest

import bough
from bough import ParameterError, TreeClassifier, TreeRegressor, _core
from support.interrupt import LIMIT, interrupted
from support.oracle import elc as oracle_elc

CASES = int(os.environ.get("BOUGH_CASES", "400"))
KINDS = ("normal", "scales", "decimals", "grid", "duplicates", "collinear", "near", "binary", "outlier")


def numbers(rng, kind, n, m):
    """A table in a position that is general, or as degenerate as its kind says."""
    X = rng.normal(size=(n, m))
    if kind == "scales":
        X = X * 10.0 ** rng.integers(-9, 10, m)
    elif kind == "decimals":
        X = np.round(X, 1)
    elif kind == "grid":
        X = rng.integers(0, 4, (n, m)).astype(float)
    elif kind == "duplicates":
        X = X[rng.integers(0, max(2, n // 2), n)]
    elif kind in ("collinear", "near"):
        base, way = rng.integers(-3, 4, m), rng.integers(-2, 3, m)
        on = rng.random(n) < 0.7
        X[on] = base + np.outer(rng.integers(-4, 5, n), way)[on]
        if kind == "near":
            X = X + 1e-12 * rng.normal(size=(n, m)) * (rng.random((n, 1)) < 0.5)
    elif kind == "binary":
        X[:, rng.random(m) < 0.7] = rng.integers(0, 2, (n, 1))
        X = np.where(rng.random((n, m)) < 0.3, np.round(X), X)
    elif kind == "outlier":
        X[rng.integers(n), rng.integers(m)] = 1e9
    return X


def case(rng, kind=None, r=None):
    r = int(rng.integers(1, 5)) if r is None else r
    n = int(rng.integers(2, {1: 14, 2: 13, 3: 10, 4: 8}[r]))
    m = int(rng.integers(max(1, r - 1), r + 2))
    kind = str(rng.choice(KINDS)) if kind is None else kind
    X = numbers(rng, kind, n, m)
    if rng.random() < 0.25:
        X[rng.random((n, m)) < 0.15] = np.nan
    k = int(rng.choice([2, 3, 6]))
    y = rng.integers(0, k, n)
    w = rng.choice([0.25, 0.7, 1.0, 3.3], n) if rng.random() < 0.3 else np.ones(n)
    return kind, X, y, w, r


def grown(X, y, w, criterion, **params):
    limits = {"min_samples_leaf": params.pop("min_leaf", 1), "n_jobs": params.pop("n_jobs", None)}
    weights = None if (w == 1).all() else w
    return TreeClassifier(
        split="elc", split_params=params, criterion=criterion, max_depth=1, min_info_gain=-1, **limits
    ).fit(X, y, weights)


def gain_of(tree):
    return tree.tree_.gain[0] if tree.tree_.node_count > 1 else -math.inf


def check(seed, criterion, *, optimal=False, r=None, kind=None):
    rng = np.random.default_rng([seed, optimal])
    kind, X, y, w, r = case(rng, kind, r)
    touching = str(rng.choice(["either", "above"]))
    place = str(rng.choice(["margin", "through"]))
    min_leaf = int(rng.choice([1, 1, 2, 3]))
    tree = grown(X, y, w, criterion, r=r, touching=touching, optimal=optimal, place=place, min_leaf=min_leaf)
    best = -math.inf
    if len(set(y.tolist())) > 1 and len(y) >= 2 * min_leaf:
        best = oracle_elc.best_gain(
            X.T.tolist(), y.tolist(), w.tolist(), int(y.max()) + 1, criterion, r, touching, optimal, min_leaf
        )
    found = gain_of(tree)
    assert found == best or abs(found - best) <= 1e-12, (seed, kind, X.tolist(), y, w, r, touching, place, min_leaf)
    # the stored split sends the training rows where its gain says
    if tree.tree_.node_count > 1:
        left = tree.apply(X) == 1
        sides = [np.flatnonzero(left).tolist(), np.flatnonzero(~left).tolist()]
        again = oracle_elc.gain(criterion, sides, y.tolist(), w.tolist(), int(y.max()) + 1)
        assert abs(again - found) <= 1e-12, (seed, kind, X.tolist(), y, w, r)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing"])
@pytest.mark.parametrize("part", range(4))
def test_no_hyperplane_through_r_rows_is_better(criterion, part):
    for seed in range(part, CASES // 3, 4):
        check(seed, criterion)


@pytest.mark.parametrize("criterion", ["gain_ratio", "squared_gini"])
def test_other_criteria_that_can_be_bounded_are_exact_too(criterion):
    for seed in range(CASES // 10):
        check(seed, criterion)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing"])
def test_the_optimum_over_all_lines_is_the_best_dichotomy(criterion):
    for seed in range(CASES // 12):
        check(seed, criterion, optimal=True, r=2)


def test_the_optimum_over_all_lines_is_never_worse():
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
        w = np.ones(60)
        assert gain_of(grown(X, y, w, "gini", optimal=True)) >= gain_of(grown(X, y, w, "gini")) - 1e-15


def test_one_coefficient_gives_the_tree_of_axis_splits():
    rng = np.random.default_rng(1)
    for seed in range(30):
        X = np.round(rng.normal(size=(40, 3)), int(rng.integers(0, 3)))
        y = rng.integers(0, 3, 40)
        ours = TreeClassifier(split="elc", split_params={"r": 1}).fit(X, y)
        axis = TreeClassifier().fit(X, y)
        assert ours.show() == axis.show(), seed
        through = TreeClassifier(split="elc", split_params={"r": 1, "place": "through"}).fit(X, y)
        assert (through.tree_.feature == axis.tree_.feature).all()
        assert (through.apply(X) == axis.apply(X)).all()


def margin(tree, X):
    """Distance of the nearest row from the root's hyperplane."""
    s = tree.model_.tree.split(0)
    columns = list(s["term_columns"]) or [s["column"]]
    weights = np.array(s["term_weights"] or [1.0])
    return np.abs(X[:, columns] @ weights - s["cut"]).min() / np.linalg.norm(weights)


@pytest.mark.parametrize("r", [2, 3])
def test_the_widest_gap_keeps_the_sides_and_is_never_narrower(r):
    rng = np.random.default_rng(2)
    for _ in range(40):
        n = int(rng.integers(4, 40 if r == 2 else 14))
        X, y = numbers(rng, str(rng.choice(KINDS)), n, 3), rng.integers(0, 2, n)
        y[:2] = 0, 1
        at_gap = grown(X, y, np.ones(n), "gini", r=r)
        through = grown(X, y, np.ones(n), "gini", r=r, place="through")
        if at_gap.tree_.node_count == 1:
            assert through.tree_.node_count == 1
            continue
        same = at_gap.apply(X) == through.apply(X)
        assert same.all() or not same.any()
        assert margin(at_gap, X) >= margin(through, X) * (1 - 1e-9)


def test_rows_on_the_hyperplane_go_up_together_if_asked_for_and_that_costs_gain():
    rng = np.random.default_rng(9)
    worse = 0
    for _ in range(40):
        X, y, w = rng.integers(0, 5, (12, 2)).astype(float), rng.integers(0, 2, 12), np.ones(12)
        above, either = (gain_of(grown(X, y, w, "gini", touching=t)) for t in ("above", "either"))
        assert above <= either + 1e-15
        worse += above < either - 1e-9
    assert worse > 5


def test_a_missing_number_is_on_the_lower_side():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    X[rng.random(80) < 0.2, 1] = np.nan
    tree = grown(X, y, np.ones(80), "gini")
    split = tree.model_.tree.split(0)
    assert len(split["term_columns"]) == 2
    assert (tree.apply(X[np.isnan(X[:, 1])]) == 1).all()


@pytest.mark.parametrize("r", [1, 2, 3])
def test_threads_and_kernels_change_nothing(r):
    rng = np.random.default_rng(4)
    for labels in (rng.integers(0, 2, 300), rng.integers(0, 4, 300)):
        for X in (rng.normal(size=(300, 4)), rng.integers(0, 6, (300, 4)).astype(float)):
            X, y = (X, labels) if r < 3 else (X[:60], labels[:60])
            models = []
            for kernel in _core.kernel_names():
                _core.use_kernels(kernel)
                for jobs in (1, 2):
                    tree = TreeClassifier(split="elc", split_params={"r": r}, max_depth=2, n_jobs=jobs)
                    models.append(tree.fit(X, y).model_.to_bytes())
            assert len(set(models)) == 1


def test_a_column_far_out_changes_nothing_but_its_own_side():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500)
    far = X.copy()
    far[0, 0] = 1e9
    w = np.ones(500)
    a, b = gain_of(grown(X, y, w, "gini")), gain_of(grown(far, y, w, "gini"))
    assert abs(a - b) < 0.01


def test_units_of_columns_do_not_matter():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(100, 3)), rng.integers(0, 3, 100)
    w = np.ones(100)
    scaled = X * np.array([2.0**40, 2.0**-300, 2.0**300])
    assert gain_of(grown(scaled, y, w, "gini")) == gain_of(grown(X, y, w, "gini"))


def test_time_that_runs_out_is_told_and_the_best_so_far_is_taken():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(3000, 12)), rng.integers(0, 2, 3000)
    with pytest.warns(UserWarning, match=r"max_seconds ran out at 1 node"):
        tree = grown(X, y, np.ones(3000), "gini", r=3, max_seconds=0.05)
    assert tree.tree_.node_count == 3


def test_columns_that_say_the_same_still_split():
    x = np.arange(10.0)
    X, y = np.column_stack([x, 2 * x]), (x > 4).astype(int)
    tree = grown(X, y, np.ones(10), "gini")
    assert gain_of(tree) == pytest.approx(0.5)


def test_bad_wishes_are_refused_with_a_way_out():
    X, y = np.eye(4), [0, 1, 0, 1]
    with pytest.raises(ParameterError, match="gini, entropy, "):
        TreeClassifier(split="elc", criterion="max_cut").fit(X, y)
    with pytest.raises(ParameterError, match="optimal"):
        TreeClassifier(split="elc", split_params={"r": 3, "optimal": True}).fit(X, y)
    with pytest.raises(ParameterError, match="from 1 to 8"):
        TreeClassifier(split="elc", split_params={"r": 9}).fit(X, y)
    wide = np.random.default_rng(0).normal(size=(20, 400))
    with pytest.raises(ParameterError, match="max_features"):
        TreeClassifier(split="elc", split_params={"r": 3}).fit(wide, [0, 1] * 10)


def test_a_long_search_can_be_interrupted():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(5000, 10)), rng.integers(0, 2, 5000)
    waited = interrupted(lambda: TreeClassifier(split="elc", split_params={"r": 4}).fit(X, y), 0.3)
    assert waited is not None
    assert waited < LIMIT


def test_a_limit_on_the_whole_fit_is_kept():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 4)), rng.integers(0, 2, 3000)
    tree = TreeClassifier(split="elc", split_params={"r": 3, "max_fit_seconds": 0.2})
    begin = time.process_time()
    with pytest.warns(UserWarning, match=r"^max_fit_seconds ran out at \d+ nodes"):
        tree.fit(X, y)
    assert time.process_time() - begin < 5
    assert tree.score(X, y) == 1


def test_rows_on_a_line_up_to_rounding_take_no_time():
    rng = np.random.default_rng(1)
    X, y = np.outer(rng.normal(size=58), [1 / 3, 2 / 7, 3.7]), rng.integers(0, 2, 58)
    begin = time.process_time()
    tree = TreeClassifier(split="elc", split_params={"r": 3}).fit(X, y)
    assert time.process_time() - begin < 3  # over 14 for one node before
    assert tree.score(X, y) == 1


# ---- the published leaf, and hyperplanes that are drawn --------------------------------------------------------------


def test_two_rows_of_two_classes_are_a_leaf_without_fallback_and_parted_with_it():
    X, y = [[0.0, 1.0], [1.0, 0.0]], [0, 1]  # Figure 1 of the paper: the one line has both on it
    assert TreeClassifier(split="elc").fit(X, y).get_n_leaves() == 2
    assert TreeClassifier(split="elc", split_params={"fallback": False}).fit(X, y).get_n_leaves() == 1
    assert bough.system("cart-elc").fit(X, y).get_n_leaves() == 1


def test_without_fallback_every_split_is_through_r_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    tree = TreeClassifier(split="elc", split_params={"fallback": False, "place": "through"}).fit(X, y)
    for node in tree.model_.nodes():
        if node.split is None:
            here = tree.apply(X) == node.number
            assert len(np.unique(y[here])) == 1 or here.sum() <= 3
            continue
        here = X[[node.number in tree.model_.nodes().path(e) for e in tree.apply(X)]]
        columns = list(node.split.columns)
        z = (here[:, columns] * node.split.weights).sum(axis=1)
        assert (np.abs(z - node.split.cut) < 1e-9 * (1 + np.abs(z))).sum() >= 2


def test_drawn_hyperplanes_are_as_good_as_all_when_enough_are_drawn_and_never_better():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    y = (X @ [1, 0.7] + rng.normal(0, 0.3, 40) > 0).astype(int)

    def gain(**params):
        return TreeClassifier(split="elc", split_params=params, max_depth=1, random_state=0).fit(X, y).tree_.gain[0]

    every = gain()
    gains = [gain(max_planes=n) for n in (1, 20, 20_000)]
    assert gains[0] < every
    assert all(g <= every + 1e-12 for g in gains)
    assert gains[-1] == pytest.approx(every)
    assert gain(max_planes=20) == gain(max_planes=20)


def squared_gain(X, y, w, r, touching, optimal=False, min_leaf=1):
    """The largest decrease of squared error of any hyperplane through r rows, by trying all of them."""
    whole, rows = oracle_elc.whole_columns(X.T.tolist()), range(len(y))
    varying = [c for c, v in enumerate(whole) if len({x for x in v if x is not None}) > 1]
    for terms in range(min(r, len(varying)), 0, -1):
        best = -math.inf
        for chosen in itertools.combinations(varying, terms):
            found = (
                oracle_elc.dichotomies(whole, chosen, rows)
                if optimal
                else oracle_elc.partings(whole, chosen, rows, touching)
            )
            for left, right in found:
                if min(len(left), len(right)) >= min_leaf:
                    best = max(best, decrease(y, w, left, right))
        if best > -math.inf:
            return best
    return -math.inf


def decrease(y, w, left, right):
    def spread(rows):
        v, u = y[rows], w[rows]
        return float((u * (v - np.average(v, weights=u)) ** 2).sum())

    return (spread([*left, *right]) - spread(left) - spread(right)) / w.sum()


@pytest.mark.parametrize("part", range(4))
def test_no_hyperplane_lowers_the_squared_error_more(part):
    for seed in range(part, CASES // 2, 4):
        rng = np.random.default_rng([seed, 29])
        kind, X, _, w, r = case(rng)
        y = [rng.normal(size=len(X)), rng.integers(0, 3, len(X)) / 1.0, 1e6 + np.round(rng.normal(size=len(X)), 1)][
            seed % 3
        ]
        optimal, touching = bool(r <= 2 and seed % 5 == 0), str(rng.choice(["either", "above"]))
        min_leaf = int(rng.choice([1, 1, 2, 3]))
        params = {"r": r, "touching": touching, "optimal": optimal, "place": str(rng.choice(["margin", "through"]))}
        tree = TreeRegressor(split="elc", split_params=params, max_depth=1, min_samples_leaf=min_leaf)
        tree.fit(X, y, None if (w == 1).all() else w)
        told = (seed, kind, X.tolist(), y.tolist(), w.tolist(), params, min_leaf)
        best = -math.inf
        if np.ptp(y) > 0 and len(y) >= 2 * min_leaf:
            best = squared_gain(X, y, w, r, touching, optimal, min_leaf)
        found, tie = gain_of(tree), 1e-9 * max(1e-30, float(np.var(y)))
        if tree.tree_.node_count == 1:
            assert best <= tie, told
            continue
        assert abs(found - best) <= tie, told
        left = tree.apply(X) == 1
        assert abs(decrease(y, w, np.flatnonzero(left), np.flatnonzero(~left)) - found) <= tie, told


def test_regression_trees_over_planes_are_the_same_for_any_threads_order_and_kernels():
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(150, 4)), 1)
    y = X[:, 0] - 2 * X[:, 1] + (X[:, 2] > X[:, 3]) + rng.normal(size=150) / 9
    tree = TreeRegressor(split="elc", max_depth=4).fit(X, y)
    assert tree.score(X, y) > TreeRegressor(max_depth=4).fit(X, y).score(X, y)
    threads = TreeRegressor(split="elc", max_depth=4, n_jobs=2).fit(X, y)
    assert threads.model_.trees == tree.model_.trees or threads.show() == tree.show()
    order = rng.permutation(150)
    np.testing.assert_array_equal(
        TreeRegressor(split="elc", max_depth=4).fit(X[order], y[order]).predict(X), tree.predict(X)
    )
    leaf = tree.apply(X)
    for node in np.unique(leaf):
        np.testing.assert_allclose(tree.predict(X)[leaf == node], y[leaf == node].mean())
