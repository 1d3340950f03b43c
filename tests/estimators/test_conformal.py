"""Intervals and sets of classes hold the truth as often as promised."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import bough
from bough import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor


def numbers(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    return X, 5 * X[:, 1] + rng.standard_t(3, size=n) * (0.2 + X[:, 0])


def classes(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.digitize(X[:, 0] + rng.normal(size=n), [-0.7, 0.7])


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.5])
def test_intervals_cover_as_many_new_numbers_as_promised(alpha):
    covered = []
    for seed in range(40):
        X, y = numbers(seed, 700)
        tree = TreeRegressor(max_depth=4).fit(X[:200], y[:200]).calibrated(X[200:300], y[200:300])
        low, high = tree.predict_interval(X[300:], alpha).T
        covered.append(np.mean((low <= y[300:]) & (y[300:] <= high)))
    expected = np.ceil(101 * (1 - alpha)) / 101  # on average exactly that, for scores without ties
    assert abs(np.mean(covered) - expected) < 0.02


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_sets_hold_the_true_class_of_as_many_new_rows_as_promised(alpha):
    held, sizes = [], []
    for seed in range(40):
        X, y = classes(seed, 700)
        tree = TreeClassifier(max_depth=3).fit(X[:200], y[:200]).calibrated(X[200:300], y[200:300])
        sets = tree.predict_set(X[300:], alpha)
        assert sets.dtype == bool
        held.append(np.mean(sets[np.arange(400), y[300:]]))
        sizes.append(sets.sum(axis=1).mean())
    assert np.mean(held) > 1 - alpha - 0.01
    assert np.mean(sizes) < 2.9


def test_forests_take_rows_out_of_bag():
    X, y = numbers(0, 600)
    forest = ForestRegressor(50, oob_score=True, random_state=0).fit(X[:300], y[:300])
    low, high = forest.predict_interval(X[300:], 0.1).T
    assert 0.84 < np.mean((low <= y[300:]) & (y[300:] <= high)) < 0.96
    kept = forest.calibrated(X[300:400], y[300:400])
    assert np.ptp(np.diff(kept.predict_interval(X, 0.1))) < 1e-9
    X, y = classes(0, 600)
    sets = ForestClassifier(50, oob_score=True, random_state=0).fit(X[:300], y[:300]).predict_set(X[300:], 0.1)
    assert np.mean(sets[np.arange(300), y[300:]]) > 0.85


def test_the_scores_are_those_of_the_definition():
    X, y = classes(1, 300)
    tree = TreeClassifier(max_depth=3).fit(X[:200], y[:200])
    new = tree.calibrated(X[200:], y[200:])
    expected = np.sort(1 - tree.predict_proba(X[200:])[np.arange(100), y[200:]])
    assert new.calibration_scores_.tolist() == expected.tolist()
    assert not hasattr(tree, "calibration_scores_")
    assert (pickle.loads(pickle.dumps(new)).predict_set(X) == new.predict_set(X)).all()
    assert not hasattr(clone(new), "calibration_scores_")
    assert not hasattr(new.fit(X, y), "calibration_scores_")


def test_too_few_scores_give_everything():
    X, y = numbers(0, 20)
    tree = TreeRegressor(max_depth=1).fit(X[:10], y[:10]).calibrated(X[10:15], y[10:15])
    assert np.isinf(tree.predict_interval(X, 0.1)).all()
    assert np.isfinite(tree.predict_interval(X, 0.2)).all()
    X, y = classes(0, 20)
    assert TreeClassifier().fit(X[:10], y[:10]).calibrated(X[10:15], y[10:15]).predict_set(X, 0.1).all()


def test_quantiles_of_a_tree_are_those_of_the_rows_in_its_leaves():
    X, y = numbers(0, 300)
    w = np.random.default_rng(1).integers(0, 3, 300).astype(float)
    tree = TreeRegressor(max_depth=3, keep_leaves=True).fit(X, y, w)
    found = tree.predict_quantiles(X, [0, 0.5, 1])
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        here = (leaves == leaf) & (w > 0)
        assert found[here][0].tolist() == [
            y[here].min(),
            np.quantile(np.repeat(y[here], w[here].astype(int)), 0.5, method="inverted_cdf"),
            y[here].max(),
        ]


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda X, y: TreeRegressor().fit(X, y).predict_interval(X), r"give some to calibrated\(X, y\) first"),
        (lambda X, y: ForestRegressor(3).fit(X, y).predict_interval(X), "or fit with oob_score=True"),
        (lambda X, y: TreeRegressor().fit(X, y).calibrated(X, y).predict_interval(X, 1.0), "alpha is 1.0"),
        (lambda X, y: TreeRegressor().fit(X, y).calibrated(X, y).predict_interval(X, "a"), "alpha is 'a'"),
        (lambda X, y: TreeRegressor().fit(X, y).predict_quantiles(X), "keep_leaves=True"),
        (lambda X, y: TreeClassifier().fit(X, y > 1).predict_set(X), "calibrated"),
    ],
)
def test_what_cannot_be_told_is_refused_in_one_sentence(ask, says):
    with pytest.raises(bough.ParameterError, match=says):
        ask(*numbers(0, 30))
