"""Smoothing of class shares: what is added, that it is kept, and what it is good for."""

from __future__ import annotations

from itertools import pairwise

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
    with pytest.raises(ParameterError, match=r"smoothing is .*; it must be None, 'laplace', the weight"):
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


def by_hand(tree, values, strength):
    """The values of all nodes, shrunk along the path as the paper writes it."""
    nodes = tree.model_.nodes()
    out = []
    for node in range(len(nodes)):
        path = nodes.path(node)
        value = np.array(values[0], dtype=float)
        for above, below in pairwise(path):
            value = value + (values[below] - values[above]) / (1 + strength / nodes.total_weights[above])
        out.append(value)
    return np.array(out)


@pytest.mark.parametrize("more", [{}, {"max_depth": 3}, {"nominal": "multiway", "missing": "shared"}, {"split": "lda"}])
def test_values_shrink_along_the_path(more):
    X, y = noisy(400)
    X[::7, 1] = np.nan if "split" not in more else 0
    weights = np.random.default_rng(1).random(400) + 0.5
    plain = TreeClassifier(**more).fit(X, y, weights)
    tree = TreeClassifier(**more, smoothing={"hierarchical": 12.5}).fit(X, y, weights)
    expected = by_hand(plain, plain.model_.nodes().shares, 12.5)
    assert np.allclose(tree.model_.nodes().shares, expected)
    assert np.allclose(expected.sum(axis=1), 1)
    assert (tree.predict(X) == tree.classes_[tree.predict_proba(X).argmax(axis=1)]).all()
    numbers = X[:, 0] + y
    plain = bough.TreeRegressor().fit(X, numbers, weights)
    tree = bough.TreeRegressor(smoothing={"hierarchical": 3}).fit(X, numbers, weights)
    expected = by_hand(plain, plain.model_.nodes().means, 3)
    assert np.allclose(tree.predict(X), expected[tree.apply(X)])
    assert bough.TreeRegressor(smoothing={"hierarchical": 0}).fit(X, numbers, weights).predict(X).tolist() == (
        pytest.approx(plain.predict(X).tolist())
    )


def test_shrunk_shares_of_many_classes_are_those_of_the_table(monkeypatch):
    from bough.model.nodes import Nodes

    X, _ = noisy(600)
    y = np.random.default_rng(2).integers(0, 60, 600)
    tree = TreeClassifier(smoothing={"hierarchical": 5.0}).fit(X, y)
    expected = tree.predict_proba(X)
    monkeypatch.setattr(Nodes, "kept", False)
    model = bough.model.model.Model.from_bytes(tree.model_.to_bytes())
    assert np.allclose(model.predict_proba(X), expected)


def test_the_strength_is_chosen_by_cross_validation_and_kept(tmp_path):
    X, y = noisy(1500)
    trees = {s: TreeClassifier(smoothing=s).fit(X[:700], y[:700]) for s in (None, "laplace", "hierarchical")}
    loss = {s: log_loss(y[700:], t.predict_proba(X[700:])) for s, t in trees.items()}
    assert loss["hierarchical"] < loss["laplace"] < loss[None]
    chosen = trees["hierarchical"].model_.smoothing
    assert chosen["hierarchical"] in (10.0, 25.0, 50.0, 100.0)
    again = TreeClassifier(smoothing=chosen).fit(X[:700], y[:700])
    assert trees["hierarchical"].origin_["parameters"]["smoothing"] == chosen
    assert (again.predict_proba(X) == trees["hierarchical"].predict_proba(X)).all()
    trees["hierarchical"].save(tmp_path / "m.bough")
    assert bough.load(tmp_path / "m.bough").predict_proba(X).tolist() == again.predict_proba(X).tolist()
    rng = np.random.default_rng(3)
    numbers = X[:, 0] + rng.normal(size=1500)
    scores = [bough.TreeRegressor(smoothing=s).fit(X[:700], numbers[:700]).score(X[700:], numbers[700:])
              for s in (None, "hierarchical")]  # fmt: skip
    assert scores[1] > scores[0] + 0.2


def test_forests_take_a_strength_and_exports_the_shrunk_values():
    X, y = noisy(300)
    forest = bough.ForestClassifier(5, smoothing={"hierarchical": 10}, random_state=0).fit(X, y)
    each = [t.shares_at(leaf) for t, leaf in zip(forest.model_.all_nodes, forest.apply(X).T, strict=True)]
    assert np.allclose(forest.predict_proba(X), np.mean(each, axis=0))
    numbers = bough.ForestRegressor(5, smoothing={"hierarchical": 10}, random_state=0).fit(X, X[:, 0])
    each = [t.means[leaf] for t, leaf in zip(numbers.model_.all_nodes, numbers.apply(X).T, strict=True)]
    assert np.allclose(numbers.predict(X), np.mean(each, axis=0))
    with pytest.raises(ParameterError, match="a forest needs it given"):
        bough.ForestClassifier(5, smoothing="hierarchical").fit(X, y)
    for tree in (TreeClassifier(max_depth=3, smoothing={"hierarchical": 50}).fit(X, y),
                 bough.TreeRegressor(max_depth=3, smoothing={"hierarchical": 50}).fit(X, X[:, 1])):  # fmt: skip
        space = {}
        exec(tree.model_.to_python(), space)
        said = [space["predict"](dict(zip(tree.model_.schema.names, row.tolist(), strict=True))) for row in X]
        assert np.allclose(np.asarray(said, float), tree.predict(X))


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (TreeClassifier, {"hierarchical": -1}, "smoothing\\['hierarchical'\\] is -1; it must be a non-negative number"),
        (TreeClassifier, {"laplace": 1}, "it must be None, 'laplace'"),
        (bough.TreeRegressor, "laplace", "it must be None, 'hierarchical' or {'hierarchical': a non-negative"),
        (bough.TreeRegressor, 2.0, "smoothing is 2.0"),
    ],
)
def test_what_is_no_smoothing_is_refused(kind, value, words):
    with pytest.raises(ParameterError, match=words):
        kind(smoothing=value).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
