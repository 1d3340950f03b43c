"""`bough.system("c4.5")` is J48's tree: attribute, cut, class vectors, leaves, distributions; with gaps and weights."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import bough
from bough import ParameterError, TreeClassifier
from support.oracle import pruning
from support.oracle.j48 import J48, Options

OPTIONS = {
    "default": ({}, {}),
    "-U": ({"prune": None}, {"confidence": None}),
    "-C 0.05": ({"prune_params": {"confidence": 0.05}}, {"confidence": 0.05}),
    "-S": ({"prune_params": {"raising": False}}, {"raising": False}),
    "-M 1": ({"min_samples_leaf": 1}, {"least": 1}),
    "-M 5": ({"min_samples_leaf": 5}, {"least": 5}),
    "-B": ({"nominal": "one_vs_rest"}, {"binary": True}),
    "-B -U": ({"nominal": "one_vs_rest", "prune": None}, {"binary": True, "confidence": None}),
}


def small(seed, gaps=0.0):
    """A table of numbers with ties, near-equal numbers and nominal values, and its classes."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(8, 60 if seed % 5 else 250)), int(rng.integers(2, 5))
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    columns = {}
    for c in range(int(rng.integers(1, 5))):
        if rng.random() < 0.5:
            size = int(rng.integers(2, 6))
            codes = rng.integers(0, size, n) if rng.random() < 0.4 else (y + rng.integers(0, 3, n)) % size
            columns[f"c{c}"] = np.array([f"v{v}" for v in codes])
        else:
            x = y * rng.random() * 2 + rng.normal(size=n)
            kind = rng.integers(0, 4)
            columns[f"c{c}"] = [np.round(x), np.round(x, 1), np.round(x * 3) * 4e-6 + np.round(x), x][kind]
    X = pd.DataFrame(columns)
    for c in X:
        if gaps:
            X.loc[rng.random(n) < gaps, c] = None
    return X, y


def weights_of(seed, n):
    """No weights, whole ones, or any."""
    rng = np.random.default_rng([seed, 1])
    return [None, rng.integers(1, 4, n).astype(float), np.round(rng.random(n) * 3 + 0.1, 2)][seed % 3]


def expected(X, y, options, weights=None):
    """The oracle's tree, and its questions in the same words as ours."""
    columns, sizes = [], []
    for c in X:
        if X[c].dtype.kind == "f":
            columns.append(X[c].tolist())
            sizes.append(0)
        else:
            values = sorted(set(X[c].dropna()))
            columns.append([None if pd.isna(v) else values.index(v) for v in X[c]])
            sizes.append(len(values))
    return J48(columns, sizes, y.tolist(), int(y.max()) + 1, weights, Options(**options))


def lines(node):
    test = node.test
    here = (len(node.children), None if test is None else test.column, None if test is None else test.cut)
    return [(here, node.dist), *(line for c in node.children for line in lines(c))]


def check(X, y, option, weights=None):
    ours, theirs = OPTIONS[option]
    tree = bough.system("c4.5", **ours).fit(X, y, weights)
    oracle = expected(X, y, theirs, weights)
    found, wanted = lines(pruning.nested(tree.model_)), lines(oracle.tree)
    assert [a for a, _ in found] == [a for a, _ in wanted]
    assert np.allclose([d for _, d in found], [d for _, d in wanted], atol=1e-6)
    rows = [[c[i] for c in oracle.columns] for i in range(len(y))]
    wanted = np.array([oracle.distribution(r) for r in rows])
    assert np.allclose(tree.predict_proba(X), wanted, atol=1e-6)
    assert (tree.predict(X) == wanted.round(9).argmax(axis=1)).all()
    smooth = bough.system("c4.5", **ours, smoothing="laplace").fit(X, y, weights)
    assert np.allclose(smooth.predict_proba(X), [oracle.distribution(r, laplace=True) for r in rows], atol=1e-6)


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("seed", range(24))
def test_the_tree_is_that_of_j48(seed, option):
    check(*small(seed), option)


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("gaps", [0.1, 0.3])
def test_with_gaps_and_weights_it_is_that_of_j48(gaps, option):
    for seed in range(30):
        X, y = small(seed, gaps)
        check(X, y, option, weights_of(seed, len(y)))


def test_iris_has_five_leaves_and_nine_nodes():
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = bough.system("c4.5").fit(X, y)
    assert (tree.get_n_leaves(), tree.model_.n_nodes) == (5, 9)
    assert bough.system("j48").fit(X, y).model_ == tree.model_


def test_a_cut_is_a_value_of_the_table():
    X, y = load_iris(return_X_y=True)
    tree = bough.system("c4.5").fit(X, y)
    for i in np.flatnonzero(tree.tree_.feature >= 0):
        assert tree.tree_.threshold[i] in X[:, tree.tree_.feature[i]]


def test_threads_change_nothing():
    X, y = small(5)
    X, y = pd.concat([X] * 20, ignore_index=True), np.tile(y, 20)
    trees = [bough.system("c4.5", n_jobs=j).fit(X, y).model_ for j in (1, 2)]
    assert trees[0] == trees[1]


def test_the_average_rule_is_about_gain_ratios():
    with pytest.raises(ParameterError, match="selector='average_gain' compares gain ratios; criterion is 'gini'"):
        TreeClassifier(selector="average_gain").fit([[0.0], [1.0]], [0, 1])
