"""Wrong parameters and strange tables by the hundred: each case by its name, and what its error has to say.

``bad_input.txt`` has the sentences whose wording matters, one of each kind; ``contract/test_bad_input.py`` holds the
library to them, and all cases to rules. ``python -m support.bad_input [CASE …]``, in the folder of the tests, writes
the sentences anew, and adds those of further cases. Read what changed before it is committed.
"""

from __future__ import annotations

import contextlib
import datetime
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

import bough
from bough import ForestClassifier, JoinColumns, Model, ParameterError, TreeClassifier, TreeRegressor
from bough.registry import plugins

TABLE = Path(__file__).resolve().parent.parent / "contract" / "bad_input.txt"

X = np.array([[0.0, 5.0], [1.0, 4.0], [2.0, 3.0], [3.0, 2.0], [4.0, 1.0], [5.0, 0.0]])
Y = np.array([0, 0, 0, 1, 1, 1])
TEXT = np.array([["a"], ["b"], ["c"], ["a"], ["b"], ["d"]], dtype=object)

Cases = Iterator[tuple[str, Callable[[], Any]]]


class Odd:
    """A thing that is nothing, and cannot be written out."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


# By how a case is called; values that are right for a parameter are refused by none and stand in the table as such.
VALUES: dict[str, Any] = {
    "None": None,
    "text": "zzz",
    "no text": "",
    "-1": -1,
    "0": 0,
    "1.5": 1.5,
    "nan": np.nan,
    "inf": np.inf,
    "True": True,
    "list": [1, 2],
    "array": np.array([1, 2]),
    "dict": {"zzz": 1},
    "10**400": 10**400,
    "1j": 1j,
    "odd": Odd(),
    "bytes": b"gini",
    "class": int,
}


def parameters() -> Cases:
    """Every parameter of the estimators with every kind of value."""
    for estimator, y in ((TreeClassifier, Y), (TreeRegressor, Y * 1.5)):
        for name in estimator().get_params():
            if estimator is TreeRegressor and name in TreeClassifier().get_params() and name != "criterion":
                values = ["text", "nan", "array", "odd"]
            else:
                values = list(VALUES)
            for v in values:
                given = {name: VALUES[v]}
                yield f"{estimator.__name__} {name}={v}", lambda e=estimator, g=given, y=y: e(**g).fit(X, y)


def forest_parameters() -> Cases:
    """What forests have and trees have not."""
    for name in ForestClassifier().get_params():
        if name not in TreeClassifier().get_params():
            for v in VALUES:
                given = {"n_estimators": 2, name: VALUES[v]}
                yield f"ForestClassifier {name}={v}", lambda g=given: ForestClassifier(**g).fit(X, Y)


def criterion_for(kind: str, name: str) -> dict[str, str]:
    """A criterion that goes with a plug-in."""
    for criterion in plugins()["criterion"]:
        with contextlib.suppress(ParameterError):
            TreeClassifier(criterion=criterion, **{kind: name}).fit(X, Y)
            return {"criterion": criterion}
    return {}


def plugin_parameters() -> Cases:
    """Every parameter of every plug-in with values beyond its limits and of other types."""
    for kind in ("split", "nominal", "selector", "prune"):
        for plugin in plugins()[kind].values():
            if plugin.traits.get("function"):
                continue
            part = {kind: plugin.name} | criterion_for(kind, plugin.name)
            for p in plugin.params:
                values = {v: VALUES[v] for v in ("text", "nan", "array")}
                if p.type in ("integer", "real"):
                    values |= {} if p.high == math.inf else {"more": p.high + 1}
                    values |= {} if p.low == -math.inf else {"less": p.low - 1}
                for v, value in values.items():
                    given = part | {f"{kind}_params": {p.name: value}}
                    yield f"{kind} {plugin.name} {p.name}={v}", lambda g=given: TreeClassifier(**g).fit(X, Y)
            given = part | {f"{kind}_params": {"zzz": 1}}
            yield f"{kind} {plugin.name} zzz=1", lambda g=given: TreeClassifier(**g).fit(X, Y)


DAY = datetime.datetime(2020, 1, 1)
COLUMNS: dict[str, list[Any]] = {
    "dates": [DAY] * 6,
    "days": [DAY.date()] * 6,
    "durations": [datetime.timedelta(1)] * 6,
    "lists": [[1]] * 6,
    "dicts": [{"a": 1}] * 6,
    "bytes": [b"a"] * 6,
    "complex": [1j] * 6,
    "mixed": [1, "a", 2, "b", 3, "c"],
    "infinity": [np.inf] * 6,
    "beyond 2^53": [2**60 + i for i in range(6)],
    "10**400": [10**400] * 6,
    "sets": [{1}] * 6,
    "odd": [Odd()] * 6,
    "tuples": [(1, 2)] * 6,
    "half a character": ["\ud800"] * 6,
    "functions": [len] * 6,
    "arrays": [np.zeros(2)] * 6,
    "decimals": [Decimal("1.5")] * 6,
    "nothing": [None] * 6,
    "signalling": [Decimal("sNaN")] * 6,
    "times": [DAY.time()] * 6,
    "ellipsis": [...] * 6,
}


def object_column(cells: list[Any]) -> np.ndarray:
    column = np.empty((len(cells), 1), dtype=object)
    for i, c in enumerate(cells):
        column[i, 0] = c
    return column


TABLES: dict[str, Callable[[list[Any]], Any]] = {
    "list": lambda cells: [[c] for c in cells],
    "objects": object_column,
    "pandas": lambda cells: pd.DataFrame({"a": pd.Series(object_column(cells)[:, 0], dtype=object)}),
    "polars": lambda cells: pl.DataFrame({"a": pl.Series(cells)}),
    "pyarrow": lambda cells: pa.table({"a": pa.array(cells)}),
}


def tables() -> Cases:
    """Every kind of table with every kind of column, to grow on and to predict."""
    numeric, nominal = TreeClassifier().fit(X[:, :1], Y), TreeClassifier().fit(TEXT, Y)
    for kind, make in TABLES.items():
        for name, cells in COLUMNS.items():
            if (kind, name) == ("polars", "signalling"):  # polars panics
                continue
            try:
                table = make(cells)
            except Exception:  # the library has no such column
                continue
            yield f"fit {kind} of {name}", lambda t=table: TreeClassifier().fit(t, Y)
            nominal_too = TreeClassifier(categorical_features=[0])
            yield f"fit {kind} of {name} as nominal", lambda t=table, e=nominal_too: e.fit(t, Y)
            if kind in ("objects", "pandas"):
                yield f"predict numbers from {kind} of {name}", lambda t=table: numeric.predict(t)
                yield f"predict text from {kind} of {name}", lambda t=table: nominal.predict(t)


WHOLE_TABLES: dict[str, Any] = {
    "None": None,
    "a number": 3,
    "text": "iris",
    "one column": X[:, 0],
    "a cube": X[None],
    "no rows": X[:0],
    "no columns": X[:, :0],
    "ragged": [[1], [1, 2]],
    "dicts": [{"a": 1}] * 6,
    "a dict": {"a": [1]},
    "a set": {1, 2},
    "sparse": sparse.csr_matrix(X),
    "dates": np.array([["2020-01-01"]] * 6, dtype="M8[D]"),
    "records": np.zeros(6, dtype=[("a", "f8")]),
    "void": np.zeros((6, 1), dtype="V4"),
    "lazy": pl.LazyFrame({"a": [1]}),
    "same names": pd.DataFrame(X, columns=["a", "a"]),
    "same arrow names": pa.table([[1], [2]], names=["a", "a"]),
    "names of two kinds": pd.DataFrame(X, columns=["a", 1]),
    "a series": pd.Series(Y),
    "a function": len,
    "an empty frame": pd.DataFrame(),
    "bytes": np.array([[b"a"]] * 6),
    "odd": Odd(),
    "other length": X[:4],
    "structs": pl.DataFrame({"a": [{"x": 1}] * 6}),
    "arrow lists": pa.table({"a": [[1]] * 6}),
    "half a name": pd.DataFrame(X, columns=pd.Index(["\ud800", "b"], dtype=object)),
}


def whole_tables() -> Cases:
    tree = TreeClassifier().fit(X, Y)
    frame = TreeClassifier().fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    for name, table in WHOLE_TABLES.items():
        yield f"fit {name}", lambda t=table: TreeClassifier().fit(t, Y)
        yield f"predict {name}", lambda t=table: tree.predict(t)
        yield f"model predict {name}", lambda t=table: frame.model_.predict(t)
        yield f"join {name}", lambda t=table: JoinColumns([(0, 1)]).fit(t)


TARGETS: dict[str, Any] = {
    "None": None,
    "a number": 3,
    "text": "abc",
    "too short": Y[:3],
    "empty": [],
    "a matrix": X,
    "nan": [0, 1, np.nan] * 2,
    "inf": [0, 1, np.inf] * 2,
    "None in it": [0, 1, None] * 2,
    "mixed": [0, "a"] * 3,
    "lists": [[1]] * 6,
    "dates": [DAY] * 6,
    "numpy dates": np.array(["2020-01-01"] * 6, dtype="M8[D]"),
    "complex": [1j] * 6,
    "bytes": np.array([b"a", b"b"] * 3),
    "fractions": [0.5, 1.5, 2.25] * 2,
    "long double": np.array(Y, dtype=np.longdouble),
    "decimals": [Decimal(1), Decimal(2)] * 3,
    "10**400": [10**400, 1] * 3,
    "half a character": ["\ud800", "b"] * 3,
    "masked": np.ma.array(Y, mask=[1, 0, 0, 0, 0, 0]),
    "odd": [Odd()] * 6,
    "sparse": sparse.csr_matrix(Y),
    "dict": {"a": 1},
}
WEIGHTS: dict[str, Any] = {
    "text": "abc",
    "texts": ["a"] * 6,
    "short": [1.0],
    "negative": [-1.0] * 6,
    "nan": [np.nan] * 6,
    "inf": [np.inf] * 6,
    "zero": [0.0] * 6,
    "a matrix": X,
    "10**400": [10**400] * 6,
    "odd": Odd(),
    "None in it": [1, None] * 3,
    "dict": {},
    "masked": np.ma.array(Y, mask=[1, 0, 0, 0, 0, 0]),
    "too heavy": [1e308] * 6,
    "complex": [1j] * 6,
}


def targets() -> Cases:
    for estimator in (TreeClassifier, TreeRegressor):
        for name, y in TARGETS.items():
            yield f"{estimator.__name__} y={name}", lambda e=estimator, y=y: e().fit(X, y)
        for name, w in WEIGHTS.items():
            yield f"{estimator.__name__} sample_weight={name}", lambda e=estimator, w=w: e().fit(X, Y, w)


def costs() -> Cases:
    given: dict[str, Any] = {
        "of another size": np.zeros((3, 3)),
        "negative": [[0, -1], [-1, 0]],
        "one way": [[0, 1], [2, 0]],
        "zero": [[0, 0]] * 2,
        "of itself": [[1, 1], [1, 1]],
        "nan": [[0, np.nan], [np.nan, 0]],
        "no pair": {0: 1},
        "unknown": {(0, 7): 1},
        "text": {(0, 1): "a"},
        "twice": {(0, 1): 1, (1, 0): 2},
        "lists": {(0, (1,)): 1},
        "10**400": {(0, 1): 10**400},
    }
    for name, c in given.items():
        yield f"costs {name}", lambda c=c: TreeClassifier(costs=c).fit(X, Y)
    for name in ("text", "list", "array", "odd", "dict", "10**400", "True"):
        yield f"class_weight of a class={name}", lambda v=VALUES[name]: TreeClassifier(class_weight={0: v}).fit(X, Y)
        yield (
            f"categorical_features=[{name}]",
            lambda v=VALUES[name]: TreeClassifier(categorical_features=[v]).fit(X, Y),
        )


def calls() -> Cases:
    """Everything else that takes an argument."""
    tree = TreeClassifier().fit(X, Y)
    model, frame = tree.model_, TreeClassifier().fit(pd.DataFrame(X, columns=["a", "b"]), Y).model_
    for name, v in VALUES.items():
        yield f"show max_depth={name}", lambda v=v: model.show(max_depth=v)
        yield f"show digits={name}", lambda v=v: model.show(digits=v)
        yield f"show max_values={name}", lambda v=v: model.show(max_values=v)
        yield f"show p_values={name}", lambda v=v: model.show(p_values=v)
        yield f"rules digits={name}", lambda v=v: list(model.rules(digits=v))
        yield f"why {name}", lambda v=v: model.why(v)
        yield f"why digits={name}", lambda v=v: model.why([1, 2], digits=v)
        yield f"from_bytes {name}", lambda v=v: Model.from_bytes(v)
        yield f"system {name}", lambda v=v: bough.system(v)
        yield f"partition {name}", lambda v=v: bough.partition(v)
        yield f"partition search={name}", lambda v=v: bough.partition([[1, 2], [2, 1]], search=v)
        yield f"partition random_state={name}", lambda v=v: bough.partition([[1, 2], [2, 1]], random_state=v)
        yield f"directions {name}", lambda v=v: bough.directions(v)
        yield f"directions that return {name}", lambda v=v: fit_with(bough.directions(lambda X, y, w: v))
        yield f"partitioner that returns {name}", lambda v=v: fit_with(bough.partitioner(lambda table: v))
        yield f"join columns={name}", lambda v=v: JoinColumns(v).fit(TEXT)
        yield f"join group={name}", lambda v=v: JoinColumns([v]).fit(TEXT)
        yield f"join separator={name}", lambda v=v: JoinColumns([(0, 1)], separator=v).fit(np.hstack([TEXT, TEXT]))
        yield f"join keep={name}", lambda v=v: JoinColumns([(0, 1)], keep=v).fit(np.hstack([TEXT, TEXT]))
        yield f"nodes {name}", lambda v=v: model.nodes()[v]
        yield f"nodes of tree {name}", lambda v=v: model.nodes(v)
        yield f"children of {name}", lambda v=v: tree.tree_.children(v)
        yield f"apply threads={name}", lambda v=v: model.apply(X, v)
        yield f"p_values of {name}", lambda v=v: model.p_values(v)
        yield f"to_sql table={name}", lambda v=v: model.to_sql(v)
        yield f"to_sql dialect={name}", lambda v=v: model.to_sql("t", v)
        yield f"to_json indent={name}", lambda v=v: model.to_json(indent=v)
        yield f"report target={name}", lambda v=v: model.report(target=v)
        yield f"report X={name}", lambda v=v: model.report(v)
        if not isinstance(v, str):
            yield f"load {name}", lambda v=v: bough.load(v)
            yield f"save {name}", lambda v=v: model.save(v)
    yield "why a short row", lambda: model.why([1])
    yield "why a row that lacks a column", lambda: frame.why({"a": 1})
    yield "why two rows", lambda: model.why(X[:2])
    yield "why text for a number", lambda: model.why(["a", "b"])
    yield "an unfitted estimator", lambda: TreeClassifier().predict(X)
    yield "an unfitted estimator saved", lambda: TreeClassifier().save("m.bough")
    yield "a system with an unknown parameter", lambda: bough.system("cart", max_dept=3)


def fit_with(part: Any) -> Any:
    if part.kind == "split":
        return TreeClassifier(split=part).fit(X, Y)
    return TreeClassifier(nominal=part).fit(TEXT, Y)


def cases() -> Cases:
    for some in (parameters, forest_parameters, plugin_parameters, tables, whole_tables, targets, costs, calls):
        yield from some()


def answer(call: Callable[[], Any]) -> Exception | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except Exception as e:
        return e
    return None


def said(call: Callable[[], Any]) -> str:
    """What a case says, on one line: its error and the sentence, or that it is fine."""
    error = answer(call)
    if error is None:
        return "fine"
    text = re.sub(r"0x[0-9a-f]+", "0x…", str(error)).replace("\n", "\\n")
    text = re.sub(r"(Known|It takes|goes with criterion)[: ].*", r"\1 …", text)  # lists that grow with the plug-ins
    return f"{type(error).__name__}: {text}".encode(errors="backslashreplace").decode()


# ---- sentences whose wording matters --------------------------------------------------------------------


def table() -> dict[str, str]:
    """What bad_input.txt says of each of its cases."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {name.strip(): sentence for sentence, name in zip(lines[::2], lines[1::2], strict=True)}


def main() -> None:
    calls = dict(cases())
    chosen = sorted({*table(), *sys.argv[1:]}, key=list(calls).index)
    TABLE.write_text("".join(f"{said(calls[name])}\n  {name}\n" for name in chosen), encoding="utf-8")
    print(f"{len(chosen)} sentences in {TABLE.name}")


if __name__ == "__main__":
    main()
