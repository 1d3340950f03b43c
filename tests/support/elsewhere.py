"""What the exports of a model answer, each run as its users run it; for tests and `python -m fuzz.elsewhere`."""

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


def system(name, **params):
    """A published system; a forest of few trees."""
    return bough.system(name, **params, **({"n_estimators": 6} if SYSTEMS[name].forest else {}))


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
    at_once = 10_000  # where rows are shared, each takes memory for every node
    parts = [{k: v[i : i + at_once] for k, v in feed.items()} for i in range(0, len(X), at_once)]
    return np.concatenate([session.run([name], part)[0] for part in parts])


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
    """The JSON, followed as its own sentence says; of several trees the mean of their values counts."""
    found = json.loads(as_json.to_json(model))
    out = []
    for row in X.to_dict("records"):
        x = [None if pd.isna(row[c["name"]]) else row[c["name"]] for c in found["columns"]]
        order = [c["values"] if c["kind"] == "ordinal" else None for c in found["columns"]]
        numbers = [v if o is None else o.index(v) if v in o else None for v, o in zip(x, order, strict=True)]
        ends = [ends_of(nodes, found["columns"], x, numbers) for nodes in found["trees"]]
        alone = all(len(e) == 1 for e in ends) and not any("parts" in n for n in found["trees"][0])
        if found["classes"] is None:
            said = [sum(n["value"] * w for n, w in e) for e in ends]
            out.append(sum(said[1:], said[0]) / len(said))
        elif alone and len(ends) == 1:
            out.append(found["classes"][ends[0][0][0]["class"]])
        else:
            said = [sum(np.array(n["shares"]) * w for n, w in e) for e in ends]
            shares = sum(said[1:], said[0]) / len(said)
            shares = shares if alone else shares.round(9)
            if "costs" in found:
                costs = shares @ np.array(found["costs"])
                shares = costs <= costs.min() + 1e-12 * costs.max()
            out.append(found["classes"][int(shares.argmax())])
    return out


def ends_of(nodes, columns, x, numbers):
    """The nodes of a tree in which a row ends, with the part of it that does."""
    waiting, found = [(0, 1.0)], []
    while waiting:
        at, part = waiting.pop()
        node = nodes[at]
        if "terms" in node:
            lanes = [0.0] * 8
            gap = node["missing"] is not None and any(numbers[c] is None for c, _, _ in node["terms"])
            for i, (c, w, m) in enumerate(node["terms"]):
                lanes[i % 8] += 0.0 if gap or numbers[c] is None else w * (numbers[c] - m)
            z = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
            cut = math.inf if node["cut"] is None else node["cut"]
            to = node["missing"] if gap else node["left"] if z <= cut else node["right"]
        elif "to" in node:
            values = columns[node["column"]]["values"]
            place = values.index(x[node["column"]]) if x[node["column"]] in values else -1
            to = dict(map(tuple, node["to"])).get(place, node["other"])
        else:
            to = at
        if to == at:
            found.append((node, part))
        elif to >= 0:
            waiting.append((to, part))
        else:
            waiting += [(c, part * p) for c, p in reversed(node["parts"])]
    return found


def same(told, expected, exact):
    """Equal bit by bit; sums of parts of rows, up to the order in which they are added."""
    told, expected = np.asarray(told), np.asarray(expected)[: len(told)]
    if told.shape != expected.shape or not len(told):
        return False
    if exact or expected.dtype.kind != "f":
        return told.tolist() == expected.tolist()
    return bool(np.allclose(told, expected, rtol=0, atol=1e-12 * max(1.0, float(np.abs(expected).max()))))


def differing(model, X, few=None):
    """Exports that do not answer as `predict` and `predict_proba` do; those that go row by row in Python, over the
    first ``few`` rows."""
    exact = model.missing != "shared"
    found = {"onnx": onnx_answers(model, X)}
    for name, answers in (("sqlite", sqlite_answers), ("duckdb", duckdb_answers)):
        found[name] = [r[0] for r in answers(model, X)]
    found["json"] = followed(model, X[:few])
    found["python"], values = python_answers(model, X[:few])
    expected = model.predict(X)
    wrong = [name for name, told in found.items() if not same(told, expected, exact)]
    if model.regression:
        return wrong
    shares = {
        "onnx": onnx_answers(model, X, "probabilities"),
        "sqlite": sqlite_answers(model, X, proba=True),
        "duckdb": duckdb_answers(model, X, proba=True),
        "python": values,
    }
    expected = model.predict_proba(X)
    return wrong + [f"{name} shares" for name, told in shares.items() if not same(told, expected, exact)]


def check(model, X):
    assert differing(model, X) == []
