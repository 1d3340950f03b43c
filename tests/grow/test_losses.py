"""Criteria of numbers beside the squared error: absolute error, quantiles and Poisson deviance."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor

import bough
from bough import DataError, ForestRegressor, ParameterError, TreeRegressor, _core
from support.data import random_small, same_trees, target_for, tree_of
from support.oracle import criteria
from support.oracle import trees as oracle

SCIKIT = ["absolute_error", "poisson"]
ALL = [*SCIKIT, "quantile"]


def table(seed, n=300, d=4):
    """Numbers that float32 holds, and a target from 0 on with zeros."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5000, (n, d)) / 8
    y = X[:, 0] / 100 + 3 * (X[:, 1] > 300) + np.sin(X[:, 2] / 100) + rng.normal(size=n) - 3
    return X, np.maximum(y, 0), rng


def size_of(tree):
    return tree.tree_.node_count


def compare(ours, theirs, X):
    """Both trees from the root on, as long as no two splits tie; returns how many nodes they share."""
    a, b = ours.tree_, theirs.tree_
    own, their = (t.decision_path(X).toarray() > 0 for t in (ours, theirs))
    waiting, equal = [(0, 0)], 0
    while waiting:
        i, j = waiting.pop()
        assert (own[:, i] == their[:, j]).all()
        assert a.value[i].ravel()[0] == pytest.approx(b.value[j].ravel()[0], rel=1e-9, abs=1e-12)
        assert a.impurity[i] == pytest.approx(b.impurity[j], rel=1e-9, abs=1e-12)
        equal += 1
        leaf, other = a.children_left[i] < 0, b.children_left[j] < 0
        if leaf or other:
            assert leaf == other, (i, j)
            continue
        left, right = b.children_left[j], b.children_right[j]
        weights = b.weighted_n_node_samples
        decrease = b.impurity[j] - sum(weights[c] / weights[j] * b.impurity[c] for c in (left, right))
        assert a.gain[i] == pytest.approx(decrease, rel=1e-8, abs=1e-10 * b.impurity[j])
        if (own[:, a.children_left[i]] == their[:, left]).all():
            waiting += [(a.children_left[i], left), (a.children_right[i], right)]
    return equal


@pytest.mark.parametrize("criterion", SCIKIT)
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_are_scikit_learns_up_to_ties(criterion, weighted):
    shared = total = 0
    for seed in range(25):
        X, y, rng = table([seed, weighted])
        w = rng.uniform(0.5, 2, len(y)) if weighted else None
        given = {
            "criterion": criterion,
            "max_depth": int(rng.integers(2, 8)),
            "min_samples_leaf": int(rng.integers(1, 9)),
        }
        # by some seeds, scikit-learn leaves nodes alone that it splits by others
        theirs = max((DecisionTreeRegressor(**given, random_state=s).fit(X, y, w) for s in range(6)), key=size_of)
        ours = TreeRegressor(**given).fit(X, y, w)
        shared += compare(ours, theirs, X)
        total += theirs.tree_.node_count
    assert shared > (0.9 if weighted else 0.6) * total


@pytest.mark.parametrize("criterion", SCIKIT)
def test_the_pruning_path_and_best_first_growth_are_scikit_learns(criterion):
    for seed in range(10):
        X, y, rng = table([seed, 3])
        w = rng.uniform(0.5, 2, len(y))
        given = {"criterion": criterion, "min_samples_leaf": 12}
        ours, theirs = TreeRegressor(**given), DecisionTreeRegressor(**given, random_state=0)
        path, expected = (e.cost_complexity_pruning_path(X, y, w) for e in (ours, theirs))
        for name in ("ccp_alphas", "impurities"):  # cuts that tie differ, and tell nothing
            a, b = (p[name][p["ccp_alphas"] > 1e-9][-8:] for p in (path, expected))
            np.testing.assert_allclose(a, b, rtol=1e-7)
        alpha = float(expected["ccp_alphas"][len(expected["ccp_alphas"]) // 2]) * 1.0001
        for more in ({"ccp_alpha": alpha}, {"max_leaf_nodes": 7}):
            ours.set_params(**more).fit(X, y, w)
            theirs.set_params(**more).fit(X, y, w)
            np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.75, 0.97])
def test_trees_of_quantiles_are_those_of_the_naive_grower(alpha):
    before = criteria.CRITERIA["quantile"]
    criteria.quantile(alpha)
    try:
        rng = np.random.default_rng(int(100 * alpha))
        for _ in range(60):
            s = random_small(rng, most_rows=14, **target_for("quantile"))
            tree = TreeRegressor(criterion="quantile", criterion_params={"alpha": alpha}, min_samples_leaf=2)
            tree.fit(s.frame, s.y, s.weights)
            rules = oracle.Rules(min_samples_leaf=2)
            assert same_trees(tree_of(tree), oracle.grow(s.table, s.y, s.w, 0, "quantile", "auto", rules)), s
    finally:
        criteria.CRITERIA["quantile"] = before


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [2, 17, 400, 3000])
def test_running_quantiles_are_those_of_every_prefix(n, weighted):
    """The gain of every cut along one column, against both sides sorted anew."""
    rng = np.random.default_rng([n, weighted])
    for alpha in (0.5, 0.2, 0.9):
        x, y = rng.permutation(n) // rng.integers(1, 3), np.round(rng.normal(size=n), int(rng.integers(0, 4)))
        w = rng.choice([0.1, 0.3, 1.0, 50.0], n) if weighted else np.ones(n)
        tree = TreeRegressor(criterion="quantile", criterion_params={"alpha": alpha}, max_depth=1)
        tree.fit(x[:, None], y, w if weighted else None)

        def saved(cut, alpha=alpha, x=x, y=y, w=w):
            sides = [np.ones(len(x), bool), x <= cut, x > cut]
            all_rows, left, right = (_core.leaf_of("quantile", {"alpha": alpha}, y[s], w[s])[1] for s in sides)
            return (all_rows - left - right) / w.sum()

        cuts = np.unique(x)[:-1][:: max(1, n // 60)]
        best = max(map(saved, cuts), default=0.0)
        if tree.get_n_leaves() == 1:
            assert len(cuts) == 0 or len(set(y)) == 1
            continue
        assert tree.tree_.gain[0] >= best - 1e-12
        assert tree.tree_.gain[0] == pytest.approx(saved(tree.tree_.threshold[0]), rel=1e-9, abs=1e-13)


def test_a_leaf_predicts_the_least_number_that_reaches_the_share_as_numpys_inverted_cdf():
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 40, 501):
        y, w = rng.normal(size=n), rng.integers(1, 5, n).astype(float)
        for alpha in (0.05, 0.35, 0.5, 0.81, 0.99):
            value, loss = _core.leaf_of("quantile", {"alpha": alpha}, y, w)
            assert value == np.quantile(y, alpha, weights=w, method="inverted_cdf")
            off = y - value
            assert loss == pytest.approx((w * np.maximum(alpha * off, (alpha - 1) * off)).sum())


def test_the_median_lies_half_way_between_two_numbers_as_scikit_learns():
    for y, w in (([1.0, 2.0, 10.0, 20.0], None), ([1.0, 5.0, 6.0], [2.0, 1.0, 1.0]), ([1.0, 5.0], [1.0, 3.0])):
        X = np.zeros((len(y), 1))
        ours = TreeRegressor(criterion="absolute_error").fit(X, y, w).predict(X[:1])
        theirs = DecisionTreeRegressor(criterion="absolute_error").fit(X, y, w).predict(X[:1])
        assert ours == theirs


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("missing", ["either", "shared", "surrogate"])
def test_files_threads_and_pruning_by_folds(criterion, missing):
    X, y, rng = table(5, 400)
    X = pd.DataFrame(X, columns=list("abcd"))
    X["s"] = rng.choice(list("pqrstuv"), 400)
    X.loc[::7, "b"] = np.nan
    y = y + X["s"].isin(["p", "t"])
    w = rng.uniform(0.5, 2, 400)
    given = {"criterion": criterion, "missing": missing, "min_samples_leaf": 3}
    trees = [TreeRegressor(**given, n_jobs=n, prune="cost_complexity_cv", random_state=0) for n in (1, 2)]
    one, two = (t.fit(X, y, w).model_.to_bytes() for t in trees)
    assert one == two
    model = bough.model.model.Model.from_bytes(one)
    assert model.to_bytes() == one
    np.testing.assert_array_equal(model.predict(X), trees[0].predict(X))
    assert 1 < trees[0].get_n_leaves() < TreeRegressor(**given).fit(X, y, w).get_n_leaves()
    for node in model.nodes():  # parents lose at least what their children do
        if not node.is_leaf:
            below = sum(model.nodes()[c].impurity * model.nodes()[c].weight for c in node.children)
            assert below <= node.impurity * node.weight * (1 + 1e-9)


@pytest.mark.parametrize("criterion", ALL)
@pytest.mark.parametrize("split", ["axis", "random", "pca", "node_pca", "lda"])
def test_inner_nodes_and_leaves_keep_what_their_rows_say(criterion, split):
    X, y, rng = table(8, 200)
    w = rng.uniform(0.5, 2, 200)
    tree = TreeRegressor(criterion=criterion, split=split, max_depth=4, random_state=0).fit(X, y, w)
    here = tree.decision_path(X).toarray() > 0
    for node in tree.model_.nodes():
        rows = here[:, node.number]
        value, loss = _core.leaf_of(criterion, {}, y[rows], w[rows])
        assert node.mean == pytest.approx(value, rel=1e-12)
        assert node.impurity * node.weight == pytest.approx(loss, rel=1e-9, abs=1e-12)
        if not node.is_leaf:
            below = [_core.leaf_of(criterion, {}, y[here[:, c]], w[here[:, c]])[1] for c in node.children]
            assert node.gain == pytest.approx((loss - sum(below)) / w[rows].sum(), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("criterion", ALL)
def test_forests_average_trees_by_the_criterion(criterion):
    X, y, _ = table(9, 300)
    forest = ForestRegressor(8, criterion=criterion, max_features=2, oob_score=True, random_state=0).fit(X, y)
    assert forest.oob_score_ > 0.3
    np.testing.assert_allclose(forest.predict(X), np.mean([t.predict(X) for t in forest.estimators_], axis=0))
    many = ForestRegressor(8, criterion=criterion, max_features=2, oob_score=True, random_state=0, n_jobs=2).fit(X, y)
    assert many.model_.to_bytes() == forest.model_.to_bytes()


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
def test_monotone_trees_are_scikit_learns(criterion):
    for seed in range(12):
        X, y, rng = table([seed, 4], 200, 3)
        signs, w = rng.integers(-1, 2, 3), rng.uniform(0.5, 2, 200)
        given = {"criterion": criterion, "monotonic_cst": signs, "max_depth": 4, "min_samples_leaf": 8}
        ours = TreeRegressor(**given).fit(X, y, w)
        if criterion == "poisson":  # which scikit-learn does not bind
            grid = np.sort(X[:, 0])
            for row in X[:10]:
                rows = np.repeat(row[None], len(grid), 0)
                rows[:, 0] = grid
                assert (np.diff(ours.predict(rows)) * signs[0] >= 0).all() or signs[0] == 0
            continue
        theirs = DecisionTreeRegressor(**given, random_state=0).fit(X, y, w)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


def test_poisson_is_for_numbers_from_0_on_and_never_leaves_a_child_without_any():
    X = np.arange(12.0)[:, None]
    with pytest.raises(DataError, match="y holds -1"):
        TreeRegressor(criterion="poisson").fit(X, np.arange(12.0) - 1)
    with pytest.raises(DataError, match="every number in y is 0"):
        TreeRegressor(criterion="poisson").fit(X, np.zeros(12))
    tree = TreeRegressor(criterion="poisson").fit(X, [0] * 6 + [3, 1, 0, 2, 4, 1])
    assert (tree.predict(X) > 0).all()


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"criterion_params": {"alpha": 0}}, "alpha is 0"),
        ({"criterion_params": {"level": 0.5}}, "has no parameter 'level'"),
        ({"criterion": "absolute_error", "criterion_params": {"alpha": 0.5}}, "has no parameter 'alpha'"),
        ({"split": "oc1"}, "order of the target"),
        ({"split": "elc"}, "needs a criterion that it can bound"),
        ({"nominal": "one_vs_rest"}, "order of what a leaf"),
        ({"refine": "axis", "max_depth": 2}, "squared errors"),
        ({"prune": "reduced_error"}, "counts errors of classes"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(params, named):
    X, y, _ = table(1, 50)
    with pytest.raises(ParameterError, match=named):
        TreeRegressor(**({"criterion": "quantile"} | params)).fit(X, y)


def test_other_rows_and_splits_by_hand_follow_the_criterion():
    X, y, _ = table(3, 200)
    tree = TreeRegressor(criterion="absolute_error", max_depth=3).fit(X[:100], y[:100])
    new = tree.updated(X[100:], y[100:])
    where = new.apply(X[100:])
    for leaf in np.unique(where):
        assert new.model_.nodes()[int(leaf)].mean == np.median(y[100:][where == leaf])
    assert new.model_.nodes()[0].mean == np.median(y[100:])
    cut = tree.with_split(0, ("x0", "<=", 300.0), X, y)
    assert cut.model_.nodes()[1].mean == np.median(y[X[:, 0] <= 300])


def test_numbers_of_any_size_and_offset():
    X, y, _ = table(2, 120)
    for criterion in ALL:
        near = TreeRegressor(criterion=criterion, max_depth=4).fit(X, y)
        for factor in (1e-200, 1e200) if criterion != "poisson" else (1e-200, 1e150):
            far = TreeRegressor(criterion=criterion, max_depth=4).fit(X, y * factor)
            np.testing.assert_allclose(far.predict(X) / factor, near.predict(X), rtol=1e-9)
    y = 1e9 + np.round(y)
    tree = TreeRegressor(criterion="absolute_error", max_depth=3).fit(X, y)
    assert math.isclose(tree.score(X, y), 1 - ((tree.predict(X) - y) ** 2).sum() / ((y - y.mean()) ** 2).sum())


@pytest.mark.parametrize(
    ("criterion", "params"), [("absolute_error", None), ("quantile", {"alpha": 0.8}), ("poisson", None)]
)
def test_reports_files_and_more_trees_know_the_criterion(criterion, params, tmp_path):
    X, y, rng = table(6, 200)
    X = pd.DataFrame(X, columns=list("abcd")).assign(s=rng.choice(list("pqrst"), 200))
    y = y + 4 * X["s"].isin(["p", "q"])
    tree = TreeRegressor(criterion=criterion, criterion_params=params, max_depth=3, min_samples_leaf=5).fit(X, y)
    tree.report(X, y).save(tmp_path / "page.html")
    assert f'"{criterion}"' in (tmp_path / "page.html").read_text()
    tree.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough", as_estimator=True)
    assert again.criterion_params == params
    np.testing.assert_array_equal(again.predict(X), tree.predict(X))
    forest = ForestRegressor(2, criterion=criterion, criterion_params=params, max_depth=3, random_state=0).fit(X, y)
    first = forest.predict(X)
    forest.set_params(warm_start=True, n_estimators=4).fit(X, y)
    assert forest.model_.criterion_params == (params or {})
    assert (forest.predict(X) != first).any()
