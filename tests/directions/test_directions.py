"""The families of directions against their naive twin."""

from __future__ import annotations

import os

import numpy as np
import pytest

from bough import TreeClassifier, TreeRegressor, directions
from support.oracle import directions as oracle

CASES = int(os.environ.get("BOUGH_CASES", "40"))
BASES = {"features": "axis", "pca": "pca", "node_pca": "node_pca", "node_means_pca": "node_means_pca"}
ALGORITHMS = [(c, b) for c in ("gini", "max_cut") for b in BASES]


def random_table(rng):
    n, d, k = int(rng.integers(2, 36)), int(rng.integers(1, 6)), int(rng.integers(1, 5))
    style = rng.integers(4)
    if style == 0:
        X = rng.integers(0, 4, (n, d)).astype(float)  # ties and duplicates
    elif style == 1:
        X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.normal(size=d) * 100
    else:
        X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    if rng.random() < 0.2:
        X[:, rng.integers(d)] = 3.5  # says nothing
    y = rng.integers(0, k, n)
    if rng.random() < 0.5 and k > 1:
        y = np.clip(np.digitize(X @ rng.normal(size=d), np.quantile(X @ rng.normal(size=d), [0.3, 0.6])), 0, k - 1)
    w = rng.integers(1, 4, n).astype(float) if rng.random() < 0.3 else np.ones(n)
    return X, y, w


def rows_of_nodes(tree, X):
    """The training rows that pass each node."""
    return tree.decision_path(X).toarray().astype(bool).T


@pytest.mark.parametrize(("criterion", "basis"), ALGORITHMS)
def test_every_node_has_the_gain_that_the_naive_tree_finds_there(criterion, basis):
    settled = 0
    for seed in range(CASES):
        rng = np.random.default_rng(seed)
        X, y, w = random_table(rng)
        least, standardize = int(rng.integers(1, 4)), bool(rng.integers(2))
        tree = TreeClassifier(
            criterion=criterion, split=BASES[basis], standardize=standardize, min_samples_leaf=least
        ).fit(X, y, w)
        x = X / spreads(X, w) if standardize else X
        x = x - np.average(x, axis=0, weights=w)
        classes, codes = np.unique(y, return_inverse=True)
        before = oracle.components(x, w) if basis == "pca" else None
        for node, rows in enumerate(rows_of_nodes(tree, X)):
            if tree.tree_.kind[node] == "leaf":
                continue
            f = oracle.best_split(basis, criterion, x[rows], codes[rows], w[rows], len(classes), before, least)
            if not f.settled:
                continue
            settled += 1
            assert tree.tree_.gain[node] == pytest.approx(f.gain, rel=1e-9, abs=1e-9), (seed, node)
    assert settled > CASES / 2


@pytest.mark.parametrize(("criterion", "basis"), ALGORITHMS)
def test_the_naive_tree_predicts_the_same_for_the_training_rows(criterion, basis):
    compared = 0
    for seed in range(CASES):
        rng = np.random.default_rng(1000 + seed)
        X, y, w = random_table(rng)
        depth, standardize = int(rng.integers(1, 6)), bool(rng.integers(2))
        tree = TreeClassifier(criterion=criterion, split=BASES[basis], standardize=standardize, max_depth=depth)
        tree.fit(X, y, w)
        x = X / spreads(X, w) if standardize else X
        classes, codes = np.unique(y, return_inverse=True)
        x = x - np.average(x, axis=0, weights=w)
        answers, sure = oracle.grow(basis, criterion, x, codes, w, len(classes), depth)
        if sure:
            compared += 1
            assert (tree.predict(X) == classes[answers]).all(), seed
    assert compared > CASES / 5


def spreads(X, w):
    s = np.sqrt(np.average((X - np.average(X, axis=0, weights=w)) ** 2, axis=0, weights=w))
    return np.where(s > 0, s, 1)


def test_of_directions_that_tie_the_first_wins_however_many_there_are():
    """Their order once had 22 bits: after that many it began again."""
    many = np.zeros((2**22 + 3, 2))
    many[5], many[2**22 + 2] = [1, 0.25], [1, 0.125]  # both part the classes
    X, y = [[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]
    tree = TreeClassifier(split=directions(lambda x, y, w: many)).fit(X, y)
    first, second = tree.model_.nodes()[0].split.terms
    assert second.weight / first.weight == pytest.approx(0.25)


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("simplify", [False, True])
def test_a_row_that_lacks_a_number_is_at_the_mean_for_the_components_of_all_rows(regression, simplify):
    """It had no place along any of them: rows that lack the same column could not be parted."""
    for seed in range(CASES // 4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4)) + [0, 1000, 0, -5]
        y = X[:, 0] + rng.normal(size=80)
        y = y if regression else np.digitize(y, [-1, 1])
        w = rng.integers(1, 4, 80).astype(float) if seed % 2 else np.ones(80)
        holes = np.where(rng.random(X.shape) < 0.15, np.nan, X)
        known = ~np.isnan(holes)
        means = (w[:, None] * np.where(known, X, 0)).sum(axis=0) / (w[:, None] * known).sum(axis=0)
        kind = TreeRegressor if regression else TreeClassifier
        tree = kind(split="pca", simplify=simplify).fit(holes, y, w)
        filled = kind(split="pca", simplify=simplify).fit(np.where(known, X, means), y, w)
        pairs = set(zip(tree.apply(holes), filled.apply(np.where(known, X, means)), strict=True))
        assert len(pairs) == tree.get_n_leaves() == filled.get_n_leaves()  # the same rows are together
        sums = [n.split for n in tree.model_.nodes() if n.kind == "linear"]
        assert sums
        assert all(s.gaps_at_center for s in sums)
        assert tree.score(holes, y) == 1


def across(X, y, w):
    """The line through the two rest means, and what the reflection that turns it onto the first column makes of the
    second: the two rows that a singular value decomposition of two points has."""
    means = [np.average(X[y != c], axis=0, weights=w[y != c]) for c in np.unique(y)]
    if len(means) != 2 or X.shape[1] < 2:
        return oracle.components(np.array(means), np.ones(len(means)))[0]
    line = (means[0] - means[1]) / 2
    if not line.any():
        return np.empty((0, X.shape[1]))
    v = line.copy()
    v[0] += np.copysign(np.linalg.norm(line), v[0])
    second = np.eye(X.shape[1])[1] - 2 * v[1] / (v @ v) * v
    assert abs(second @ line) < 1e-9 * np.linalg.norm(line)
    return np.array([line, second])


@pytest.mark.parametrize("criterion", ["gini", "max_cut"])
def test_two_rest_means_have_a_second_direction_across_the_line_through_them(criterion):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, d, k = int(rng.integers(8, 90)), int(rng.integers(1, 5)), int(rng.choice([2, 2, 3]))
        X, y = rng.normal(size=(n, d)), rng.integers(0, k, n)
        w = rng.choice([1.0, 2.0], n) if seed % 3 == 0 else None
        given = {"criterion": criterion, "max_depth": 4, "min_info_gain": -1.0}
        ours = TreeClassifier(split="node_means_pca", split_params={"across": True}, **given).fit(X, y, w)
        plain = TreeClassifier(split=directions(across), **given).fit(X, y, w)
        assert (ours.apply(X) == plain.apply(X)).all()
        one = TreeClassifier(split="node_means_pca", split_params={"across": True, "n_components": 1}, **given)
        without = TreeClassifier(split="node_means_pca", split_params={"n_components": 1}, **given)
        assert one.fit(X, y, w).show() == without.fit(X, y, w).show()


def test_a_second_direction_finds_what_the_line_through_the_means_cannot():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    X[:, 1] = np.where(np.arange(400) < 200, X[:, 1] * 0.2, np.sign(X[:, 1]) * (2 + np.abs(X[:, 1])))
    y = (np.arange(400) >= 200).astype(int)
    X[:, 0] += 0.5 * y  # the means differ along the first column alone
    scores = [
        TreeClassifier(split="node_means_pca", split_params={"across": a}, max_depth=2).fit(X, y).score(X, y)
        for a in (False, True)
    ]
    assert scores[0] < 0.9
    assert scores[1] == 1.0
