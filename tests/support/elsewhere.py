"""What the exports of a model answer, each run as its users run it; for tests and `python -m fuzz.exports`."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import bough
from bough.estimators.systems import SYSTEMS
from bough.output import as_json, onnx, source

from .databases import KEY, duckdb_rows, plain, postgresql_programs, postgresql_rows, sqlite_rows


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


def onnx_answers(model, X, output=0):
    """What onnxruntime predicts; output 1: the shares."""
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(onnx.to_onnx(model).SerializeToString())
    feed = {}
    if not model.schema.any_values:
        feed[session.get_inputs()[0].name] = X.to_numpy(dtype=np.float64)
    else:
        for i in session.get_inputs():
            texts = i.type == "tensor(string)"
            feed[i.name] = (
                X[[i.name]].astype(object).fillna("").to_numpy(object)
                if texts
                else X[[i.name]].astype(np.float64).to_numpy()
            )
    at_once = 10_000  # where rows are shared, each takes memory for every node
    parts = [{k: v[i : i + at_once] for k, v in feed.items()} for i in range(0, len(X), at_once)]
    name = session.get_outputs()[output].name
    return np.concatenate([session.run([name], part)[0] for part in parts])


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
            without = node["overflow"] if node["missing"] is None else node["missing"]
            to = without if gap or z != z else node["left"] if z <= cut else node["right"]
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


def databases():
    found = {"sqlite": sqlite_rows, "duckdb": duckdb_rows}
    return found | ({"postgresql": postgresql_rows} if postgresql_programs() else {})


def differing(model, X, few=None, skip=(), refused=None):
    """Exports that do not predict as `predict` and `predict_proba` do; those that go row by row in Python, over the
    first ``few`` rows; without the databases to ``skip``. Those that refuse the model are added to ``refused``, if
    there is such a list; PostgreSQL refuses numbers beyond float64."""
    exact = model.missing != "shared"
    found, shares = {}, {}

    def ask(name, answers):
        try:
            found[name], shares[name] = answers()
        except (bough.DataError, RuntimeError) as e:
            known = isinstance(e, bough.DataError) or "value out of range" in str(e)
            if refused is None or not known:
                raise
            refused.append(name)

    def of_database(rows_of):
        rows = sorted(rows_of(model, X, proba=not model.regression, key=KEY))
        assert [r[0] for r in rows] == list(range(len(X)))
        return [r[1] for r in rows], [r[2:] for r in rows]

    def of_onnx():
        return onnx_answers(model, X), None if model.regression else onnx_answers(model, X, 1)

    ask("onnx", of_onnx)
    for name, rows_of in databases().items():
        if name not in skip:
            ask(name, lambda rows_of=rows_of: of_database(rows_of))
    ask("json", lambda: (followed(model, X[:few]), None))
    ask("python", lambda: python_answers(model, X[:few]))
    expected = model.predict(X)
    wrong = [name for name, told in found.items() if not same(told, expected, exact)]
    if model.regression:
        return wrong
    expected = model.predict_proba(X)
    return wrong + [f"{n} shares" for n, told in shares.items() if told is not None and not same(told, expected, exact)]


def check(model, X):
    assert differing(model, X) == []
