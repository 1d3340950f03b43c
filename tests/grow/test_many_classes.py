"""More than 256 classes: leaves and files list the classes that they have, small nodes number theirs anew, and all
that says the same as counting does."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest

from bough import ForestClassifier, Model, ModelFileError, TreeClassifier
from bough.model import file, nodes
from support.combinations import by_name
from support.process import peak_of

K = 300
EQUAL = np.full(K, 1 / K)


def table(n=900, k=K, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 4)), 1)
    X[:, 3] = rng.integers(0, 7, n)
    y = rng.integers(0, k, n)
    y[:k] = rng.permutation(k)
    return X, y, np.exp(rng.normal(size=n))


def with_gaps(X, seed=1):
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < 0.05] = np.nan
    return X


def counted(tree, X, y, w):
    """The class weights of every node, by adding up its rows."""
    a = tree.tree_
    weights = np.zeros((a.node_count, len(tree.classes_)))
    parents = [0] * a.node_count
    for node in range(a.node_count):
        for child in a.children(node):
            parents[child] = node
    for leaf, c, weight in zip(tree.apply(X), np.searchsorted(tree.classes_, y), w, strict=True):
        node = leaf
        while True:
            weights[node, c] += weight
            if node == 0:
                break
            node = parents[node]
    return weights


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("split", "criterion"), [("axis", "gini"), ("axis", "max_cut"), ("random", "entropy"), ("node_pca", "gain_ratio")]
)
def test_every_node_knows_the_weights_of_the_classes_among_its_rows(split, criterion, weighted):
    X, y, w = table()
    how = {"categorical_features": [3], "nominal": "multiway", "standardize": False}
    tree = TreeClassifier(split=split, criterion=criterion, random_state=0, **how).fit(X, y, w if weighted else None)
    naive = counted(tree, X, y, w if weighted else np.ones(len(y)))
    found = tree.model_.nodes()
    np.testing.assert_allclose(found.weights, naive, rtol=1e-12)
    shares = naive / np.maximum(naive.sum(axis=1, keepdims=True), 1e-300)
    taken = naive.sum(axis=1) > 0
    np.testing.assert_allclose(found.shares[taken], shares[taken], rtol=1e-12)
    np.testing.assert_allclose(found.total_weights, naive.sum(axis=1), rtol=1e-12)
    if criterion == "gini":
        np.testing.assert_allclose(tree.tree_.impurity[taken], 1 - np.square(shares[taken]).sum(axis=1), atol=1e-12)
    assert (tree.predict(X) == tree.classes_[found.shares.argmax(axis=1)][tree.apply(X)]).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("split", ["axis", "random", "pca", "node_pca", "node_means_pca"])
def test_the_tree_is_the_same_without_new_numbers_of_classes(split, weighted):
    X, y, w = table(2000, 1000)  # where rows may be shared, classes keep their numbers; here none lacks a value
    how = {"split": split, "categorical_features": [3], "random_state": 0, "criterion": "gini"}
    trees = [
        TreeClassifier(missing=way, **how).fit(X, y, w if weighted else None).model_.tree.parts()
        for way in ("either", "shared")
    ]
    for name in set(trees[0]) - {"routing", "inner_rows", "others", "missing"}:  # sums of directions are rounded
        np.testing.assert_allclose(trees[0][name], trees[1][name], rtol=0 if split == "axis" else 1e-9, atol=1e-12)


@pytest.mark.parametrize("way", ["either", "shared", "surrogate"])
def test_rows_with_gaps(way):
    X, y, w = table()
    X = with_gaps(X)
    tree = TreeClassifier(missing=way, random_state=0).fit(X, y, w)
    found = tree.model_.nodes()
    np.testing.assert_allclose(found.weights[0], np.bincount(y, weights=w, minlength=K), rtol=1e-9)
    again = Model.from_bytes(tree.model_.to_bytes())
    assert again == tree.model_
    assert (again.predict(X) == tree.predict(X)).all()
    assert np.isfinite(tree.predict_proba(X)).all()
    tree.report(X, y)


@pytest.mark.parametrize("way", ["either", "surrogate"])
@pytest.mark.parametrize("prune", by_name("prune"))
def test_what_pruning_leaves_knows_its_classes(prune, way):
    X, y, w = table()
    X = X if way == "either" else with_gaps(X)
    params = {"alpha": 0.0006} if prune == "cost_complexity" else None
    full = TreeClassifier(random_state=0, missing=way).fit(X, y, w)
    tree = TreeClassifier(prune=prune, prune_params=params, random_state=0, missing=way).fit(X, y, w)
    if prune != "reduced_error":  # which keeps some rows apart
        np.testing.assert_allclose(tree.model_.nodes().weights, counted(tree, X, y, w), rtol=1e-12)
    assert tree.get_n_leaves() <= full.get_n_leaves()


def test_threads_and_growing_best_first_change_nothing():
    X, y, w = table(3000, 1500)
    files = {TreeClassifier(n_jobs=n, random_state=0).fit(X, y, w).model_.to_bytes() for n in (1, 2, 4)}
    assert len(files) == 1
    best = TreeClassifier(max_leaf_nodes=3000, random_state=0).fit(X, y, w)
    assert (best.predict(X) == TreeClassifier(random_state=0).fit(X, y, w).predict(X)).all()


@pytest.mark.parametrize("more", [{}, {"priors": EQUAL}, {"smoothing": "laplace"}])
def test_a_file_gives_the_same_model_of_one_tree_and_of_many(more):
    X, y, _ = table()
    for model in (
        TreeClassifier(max_depth=6, **more).fit(X, y).model_,
        ForestClassifier(n_estimators=3, max_depth=6, random_state=0, **more).fit(X, y).model_,
    ):
        again = Model.from_bytes(model.to_bytes())
        assert again == model
        assert (again.predict(X) == model.predict(X)).all()
        assert (again.predict_proba(X) == model.predict_proba(X)).all()


@pytest.mark.parametrize("more", [{}, {"smoothing": "laplace"}, {"smoothing": 2.5}, {"priors": EQUAL}])
def test_rows_of_large_tables_are_made_when_asked_for(more, monkeypatch):
    X, y, _ = table()
    how = {"nominal": "multiway", "nominal_params": {"branches": "all"}, "categorical_features": [3]}
    model = TreeClassifier(max_depth=5, **more, **how).fit(X, y).model_
    data = model.to_bytes()
    kept = Model.from_bytes(data)
    said = kept.predict(X), kept.predict_proba(X), kept.show(), [n.weight for n in kept.nodes()]
    report = str(kept.report(X, y))
    monkeypatch.setattr(nodes, "MOST_KEPT", 1000)
    monkeypatch.setattr(nodes, "MOST_PART", 7 * K)
    made = Model.from_bytes(data)
    assert (made.predict(X) == said[0]).all()
    np.testing.assert_array_equal(made.predict_proba(X), said[1])
    assert made.show() == said[2]
    np.testing.assert_allclose([n.weight for n in made.nodes()], said[3], rtol=1e-14)
    assert [n.prediction for n in made.nodes()] == [n.prediction for n in kept.nodes()]
    assert [n.sure for n in made.nodes()] == [n.sure for n in kept.nodes()]
    assert str(made.report(X, y)) == report
    monkeypatch.setattr(nodes, "MOST_MADE", 1000)
    with pytest.raises(MemoryError, match="one node after the other"):
        _ = Model.from_bytes(data).nodes().weights


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("leaf_classes", lambda a: a[::-1], "out of order"),
        ("leaf_classes", lambda a: a + K, "a class that exists"),
        ("leaf_classes", lambda a: a[1:], "leaf_classes has"),
        ("leaf_counts", lambda a: a[:-1], "leaf_weights has"),
        ("leaf_counts", lambda a: a * 0, "leaf_weights has"),
        ("leaf_weights", lambda a: a * 0, "weighs nothing"),
        ("leaf_weights", lambda a: -a, "not a number"),
    ],
)
def test_lists_that_do_not_fit_are_refused(name, change, said):
    X, y, _ = table()
    model = TreeClassifier(max_depth=4).fit(X, y).model_
    parts = dict(model.tree.parts())
    parts[name] = np.ascontiguousarray(change(parts[name]))
    with pytest.raises(ModelFileError, match=said):
        file.tree_of(parts, K, parts["n_values"])


def test_few_classes_are_not_listed():
    X, y, _ = table(k=256)
    tree = TreeClassifier(max_depth=4).fit(X, y).model_.tree
    parts = dict(tree.parts())
    assert parts["leaf_counts"].size == 0
    assert parts["leaf_weights"].size == tree.n_leaves * 256
    parts["leaf_counts"] = np.full(tree.n_leaves, 256, np.uint32)
    with pytest.raises(ModelFileError, match="leaf_counts has"):
        file.tree_of(parts, 256, parts["n_values"])


def test_time_and_file_follow_the_rows_and_not_rows_times_classes():
    rng = np.random.default_rng(0)
    seconds = []
    for n in (3_000, 30_000):
        X, y = rng.normal(size=(n, 2)), rng.permutation(np.arange(n) // 2)
        begin = time.process_time()
        tree = TreeClassifier().fit(X, y)
        assert (tree.predict(X) == y).all()
        seconds.append(time.process_time() - begin)
        assert len(tree.model_.to_bytes()) < 60 * n  # of all classes: n²/2
        assert "class" in tree.show()
    assert seconds[1] < 60 * max(seconds[0], 0.02)  # by rows times classes: 100


@pytest.mark.skipif(sys.platform != "linux", reason="the most memory is told as Linux tells it")
def test_memory_follows_the_rows_and_not_rows_times_classes():
    code = """
        import numpy as np
        from bough import TreeClassifier
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(30_000, 2)), rng.permutation(np.arange(30_000) // 2)
        tree = TreeClassifier().fit(X, y)
        assert (tree.predict(X) == y).all()
        tree.model_.to_bytes()
    """
    assert peak_of(code) < 1_000_000_000  # of all nodes and classes: 7 GB
