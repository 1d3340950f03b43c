"""A criterion that is a function: the trees of the core where it says what the core says, else refusals by name."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris

import bough
from bough import ForestClassifier, ParameterError, TreeClassifier, TreeRegressor


def decrease(left, right):
    def impurity(side):
        total = side.sum(axis=1, keepdims=True)
        return 1 - ((side / total) ** 2).sum(axis=1)

    weights = [side.sum(axis=1) for side in (left, right)]
    total = weights[0] + weights[1]
    return impurity(left + right) - (weights[0] * impurity(left) + weights[1] * impurity(right)) / total


def between(left, right):
    w, m = left[:, 0], left[:, 1]
    v, n = right[:, 0], right[:, 1]
    return w * v / (w + v) ** 2 * (m - n) ** 2


def mixed(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.integers(0, 30, n).astype(float), "b": rng.normal(size=n), "c": rng.choice(list("pqrst"), n)}
    )
    X.loc[rng.random(n) < 0.2, "a"] = np.nan
    X.loc[rng.random(n) < 0.1, "c"] = None
    y = np.where((X.a.fillna(20) > 12) ^ X.c.isin(["p", "q"]), "yes", "no")
    return X, np.where(rng.random(n) < 0.1, "no", y)


def test_gini_as_a_function_gives_the_partitions_of_gini_on_numbers():
    X, y = load_iris(return_X_y=True)
    for depth in (1, 2, 3):
        own = TreeClassifier(criterion=bough.criterion(decrease), max_depth=depth).fit(X, y)
        core = TreeClassifier(criterion="gini", max_depth=depth).fit(X, y)
        assert own.model_.tree.impurities("gini").tolist() == pytest.approx(
            core.model_.tree.impurities("gini").tolist()
        )
        assert own.score(X, y) == core.score(X, y)


def test_squared_error_as_a_function_gives_the_tree_of_the_core():
    X, y = load_diabetes(return_X_y=True)
    own = TreeRegressor(criterion=bough.criterion(between), max_depth=4, min_samples_leaf=5).fit(X, y)
    core = TreeRegressor(max_depth=4, min_samples_leaf=5).fit(X, y)
    assert own.show() == core.show()
    assert own.predict(X) == pytest.approx(core.predict(X))


def test_the_best_of_all_cuts_is_taken_on_missing_values_and_categories():
    """Against a plain search over every cut of every column."""
    X, y = mixed()
    tree = TreeClassifier(criterion=bough.criterion(decrease), max_depth=1).fit(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    best = 0.0

    def gain(left):
        nonlocal best
        sides = [np.array([[((codes == k) & s).sum() for k in (0, 1)]], float) for s in (left, ~left)]
        if left.any() and not left.all():
            best = max(best, decrease(*sides)[0])

    for column in ("a", "b"):
        x, gone = X[column].to_numpy(), X[column].isna().to_numpy()
        gain(~gone)
        for v in np.unique(x[~gone]):
            gain((x <= v) & ~gone)
            gain((x <= v) | gone)
    values = [*"pqrst", None]
    for mask in range(1, 2 ** (len(values) - 1)):
        chosen = [v for i, v in enumerate(values) if mask >> i & 1]
        gain(X.c.map(lambda v, chosen=chosen: v in chosen or (v is None and None in chosen)).to_numpy())
    assert tree.model_.nodes()[0].gain == pytest.approx(best)


def test_predictions_files_texts_and_clones_are_as_of_any_tree(tmp_path):
    X, y = mixed()
    tree = TreeClassifier(criterion=bough.criterion(decrease), max_depth=4, min_samples_leaf=3).fit(X, y)
    assert tree.model_.nodes().rows[tree.apply(X)].min() >= 3
    assert max(tree.model_.nodes().depths) <= 4
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        assert (leaves == leaf).sum() == tree.model_.nodes().rows[leaf]
    tree.save(tmp_path / "t.bough")
    model = bough.load(tmp_path / "t.bough")
    assert np.array_equal(model.predict(X), tree.predict(X))
    assert "criterion(decrease)" in str(model.origin)
    assert "or missing" in tree.show() or "missing" in tree.show()
    assert tree.origin_["engine"].startswith("Python")
    again = clone(tree).fit(X, y)
    assert again.model_.to_bytes() == tree.model_.to_bytes()


def test_weights_count_and_rows_that_weigh_nothing_are_left_out():
    X, y = mixed()
    w = np.random.default_rng(1).integers(0, 4, len(X))
    own = TreeClassifier(criterion=bough.criterion(decrease), max_depth=3).fit(X, y, w)
    repeated = TreeClassifier(criterion=bough.criterion(decrease), max_depth=3).fit(
        X.loc[X.index.repeat(w)].reset_index(drop=True), np.repeat(y, w)
    )
    assert np.array_equal(own.predict(X), repeated.predict(X))


def test_a_cut_whose_gain_is_not_above_zero_is_never_made():
    X, y = load_iris(return_X_y=True)
    assert TreeClassifier(criterion=bough.criterion(lambda a, b: np.zeros(len(a)))).fit(X, y).get_n_leaves() == 1
    forbid = bough.criterion(lambda a, b: np.where(a.sum(axis=1) < 60, -np.inf, decrease(a, b)))
    assert TreeClassifier(criterion=forbid).fit(X, y).model_.nodes()[1].weight >= 60


@pytest.mark.parametrize(
    ("fn", "said"),
    [
        (lambda a, b: 1.0, r"array of shape \(\)"),
        (lambda a, b: np.zeros(3), r"must be \(\d+,\): a gain for each cut"),
        (lambda a, b: np.full(len(a), np.nan), "returned nan"),
        (lambda a, b: "good", "gains"),
    ],
)
def test_what_a_function_may_not_return_is_named(fn, said):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match=said):
        TreeClassifier(criterion=bough.criterion(fn)).fit(X, y)


@pytest.mark.parametrize(
    "params",
    [
        {"split": "lda"}, {"nominal": "exact"}, {"missing": "surrogate"}, {"refine": "axis"}, {"prune": "pessimistic"},
        {"ccp_alpha": 0.1}, {"max_leaf_nodes": 3}, {"costs": [[0, 1], [2, 0]]}, {"max_features": 1},
    ],
)  # fmt: skip
def test_everything_else_is_refused_by_name(params):
    X, y = mixed()
    with pytest.raises(ParameterError, match=f"{next(iter(params))}=.*function of your own"):
        TreeClassifier(criterion=bough.criterion(decrease), **params).fit(X, y)


def test_forests_and_nonsense_are_refused():
    X, y = mixed()
    with pytest.raises(ParameterError, match="function of your own, which grows single trees"):
        ForestClassifier(criterion=bough.criterion(decrease)).fit(X, y)
    with pytest.raises(ParameterError, match="max_depth"):
        TreeClassifier(criterion=bough.criterion(decrease), max_depth=-1).fit(X, y)
    with pytest.raises(ParameterError, match="must be a function"):
        bough.criterion("gini")


def test_an_error_of_the_function_comes_through_and_leaves_the_estimator_alone():
    X, y = mixed()

    def broken(left, right):
        raise RuntimeError("mine")

    tree = TreeClassifier(criterion=bough.criterion(broken))
    with pytest.raises(RuntimeError, match="mine"):
        tree.fit(X, y)
    assert not hasattr(tree, "model_")
