"""SQL runs in SQLite, DuckDB and PostgreSQL: whatever columns and tables are called, however many classes there are,
and each number is the number of the model."""

from __future__ import annotations

import random
import sqlite3
import struct
import sys

import numpy as np
import pandas as pd
import pytest

import bough
from bough.output import sql
from bough.output.lower import lowered
from bough.output.sql_dialect import Dialect
from support.databases import KEY, duckdb_rows, postgresql_rows, sqlite_rows
from support.elsewhere import same, table

WORDS = [
    *("true", "false", "null", "current_date", "rowid", "_rowid_", "oid", "select", "user", "case", "t", "T2", "data"),
    *("stage0", "stage", "node0", "column0", "column1", "key0", "share0", "cost0", "limit", "rounded0", "prediction"),
    *("nan", "infinity", "Row", "main", "excluded", "default", "?1", ":a", "$1", "%s"),
]
NAMES = [
    *WORDS,
    'a"b',
    "a'b",
    "a`b",
    "[a]",
    "a;--",
    "/* a */",
    "a\nb",
    "a\tb",
    "\\",
    " ",
    "\u00a0",
    "ı",
    "ſ",
    "a.b",
    "е",
]
DATABASES = {"sqlite": sqlite_rows, "duckdb": duckdb_rows, "postgresql": postgresql_rows}
HOW = {
    "shared": lambda: bough.TreeClassifier(missing="shared"),
    "surrogates": lambda: bough.TreeClassifier(missing="surrogate"),
    "deep": lambda: bough.TreeClassifier(split="random", random_state=0),
    "sums": lambda: bough.TreeClassifier(split="lda", missing="shared", max_depth=4),
    "forest": lambda: bough.ForestClassifier(5, random_state=0),
    "costs": lambda: bough.ForestClassifier(5, random_state=0, costs=[[0, 1, 9], [5, 0, 1], [0.5, 20, 0]]),
}


def named_table(names, n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, len(names))).round(2), columns=names)
    X = X.mask(rng.random(X.shape) < 0.03)
    X[names[0]] = rng.random(n) < 0.5
    X[names[1]] = np.where(rng.random(n) < 0.1, None, rng.choice(["true", "a'b", "null", "%s", "\\", ""], n))
    X[names[1]] = X[names[1]].astype(object)
    noise = rng.normal(size=n)
    return X, np.digitize(X[names[2]].fillna(0) + X[names[0]] - X[names[3]].fillna(0) + noise, [0, 1])


def checked(model, X, rows_of, **options):
    rows = sorted(rows_of(model, X, proba=True, key=KEY, **options))
    assert [r[0] for r in rows] == list(range(len(X)))
    assert [r[1] for r in rows] == model.predict(X).tolist()
    assert same([r[2:] for r in rows], model.predict_proba(X), model.missing != "shared")


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("how", HOW)
def test_columns_may_be_called_anything_in_every_stage(how, database):
    X, y = named_table(NAMES[:: -1 if how in ("sums", "forest") else 1])
    checked(HOW[how]().fit(X, y).model_, X, DATABASES[database])


@pytest.mark.parametrize("name", ["true", "false", "null", "rowid"])
def test_a_column_called_true_is_a_column_in_the_second_stage_of_sqlite(name):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": np.arange(200.0), name: rng.permutation(200)})
    y = rng.integers(0, 3, 200)
    for missing in ("either", "shared"):
        model = bough.TreeClassifier(missing=missing).fit(X, y).model_
        assert model.tree.max_depth > sql.LEVELS
        checked(model, X, sqlite_rows)


def test_a_column_that_the_table_lacks_is_an_error_in_sqlite_and_no_text():
    model = bough.TreeClassifier().fit(pd.DataFrame({"a": [0.0, 1.0]}), [0, 1]).model_
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE data (b)")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        connection.execute(model.to_sql(dialect="sqlite"))


@pytest.mark.parametrize("database", DATABASES)
def test_a_table_may_be_called_as_a_stage_is(database):
    X, y = named_table(["flag", "text", "a", "b"], 60)
    model = bough.TreeClassifier().fit(X, y).model_
    for name in ("stage_0", "stage0", "Stage__1", "stage", "t", "data t", 'a"b', "a.b"):
        checked(model, X, DATABASES[database], table=name)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_names_that_a_database_takes_for_one_are_refused(dialect):
    model = bough.TreeClassifier().fit(pd.DataFrame({"a": [0.0, 0.0], "A": [0.0, 1.0]}), [0, 1]).model_
    with pytest.raises(bough.DataError, match="'a' and 'A' differ in upper and lower case only"):
        model.to_sql(dialect=dialect)
    assert model.to_sql(dialect="postgresql")


def test_names_that_postgresql_cuts_off_or_keeps_for_itself_are_refused():
    """It would read one column for both, or its own."""
    long = "x" * 63
    for names, words in (([f"{long}1", f"{long}2"], "differ after 63 bytes only"), (["a", "ctid"], "keeps for itself")):
        model = bough.TreeClassifier().fit(pd.DataFrame(dict(zip(names, ([0.0, 0.0], [0.0, 1.0])))), [0, 1]).model_
        with pytest.raises(bough.DataError, match=words):
            model.to_sql(dialect="postgresql")
        assert model.to_sql(dialect="sqlite")


@pytest.mark.parametrize("missing", ["either", "surrogate", "shared"])
@pytest.mark.parametrize("database", DATABASES)
def test_what_lies_below_a_split_of_known_and_missing_is_walked_in_stages(database, missing):
    """The side of an ordered column's missing values belongs to no value of it."""
    rng = np.random.default_rng(0)
    a = rng.permutation(500)
    gone = a % 5 == 0
    X = pd.DataFrame({"size": pd.Categorical(np.where(gone, None, "s"), ["s", "m"], ordered=True), "a": a // 5 * 1.0})
    X["b"] = np.where(gone, rng.permutation(500), 0.0)
    X = pd.concat([X, X.assign(b=X["b"] + 500.0 * gone)], ignore_index=True)
    y = np.where(gone, rng.integers(0, 3, 500), rng.integers(0, 3, 100)[a // 5])
    y = np.concatenate([y, np.where(gone, rng.integers(0, 3, 500), y)])
    model = bough.TreeClassifier(missing=missing).fit(X, y).model_
    nodes = model.nodes()
    paths = [len(nodes.path(i)) - 1 for i in range(len(nodes))]
    assert sql.depths_of(lowered(model).trees[0])[: len(nodes)] == paths
    assert max(paths) > sql.LEVELS
    checked(model, X, DATABASES[database])


def test_names_and_values_that_no_database_takes_are_refused():
    empty = bough.TreeClassifier().fit(pd.DataFrame({"": [0.0, 1.0]}), [0, 1]).model_
    assert empty.to_sql(dialect="sqlite")
    zero = bough.TreeClassifier().fit(pd.DataFrame({"a\0b": [0.0, 1.0]}), [0, 1]).model_
    mixed = pd.DataFrame({"a": pd.Categorical([1, "a", 1, "a"], categories=[1, "a"])})
    mixed = bough.TreeClassifier().fit(mixed, [0, 1, 0, 1]).model_
    assert mixed.to_sql(dialect="sqlite")
    for dialect in ("ansi", "duckdb", "postgresql"):
        for model, words in ((empty, "empty name"), (zero, "zero character"), (mixed, "text beside numbers")):
            with pytest.raises(bough.DataError, match=words):
                model.to_sql(dialect=dialect)


# ---- numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("database", DATABASES)
def test_means_of_forests_and_flags_are_the_same_to_the_last_bit(database):
    X, _, score = table(300, 5)
    X["flag"] = np.random.default_rng(0).random(300) < 0.5
    score = score / 3 + X["flag"].to_numpy()
    rows_of = DATABASES[database]
    for make in (bough.ForestRegressor(7, random_state=0), bough.TreeRegressor(split="pca", max_depth=6)):
        model = make.fit(X, score).model_
        told = [r[0] for r in rows_of(model, X)]
        assert told == model.predict(X).tolist()


def doubles(n, seed):
    draw = random.Random(seed)
    for _ in range(n):
        yield draw.gauss(0, 1)
        yield round(draw.gauss(0, 100), draw.randint(0, 6))
        yield draw.randint(1, 99) / draw.randint(1, 999)
        yield struct.unpack("d", struct.pack("Q", draw.getrandbits(63) % (2047 << 52)))[0]
        yield -struct.unpack("d", struct.pack("Q", draw.getrandbits(draw.randint(1, 52))))[0]
    yield from (0.0, -0.0, sys.float_info.min, 5e-324, sys.float_info.max, 2.0**53, 2.0**53 + 2, 1e22, 1e23, 8.41e21)


def test_sqlite_reads_every_number_as_it_is():
    connection, dialect = sqlite3.connect(":memory:"), Dialect("sqlite")
    for x in doubles(3000, 0):
        (found,) = connection.execute(f"SELECT {dialect.number(x)}").fetchone()
        assert struct.pack("d", found + 0.0) == struct.pack("d", x + 0.0), x
    assert dialect.number(2.45) == "2.45e0"
    assert connection.execute(f"SELECT {dialect.number(float('inf'))}").fetchone() == (float("inf"),)


@pytest.mark.parametrize("database", DATABASES)
def test_a_sum_beyond_float64_goes_where_predict_sends_it(database):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    rows = pd.DataFrame({"a": [1.7e308, -1.7e308, 1.7e308, 0.0], "b": [1.7e308, 1.7e308, -1.7e308, 0.0]})
    for slope in (1, -1):
        for missing in ("either", "shared", "surrogate"):
            X.iloc[:80, 0] = np.nan if slope == 1 else X.iloc[:80, 0]
            y = (9 * X["a"].fillna(3) + 7 * slope * X["b"] > 0).astype(int)
            model = bough.TreeClassifier(split="lda", missing=missing, max_depth=3).fit(X, y).model_
            if database == "postgresql":  # which refuses such sums
                with pytest.raises(RuntimeError, match="out of range"):
                    postgresql_rows(model, rows)
            else:
                assert [r[0] for r in DATABASES[database](model, rows)] == model.predict(rows).tolist()


# ---- many classes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("database", DATABASES)
def test_a_forest_of_1200_classes_is_asked_in_stages(database):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(2400, 3)), columns=list("abc"))
    y = np.arange(2400) % 1200
    model = bough.ForestClassifier(3, random_state=0, max_depth=7).fit(X, y).model_
    assert len(model.to_sql(dialect="sqlite")) < 3_000_000
    rows = DATABASES[database](model, X[:200])
    assert [r[0] for r in rows] == model.predict(X[:200]).tolist()


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("classes", [1, 2, 100, 101])
def test_the_first_of_the_largest_shares_counts_for_any_number_of_classes(database, classes):
    X = pd.DataFrame({"a": np.arange(500.0) // 2, "b": np.arange(500.0) % 7})
    y = np.arange(500) % classes
    dear = {"costs": 1.0 - np.eye(classes)} if classes in (2, 101) else {}
    for more in ({}, dear if database != "duckdb" or classes < 100 else {}):  # its plans take a time cubic in these
        model = bough.ForestClassifier(2, random_state=0, max_depth=4, **more).fit(X, y).model_
        assert [r[0] for r in DATABASES[database](model, X)] == model.predict(X).tolist()


def test_more_classes_than_databases_take_are_refused_with_the_way_out():
    X, y = np.arange(3600.0)[:, None], np.arange(3600) % 1800
    model = bough.ForestClassifier(2, random_state=0, max_depth=3).fit(X, y).model_
    with pytest.raises(bough.DataError, match="1,800 columns.*to_onnx"):
        model.to_sql()
    model = bough.ForestClassifier(2, random_state=0, max_depth=3, costs=1 - np.eye(950)).fit(X, y % 950).model_
    with pytest.raises(bough.DataError, match="950 classes with costs.*to_onnx"):
        model.to_sql()


# ---- keys -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("how", ["deep", "shared", "forest", "costs"])
def test_a_key_and_the_class_stand_before_the_shares(how, database):
    X, y = named_table(["flag", "text", "c", "d", "id"])
    X["id"] = np.arange(len(X)) * 7.0
    model = HOW[how]().fit(X, y).model_
    rows = DATABASES[database](model, X, proba=True, key=[KEY, "id"])
    assert {len(r) for r in rows} == {2 + 1 + 3}
    assert [r[:2] for r in sorted(rows)] == [(i, 7.0 * i) for i in range(len(X))]
    assert '"Row Number",\n' in model.to_sql(key=[KEY, "id"]).rsplit("SELECT", 1)[1]


def test_rows_of_several_threads_are_known_by_their_key():
    duckdb = pytest.importorskip("duckdb")
    X, y, _ = table(3000, 1)
    model = bough.ForestClassifier(2, random_state=0, max_depth=4).fit(X, y).model_
    many = pd.concat([X] * 50, ignore_index=True).assign(id=range(150_000))
    connection = duckdb.connect(config={"threads": 2})
    connection.register("frame", many)
    connection.execute("CREATE TABLE data AS SELECT * FROM frame")
    rows = connection.execute(model.to_sql(dialect="duckdb", key="id")).fetchall()
    assert [r[1] for r in sorted(rows)] == model.predict(many).tolist()


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (1, "the name of a column"),
        ("", "the name of a column"),
        (["a", None], "the name of a column"),
        ("Prediction", "a column of the output has that name"),
        (["a", "A"], "name each column once"),
    ],
)
def test_a_key_that_is_none_is_refused(key, words):
    model = bough.TreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0]).model_
    if key == "":
        key = [""]
    with pytest.raises(bough.ParameterError, match=words):
        model.to_sql(key=key)
