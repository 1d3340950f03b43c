"""Partial dependence: the mean of predictions with one column set, at every cut."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bough
from bough.explain.dependence import dependence

plt = pytest.importorskip("matplotlib.pyplot")


def table(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"x": rng.normal(size=n), "y": rng.normal(size=n), "colour": rng.choice(["red", "green", "blue"], n)}
    )
    return X, (X["x"] * X["y"] + (X["colour"] == "red")).to_numpy()


def by_hand(model, X, column, value, output):
    mixed = X.copy()
    mixed[column] = value
    return model.predict(mixed) if model.classes is None else model.predict_proba(mixed)[:, output]


@pytest.mark.parametrize("forest", [False, True])
def test_the_steps_are_the_mean_predictions_between_the_cuts(forest):
    X, y = table()
    model = (bough.ForestRegressor(n_estimators=3) if forest else bough.TreeRegressor(max_depth=4)).fit(X, y).model_
    found = dependence(model, X, 0, ice=10)
    rng = np.random.default_rng(0)
    for i in rng.permutation(len(found.values))[:8]:
        low, high = found.edges[i], found.edges[i + 1]
        for value in (low + 0.3 * (high - low), high):
            said = by_hand(model, X, "x", value, 0)
            assert said.mean() == pytest.approx(found.mean[i, 0], rel=1e-12)
            np.testing.assert_allclose(found.rows[:, i, 0], said[np.linspace(0, len(X) - 1, 10).astype(int)])


def test_categories_and_missing_values_are_tried_one_by_one():
    X, y = table()
    X.loc[::9, "colour"] = None
    tree = bough.TreeClassifier(max_depth=4).fit(X, y > 0)
    found = dependence(tree.model_, X, 2)
    values = tree.model_.schema.columns[2].values
    for place, mean in zip(found.values, found.mean[:, 1]):
        assert by_hand(tree.model_, X, "colour", values[place], 1).mean() == pytest.approx(mean)


def test_at_a_node_only_its_rows_count():
    X, y = table()
    tree = bough.TreeRegressor(max_depth=4).fit(X, y)
    node = tree.model_.nodes()[0].children[1]
    here = X[tree.apply(X) >= node]
    found = dependence(tree.model_, X, 1, node=node)
    assert found.edges[0] == here["y"].min()
    assert found.edges[-1] == here["y"].max()
    assert found.mean[0, 0] == pytest.approx(by_hand(tree.model_, here, "y", here["y"].min(), 0).mean())


def test_a_column_of_linear_splits_is_tried_at_quantiles():
    X, y = table()
    tree = bough.TreeClassifier(split="lda", max_depth=2).fit(X[["x", "y"]], y > 0)
    found = dependence(tree.model_, X[["x", "y"]], 0, points=20)
    assert found.edges is None
    assert len(found.values) == 20
    assert by_hand(tree.model_, X[["x", "y"]], "x", found.values[7], 1).mean() == pytest.approx(found.mean[7, 1])


def test_the_picture_names_the_column_and_the_class():
    X, y = table()
    X = X.rename(columns={"x": "$x$"})
    tree = bough.TreeClassifier(max_depth=3).fit(X, np.where(y > 0, "good", "bad"))
    for column in ("$x$", "colour", 1):
        ax = bough.plot_dependence(tree, X, column)
        ax.figure.canvas.draw()
        assert ax.get_ylabel() == "mean share of good"
    assert bough.plot_dependence(tree, X, "$x$", of="bad", node=0).get_xlabel() == r"\$x\$"
    plt.close("all")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"column": "z"}, "column names 'z', which is not a column"),
        ({"column": "x", "of": "great"}, "'great' is not a class of the model; choose one with of=: 'bad', 'good'"),
        ({"column": "x", "node": 999}, "node is 999; it must be an integer from 0"),
        ({"column": "x", "ice": -1}, "ice is -1"),
        ({"column": "x", "points": 1}, "points is 1"),
    ],
)
def test_wrong_input_gets_one_sentence(options, said):
    X, y = table()
    tree = bough.TreeClassifier(max_depth=3).fit(X, np.where(y > 0, "good", "bad"))
    with pytest.raises(bough.ParameterError, match=said):
        bough.plot_dependence(tree, X, **options)
