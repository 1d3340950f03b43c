"""Ordered categories: cut in their order, printed by their names, whatever library they come from."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bough
from bough import DataError, TreeClassifier, TreeRegressor
from bough.model.model import Model
from bough.output.text import show
from support.command import failing, run
from support.elsewhere import check

LEVELS = ["small", "medium", "large", "huge"]


def cells(seed=0, n=120, missing=0.1):
    rng = np.random.default_rng(seed)
    size = np.array(LEVELS, dtype=object)[rng.integers(0, 4, n)]
    y = np.isin(size, ["large", "huge"]).astype(int) ^ (rng.random(n) < 0.1)
    size[rng.random(n) < missing] = None
    return size.tolist(), rng.normal(size=n).tolist(), y.tolist()


def tables(size, x):
    yield "pandas", pd.DataFrame({"size": pd.Categorical(size, LEVELS, ordered=True), "x": x})
    yield "polars", pl.DataFrame({"size": pl.Series(size, dtype=pl.Enum(LEVELS)), "x": x})
    codes = pa.array([None if s is None else LEVELS.index(s) for s in size], pa.int8())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(LEVELS), ordered=True)
    yield "arrow", pa.table({"size": column, "x": x})


def test_every_library_gives_the_same_tree_as_numbers_in_that_order():
    size, x, y = cells()
    numbers = pd.DataFrame({"size": [np.nan if s is None else float(LEVELS.index(s)) for s in size], "x": x})
    plain = TreeClassifier(min_samples_leaf=3).fit(numbers, y)
    for name, X in tables(size, x):
        tree = TreeClassifier(min_samples_leaf=3).fit(X, y)
        assert tree.model_.schema.columns[0].kind == "ordinal", name
        assert tree.model_.schema.columns[0].values == tuple(LEVELS), name
        assert (tree.apply(X) == plain.apply(numbers)).all(), name
        assert (tree.predict(X) == plain.predict(numbers)).all(), name


def test_a_split_is_written_by_the_names():
    size, _, y = cells(missing=0)
    X = pd.DataFrame({"size": pd.Categorical(size, LEVELS, ordered=True)})
    tree = TreeClassifier(max_depth=1).fit(X, y)
    assert tree.show().splitlines()[0] == "size <= medium"
    assert [r.conditions for r in tree.rules()] == [("size <= medium",), ("size > medium",)]
    assert "size" in tree.why(["large"])
    assert "size > medium" in tree.why(["large"])
    assert 'label="size <= medium' in tree.to_dot()
    deep = TreeRegressor().fit(X, [LEVELS.index(s) for s in size])
    assert any("small < size <= medium" in str(r) for r in deep.rules())
    ax = tree.plot()
    assert any("medium" in t.get_text() for t in ax.texts)


def test_the_user_can_name_an_order():
    size, x, y = cells(1)
    text = pd.DataFrame({"size": size, "x": x})
    typed = pd.DataFrame({"size": pd.Categorical(size, LEVELS, ordered=True), "x": x})
    a = TreeClassifier(ordinal_features={"size": LEVELS}).fit(text, y)
    b = TreeClassifier().fit(typed, y)
    assert a.model_ == b.model_
    assert (a.predict(text) == b.predict(typed)).all()
    array = np.array([size, x], dtype=object).T
    c = TreeClassifier(ordinal_features={0: LEVELS}).fit(array, y)
    assert (c.predict(array) == a.predict(text)).all()
    nominal = TreeClassifier(categorical_features=["size"]).fit(typed, y)
    assert nominal.model_.schema.columns[0].kind == "nominal"


def test_an_order_of_numbers():
    X = np.array([[3], [1], [2], [3], [1], [2]] * 5)
    y = [0, 0, 1, 0, 0, 1] * 5
    tree = TreeClassifier(ordinal_features={0: [1, 3, 2]}).fit(X, y)
    assert tree.show().splitlines()[0] == "x0 <= 3"
    assert tree.score(X, y) == 1


def test_unknown_and_missing_values_go_where_missing_ones_do(tmp_path):
    size, x, y = cells(2)
    tree = TreeClassifier(max_depth=2, ordinal_features={"size": LEVELS}).fit(pd.DataFrame({"size": size, "x": x}), y)
    strange = pd.DataFrame({"size": ["gigantic"] * 5, "x": x[:5]})
    gap = pd.DataFrame({"size": pd.Series([None] * 5, dtype=object), "x": x[:5]})
    assert (tree.apply(strange) == tree.apply(gap)).all()
    assert "gigantic" in tree.why({"size": "gigantic", "x": 0.0})


def test_levels_that_no_row_has_are_between_their_neighbours():
    X = pd.DataFrame({"size": pd.Categorical(["small", "huge"] * 10, LEVELS, ordered=True)})
    tree = TreeClassifier().fit(X, [0, 1] * 10)
    new = pd.DataFrame({"size": pd.Categorical(["small", "medium", "large", "huge"], LEVELS, ordered=True)})
    assert tree.predict(new).tolist() == [0, 0, 1, 1]
    assert tree.show().splitlines()[0] == "size <= medium"


def test_files_and_exports_keep_names(tmp_path):
    size, x, y = cells(3)
    X = pd.DataFrame({"size": pd.Categorical(size, LEVELS, ordered=True), "x": x})
    tree = TreeClassifier(max_depth=4).fit(X, y)
    tree.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    assert again == tree.model_
    assert (again.predict(X) == tree.predict(X)).all()
    assert again.show() == tree.show()
    told = tree.predict(X).tolist()
    rows = X.astype({"size": object}).where(X.notna(), None).to_dict("records")
    space = {}
    exec(again.to_python(), space)
    assert [space["predict"](r) for r in rows] == told
    base = sqlite3.connect(":memory:")
    X.astype({"size": object}).to_sql("data", base, index=False)
    assert [r[0] for r in base.execute(again.to_sql(dialect="sqlite"))] == told
    columns = json.loads(again.to_json())["columns"]
    assert columns[0] == {"name": "size", "kind": "ordinal", "values": LEVELS}
    page = again.report(X, y).page
    assert "medium" in page
    assert show(again) == again.show()


def test_onnx_takes_the_names():
    pytest.importorskip("onnx")
    reference = pytest.importorskip("onnx.reference")
    size, x, y = cells(4)
    X = pd.DataFrame({"size": pd.Categorical(size, LEVELS, ordered=True), "x": x})
    tree = TreeClassifier(max_depth=4).fit(X, y)
    text = np.array([["" if s is None else s] for s in size])
    found = reference.ReferenceEvaluator(tree.model_.to_onnx()).run(
        None, {"size": text, "x": np.array(x).reshape(-1, 1)}
    )
    assert found[0].tolist() == tree.predict(X).tolist()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("size", "must be a dict"),
        ({"colour": ["a"]}, "'colour', which is not a column"),
        ({7: ["a"]}, "7, which is not a column"),
        ({"size": "small"}, "a list of values in order"),
        ({"size": []}, "a list of values in order"),
        ({"size": ["small", "large"]}, "'medium', which its order lacks"),
        ({"size": [*LEVELS, "small"]}, "names 'small' twice"),
        ({"size": [object()]}, "must be a string or a number"),
    ],
)
def test_wrong_orders_are_refused_in_a_sentence(given, says):
    X = pd.DataFrame({"size": ["medium", *LEVELS], "x": range(5)})
    with pytest.raises((DataError, TypeError), match=says):
        TreeClassifier(ordinal_features=given).fit(X, [0, 1, 0, 1, 1])


def test_a_file_with_a_missing_level_is_refused():
    size, x, y = cells()
    model = TreeClassifier(ordinal_features={"size": LEVELS}).fit(pd.DataFrame({"size": size, "x": x}), y).model_
    from bough.errors import ModelFileError
    from bough.model.metadata import column_of

    assert Model.from_bytes(model.to_bytes()) == model
    for entry in (
        ["size", "ordinal", ["a", None]],
        ["size", "ordinal", []],
        ["size", "ordinal"],
        ["s", "order", ["a"]],
    ):
        with pytest.raises(ModelFileError):
            column_of(entry, 0)


@pytest.mark.parametrize("missing", ["either", "shared", "surrogate"])
@pytest.mark.parametrize("split", ["lda", "pca"])
def test_sums_count_places_here_and_elsewhere(split, missing):
    size, x, y = cells(5)
    X = pd.DataFrame({"size": size, "x": x})
    tree = TreeClassifier(split=split, max_depth=4, ordinal_features={"size": LEVELS}, missing=missing).fit(X, y)
    assert any(node.kind == "linear" for node in tree.model_.nodes())
    assert tree.score(X, y) > 0.7
    new = pd.concat([X, X.assign(size="enormous")])  # which the order lacks
    check(tree.model_, new)
    told = tree.why({"size": "large", "x": 0.25})
    assert "size = large" in told
    assert "= 0.25" in told
    unknown, missing = (tree.why({"size": value, "x": 0.25}) for value in ("enormous", None))
    assert unknown.replace("enormous", "missing") == missing


def test_the_command_takes_an_order(tmp_path):
    size, x, y = cells(6, missing=0)
    pd.DataFrame({"size": size, "x": x, "y": np.where(y, "b", "a")}).to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "m.bough"
    fit = ("fit", tmp_path / "t.csv", "--target", "y", "--max-depth", "1", "--out", out, "--force")
    code, _, err = run(*fit, "--ordered", "size=" + ",".join(LEVELS))
    assert code == 0, err
    assert bough.load(out).show().splitlines()[0] == "size <= medium"
    assert "it must be a column and its values in order" in failing(*fit, "--ordered", "size")[1]
    assert "which is not a column" in failing(*fit, "--ordered", "colour=a,b")[1]
