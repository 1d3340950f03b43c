"""What rows that trees have not seen tell: importances without favourites, quantiles, intervals; drawn columns."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris, make_classification

from bough import DataError, ForestClassifier, ForestRegressor, ParameterError, TreeClassifier


def noise(seed, n=150):
    """Columns that tell nothing, of 2 values to as many as there are rows, and a coin for an answer."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, k, n) for k in (2, 4, 10)] + [rng.normal(size=n)]).astype(float)
    return X, rng.integers(0, 2, n)


# ---- impurity out of bag -----------------------------------------------------------------------------------


def naive_impurity(forest, X, y, value):
    """The change of each step on each unseen row's way, one by one; value(node, y) says how good a node is for y."""
    total = np.zeros(X.shape[1])
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        unseen = sorted(set(range(len(y))) - set(rows.tolist()))
        nodes = tree.model_.nodes()
        own = np.zeros(X.shape[1])
        for i in unseen:
            path = nodes.path(int(tree.apply(X[i : i + 1])[0]))
            for above, below in itertools.pairwise(path):
                own[tree.tree_.feature[above]] += value(nodes[below], y[i]) - value(nodes[above], y[i])
        total += own / len(unseen)
    return total / len(forest.estimators_)


def test_impurity_out_of_bag_is_the_sum_of_steps():
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(20, oob_score=True, random_state=0).fit(X, y)
    naive = naive_impurity(forest, X, y, lambda node, c: node.shares[c])
    np.testing.assert_allclose(forest.oob_feature_importances_, naive, atol=1e-12)
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:80], y[:80] - y[:80].mean()
    numbers = ForestRegressor(20, oob_score=True, random_state=0).fit(X, y)
    naive = naive_impurity(numbers, X, y, lambda node, t: node.mean * t)
    np.testing.assert_allclose(numbers.oob_feature_importances_, naive, rtol=1e-6, atol=1e-6)


@pytest.mark.slow
def test_of_columns_that_tell_nothing_none_is_preferred_out_of_bag():
    trained, unseen, shuffled = [], [], []
    for seed in range(40):
        X, y = noise(seed)
        forest = ForestClassifier(30, oob_score=True, max_features=1, random_state=seed).fit(X, y)
        trained.append(forest.feature_importances_)
        unseen.append(forest.oob_feature_importances_)
        if seed < 12:
            shuffled.append(forest.oob_permutation_importances(X, y).importances_mean)
    trained, unseen, shuffled = np.array(trained), np.array(unseen), np.array(shuffled)
    assert (trained[:, 3] > 3 * trained[:, 0]).all(), "in training, many values win"
    for found in (unseen, shuffled):
        error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
        assert (np.abs(found.mean(axis=0)) < 4 * error + 1e-12).all()


def test_linear_splits_share_their_credit():
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(20, split="lda", oob_score=True, random_state=0).fit(X, y)
    assert forest.oob_feature_importances_.sum() == pytest.approx(
        np.mean([unseen_gain(t, rows, X, y) for t, rows in zip(forest.estimators_, forest.estimators_samples_)])
    )


def unseen_gain(tree, rows, X, y):
    """From root to leaf: how much more likely the class of an unseen row becomes, on average."""
    unseen = np.setdiff1d(np.arange(len(y)), rows)
    shares = tree.model_.nodes().shares
    return np.mean(shares[tree.apply(X[unseen]), y[unseen]] - shares[0, y[unseen]])


# ---- by shuffling ----------------------------------------------------------------------------------------------


def test_importances_by_shuffling_find_the_columns_that_tell_something():
    X, y = make_classification(300, 6, n_informative=2, n_redundant=0, shuffle=False, random_state=0)
    found = ForestClassifier(60, random_state=0).fit(X, y).oob_permutation_importances(X, y)
    z = found.importances_mean / found.importances_standard_error
    assert (z[:2] > 5).all()
    assert (np.abs(z[2:]) < 5).all()
    assert found.importances.shape == (6, 60)
    np.testing.assert_allclose(found.importances.mean(axis=1), found.importances_mean)


def test_importances_by_shuffling_are_the_loss_of_each_tree():
    """Naively: the rows of a tree out of bag, a column shuffled by the same generator, errors counted."""
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    found = forest.oob_permutation_importances(X, y, random_state=7)
    rng = np.random.default_rng(7)
    for t, (tree, rows) in enumerate(zip(forest.estimators_, forest.estimators_samples_, strict=True)):
        unseen = np.setdiff1d(np.arange(len(y)), rows)
        before = np.mean(tree.predict(X[unseen]) != y[unseen])
        for column in sorted(set(tree.tree_.feature[tree.tree_.feature >= 0])):
            other = X.copy()
            other[unseen, column] = X[rng.permutation(unseen), column]
            after = np.mean(tree.predict(other[unseen]) != y[unseen])
            assert found.importances[column, t] == pytest.approx(after - before)


@pytest.mark.parametrize("missing", ["either", "shared"])
@pytest.mark.parametrize("costs", [None, {(0, 1): 30, (0, 2): 30}])
def test_importances_by_shuffling_are_judged_by_the_answers_of_each_tree(costs, missing):
    """By its own predict: costs and rows that are shared count."""
    X, y = load_iris(return_X_y=True)
    X = X[:, :3] + np.random.default_rng(1).normal(size=(150, 3))
    X[np.random.default_rng(2).random(X.shape) < 0.2] = np.nan
    forest = ForestClassifier(4, max_depth=2, costs=costs, missing=missing, random_state=0).fit(X, y)
    found = forest.oob_permutation_importances(X, y, random_state=7)
    rng = np.random.default_rng(7)
    prices = 1.0 - np.eye(3) if costs is None else forest.model_.costs
    for t, (tree, rows) in enumerate(zip(forest.estimators_, forest.estimators_samples_, strict=True)):
        unseen = np.setdiff1d(np.arange(len(y)), rows)
        before = prices[y[unseen], tree.predict(X[unseen])].mean()
        for column in sorted(set(tree.tree_.feature[tree.tree_.feature >= 0])):
            other = X.copy()
            other[unseen, column] = X[rng.permutation(unseen), column]
            after = prices[y[unseen], tree.predict(other[unseen])].mean()
            assert found.importances[column, t] == pytest.approx(after - before)


def test_another_table_is_refused():
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    with pytest.raises(DataError, match="not the table"):
        forest.oob_permutation_importances(X[:100], y[:100])
    with pytest.raises(ParameterError, match="bootstrap=True"):
        ForestClassifier(5, bootstrap=False).fit(X, y).oob_permutation_importances(X, y)


# ---- quantiles and intervals --------------------------------------------------------------------------------------


def shares_of_leaves(tree, x, node=0, share=1.0):
    """The leaves that a row without some numbers comes to, each with the share of the row, by numeric splits."""
    arrays = tree.tree_
    if arrays.feature[node] < 0:
        return {node: share}
    value, below = x[arrays.feature[node]], arrays.children(node)
    goes = np.array([value <= arrays.threshold[node], value > arrays.threshold[node]], dtype=float)
    if np.isnan(value):
        goes = arrays.weighted_n_node_samples[below] / arrays.weighted_n_node_samples[below].sum()
    found = {}
    for child, part in zip(below, goes, strict=True):
        if part > 0:
            found |= shares_of_leaves(tree, x, child, share * part)
    return found


def ends(tree, X):
    """Where each row ends: nodes with the share of the row there."""
    if tree.model_.missing == "shared":
        return [shares_of_leaves(tree, x) for x in X]
    return [{int(node): 1.0} for node in tree.apply(X)]


def naive_quantiles(forest, X, y, new, wanted, w=None):
    """What each training row weighs below the nodes that a row comes to, added up in the order of the numbers."""
    w = np.ones(len(y)) if w is None else w
    weights = np.zeros((len(new), len(y)))
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        nodes = tree.model_.nodes()
        trained = ends(tree, X)
        for of_row, reached in zip(weights, ends(tree, new), strict=True):
            for node, share in reached.items():
                here = np.zeros(len(y))
                for i in rows:
                    here[i] += w[i] * sum(s for leaf, s in trained[i].items() if node in nodes.path(leaf))
                of_row += share * here / here.sum()
    order = np.argsort(y, kind="stable")
    sums = np.cumsum(weights[:, order], axis=1) / len(forest.estimators_)
    least = [max(q - 1e-12, 1e-300) for q in wanted]
    return np.array([[y[order][np.flatnonzero(row >= q)[0]] for q in least] for row in sums])


WANTED = [0.0, 0.1, 0.5, 0.9, 1.0]


def test_quantiles_are_those_of_the_rows_in_the_same_leaves():
    X, y = load_diabetes(return_X_y=True)
    forest = ForestRegressor(8, keep_leaves=True, min_samples_leaf=4, random_state=0).fit(X[:150], y[:150])
    found = forest.predict_quantiles(X[200:230], WANTED)
    np.testing.assert_array_equal(found, naive_quantiles(forest, X[:150], y[:150], X[200:230], WANTED))
    assert forest.predict_quantiles(X[:3], 0.5).shape == (3, 1)


@pytest.mark.parametrize("missing", ["shared", "surrogate", "either"])
def test_quantiles_of_rows_without_some_numbers_are_those_of_all_rows_below(missing):
    """Shared rows end in several leaves, and by surrogates rows may end at an internal node, training rows too."""
    X, y = load_diabetes(return_X_y=True)
    rng = np.random.default_rng(0)
    X, w = np.where(rng.random(X.shape) < 0.3, np.nan, X)[:, :4], rng.integers(0, 4, len(y)).astype(float)
    forest = ForestRegressor(4, keep_leaves=True, min_samples_leaf=4, max_depth=4, missing=missing, random_state=0)
    forest.fit(X[:100], y[:100], w[:100])
    new = np.vstack([X[200:220], np.full(4, np.nan)])
    naive = naive_quantiles(forest, X[:100], y[:100], new, WANTED, w[:100])
    np.testing.assert_allclose(forest.predict_quantiles(new, WANTED), naive, rtol=1e-12)


@pytest.mark.parametrize("nominal", ["auto", "multiway"])
def test_quantiles_of_a_row_that_ends_at_an_internal_node_are_those_of_the_rows_below(nominal):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.choice(list("pqrs"), 120), "b": rng.choice(list("xyz"), 120)})
    y = X["a"].map({"p": 0, "q": 10, "r": 20, "s": 30}) + rng.normal(size=120) + (X["b"] == "x") * 5
    y = y.to_numpy()
    params = {"unseen": "stop"}
    forest = ForestRegressor(5, keep_leaves=True, nominal=nominal, nominal_params=params, max_depth=3, random_state=0)
    forest.fit(X, y)
    new = pd.DataFrame({"a": ["p", "new", "new", "q"], "b": ["new", "x", "new", "y"]})
    found = forest.predict_quantiles(new, WANTED)
    np.testing.assert_allclose(found, naive_quantiles(forest, X, y, new, WANTED), rtol=1e-12)
    assert found[2, 4] - found[2, 0] > 25, "a row that ends at the roots has nearly all numbers"


def uneven(seed, n):
    """Numbers whose spread grows with the first column."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    return X, 5 * X[:, 1] + rng.normal(size=n) * (0.2 + 2 * X[:, 0])


def test_quantiles_and_intervals_cover_what_they_say():
    X, y = uneven(0, 2000)
    new, truth = uneven(1, 2000)
    forest = ForestRegressor(60, keep_leaves=True, oob_score=True, min_samples_leaf=10, random_state=0).fit(X, y)
    low, high = forest.predict_quantiles(new, [0.05, 0.95]).T
    assert 0.87 < np.mean((low <= truth) & (truth <= high)) < 0.96
    wide = new[:, 0] > 0.7
    assert np.median((high - low)[wide]) > 2 * np.median((high - low)[new[:, 0] < 0.3])
    for coverage in (0.5, 0.9):
        ends = forest.predict_interval(new, 1 - coverage)
        assert abs(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])) - coverage) < 0.03


def test_what_was_not_kept_is_asked_for():
    X, y = uneven(0, 100)
    forest = ForestRegressor(5, random_state=0).fit(X, y)
    with pytest.raises(ParameterError, match="keep_leaves=True"):
        forest.predict_quantiles(X)
    with pytest.raises(ParameterError, match="oob_score=True"):
        forest.predict_interval(X)
    with pytest.raises(ParameterError, match="quantiles is 1.5"):
        forest.predict_quantiles(X, 1.5)


# ---- columns that are constant at a node ---------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ["numbers", "gaps"])
def test_constant_columns_use_up_the_draw_only_if_they_count(entry):
    """Of 30 columns one varies: a draw of one column nearly always misses it, unless constant ones do not count."""
    rng = np.random.default_rng(0)
    X = np.zeros((200, 30))
    X[:, 4] = rng.normal(size=200)
    X[:, 20] = rng.normal(size=200)
    if entry == "gaps":
        X[::9, 20] = np.nan
    y = (X[:, 4] > 0).astype(int)
    firsts = {True: [], False: []}
    for count in firsts:
        for seed in range(60):
            tree = TreeClassifier(max_features=2, max_depth=1, count_constant=count, random_state=seed).fit(X, y)
            firsts[count].append(tree.tree_.feature[0])
    assert set(firsts[False]) == {4}, "both columns that vary are seen, and the better one wins"
    assert firsts[True].count(20) > 10


def test_each_draw_is_uniform():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 6)), rng.integers(0, 2, 60)
    chosen = [
        TreeClassifier(max_features=1, max_depth=1, count_constant=count, random_state=seed).fit(X, y).tree_.feature[0]
        for seed in range(300)
        for count in (True, False)
    ]
    assert np.bincount(chosen, minlength=6).min() > 60
