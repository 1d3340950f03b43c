"""Linear leaves: lines that are added along the path of a tree."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_friedman1

import bough
from bough import Model, ParameterError, TreeRegressor, _core
from support.elsewhere import check, table
from support.oracle.lines import Pilot


def linear(**params):
    return TreeRegressor(leaf="linear", **params)


def random_table(seed, n=90):
    """Numbers with ties and duplicates, missing values, a column that says nothing, categories, weights."""
    rng = np.random.default_rng(seed)
    columns = [
        rng.normal(size=n),
        rng.integers(0, 8, n).astype(float),
        rng.integers(0, 3, n).astype(float),
        np.full(n, 3.0),
        1e6 + rng.random(n),
    ]
    if seed % 2:
        columns[0][rng.random(n) < 0.15] = np.nan
        columns[1][rng.random(n) < 0.1] = np.nan
    if seed % 3 == 0:
        columns.append(rng.integers(0, 4, n))
    if seed % 5 == 0:
        columns.append(columns[0].copy())
    x = np.nan_to_num(columns[0])
    y = 2 * x + np.where(x > 0.4, 3 * (x - 0.4), 0) + (np.nan_to_num(columns[1]) > 3) * (1 + x)
    y = y + columns[4] - 1e6 + (columns[5] % 3 if seed % 3 == 0 else 0) + rng.normal(scale=0.3, size=n)
    weights = rng.integers(1, 4, n).astype(float) if seed % 4 == 1 else np.ones(n)
    return columns, y, weights


def frame_of(columns):
    return pd.DataFrame({f"c{i}": c if c.dtype.kind == "f" else c.astype(str) for i, c in enumerate(columns)})


@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_tree_of_the_definition(seed):
    columns, y, w = random_table(seed)
    params = {"broken": seed % 7 != 0, "min_rows": 5 + seed % 3}
    twin = Pilot(columns, y, w, **params, max_depth=3 if seed % 2 else None)
    tree = linear(leaf_params=params, max_depth=3 if seed % 2 else None).fit(frame_of(columns), y, w)
    nodes = tree.model_.nodes()
    assert [n.rows for n in nodes] == [len(n["rows"]) for n in twin.nodes]
    assert [n.is_leaf for n in nodes] == [n["split"] is None for n in twin.nodes]
    more, _, _ = random_table(seed + 1000 * 30)
    assert tree.predict(frame_of(columns)) == pytest.approx(twin.predict(columns), rel=1e-7, abs=1e-7)
    assert tree.predict(frame_of(more)) == pytest.approx(twin.predict(more), rel=1e-7, abs=1e-7)
    errors = np.array([n["error"] / w[n["rows"]].sum() for n in twin.nodes])
    assert tree.tree_.impurity == pytest.approx(errors, rel=1e-6, abs=1e-9)


def test_a_line_is_one_leaf_that_can_be_read():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"rooms": rng.integers(1, 9, 200).astype(float), "age": rng.random(200) * 50})
    price = 12.5 + 4 * X["rooms"] - 0.25 * X["age"]
    tree = linear().fit(X, price)
    assert tree.get_n_leaves() == 1
    assert tree.show() == "12.5 + 4·rooms - 0.25·age (200 rows)"
    assert tree.predict(X) == pytest.approx(price)
    assert tree.why({"rooms": 3.0, "age": 10.0}).splitlines()[-1] == "with rooms = 3, age = 10 = 22"
    model = tree.model_.nodes()[0].model
    assert model.intercept == pytest.approx(12.5)
    assert {t.column: round(t.weight, 9) for t in model.lines} == {0: 4, 1: -0.25}
    assert tree.feature_importances_.sum() == pytest.approx(1)
    assert tree.feature_importances_[0] > tree.feature_importances_[1] > 0.1


def test_predictions_stay_within_the_range_of_the_numbers_seen_or_half_of_it_beyond():
    x = np.arange(50.0).reshape(-1, 1)
    assert linear().fit(x, 2 * x[:, 0]).predict([[-1000.0], [1000.0], [30.0]]) == pytest.approx([0, 98, 60])
    tree = linear(leaf_params={"margin": 0.5}).fit(x, 2 * x[:, 0])
    assert tree.predict([[-1000.0], [1000.0], [30.0]]) == pytest.approx([-49, 147, 60])
    assert "held at 147" in tree.why([1000.0])


def test_a_missing_value_adds_nothing_to_a_line():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 2))
    tree = linear().fit(X, 3 + 2 * X[:, 0])
    at_center = tree.predict([[X[:, 0].mean(), 0.0]])
    assert tree.predict([[np.nan, np.nan]]) == pytest.approx(at_center)


def test_large_offsets_lose_no_digits():
    X, y = make_friedman1(200, random_state=2)
    near = linear(max_depth=4).fit(X, y)
    far = linear(max_depth=4).fit(X + 2.0**20, y + 2.0**25)
    assert far.get_n_leaves() == near.get_n_leaves()
    assert far.predict(X + 2.0**20) - 2.0**25 == pytest.approx(near.predict(X), abs=1e-5)
    small = linear(max_depth=4).fit(X * 1e-100, y * 1e150)
    assert small.predict(X * 1e-100) == pytest.approx(near.predict(X) * 1e150)
    with pytest.raises(ParameterError, match="slopes beyond float64; multiply"):
        linear().fit(X * 1e-200, y * 1e150)


def test_weights_scale_and_rows_without_weight_are_not_there():
    X, y = make_friedman1(150, random_state=3)
    w = np.random.default_rng(3).integers(0, 3, 150).astype(float)
    tree = linear().fit(X, y, w)
    assert tree.predict(X) == pytest.approx(linear().fit(X, y, 8 * w).predict(X))
    assert tree.predict(X) == pytest.approx(linear().fit(X[w > 0], y[w > 0], w[w > 0]).predict(X))


@pytest.mark.parametrize("n", [1, 2, 9])
def test_few_rows_are_one_leaf_that_predicts_their_mean(n):
    X, y = np.arange(n, dtype=float).reshape(-1, 1), np.arange(n, dtype=float) ** 2
    tree = linear().fit(X, y)
    assert tree.get_n_leaves() == 1
    assert tree.predict(X) == pytest.approx(np.full(n, y.mean()))


def test_what_is_constant_is_left_alone():
    rng = np.random.default_rng(4)
    X = np.column_stack([np.ones(60), rng.normal(size=60)])
    assert linear().fit(X, np.full(60, 7.0)).show() == "7 (60 rows)"
    only = linear().fit(X[:, :1], rng.normal(size=60))
    assert only.get_n_leaves() == 1
    assert linear().fit(np.full((60, 1), np.nan), X[:, 1]).get_n_leaves() == 1


def test_any_number_of_threads_gives_the_same_file():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(12_000, 20))
    X[rng.random(X.shape) < 0.02] = np.nan
    y = np.nan_to_num(X[:, 0]) ** 2 + np.nan_to_num(X[:, 1]) + rng.normal(size=12_000)
    files = {linear(n_jobs=j).fit(X, y).model_.to_bytes() for j in (1, 2, 4)}
    assert len(files) == 1


def test_it_can_be_saved_pickled_and_cloned():
    X, _, score = table(300, 21)
    tree = linear().fit(X, score)
    again = Model.from_bytes(tree.model_.to_bytes())
    assert (again.predict(X) == tree.predict(X)).all()
    assert again.to_bytes() == tree.model_.to_bytes()
    assert (pickle.loads(pickle.dumps(tree)).predict(X) == tree.predict(X)).all()
    assert (clone(tree).fit(X, score).predict(X) == tree.predict(X)).all()


@pytest.mark.parametrize(
    "limits", [{"max_depth": 3}, {"max_leaf_nodes": 7}, {"min_samples_leaf": 30}, {"max_features": 2}]
)
def test_limits_are_kept(limits):
    X, y = make_friedman1(400, random_state=6)
    tree = linear(random_state=0, **limits).fit(X, y)
    assert tree.get_depth() <= limits.get("max_depth", 99)
    assert tree.get_n_leaves() <= limits.get("max_leaf_nodes", 999)
    rows = [n.rows for n in tree.model_.nodes() if n.is_leaf]
    assert min(rows) >= max(5, limits.get("min_samples_leaf", 0))
    assert tree.score(X, y) > 0.8


def test_pruning_compares_the_errors_of_models():
    X, y = make_friedman1(400, noise=2.0, random_state=7)
    full = linear().fit(X, y)
    for alpha in (0.01, 0.05, 0.2):
        small = linear(ccp_alpha=alpha).fit(X, y)
        leaves = np.array([n.impurity * n.weight / 400 for n in small.model_.nodes() if n.is_leaf])
        assert leaves.sum() == pytest.approx(np.mean((small.predict(X) - y) ** 2), rel=0.02)  # but for what is held
        before = np.array([n.impurity * n.weight / 400 for n in full.model_.nodes() if n.is_leaf])
        assert leaves.sum() + alpha * len(leaves) <= before.sum() + alpha * len(before) + 1e-12
    chosen = linear(prune="cost_complexity_cv", random_state=0).fit(X, y)
    assert chosen.get_n_leaves() <= full.get_n_leaves()
    assert chosen.pruning_table_["cv_error"].min() < np.var(y) / 2


def test_lines_over_places_of_an_order_and_over_days():
    rng = np.random.default_rng(10)
    sizes = list("abcdefgh")
    X = pd.DataFrame({"size": pd.Categorical(rng.choice(sizes, 200), categories=sizes, ordered=True)})
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 200), unit="D")
    days = (X["day"] - pd.Timestamp("2024-01-01")).dt.days
    tree = linear().fit(X, 3.0 * X["size"].cat.codes + 0.5 * days)
    assert tree.get_n_leaves() == 1
    assert "3·size" in tree.show()
    assert "0.5·days(day)" in tree.show()
    row = X.iloc[:1]
    assert tree.why(row).splitlines()[-1].endswith(f" = {tree.predict(row)[0]:.6g}")
    check(linear().fit(X[["size"]], X["size"].cat.codes ** 2.0).model_, X[["size"]])


@pytest.mark.parametrize("prune", [None, "cost_complexity_cv"])
def test_every_export_predicts_the_same(prune):
    X, _, score = table(300, 22)
    tree = linear(prune=prune, random_state=0).fit(X, score)
    assert any(n.model.lines for n in tree.model_.nodes())
    check(tree.model_, pd.concat([X[:100], table(100, 23, unseen=True)[0]]))


def test_pilot_is_a_system_for_numbers():
    X, y = make_friedman1(300, random_state=8)
    for task in ("regression", "classification"):
        assert isinstance(bough.system("pilot", task=task), TreeRegressor)
    assert (bough.system("pilot").fit(X, y).predict(X) == linear().fit(X, y).predict(X)).all()
    stiff = bough.system("pilot", leaf_params={"broken": False}).fit(X, y)
    assert stiff.leaf_params == {"broken": False}


@pytest.mark.parametrize(
    "params",
    [
        {"split": "lda"},
        {"split": "elc"},
        {"nominal": "exact"},
        {"missing": "surrogate"},
        {"missing": "shared"},
        {"refine": "axis"},
        {"prune": "collapse"},
        {"monotonic_cst": [1, 0, 0, 0, 0]},
        {"smoothing": "hierarchical"},
        {"selector": "conditional_inference"},
        {"keep_leaves": True},
    ],
)
def test_what_does_not_go_with_lines_is_refused_by_name(params):
    X, y = make_friedman1(50, n_features=5, random_state=9)
    (name,) = params
    with pytest.raises(ParameterError, match=r"leaf='linear'") as e:
        linear(**params).fit(X, y)
    assert name in str(e.value)


def test_forests_and_unknown_leaves_are_refused():
    X, y = make_friedman1(50, random_state=9)
    with pytest.raises(ParameterError, match="leaf='linear' is for one tree"):
        bough.ForestRegressor(leaf="linear").fit(X, y)
    with pytest.raises(ParameterError, match="leaf='liner' is not known; did you mean 'linear'"):
        TreeRegressor(leaf="liner").fit(X, y)
    with pytest.raises(ParameterError, match="has no parameter 'brokn'; did you mean 'broken'"):
        linear(leaf_params={"brokn": True}).fit(X, y)
    tree = linear().fit(X, y)
    with pytest.raises(ParameterError, match="linear leaves"):
        tree.contributions(X)
    with pytest.raises(ParameterError, match="linear leaves"):
        tree.why_not(X[0], 20.0)


def test_importances_are_numbers_whatever_a_file_says_of_its_lines():
    X, _, score = table(300, 21)
    model = linear().fit(X, score).model_
    parts = {**model.tree.parts(), "n_values": model.schema.n_values()}
    wild = np.where(np.arange(len(parts["line_gains"])) % 2, 1.7e308, -1e308)
    tree = _core.Tree.from_parts(X.shape[1], 0, {**parts, "line_gains": wild})
    importances = dataclasses.replace(model, trees=(tree,)).feature_importances_
    assert np.isfinite(importances).all()
    assert abs(importances.sum() - 1) < 1e-12
