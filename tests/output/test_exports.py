"""Every export gives the answers of `predict`: all systems, gaps, values that training never saw, rows on a cut."""

from __future__ import annotations

import sqlite3

import numpy as np
import pandas as pd
import pytest

import bough
from bough.estimators.systems import SYSTEMS
from bough.output import sql
from support.databases import duckdb_rows
from support.elsewhere import check, onnx_answers, python_answers, system, table

NOMINAL = ["exact", "multiway", "pc_ext"]


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_answers_elsewhere_as_it_does_here(name):
    X, y, _ = table(250, 1)
    model = system(name, max_depth=4).fit(X, y).model_
    check(model, pd.concat([X[:120], table(120, 2, unseen=True)[0]]))


@pytest.mark.parametrize("search", NOMINAL)
@pytest.mark.parametrize("unseen", ["heavier", "stop"])
def test_unseen_values_follow_the_heavier_branch_or_stop(search, unseen):
    X, y, _ = table(300, 3)
    tree = bough.TreeClassifier(nominal=search, nominal_params={"unseen": unseen}).fit(X[["colour", "size"]], y)
    check(tree.model_, table(200, 4, unseen=True)[0][["colour", "size"]])


def test_numbers_are_predicted_elsewhere_too():
    X, _, score = table(300, 5)
    check(bough.TreeRegressor(max_depth=6).fit(X, score).model_, table(200, 6, unseen=True)[0])


@pytest.mark.parametrize("missing", ["shared", "surrogate"])
@pytest.mark.parametrize(
    "make",
    [
        lambda how: bough.TreeClassifier(**how),
        lambda how: bough.TreeClassifier(nominal="multiway", max_depth=5, **how),
        lambda how: bough.TreeClassifier(split="lda", max_depth=5, **how),
        lambda how: bough.ForestClassifier(n_estimators=3, max_depth=6, random_state=0, **how),
        lambda how: bough.TreeRegressor(max_depth=6, **how),
    ],
)
def test_rows_that_are_shared_or_follow_surrogates_do_so_elsewhere(missing, make):
    X, y, score = table(300, 11)
    tree = make({"missing": missing})
    tree.fit(X, score if isinstance(tree, bough.TreeRegressor) else y)
    check(tree.model_, pd.concat([X[:100], table(200, 12, unseen=True)[0]]))


UNEQUAL = [[0, 1, 9], [5, 0, 1], [0.5, 20, 0]]


@pytest.mark.parametrize("missing", ["either", "shared", "surrogate"])
@pytest.mark.parametrize(
    "make",
    [
        lambda how: bough.TreeClassifier(max_depth=5, **how),
        lambda how: bough.ForestClassifier(n_estimators=5, max_depth=5, random_state=0, **how),
    ],
)
def test_answers_of_least_cost_are_the_same_elsewhere(missing, make):
    X, y, _ = table(300, 13)
    rows = table(300, 14, unseen=True)[0]
    dear = make({"missing": missing, "costs": UNEQUAL}).fit(X, y).model_
    assert (dear.predict(rows) != dear.classes[dear.predict_proba(rows).argmax(axis=1)]).any()
    check(dear, rows)
    equal = make({"missing": missing, "costs": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}).fit(X, y).model_
    check(equal, rows)  # ties: the first class


@pytest.mark.parametrize("split", ["elc", "lda", "oc1", "node_pca"])
def test_rows_on_the_cut_of_a_sum_fall_to_the_same_side(split):
    rng = np.random.default_rng(7)
    X = pd.DataFrame(rng.integers(0, 5, (200, 12)).astype(float), columns=list("abcdefghijkl"))
    y = (X.sum(axis=1) + rng.normal(size=200) > 24).astype(int).to_numpy()
    params = {"place": "through"} if split == "elc" else {}
    check(bough.TreeClassifier(split=split, split_params=params, max_depth=4).fit(X, y).model_, X)


def test_true_and_false_and_numbers_that_are_categories():
    rng = np.random.default_rng(8)
    X = pd.DataFrame({"flag": rng.random(200) < 0.5, "code": rng.choice([10, 20, 30], 200), "x": rng.normal(size=200)})
    y = np.where(X["flag"] & (X["code"] == 20), "yes", "no")
    model = bough.TreeClassifier(categorical_features=["code"]).fit(X, y).model_
    expected = model.predict(X).tolist()
    assert [r[0] for r in duckdb_rows(model, X)] == expected
    assert onnx_answers(model, X).tolist() == expected
    assert python_answers(model, X)[0] == expected


def test_one_leaf_and_a_split_into_known_and_missing():
    X = pd.DataFrame({"a": [1.0, 2.0, np.nan, np.nan], "b": [0.0, 0.0, 0.0, 0.0]})
    for y in ([0, 0, 0, 0], [0, 0, 1, 1]):
        check(bough.TreeClassifier().fit(X, y).model_, X)


@pytest.mark.slow
def test_a_hundred_thousand_rows_have_the_same_answers_in_onnx():
    X, y, _ = table(5_000, 9)
    model = bough.TreeClassifier().fit(X, y).model_
    rows, _, _ = table(100_000, 10, unseen=True)
    assert np.array_equal(onnx_answers(model, rows), model.predict(rows))


def chain(n):
    """A tree of about half as many levels as rows: a random cut of powers of two takes off the last few."""
    X = pd.DataFrame({"a": 2.0 ** np.arange(n), "node0": np.ones(n)})
    return bough.TreeClassifier(split="random", random_state=1).fit(X, np.arange(n) % 3).model_, X


def test_deep_trees_go_through_parsers_that_take_few_nested_words():
    model, X = chain(300)
    assert model.tree.max_depth > 100
    check(model, X)


def test_a_tree_deeper_than_databases_take_is_refused_with_the_way_out():
    model, _ = chain(1000)
    assert model.tree.max_depth > sql.MOST_DEPTH
    with pytest.raises(bough.DataError, match="prune it"):
        sql.to_sql(model)


@pytest.mark.parametrize("table", ["stage0", "Stage1", "data; DROP TABLE data"])
def test_any_table_can_be_asked_and_any_column_name_kept_apart(table):
    X = chain(40)[1].rename(columns={"a": "node1", "node0": "share0"})
    model = bough.TreeClassifier().fit(X, np.arange(40) // 10).model_
    connection = sqlite3.connect(":memory:")
    X.to_sql(table, connection, index=False)
    assert [r[0] for r in connection.execute(sql.to_sql(model, table, "sqlite"))] == model.predict(X).tolist()


def test_wrong_words_are_named():
    model = bough.TreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0]).model_
    with pytest.raises(bough.ParameterError, match="'oracle'"):
        sql.to_sql(model, dialect="oracle")
    with pytest.raises(bough.ParameterError, match="predicts numbers"):
        sql.to_sql(model, proba=True)
    with pytest.raises(bough.ParameterError, match="name of a table"):
        sql.to_sql(model, table="")


def test_values_that_are_text_and_numbers_are_refused_by_onnx_in_one_sentence():
    pytest.importorskip("onnx")
    table = pd.DataFrame({"a": pd.Categorical([1, "a", 1, "a"], categories=[1, "a"])})
    model = bough.TreeClassifier().fit(table, [0, 1, 0, 1]).model_
    with pytest.raises(bough.DataError, match="column 'a' has text beside numbers as values"):
        model.to_onnx()
