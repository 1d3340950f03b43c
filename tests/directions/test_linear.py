"""The linear node kind from end to end: training, prediction, words, files, importances."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine

import bough
from bough import TreeClassifier, TreeRegressor

FAMILIES = ["pca", "node_pca", "node_means_pca"]


def counted(tree, X):
    """Do the training rows end in the leaves that counted them?"""
    counts = np.bincount(tree.apply(X), minlength=tree.tree_.node_count)
    return (counts == np.where(tree.tree_.kind == "leaf", tree.tree_.n_node_samples, 0)).all()


def tables(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 80)), int(rng.integers(1, 7))
    X = rng.integers(0, 3, (n, d)).astype(float) if seed % 3 == 0 else rng.normal(size=(n, d))
    X = X * 10.0 ** rng.integers(-6, 7, d) + rng.choice([0, 0, 1e6, -1e9], d)
    if seed % 2:
        X[rng.random((n, d)) < rng.choice([0.02, 0.3])] = np.nan
    if seed % 5 == 0:
        X[:, 0] = 4.25
    w = rng.choice([0.5, 1.0, 3.0], n) if seed % 4 == 1 else None
    return X, rng.integers(0, rng.integers(1, 5), n), w


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from(FAMILIES), st.sampled_from(["gini", "max_cut", "entropy", "twoing"]))
def test_training_and_prediction_agree_on_every_side(seed, split, criterion):
    X, y, w = tables(seed)
    tree = TreeClassifier(split=split, criterion=criterion, standardize=bool(seed & 8)).fit(X, y, w)
    assert counted(tree, X)
    assert counted(tree, np.asfortranarray(X))  # columns in one piece, read one by one
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    named = TreeClassifier(split=split, criterion=criterion, standardize=bool(seed & 8)).fit(frame, y, w)
    assert counted(named, frame)
    assert (named.predict(frame) == tree.predict(X)).all()


@pytest.mark.parametrize("split", FAMILIES)
def test_one_and_two_threads_give_the_same_bytes(split):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6000, 12)), rng.integers(0, 4, 6000)
    for criterion in ("gini", "max_cut"):
        one, two = (
            TreeClassifier(split=split, criterion=criterion, n_jobs=j, max_depth=9).fit(X, y).model_.to_bytes()
            for j in (1, 2)
        )
        assert one == two


@pytest.mark.parametrize("split", FAMILIES)
def test_more_columns_than_rows_and_wide_matrices(split):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 90)) + 3, rng.integers(0, 3, 40)
    tree = TreeClassifier(split=split, criterion="max_cut").fit(X, y)
    assert counted(tree, X)
    assert tree.score(X, y) == 1
    as_columns = TreeClassifier(split=split, criterion="max_cut").fit(np.asfortranarray(X), y)
    assert (as_columns.predict(X) == tree.predict(X)).all()


def test_two_classes_have_one_direction_the_line_through_their_means():
    X, y = load_iris(return_X_y=True)
    X, y = X[y != 0], y[y != 0]
    split = TreeClassifier(split="node_means_pca", max_depth=1).fit(X, y).tree_.split(0)
    line = X[y == 2].mean(axis=0) - X[y == 1].mean(axis=0)
    line *= np.sign(line[0]) / np.linalg.norm(line)
    np.testing.assert_allclose(split.weights, line[list(split.columns)], rtol=1e-12)


def test_n_components_limits_the_directions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [5, 1, 0.1]
    y = (X[:, 1] > 0).astype(int)  # along the second widest
    for split in ("pca", "node_pca"):
        one, two = (TreeClassifier(split=split, split_params={"n_components": n}, max_depth=1) for n in (1, 2))
        assert one.fit(X, y).score(X, y) < 0.7
        assert two.fit(X, y).score(X, y) > 0.9


def test_the_first_coefficient_is_positive_and_the_length_is_one_in_search_units():
    X, y = load_wine(return_X_y=True)
    for standardize in (False, True):
        tree = TreeClassifier(split="node_pca", standardize=standardize).fit(X, y)
        scale = X.std(axis=0) if standardize else 1.0
        for node in np.flatnonzero(tree.tree_.kind == "linear"):
            s = tree.tree_.split(node)
            assert s.weights[int(np.argmin(s.columns))] > 0
            length = np.linalg.norm(np.array(s.weights) * np.broadcast_to(scale, X.shape[1])[list(s.columns)])
            assert length == pytest.approx(1)


def test_standardising_makes_the_tree_indifferent_to_units():
    X, y = load_wine(return_X_y=True)
    units = 10.0 ** np.arange(-6, 7)
    a = TreeClassifier(split="node_means_pca", criterion="max_cut", standardize=True).fit(X, y)
    b = TreeClassifier(split="node_means_pca", criterion="max_cut", standardize=True).fit(X * units, y)
    assert (a.predict(X) == b.predict(X * units)).all()
    np.testing.assert_allclose(a.tree_.gain[a.tree_.kind != "leaf"], b.tree_.gain[b.tree_.kind != "leaf"], rtol=1e-6)


def test_importances_share_a_gain_by_squared_standardised_coefficients():
    X, y = load_wine(return_X_y=True)
    tree = TreeClassifier(split="node_means_pca", max_depth=1).fit(X, y)
    s = tree.tree_.split(0)
    shares = (np.array(s.weights) * X.std(axis=0)[list(s.columns)]) ** 2
    np.testing.assert_allclose(tree.feature_importances_[list(s.columns)], shares / shares.sum(), rtol=1e-9)


def test_a_direction_over_one_column_is_a_threshold_on_it():
    X, y = load_iris(return_X_y=True)
    X = X[:, [2]]
    for split in FAMILIES:
        linear, axis = (TreeClassifier(split=s, max_depth=3).fit(X, y) for s in (split, "axis"))
        assert linear.model_ == axis.model_


def mixed(n=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "s": rng.choice(list("pqrs"), n),
            "b": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        }
    )
    return frame, ((frame["a"] + frame["b"].fillna(0) > 0) ^ frame["s"].isin(["p", "q"])).to_numpy()


@pytest.mark.parametrize("split", FAMILIES)
@pytest.mark.parametrize("criterion", ["gini", "max_cut"])
def test_nominal_columns_compete_with_directions(split, criterion):
    X, y = mixed()
    tree = TreeClassifier(split=split, criterion=criterion).fit(X, y)
    assert {"linear", "subset"} <= set(tree.tree_.kind)
    assert counted(tree, X)
    if split != "pca":  # for which no row lacks a place
        assert any("missing" in str(rule) for rule in tree.rules())
    multiway = TreeClassifier(split=split, nominal="multiway", criterion="gini").fit(X, y)
    assert counted(multiway, X)


@pytest.mark.parametrize("split", FAMILIES)
def test_tables_of_nominal_columns_only_are_split_by_them(split):
    X, y = mixed()
    assert set(TreeClassifier(split=split).fit(X[["s"]], y).tree_.kind) <= {"subset", "leaf"}


@pytest.mark.parametrize("split", FAMILIES)
def test_directions_are_over_the_columns_that_may_be_split(split):
    X, y = load_wine(return_X_y=True)
    tree = TreeClassifier(split=split, max_features=3, random_state=0).fit(X, y)
    widths = [len(tree.tree_.split(i).columns) for i in np.flatnonzero(tree.tree_.kind == "linear")]
    assert max(widths) <= 3


def test_the_better_side_for_missing_numbers_is_stored():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    X[:80, 0] = np.nan
    for side in (0, 1):
        y[:80] = side
        tree = TreeClassifier(split="node_means_pca", max_depth=1).fit(X, y)
        assert tree.predict([[np.nan, 0.0]])[0] == side
        assert counted(tree, X)
        assert "missing" in tree.why([np.nan, 0.0])


def test_rows_that_lack_a_column_are_told_apart_along_principal_components_of_the_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    X[::7, 2] = np.nan
    X[1::11, 1] = np.nan
    tree = TreeClassifier(split="pca").fit(X, y)
    assert tree.score(X, y) == 1
    assert counted(tree, X)
    nobody = np.column_stack([X[:, :2], np.full(len(X), np.nan)])  # a column that no row has is no column
    assert TreeClassifier(split="pca").fit(nobody, y).score(nobody, y) == 1


def test_words_files_and_pickles_keep_a_linear_tree():
    X, y = load_wine(return_X_y=True, as_frame=True)
    tree = TreeClassifier(split="node_means_pca", criterion="max_cut", standardize=True).fit(X, y)
    again = pickle.loads(pickle.dumps(tree))
    assert again.model_ == tree.model_
    assert again.model_.standardize
    loaded = bough.Model.from_bytes(tree.model_.to_bytes())
    assert (loaded.predict(X) == tree.predict(X)).all()
    assert loaded.standardize
    assert not TreeClassifier(split="node_means_pca").fit(X, y).model_.standardize
    first = tree.tree_.split(0)
    moves = np.abs(first.weights) * X.std().to_numpy()[list(first.columns)]
    largest = first.names[int(np.argmax(moves))]
    assert tree.show().splitlines()[0].lstrip("-").partition("·")[2].startswith(largest)
    assert largest in tree.why(X.iloc[[0]])
    assert len(list(tree.rules())) == tree.get_n_leaves()
    assert tree.tree_.feature[0] == -2


def test_offsets_that_are_large_beside_the_spread_cost_no_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X @ [1, -2, 0.5] > 0).astype(int)
    plain, moved = (TreeClassifier(split="node_means_pca").fit(x, y) for x in (X, X + 2.0**30))
    assert (plain.predict(X) == moved.predict(X + 2.0**30)).all()
    assert counted(moved, X + 2.0**30)


@pytest.mark.parametrize("split", FAMILIES)
def test_numbers_are_predicted_along_directions_too(split):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = X @ [3.0, -2.0, 1.0, 0.0] + 10
    tree = TreeRegressor(split=split, max_depth=5).fit(X, y)
    assert tree.score(X, y) > 0.75
    assert counted(tree, X)
    if split == "node_means_pca":
        assert tree.score(X, y) > TreeRegressor(max_depth=5).fit(X, y).score(X, y)
