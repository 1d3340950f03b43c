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
