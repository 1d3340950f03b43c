"""Functions of the user's own as parts of a tree."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import bough
from bough import ParameterError, TreeClassifier, TreeRegressor
from support.interrupt import LIMIT, interrupted

X, Y = load_iris(return_X_y=True)


def axes(x, y, w):
    return np.eye(x.shape[1])


def fit(fn, **params):
    return TreeClassifier(split=bough.directions(fn), **params).fit(X, Y)


def test_directions_along_the_axes_give_the_axis_tree():
    own, axis = fit(axes, max_depth=3), TreeClassifier(max_depth=3).fit(X, Y)
    assert own.model_ == axis.model_


def test_the_function_sees_the_rows_of_the_node_as_the_user_knows_them():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, 4.0], "s": list("pqpq"), "b": [5.0, 6.0, 7.0, 9.0]})
    seen = []

    def look(x, y, w):
        seen.append((x.copy(), y.copy(), w.copy()))
        return np.empty((0, x.shape[1]))

    TreeClassifier(split=bough.directions(look), max_depth=1).fit(frame, list("uvuv"), [1, 2, 1, 1])
    (x, y, w), *_ = seen
    np.testing.assert_array_equal(x, frame[["a", "b"]])
    assert y.tolist() == list("uvuv")
    assert w.tolist() == [1, 2, 1, 1]
    seen.clear()
    TreeRegressor(split=bough.directions(look), max_depth=1).fit(frame, [10.0, 20.0, 30.0, 40.0])
    assert seen[0][1].tolist() == [10, 20, 30, 40]
    assert seen[0][2].tolist() == [1, 1, 1, 1]


def test_the_function_sees_standardised_numbers_if_that_is_asked_for():
    seen = []
    fit(lambda x, y, w: seen.append(x) or axes(x, y, w), standardize=True, max_depth=1)
    np.testing.assert_allclose(seen[0].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(seen[0].std(axis=0), 1)


def test_the_function_sees_only_columns_that_may_be_split():
    widths = set()
    fit(lambda x, y, w: widths.add(x.shape[1]) or axes(x, y, w), max_features=2, random_state=0)
    assert widths <= {1, 2}


class Odd(ValueError):
    pass


@pytest.mark.parametrize("error", [Odd("no"), KeyError("x"), KeyboardInterrupt()])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_the_function_raises_is_passed_on_unchanged(error, n_jobs):
    calls = []

    def fail(x, y, w):
        calls.append(1)
        if len(calls) > 2:
            raise error
        return axes(x, y, w)

    with pytest.raises(type(error)) as caught:
        fit(fail, n_jobs=n_jobs)
    assert caught.value is error


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (np.ones(4), r"shape \(4,\); it must be \(p, 4\)"),
        (np.ones((2, 3)), r"shape \(2, 3\); it must be \(p, 4\)"),
        (np.array([[1, 2, np.nan, 1]]), "nan in direction 0, column 2"),
        (np.array([[1, 2, 3, 4], [1, np.inf, 0, 0]]), "inf in direction 1, column 1"),
        ("nonsense", "'nonsense'; it must be an array of numbers"),
        (None, r"shape \(\)"),
    ],
)
def test_an_answer_of_the_wrong_kind_is_named(answer, told):
    with pytest.raises(ParameterError, match=told) as caught:
        fit(lambda x, y, w: answer)
    assert "lambda" in str(caught.value)


def test_directions_without_length_are_left_out():
    assert fit(lambda x, y, w: np.zeros((3, 4))).get_n_leaves() == 1
    assert fit(lambda x, y, w: np.empty((0, 4))).get_n_leaves() == 1


def test_a_name_alone_or_no_function_is_refused():
    with pytest.raises(ParameterError, match=r"split=bough.directions\(fn\)"):
        TreeClassifier(split="directions").fit(X, Y)
    with pytest.raises(ParameterError, match="must be a function"):
        bough.directions(3)
    with pytest.raises(ParameterError, match="nominal=directions"):
        TreeClassifier(nominal=bough.directions(axes)).fit(X, Y)


def test_estimators_with_a_function_can_be_cloned_and_pickled():
    tree = clone(fit(axes, max_depth=2)).fit(X, Y)
    again = pickle.loads(pickle.dumps(tree))
    assert (again.predict(X) == tree.predict(X)).all()
    assert again.split == tree.split
    assert repr(tree.split) == "directions(axes)"
    assert bough.Model.from_bytes(tree.model_.to_bytes()) == tree.model_


def test_ctrl_c_reaches_a_fit_that_waits_for_the_function():
    def slow(x, y, w):
        time.sleep(0.01)
        return axes(x, y, w)

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(4000, 3)), rng.integers(0, 2, 4000)
    waited = interrupted(lambda: TreeClassifier(split=bough.directions(slow)).fit(x, y), 0.3)
    assert waited is not None
    assert waited < LIMIT


# ---- edges ----------------------------------------------------------------------------------------------


def pairs_apart(left, right, n_values):
    return left.sum(axis=1) * right.sum(axis=1) - (left * right).sum(axis=1)


def chi2_of_pairs(left, right, n_values):
    n = left.sum(axis=1) + right.sum(axis=1)
    whole = (left + right) / n[:, None]
    found = np.zeros(len(left))
    for side in (left, right):
        expected = whole * side.sum(axis=1)[:, None]
        found += np.divide((side - expected) ** 2, expected, out=np.zeros_like(side), where=expected > 0).sum(axis=1)
    return found / (n_values - 1)


def mixed(seed, n=300):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 30, (n, 2)).astype(float), columns=list("ab"))
    X["s"] = rng.choice(list("pqrstuvw"), n)
    X.loc[::9, "b"] = np.nan
    return X, (rng.random(n) + X["a"] > 15).astype(int) + X["s"].isin(["p", "t"]), rng.integers(1, 4, n)


@pytest.mark.parametrize("nominal", ["greedy", "gw", "exact", "one_vs_rest", "auto"])
@pytest.mark.parametrize(
    ("name", "edges"), [("chi2_cut", chi2_of_pairs), ("max_cut", None), ("squared_gini", pairs_apart)]
)
def test_edges_of_a_function_make_the_tree_of_the_criterion_that_has_them(name, edges, nominal):
    for seed in range(3):
        X, y, w = mixed(seed)
        if name == "max_cut":  # which looks at positions of numbers
            X, edges = X[["s"]], pairs_apart
        for weights in (None, w):
            params = {"nominal": nominal, "max_depth": 4, "random_state": 0, "min_samples_leaf": 3}
            plain = TreeClassifier(criterion=name, **params).fit(X, y, weights)
            own = TreeClassifier(criterion=bough.edge_weights(edges), **params).fit(X, y, weights)
            assert own.show(p_values=False).splitlines()[0] == plain.show(p_values=False).splitlines()[0]
            agree = (own.predict(X) == plain.predict(X)).mean()
            assert agree > 0.97, (seed, nominal, weights is not None)  # gains that tie up to rounding


def test_the_function_of_edges_sees_weights_as_the_user_gave_them():
    seen = []

    def look(left, right, n_values):
        seen.append((left.copy(), right.copy(), n_values))
        return pairs_apart(left, right, n_values)

    X = pd.DataFrame({"s": list("ppqr"), "x": [1.0, 2.0, 3.0, 4.0]})
    for scale in (1.0, 1e-100, 1e100):
        seen.clear()
        TreeClassifier(criterion=bough.edge_weights(look), nominal="greedy", max_depth=1, n_jobs=1).fit(
            X, [0, 1, 1, 0], np.array([1, 2, 4, 8.0]) * scale
        )
        assert {n for *_, n in seen} == {2, 3}
        for left, right, n in seen:
            assert left.shape == right.shape == (len(left), 2)
            if n == 2:
                np.testing.assert_allclose(left + right, [[9 * scale, 6 * scale]] * len(left))


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (lambda n: np.ones(n + 1), "one for each pair"),
        (lambda n: "x", "one for each pair"),
        (lambda n: -np.ones(n), "finite and not negative"),
        (lambda n: np.full(n, np.nan), "finite and not negative"),
    ],
)
def test_what_a_function_of_edges_must_not_return_is_refused(returned, says):
    edges = bough.edge_weights(lambda left, right, n: returned(len(left)))
    with pytest.raises(ParameterError, match=says):
        TreeClassifier(criterion=edges).fit(X, Y)


def test_trees_of_edges_are_models_like_others(tmp_path):
    X, y, _ = mixed(0)
    edges = bough.edge_weights(chi2_of_pairs)
    tree = TreeClassifier(criterion=edges, nominal="greedy", max_depth=5).fit(X, y)
    assert tree.model_.criterion == "edge_weights"
    assert tree.origin_["parameters"]["criterion"] == "edge_weights(chi2_of_pairs)"
    tree.save(tmp_path / "own.bough")
    assert bough.load(tmp_path / "own.bough") == tree.model_
    assert clone(tree).fit(X, y).model_ == tree.model_
    assert tree.report(X, y)
    assert tree.pruned_to(leaves=3).get_n_leaves() <= 3
    forest = bough.ForestClassifier(3, criterion=edges, nominal="greedy", max_features=1, random_state=0).fit(X, y)
    assert forest.predict(X).shape == y.shape
    with pytest.raises(ParameterError, match=r"criterion=bough.edge_weights\(fn\)"):
        TreeClassifier(criterion="edge_weights").fit(X, y)
    with pytest.raises(ParameterError, match="must be a function"):
        bough.edge_weights(3)
    with pytest.raises(ParameterError, match="for trees and forests"):
        bough.partition([[1, 2], [2, 1]], criterion="edge_weights")


def test_errors_of_a_function_of_edges_reach_the_user():
    def broken(left, right, n):
        raise KeyError("mine")

    for params in ({}, {"n_jobs": 2}):
        with pytest.raises(KeyError, match="mine"):
            TreeClassifier(criterion=bough.edge_weights(broken), **params).fit(X, Y)
