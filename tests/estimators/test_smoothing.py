"""Smoothing of class shares: what is added, that it is kept, and what it is good for."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss

import bough
from bough import ParameterError, TreeClassifier


def noisy(n=1200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, ((X[:, 0] > 0) ^ (rng.random(n) < 0.25)).astype(int) + 0


def test_laplace_adds_one_to_every_class():
    X, y = noisy()
    plain, smooth = TreeClassifier(max_depth=3).fit(X, y), TreeClassifier(max_depth=3, smoothing="laplace").fit(X, y)
    w = plain.model_.nodes().weights[plain.apply(X)]
    assert np.allclose(smooth.predict_proba(X), (w + 1) / (w.sum(axis=1, keepdims=True) + 2))
    assert (smooth.predict(X) == plain.predict(X)).all()


def test_a_number_is_that_much_weight_in_the_shares_of_all_rows():
    X, y = noisy()
    y[:200] = 2
    tree = TreeClassifier(max_depth=4, smoothing=7.5).fit(X, y)
    w = tree.model_.nodes().weights
    expected = (w + 7.5 * w[0] / w[0].sum()) / (w.sum(axis=1, keepdims=True) + 7.5)
    shares = tree.predict_proba(X)
    assert np.allclose(shares, expected[tree.apply(X)])
    assert (tree.predict(X) == shares.argmax(axis=1)).all()
    assert TreeClassifier(smoothing=0).fit(X, y).predict_proba(X).tolist() == (
        TreeClassifier().fit(X, y).predict_proba(X).tolist()
    )


def test_it_is_kept_in_the_file_and_a_file_without_it_is_as_before(tmp_path):
    X, y = noisy()
    for smoothing in (None, "laplace", 2.5):
        tree = TreeClassifier(max_depth=3, smoothing=smoothing).fit(X, y)
        tree.save(tmp_path / "m.bough")
        model = bough.load(tmp_path / "m.bough")
        assert model.smoothing == smoothing
        assert model.predict_proba(X).tolist() == tree.predict_proba(X).tolist()
        assert (b"smoothing" in (tmp_path / "m.bough").read_bytes()) == (smoothing is not None)


def test_a_full_grown_tree_becomes_a_sober_forecaster():
    X, y = noisy(2000)
    loss = {
        s: log_loss(y[1000:], TreeClassifier(smoothing=s).fit(X[:1000], y[:1000]).predict_proba(X[1000:]))
        for s in (None, "laplace", 10)
    }
    assert loss[None] > 5
    assert loss["laplace"] < 0.9
    assert loss[10] < 0.7


@pytest.mark.parametrize("wrong", ["m", -1, float("nan"), float("inf"), [1], True])
def test_wrong_values_are_told_in_one_sentence(wrong):
    with pytest.raises(ParameterError, match=r"smoothing is .*; it must be None, 'laplace', or the weight"):
        TreeClassifier(smoothing=wrong).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("smoothing", [1e300, 1.7e308])
@pytest.mark.parametrize("weight", [1.0, 1e300])
def test_smoothing_of_any_size_leaves_shares_that_sum_to_one(smoothing, weight):
    X, y = noisy(60)
    tree = TreeClassifier(max_depth=2, smoothing=smoothing).fit(X, y, np.full(60, weight))
    shares = tree.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    if weight == 1:  # which counts nothing beside it
        np.testing.assert_allclose(shares, np.tile(np.bincount(y) / len(y), (60, 1)))
