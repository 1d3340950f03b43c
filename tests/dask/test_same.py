"""The model of a cluster is, byte for byte, that of one machine."""

import numpy as np
import pandas as pd
import pytest

from support.dask import bytes_of, few_bins, frame_of
from support.distributed import CRITERIA

pytest.importorskip("distributed", reason="bough-trees[dask] is not installed")
import bough
import bough.dask
from bough.errors import ParameterError


@pytest.mark.parametrize("partitions", [1, 2, 9])
@pytest.mark.parametrize("move_rows", [0, 40])
@pytest.mark.parametrize("criterion", CRITERIA[:2])
def test_a_tree_of_a_frame(client, criterion, move_rows, partitions, monkeypatch):
    import dask.dataframe as dd

    few_bins(monkeypatch)
    table = frame_of(np.random.default_rng(partitions), 200)
    local = bough.TreeClassifier(criterion=criterion).fit(table.drop(columns="y"), table["y"])
    pieces = dd.from_pandas(table, npartitions=partitions)
    tree = bough.dask.TreeClassifier(criterion=criterion, client=client, move_rows=move_rows).fit(pieces, "y")
    assert bytes_of(tree) == bytes_of(local)
    assert len(tree.exchanged_["levels"]) > 0
    assert (tree.exchanged_["moved"] > 0) == (move_rows > 0)


def test_a_tree_of_an_array_with_weights(client, monkeypatch):
    import dask.array as da

    few_bins(monkeypatch)
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(300, 3)).round(1), rng.integers(0, 3, 300), rng.integers(0, 4, 300) / 2
    X[rng.random(X.shape) < 0.1] = np.nan
    local = bough.TreeClassifier(max_depth=6).fit(X, y, w)
    parts = da.from_array(X, chunks=(70, 2)), da.from_array(y, chunks=100), da.from_array(w, chunks=50)
    tree = bough.dask.TreeClassifier(max_depth=6, client=client, move_rows=0).fit(*parts)
    assert bytes_of(tree) == bytes_of(local)


@pytest.mark.parametrize("move_rows", [0, 40])
@pytest.mark.parametrize("params", [{}, {"class_weight": "balanced"}, {"max_leaf_nodes": 9}], ids=lambda p: "-".join(p))
def test_weights_whose_sums_are_rounded(client, params, move_rows, monkeypatch):
    import dask.dataframe as dd

    few_bins(monkeypatch)
    rng = np.random.default_rng(12)
    table = frame_of(rng, 250)
    w = rng.random(250) * (rng.random(250) < 0.9)
    local = bough.TreeClassifier(**params).fit(table.drop(columns="y"), table["y"], w)
    tree = bough.dask.TreeClassifier(**params, client=client, move_rows=move_rows)
    tree.fit(dd.from_pandas(table.assign(w=w), npartitions=4), "y", "w")
    assert tree.exchanged_["levels"]
    assert bytes_of(tree) == bytes_of(local)


@pytest.mark.parametrize(
    "params",
    [
        {"class_weight": {"may": 2.0}},
        {"class_weight": "balanced"},
        {"class_weight": {"may": 0.1, "no": 0.7}, "criterion": "gain_ratio"},
        {"ccp_alpha": 0.01},
        {"prune": "pessimistic"},
        {"smoothing": "laplace", "min_samples_leaf": 0.02},
        {"min_info_gain": 0.05, "min_samples_split": 20},
        {"selector_params": {"first": True}},
        {"split_params": {"cut": "below"}},
        {"max_leaf_nodes": 7},
        {"max_features": 2, "random_state": 3},
    ],
    ids=lambda p: "-".join(p),
)
def test_parameters_hold_as_on_one_machine(client, params, monkeypatch):
    import dask.dataframe as dd

    few_bins(monkeypatch)
    table = frame_of(np.random.default_rng(5), 200)
    local = bough.TreeClassifier(**params, max_depth=5).fit(table.drop(columns="y"), table["y"])
    tree = bough.dask.TreeClassifier(**params, max_depth=5, client=client, move_rows=0)
    tree.fit(dd.from_pandas(table, npartitions=3), "y")
    assert tree.exchanged_["levels"]
    assert bytes_of(tree) == bytes_of(local)


@pytest.mark.parametrize(
    "params",
    [
        {"priors": {"may": 0.5, "no": 0.3, "yes": 0.2}},
        {"costs": {("may", "no"): 5.0, ("no", "may"): 1.0}, "cost_splits": "altered_priors"},
        {
            "priors": [0.5, 0.25, 0.25],
            "costs": {("yes", "no"): 3.0},
            "cost_splits": "altered_priors",
            "ccp_alpha": 0.005,
        },
        {"priors": [0.5, 0.25, 0.25], "class_weight": {"may": 2.5}},
    ],
    ids=lambda p: "-".join(p),
)
@pytest.mark.parametrize(("move_rows", "weights"), [(0, None), (40, None), (0, "w")])
def test_priors_and_altered_costs_weigh_classes(client, params, move_rows, weights):
    import dask.dataframe as dd

    rng = np.random.default_rng(8)
    table = frame_of(rng, 200)
    w = rng.random(200)
    local = bough.TreeClassifier(**params, max_depth=5).fit(table.drop(columns="y"), table["y"], w if weights else None)
    tree = bough.dask.TreeClassifier(**params, max_depth=5, client=client, move_rows=move_rows)
    tree.fit(dd.from_pandas(table.assign(w=w) if weights else table, npartitions=3), "y", weights)
    assert tree.exchanged_["levels"]
    assert bytes_of(tree) == bytes_of(local)


def test_weights_of_any_kind_filter_columns_of_many_values(client, monkeypatch):
    import dask.dataframe as dd

    few_bins(monkeypatch)
    rng = np.random.default_rng(11)
    table = frame_of(rng, 300)
    table["c"] = rng.choice([f"v{i}" for i in range(40)], 300)
    table["e"] = np.where(table["y"] == "no", "", "s") + rng.choice([f"v{i}" for i in range(12)], 300)
    local = bough.TreeClassifier(max_depth=4, class_weight="balanced").fit(table.drop(columns="y"), table["y"])
    tree = bough.dask.TreeClassifier(max_depth=4, class_weight="balanced", client=client, move_rows=0)
    tree.fit(dd.from_pandas(table, npartitions=3), "y")
    assert tree.exchanged_["levels"]
    assert 4 in local.model_.trees[0].parts()["columns"]
    assert bytes_of(tree) == bytes_of(local)


def test_conditional_inference_of_nominal_columns(client):
    import dask.dataframe as dd

    rng = np.random.default_rng(4)
    table = frame_of(rng, 240)[["c", "y"]].assign(e=rng.choice(list("pqr"), 240), f=rng.choice(list("uv"), 240))
    params = {"selector": "conditional_inference", "selector_params": {"alpha": 0.5}}
    local = bough.TreeClassifier(**params).fit(table.drop(columns="y"), table["y"])
    tree = bough.dask.TreeClassifier(**params, client=client, move_rows=30)
    tree.fit(dd.from_pandas(table, npartitions=3), "y")
    assert tree.exchanged_["levels"]
    assert bytes_of(tree) == bytes_of(local)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("TreeClassifier", {"split": "lda"}),
        ("TreeClassifier", {"split": "elc", "max_depth": 2}),
        ("TreeClassifier", {"missing": "surrogate", "max_leaf_nodes": 6}),
        ("TreeClassifier", {"selector": "conditional_inference"}),
        ("TreeClassifier", {"criterion": "max_cut", "standardize": True}),
        ("TreeRegressor", {"max_depth": 4}),
        ("ForestClassifier", {"n_estimators": 5, "random_state": 1, "oob_score": True}),
        ("ForestRegressor", {"n_estimators": 3, "random_state": 1}),
    ],
    ids=lambda p: p if isinstance(p, str) else "-".join(map(str, p.values())),
)
def test_what_needs_its_rows_in_one_place_gets_them_there(client, name, params):
    import dask.dataframe as dd

    table = frame_of(np.random.default_rng(6), 120).drop(columns="c")
    y = "a" if name.endswith("Regressor") else "y"
    if y == "a":
        table = table.drop(columns="y")
    local = getattr(bough, name)(**params).fit(table.drop(columns=y), table[y])
    cluster = getattr(bough.dask, name)(**params, client=client).fit(dd.from_pandas(table, npartitions=3), y)
    assert bytes_of(cluster) == bytes_of(local)
    if "oob_score" in params:
        assert cluster.oob_score_ == local.oob_score_


@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"max_leaf_nodes": 9},
        {"min_impurity_decrease": 0.01, "min_samples_leaf": 3},
        {"max_features": 2, "random_state": 3},
        {"ccp_alpha": 0.02, "split_params": {"cut": "below"}},
    ],
    ids=lambda p: "-".join(p),
)
def test_a_tree_of_numbers(client, params, weights, monkeypatch):
    import dask.dataframe as dd

    few_bins(monkeypatch)
    rng = np.random.default_rng(9)
    table = frame_of(rng, 240)
    table["y"] = table["a"] + (table["c"] == "x") + 0.3 * table["b"] + rng.normal(size=240)
    w = pd.Series(rng.random(240) + 0.1)
    local = bough.TreeRegressor(**params, max_depth=4).fit(table.drop(columns="y"), table["y"], w if weights else None)
    tree = bough.dask.TreeRegressor(**params, max_depth=4, client=client, move_rows=12 if len(params) == 2 else 0)
    tree.fit(dd.from_pandas(table.assign(w=w) if weights else table, npartitions=4), "y", weights)
    assert tree.exchanged_["levels"]
    assert bytes_of(tree) == bytes_of(local)


@pytest.mark.parametrize("numbers", [np.full(60, 2.5), np.arange(60) * 1e300 - 3e301, np.arange(60) * 1e-300])
def test_numbers_of_any_size(client, numbers):
    import dask.array as da

    X = np.random.default_rng(1).normal(size=(60, 2))
    local = bough.TreeRegressor(max_depth=3).fit(X, numbers)
    tree = bough.dask.TreeRegressor(max_depth=3, client=client, move_rows=10)
    parts = da.from_array(X, chunks=(25, 2)), da.from_array(numbers, chunks=25)
    if np.ptp(numbers) == 0:
        assert bytes_of(tree.fit(*parts)) == bytes_of(local)
        return
    with pytest.raises(ParameterError, match="very large or very small numbers"):
        tree.fit(*parts)
    assert bytes_of(tree.set_params(move_rows=60).fit(*parts)) == bytes_of(local)


@pytest.mark.parametrize("params", [{}, {"max_features": 0.5, "max_samples": 0.5}, {"bootstrap": False}])
def test_a_forest_of_numbers_that_no_worker_has_room_for(client, params, monkeypatch):
    import dask.dataframe as dd

    few_bins(monkeypatch)
    table = frame_of(np.random.default_rng(8), 90).drop(columns="y")
    given = {"n_estimators": 2, "random_state": 4, "max_depth": 3, **params}
    local = bough.ForestRegressor(**given).fit(table.drop(columns="a"), table["a"])
    forest = bough.dask.ForestRegressor(**given, client=client, move_rows=4)
    forest.fit(dd.from_pandas(table, npartitions=3), "a")
    assert forest.exchanged_["levels"]
    assert bytes_of(forest) == bytes_of(local)


@pytest.mark.parametrize("params", [{}, {"bootstrap": False}, {"max_samples": 0.1, "criterion": "entropy"}])
@pytest.mark.parametrize("weights", [None, "whole", "any"])
def test_a_forest_of_a_table_that_no_worker_has_room_for(client, params, weights, monkeypatch):
    import dask.dataframe as dd

    few_bins(monkeypatch)
    table = frame_of(np.random.default_rng(8), 90)
    w = pd.Series(np.arange(90) % 3 + 1.0 if weights == "whole" else np.random.default_rng(9).random(90) + 0.01)
    given = {"n_estimators": 3, "random_state": 4, "min_weight_fraction_leaf": 0.02, **params}
    local = bough.ForestClassifier(**given).fit(table.drop(columns="y"), table["y"], w if weights else None)
    forest = bough.dask.ForestClassifier(**given, client=client, move_rows=4)
    frame = dd.from_pandas(table.assign(w=w) if weights else table, npartitions=9)
    forest.fit(frame, "y", "w" if weights else None)
    assert forest.exchanged_["levels"]
    assert bytes_of(forest) == bytes_of(local)
    assert all((a == b).all() for a, b in zip(forest.estimators_samples_, local.estimators_samples_))


def test_a_forest_without_a_seed_tells_none(client):
    import dask.dataframe as dd

    table = frame_of(np.random.default_rng(6), 60)
    forest = bough.dask.ForestClassifier(n_estimators=3, client=client).fit(dd.from_pandas(table, npartitions=2), "y")
    assert "random_state" not in forest.model_.origin.parameters
    assert len(forest.estimators_) == 3
    again = bough.ForestClassifier(n_estimators=3, random_state=forest._seeds[0])
    again.fit(table.drop(columns="y"), table["y"])
    assert [t.parts()["cuts"].tobytes() for t in again.model_.trees] == [
        t.parts()["cuts"].tobytes() for t in forest.model_.trees
    ]
