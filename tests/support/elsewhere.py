"""What the exports of a model answer, each run as its users run it; for tests and `python -m fuzz.exports`."""

from __future__ import annotations

import ctypes
import json
import math
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bough
from bough.estimators.systems import SYSTEMS
from bough.output import as_json, c_source, javascript, onnx, source

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


def javascript_answers(model, X):
    """What Node predicts; a float that is not finite has no JSON and goes as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.js")
        path.write_text(javascript.to_javascript(model), encoding="utf-8")
        rows = json.dumps([[[k, str(v), kind_of(v)] for k, v in r.items()] for r in plain(X)])
        run = subprocess.run(["node", "-e", NODE, path], input=rows, capture_output=True, text=True, encoding="utf-8")
        assert run.returncode == 0, run.stderr[-2000:]
    told = [[read_back(*v) for v in r] for r in json.loads(run.stdout)]
    return [r[0] for r in told], [r[1] if model.regression else r[1:] for r in told]


NODE = """
const bough = require(process.argv[1]);
const read = { int: (t) => Number.isSafeInteger(Number(t)) ? Number(t) : BigInt(t), float: Number, str: (t) => t,
               bool: (t) => t === "True", NoneType: () => null };
const rows = JSON.parse(require("fs").readFileSync(0, "utf8"));
const told = (v) => [String(v), typeof v];
console.log(JSON.stringify(rows.map((cells) => {
  const row = Object.create(null);
  for (const [name, text, kind] of cells) row[name] = read[kind](text.replace("inf", "Infinity"));
  const value = bough.predictValue(row);
  return [told(bough.predict(row)), ...(Array.isArray(value) ? value : [value]).map(told)];
})));
"""


def kind_of(value):
    return type(value).__name__


def read_back(text, kind):
    """A value as JavaScript writes it."""
    if kind in ("number", "bigint"):
        number = float(text.replace("Infinity", "inf"))
        return int(text) if text.lstrip("-").isdigit() and abs(number) < 1e20 else number
    return text == "true" if kind == "boolean" else text


def c_answers(model, X):
    """What a program of gcc predicts, read through ctypes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.c")
        of_class = "return bough_predict(row);" if model.classes is not None else "(void)row; return 0;"
        shell = f"int predict(const double *row) {{ {of_class} }}\n" + C_SHELL
        path.write_text(c_source.to_c(model) + shell, encoding="utf-8")
        flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-march=native", "-shared", "-fPIC"]
        run = subprocess.run(
            ["gcc", *flags, "-o", path.with_suffix(".so"), path, "-lm"], capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr[-2000:]
        library = ctypes.CDLL(str(path.with_suffix(".so")))
    library.place.restype = ctypes.c_double
    columns, found, shares = model.schema.columns, [], []
    width = 1 if model.classes is None else len(model.classes)
    for r in plain(X):
        cells = [cell_of(library, i, c, r[c.name]) for i, c in enumerate(columns)]
        row, out = (ctypes.c_double * len(cells))(*cells), (ctypes.c_double * width)()
        library.values(row, out)
        found.append(out[0] if model.regression else model.classes.tolist()[library.predict(row)])
        shares.append(out[0] if model.regression else list(out))
    return found, shares


C_SHELL = """
double place(int column, const char *text) { return bough_place(column, text); }
void values(const double *row, double *out) { bough_predict_values(row, out); }
"""


def cell_of(library, place, column, value):
    if value is None or value != value:
        return math.nan
    if not column.values:
        return float(value)
    same_type = [v for v in column.values if type(v) is type(value) or v is None]
    if value not in same_type:
        return -1.0
    return library.place(place, c_source.text_of(value).encode())


LINKS = {
    "identity": lambda raw: raw[0],
    "exp": lambda raw: np.exp(raw[0]),
    "logistic": lambda raw: [1 / (1 + np.exp(raw[0])), 1 / (1 + np.exp(-raw[0]))],
    "softmax": lambda raw: np.exp(raw - raw.max()) / np.exp(raw - raw.max()).sum(),
}


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
        if "link" in found:
            raw = list(found["start"])
            for i, e in enumerate(ends):
                raw[i % len(raw)] += sum(n["value"] * w for n, w in e)
            said = LINKS[found["link"]](np.array(raw))
            out.append(float(said) if found["classes"] is None else found["classes"][int(np.argmax(said))])
            continue
        if found["classes"] is None:
            said = [sum(value_of(n, numbers) * w for n, w in e) for e in ends]
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


def value_of(node, numbers):
    """The number that a node predicts."""
    if "model" not in node:
        return node["value"]
    m = node["model"]
    known = [slope * (numbers[c] - center) for c, slope, center in m["terms"] if numbers[c] is not None]
    return min(max(m["offset"] + sum(known), m["low"]), m["high"])


def ends_of(nodes, columns, x, numbers):
    """The nodes of a tree in which a row ends, with the part of it that does."""
    waiting, found = [(0, 1.0)], []
    while waiting:
        at, part = waiting.pop()
        node = nodes[at]
        if "terms" in node:
            lanes = [0.0] * 8
            gap = node["missing"] is not None and any(numbers[c] is None for c, _, _, *v in node["terms"] if not v)
            for i, (c, w, m, *v) in enumerate(node["terms"]):
                if v:
                    lanes[i % 8] += w if x[c] == columns[c]["values"][v[0]] else 0.0
                else:
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
    """Equal bit by bit; sums of parts of rows and of lines, up to the order in which they are added."""
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
    # powers of e are rounded as each machine does it
    exact = model.missing != "shared" and model.boosting is None and not any(t.linear for t in model.trees)
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
    if shutil.which("node"):
        ask("javascript", lambda: javascript_answers(model, X[:few]))
    if shutil.which("gcc"):
        ask("c", lambda: c_answers(model, X[:few]))
    expected = model.predict(X)
    wrong = [name for name, told in found.items() if not same(told, expected, exact)]
    if model.regression:
        return wrong
    expected = model.predict_proba(X)
    return wrong + [f"{n} shares" for n, told in shares.items() if told is not None and not same(told, expected, exact)]


def check(model, X):
    assert differing(model, X) == []
