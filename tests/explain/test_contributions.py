"""Contributions: equal to brute force over all coalitions, to shap on scikit-learn's trees, and to the predictions."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

import bough
from bough.explain import shapley as of_models
from bough.model.outputs import Outputs
from support.hostile import NAMES
from support.interrupt import LIMIT, interrupted
from support.oracle.explaining import against, by_weights, shapley


def table(n=150, seed=0, gaps=0.15):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "y": np.round(rng.normal(size=n), 1),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], n), categories=["s", "m", "l"], ordered=True),
            "colour": rng.choice(["red", "green", "blue", "black"], n),
        }
    )
    signal = X["x"] + X["y"] * (X["size"] == "l") + X["colour"].isin(["red", "black"])
    if gaps:
        for name in X:
            X.loc[rng.random(n) < gaps, name] = None
    return X, np.asarray(signal + 0.3 * rng.normal(size=n))


def classes(y):
    return np.digitize(y, np.quantile(y, [0.3, 0.7]))


MODELS = {
    "axis": ("numbers", {"max_depth": 5}),
    "classes": ("classes", {"max_depth": 5}),
    "smoothing": ("classes", {"max_depth": 4, "smoothing": "laplace"}),
    "multiway": ("classes", {"nominal": "multiway", "max_depth": 4}),
    "shared": ("classes", {"missing": "shared", "max_depth": 4}),
    "shared numbers": ("numbers", {"missing": "shared", "max_depth": 4}),
    "surrogates": ("classes", {"missing": "surrogate", "max_depth": 4}),
    "surrogates of numbers": ("numbers", {"missing": "surrogate", "max_depth": 3}),
    "linear": ("classes", {"split": "lda", "max_depth": 3}),
    "linear and axis": ("classes", {"split": "cart_lc", "max_depth": 4}),
    "c4.5": ("classes", {"system": "c4.5"}),
}


def fitted(name, gaps=0.15, seed=0):
    kind, params = MODELS[name]
    X, y = table(gaps=gaps, seed=seed)
    y = classes(y) if kind == "classes" else y
    if "system" in params:
        return bough.system(params["system"]).fit(X, y).model_, X
    make = bough.TreeClassifier if kind == "classes" else bough.TreeRegressor
    return make(**params, random_state=0).fit(X, y).model_, X


def said(model):
    def predict(X):
        return model.predict_proba(X) if model.classes is not None else model.predict(X)[:, None]

    return predict


def as_three(values):
    return values if values.ndim == 3 else values[:, :, None]


def rows_of(X, n=12):
    rows = X.iloc[:n].copy()
    rows.iloc[0, 3] = "never seen"
    return rows


@pytest.mark.parametrize("name", MODELS)
def test_contributions_by_weights_are_those_of_all_coalitions(name):
    model, X = fitted(name)
    rows = rows_of(X)
    found = model.contributions(rows)
    assert found.exact
    for i in range(len(rows)):
        expected = shapley(4, by_weights(model.nodes(), rows.iloc[i].tolist()))
        np.testing.assert_allclose(as_three(found.values)[i], expected, atol=1e-12)
    np.testing.assert_allclose(found.predictions.reshape(len(rows), -1), said(model)(rows), atol=1e-12)


@pytest.mark.parametrize("gaps", [0, 0.15])
@pytest.mark.parametrize("name", MODELS)
def test_contributions_against_rows_are_those_of_all_coalitions(name, gaps):
    model, X = fitted(name, gaps)
    rows, background = rows_of(X, 5), X.iloc[20:40].reset_index(drop=True)
    found = model.contributions(rows, background)
    assert found.exact
    for i in range(len(rows)):
        expected = shapley(4, against(said(model), rows.iloc[[i]], background))
        np.testing.assert_allclose(as_three(found.values)[i], expected, atol=1e-12)
    np.testing.assert_allclose(found.predictions.reshape(len(rows), -1), said(model)(rows), atol=1e-12)
    np.testing.assert_allclose(found.base_values[0], said(model)(background).mean(axis=0).squeeze(), atol=1e-12)


@pytest.mark.parametrize("forest", [bough.ForestClassifier, bough.ForestRegressor])
def test_contributions_to_a_forest_are_the_mean_of_those_to_its_trees(forest):
    X, y = table()
    model = forest(n_estimators=7, random_state=0).fit(X, classes(y)).model_
    rows = rows_of(X)
    found = model.contributions(rows)
    for i in (0, 3):
        trees = [shapley(4, by_weights(nodes, rows.iloc[i].tolist())) for nodes in model.all_nodes]
        np.testing.assert_allclose(as_three(found.values)[i], np.mean(trees, axis=0), atol=1e-12)
    np.testing.assert_allclose(found.predictions.reshape(len(rows), -1), said(model)(rows), atol=1e-12)


def test_threads_change_no_byte():
    X, y = table()
    forest = bough.ForestClassifier(n_estimators=5, random_state=0).fit(X, classes(y)).model_
    big = pd.concat([X] * 3, ignore_index=True)
    for background in (None, X.iloc[:30]):
        one, three = (forest.contributions(big, background, threads=t).values for t in (1, 3))
        assert one.tobytes() == three.tobytes()


def test_long_paths_are_exact():
    """80 columns on a path: the sum of contributions, and those of columns that are alike are equal."""
    X = np.tril(np.ones((80, 80)))[::-1].copy()
    y = X.sum(axis=1)
    tree = bough.TreeRegressor().fit(X, y)
    assert tree.get_depth() > 1
    chain = np.eye(90)
    tree = bough.TreeRegressor().fit(chain, np.arange(90.0) ** 3)
    assert tree.get_depth() > 64
    for background in (None, chain[:40]):
        found = tree.contributions(chain, background)
        np.testing.assert_allclose(found.predictions, tree.predict(chain), rtol=1e-9, atol=1e-6)
        assert np.isfinite(found.values).all()


def test_a_tree_of_one_leaf_contributes_nothing():
    tree = bough.TreeRegressor().fit([[1.0], [2.0]], [3.0, 3.0])
    assert tree.contributions([[1.0]]).values.tolist() == [[0.0]]
    assert tree.contributions([[1.0]], [[2.0]]).base_values.tolist() == [3.0]


def hundred(d=100, n=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=d) > 0).astype(int)


def test_a_split_over_a_hundred_columns_is_drawn_and_says_so():
    X, y = hundred()
    tree = bough.TreeClassifier(split="lda", max_depth=2).fit(X, y)
    found = tree.contributions(X[:2], X[10:20], precision=0.02)
    assert not found.exact
    assert "drawn" in repr(found)
    assert 0 < found.standard_errors.max() <= 0.02
    np.testing.assert_allclose(found.predictions, tree.predict_proba(X[:2]), atol=1e-12)


def test_drawn_values_are_those_of_all_coalitions_up_to_their_error(monkeypatch):
    X, y = hundred(8)
    tree = bough.TreeClassifier(split="lda", max_depth=3).fit(X, y)
    exact = tree.contributions(X[:2], X[10:16])
    assert exact.exact
    draw = of_models.Drawing(tree.model_, list(X[:2].T), list(X[10:16].T), 1)
    for row in range(2):
        values, errors = draw.row(row, 2e-3)
        assert np.abs(values - exact.values[row]).max() < 5 * 2e-3
        assert errors.max() <= 2e-3


def test_a_wide_linear_split_needs_a_background():
    X, y = hundred()
    tree = bough.TreeClassifier(split="lda", max_depth=1).fit(X, y)
    with pytest.raises(bough.ParameterError, match="Pass background="):
        tree.contributions(X[:1])


def test_hostile_names_are_names():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, len(NAMES))), columns=NAMES)
    found = bough.TreeRegressor().fit(X, X.iloc[:, 0]).contributions(X)
    assert found.feature_names == [str(n) for n in NAMES]
    assert list(found.to_frame().columns) == found.feature_names


@pytest.mark.parametrize("value", [0, -1, True, "x", float("nan"), None])
def test_a_wrong_precision_is_named(value):
    tree = bough.TreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(bough.ParameterError, match="precision is"):
        tree.contributions([[0.0]], precision=value)


def test_a_table_with_other_columns_is_refused():
    tree = bough.TreeRegressor().fit(pd.DataFrame({"a": [0.0, 1.0]}), [0.0, 1.0])
    with pytest.raises(bough.DataError, match="'a'"):
        tree.contributions(pd.DataFrame({"b": [0.0]}))
    with pytest.raises(bough.DataError, match="'a'"):
        tree.contributions(pd.DataFrame({"a": [0.0]}), pd.DataFrame({"b": [0.0]}))


def test_predictions_are_what_the_model_predicts():
    model, X = fitted("classes")
    outputs = Outputs(model, model.columns_of(X), 1)
    np.testing.assert_allclose(model.contributions(X).predictions, outputs.shares(), atol=1e-12)


# ---- shap -------------------------------------------------------------------------------------------------------


def alike(estimator, tree, X, y):
    """scikit-learn's tree and bough's, grown alike; numbers that are the same as float32."""
    estimator.fit(X, y)
    tree.fit(X, y)
    np.testing.assert_array_equal(estimator.tree_.feature, np.asarray(tree.tree_.feature))
    np.testing.assert_array_equal(estimator.tree_.threshold, np.asarray(tree.tree_.threshold))
    return estimator, tree


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(400, 6)) * 64) / 64
    return X, X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + X[:, 3]


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_contributions_by_weights_are_those_of_shap(numbers, kind):
    shap = pytest.importorskip("shap", reason="shap is not installed")
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    X, y = numbers
    params = {"max_depth": 5, "min_samples_leaf": 20, "random_state": 0}
    if kind == "regressor":
        theirs, ours = alike(DecisionTreeRegressor(**params), bough.TreeRegressor(**params), X, y)
    else:
        theirs, ours = alike(DecisionTreeClassifier(**params), bough.TreeClassifier(**params), X, classes(y))
    explainer = shap.TreeExplainer(theirs, feature_perturbation="tree_path_dependent")
    found = ours.contributions(X)
    np.testing.assert_allclose(found.values, explainer.shap_values(X), atol=1e-9)
    np.testing.assert_allclose(found.base_values[0], np.squeeze(explainer.expected_value), atol=1e-9)


def test_contributions_against_rows_are_those_of_shap_in_its_single_precision(numbers):
    """shap keeps the shares of orders as float32 there; the tests above compare with the definition to 1e-12."""
    shap = pytest.importorskip("shap", reason="shap is not installed")
    from sklearn.tree import DecisionTreeRegressor

    X, y = numbers
    params = {"max_depth": 5, "min_samples_leaf": 20, "random_state": 0}
    theirs, ours = alike(DecisionTreeRegressor(**params), bough.TreeRegressor(**params), X, y)
    explainer = shap.TreeExplainer(theirs, X[:50], feature_perturbation="interventional")
    found = ours.contributions(X[50:150], X[:50])
    np.testing.assert_allclose(found.values, explainer.shap_values(X[50:150]), atol=1e-6)


def test_shap_draws_them(numbers):
    shap = pytest.importorskip("shap", reason="shap is not installed")
    plt = pytest.importorskip("matplotlib.pyplot")
    X, y = table()
    found = bough.TreeClassifier(max_depth=4).fit(X, classes(y)).contributions(X).of(1).to_shap()
    numeric = bough.TreeRegressor(max_depth=4).fit(*numbers).contributions(numbers[0]).to_shap()
    shap.plots.waterfall(found[0], show=False)
    shap.plots.bar(found, show=False)
    shap.plots.beeswarm(numeric, show=False)
    shap.plots.scatter(numeric[:, 0], show=False)
    plt.close("all")


# ---- frame and pictures --------------------------------------------------------------------------------------------


def test_the_frame_of_classes_has_two_levels():
    model, X = fitted("classes")
    found = model.contributions(X.iloc[:3])
    frame = found.to_frame()
    assert frame.columns.names == ["class", "column"]
    np.testing.assert_array_equal(frame[1].to_numpy(), found.of(1).values)


def test_the_pictures_show_what_there_is():
    plt = pytest.importorskip("matplotlib.pyplot")
    _, X = fitted("classes")
    X = X.rename(columns={"x": "$price$_{t}"})
    found = bough.TreeClassifier(max_depth=4).fit(X, classes(table()[1])).contributions(X)
    ax = found.bar()
    assert ax.get_yticklabels()[0].get_text() in {r"\$price\$_{t}", "y", "size", "colour"}
    ax = found.waterfall(3)
    told = [t.get_text().strip() for t in ax.texts]
    assert told[-1] == f"{found[3].predictions.max():.3g}"
    ax = found.of(2).beeswarm()
    assert len(ax.collections) >= 4
    ax.figure.canvas.draw()
    plt.close("all")


def test_a_class_has_to_be_chosen_among_several():
    pytest.importorskip("matplotlib.pyplot")
    model, X = fitted("classes")
    found = model.contributions(X)
    with pytest.raises(bough.ParameterError, match="choose one with of="):
        found.beeswarm()
    with pytest.raises(bough.ParameterError, match="'d' is not a class"):
        found.of("d")
    with pytest.raises(IndexError, match="row 999 does not exist"):
        found.waterfall(999)


# ---- size and conduct -----------------------------------------------------------------------------------------------


def test_a_forest_of_500_trees_is_explained():
    X, y = table(400, gaps=0)
    forest = bough.ForestRegressor(n_estimators=500, random_state=0, min_samples_leaf=3).fit(X, y)
    for background in (None, X[:70]):  # more than one word of the crowd
        found = forest.contributions(X[:20], background)
        np.testing.assert_allclose(found.predictions, forest.predict(X[:20]), atol=1e-11)
    some = shapley(4, against(said(forest.model_), X.iloc[[3]], X[:70]))
    np.testing.assert_allclose(found.values[3], some[:, 0], atol=1e-11)


def test_ten_thousand_rows_and_a_hundred_leaves_take_under_a_second():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 20))
    tree = bough.TreeRegressor(max_leaf_nodes=100).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    spent = []
    for _ in range(3):
        start = time.process_time()
        tree.contributions(X)
        spent.append(time.process_time() - start)
    assert min(spent) < 1


@pytest.mark.parametrize("kind", ["weights", "background", "linear"])
def test_an_explanation_answers_ctrl_c_at_once(kind):
    X, y = table(2000, gaps=0)
    numbers = np.random.default_rng(0).normal(size=(2000, 10))
    if kind == "linear":
        model = bough.TreeRegressor(split="node_pca", max_depth=6).fit(numbers, numbers.sum(axis=1) ** 2).model_
        waited = interrupted(lambda: model.contributions(numbers, numbers[:100]), 0.2)
    else:
        model = bough.ForestRegressor(n_estimators=300, random_state=0).fit(X, y).model_
        waited = interrupted(lambda: model.contributions(X, X[:200] if kind == "background" else None), 0.2)
    assert waited is not None
    assert waited < LIMIT
