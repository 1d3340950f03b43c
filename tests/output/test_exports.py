"""Every export gives the answers of `predict`: all systems, gaps, values that training never saw, rows on a cut."""

from __future__ import annotations

import json
import math
import sqlite3

import numpy as np
import pandas as pd
import pytest

import bough
from bough.estimators.systems import SYSTEMS
from bough.output import as_json, onnx, source, sql

NOMINAL = ["exact", "multiway", "pc_ext"]


def table(n, seed, unseen=False, gaps=True):
    rng = np.random.default_rng(seed)
    colours = ["red", "green", 'it\'s "blue"', "ünï", "<x>"]
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(1),
            "b": rng.integers(0, 6, n).astype(float),
            'weird "name"; --': rng.normal(size=n),
            "colour": rng.choice([*colours, "never"] if unseen else colours, n),
            "size": rng.choice(["s", "m", "l", *(["xxl"] if unseen else [])], n),
        }
    )
    score = X["a"] + X["b"] / 3 + (X["colour"] == "red") - (X["size"] == "s") + rng.normal(scale=0.3, size=n)
    y = np.digitize(score, [0.5, 1.5])
    if gaps:
        for c in X:
            X[c] = X[c].where(rng.random(n) > 0.08, None if X[c].dtype == object else np.nan)
    X["colour"], X["size"] = X["colour"].astype(object), X["size"].astype(object)
    return X, y, score.to_numpy()


def plain(X):
    return [{c: None if pd.isna(v) else v for c, v in r.items()} for r in X.to_dict("records")]


def onnx_answers(model, X, name="prediction"):
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(onnx.to_onnx(model).SerializeToString())
    feed = {}
    for i in session.get_inputs():
        if i.name == "X" and len(i.shape) == 2 and i.shape[1] != 1:
            feed["X"] = X.to_numpy(dtype=np.float64)
        elif i.type == "tensor(string)":
            feed[i.name] = X[[i.name]].fillna("").to_numpy(dtype=object)
        else:
            feed[i.name] = X[[i.name]].to_numpy(dtype=np.float64)
    return session.run([name], feed)[0]


def sqlite_answers(model, X, proba=False):
    connection = sqlite3.connect(":memory:")
    columns = ", ".join('"' + c.replace('"', '""') + '"' for c in X)
    connection.execute(f"CREATE TABLE data ({columns})")
    rows = [tuple(r.values()) for r in plain(X)]
    connection.executemany(f"INSERT INTO data VALUES ({', '.join('?' * X.shape[1])})", rows)
    return connection.execute(sql.to_sql(model, dialect="sqlite", proba=proba)).fetchall()


def duckdb_answers(model, X, proba=False):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("data", X)
    return connection.execute(sql.to_sql(model, dialect="duckdb", proba=proba)).fetchall()


def python_answers(model, X):
    space = {}
    exec(compile(source.to_python(model), "model.py", "exec"), space)
    assert not [n for n in space if n.startswith("import")]
    return [space["predict"](r) for r in plain(X)], [space["predict_value"](r) for r in plain(X)]


def followed(model, X):
    """The JSON, followed as its own sentence says."""
    found = json.loads(as_json.to_json(model))
    out = []
    for row in X.to_dict("records"):
        x = [None if pd.isna(row[c["name"]]) else row[c["name"]] for c in found["columns"]]
        nodes, at = found["trees"][0], 0
        while True:
            node = nodes[at]
            if "terms" in node:
                lanes = [0.0] * 8
                gap = any(x[c] is None for c, _, _ in node["terms"])
                for i, (c, w, m) in enumerate(node["terms"]):
                    lanes[i % 8] += 0.0 if gap else w * (x[c] - m)
                z = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
                cut = math.inf if node["cut"] is None else node["cut"]
                to = node["missing"] if gap else node["left"] if z <= cut else node["right"]
            elif "to" in node:
                values = found["columns"][node["column"]]["values"]
                place = values.index(x[node["column"]]) if x[node["column"]] in values else -1
                to = dict(map(tuple, node["to"])).get(place, node["other"])
            else:
                break
            if to == at:
                break
            at = to
        out.append(nodes[at]["value"] if found["classes"] is None else found["classes"][nodes[at]["class"]])
    return out


def check(model, X):
    expected = model.predict(X).tolist()
    assert onnx_answers(model, X).tolist() == expected
    assert python_answers(model, X)[0] == expected
    assert followed(model, X) == expected
    assert [r[0] for r in sqlite_answers(model, X)] == expected
    assert [r[0] for r in duckdb_answers(model, X)] == expected
    if model.regression:
        return
    shares = model.predict_proba(X)
    assert np.array_equal(onnx_answers(model, X, "probabilities"), shares)
    assert np.array_equal(python_answers(model, X)[1], shares)
    assert np.array_equal(np.array(sqlite_answers(model, X, proba=True)), shares)
    assert np.array_equal(np.array(duckdb_answers(model, X, proba=True)), shares)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_answers_elsewhere_as_it_does_here(name):
    X, y, _ = table(250, 1)
    model = bough.system(name, max_depth=4).fit(X, y).model_
    if getattr(model, "missing", "either") != "either":
        pytest.skip("rows without a value are shared or have surrogates: no export")
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
    assert [r[0] for r in duckdb_answers(model, X)] == expected
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


def test_a_tree_deeper_than_databases_take_is_refused_with_the_way_out():
    X = np.arange(1500.0).reshape(-1, 1)
    tree = bough.TreeClassifier(criterion="gini", min_samples_leaf=1).fit(X, np.arange(1500) % 2)
    deep = bough.TreeClassifier().fit(X**2, (np.arange(1500) * 7 % 11 > 5).astype(int))
    for model in (tree.model_, deep.model_):
        if model.tree.max_depth > 400:
            with pytest.raises(bough.DataError, match="prune it"):
                sql.to_sql(model)
        else:
            assert sql.to_sql(model).startswith("WITH reached")


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
