"""`simplify`: linear splits lose the terms that no training row needs."""

from __future__ import annotations

import numpy as np
import pytest

from bough import Model, TreeClassifier, TreeRegressor
from bough.registry import plugins

LINEAR = sorted(
    name
    for name, p in plugins()["split"].items()
    if (p.traits["needs_moments"] or p.traits["bounds"]) and not p.traits["function"]
)


def table(seed, n=120, d=5, missing=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 3, d)
    y = np.digitize(X[:, 0] / X[:, 0].std() - X[:, 1] / X[:, 1].std() + 0.3 * rng.normal(size=n), [-0.7, 0.7])
    if missing:
        X = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    return X, y


def terms(tree):
    return sum(max(1, len(tree.model_.tree.split(i)["term_columns"])) for i in range(tree.tree_.node_count))


@pytest.mark.parametrize("split", LINEAR)
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("leaves", [None, 6])
def test_every_training_row_ends_with_the_same_rows_as_before(split, missing, leaves):
    for seed in range(4):
        X, y = table(seed, missing=missing)
        params = {"split": split, "random_state": 0, "max_depth": 4, "max_leaf_nodes": leaves}
        full = TreeClassifier(**params).fit(X, y)
        less = TreeClassifier(**params, simplify=True).fit(X, y)
        assert less.tree_.node_count == full.tree_.node_count
        assert terms(less) <= terms(full)
        together = set(zip(full.apply(X).tolist(), less.apply(X).tolist()))
        assert len(together) == full.get_n_leaves(), "leaves hold the same rows"
        assert np.allclose(full.predict_proba(X), less.predict_proba(X))
        counts = np.bincount(less.apply(X), minlength=less.tree_.node_count)
        leaf = less.tree_.kind == "leaf"
        assert (counts[leaf] == less.tree_.n_node_samples[leaf]).all()


def test_no_term_is_left_that_could_go():
    for seed in range(10):
        X, y = table(seed, n=30)
        tree = TreeClassifier(split="lda", max_depth=1, simplify=True).fit(X, y)
        s = tree.model_.tree.split(0)
        if s["kind"] != 2:
            continue
        left = tree.apply(X) == 1
        columns, w = np.array(s["term_columns"]), np.array(s["term_weights"])
        for t in range(len(w)):
            keep = np.arange(len(w)) != t
            z = X[:, columns[keep]] @ w[keep]
            assert z[left].max() >= z[~left].min() - 1e-9, "this column could have gone"


def test_one_term_is_an_axis_split_whatever_its_sign():
    rng = np.random.default_rng(1)
    a = np.r_[rng.uniform(-2, -1, 30), rng.uniform(1, 2, 30)]
    X = np.c_[0.01 * rng.normal(size=60), -a]
    y = (a > 0).astype(int)
    tree = TreeClassifier(split="lda", max_depth=1, simplify=True).fit(X, y)
    s = tree.model_.tree.split(0)
    assert (s["kind"], s["column"]) == (1, 1)
    assert tree.score(X, y) == 1
    assert len(TreeClassifier(split="lda", max_depth=1).fit(X, y).model_.tree.split(0)["term_columns"]) == 2


def test_it_is_off_by_default_and_keeps_numbers_too():
    X, y = table(3)
    assert TreeClassifier().simplify is False
    full, less = (TreeRegressor(split="node_pca", max_depth=3, simplify=s).fit(X, y) for s in (False, True))
    assert np.allclose(full.predict(X), less.predict(X))
    with pytest.raises(ValueError, match="simplify is 'yes'; it must be True or False"):
        TreeClassifier(simplify="yes").fit(X, y)


def test_threads_change_nothing():
    X, y = table(4, n=2000)
    a, b = (
        TreeClassifier(split="hhcart_d", simplify=True, max_depth=5, n_jobs=j).fit(X, y).model_.to_bytes()
        for j in (1, 2)
    )
    assert a == b


@pytest.mark.parametrize("split", LINEAR)
def test_a_column_that_tells_the_class_by_its_gaps_alone(split):
    X = np.array([[1.0, 3.0], [2.0, 1.0], [np.nan, 2.0], [np.nan, 5.0], [4.0, np.nan]])
    y = [0, 0, 1, 1, 0]
    full, less = (TreeClassifier(split=split, simplify=s, random_state=0).fit(X, y) for s in (False, True))
    assert less.predict(X).tolist() == full.predict(X).tolist()
    assert Model.from_bytes(less.model_.to_bytes()) == less.model_
