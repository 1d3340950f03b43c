"""The quick way in for tables of plain numbers: the same trees, answers and errors as the way by narwhals, sooner."""

from __future__ import annotations

import time
import timeit

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from bough import DataError, TreeClassifier, TreeRegressor
from bough.tables import frame, native

TYPES = ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]


def random_columns(rng, n):
    """Columns of all plain types, some of them with gaps, large whole numbers or infinity."""
    columns = {}
    for i in range(rng.integers(1, 6)):
        kind = np.dtype(rng.choice(TYPES))
        x = rng.integers(0, 2 if kind.kind == "b" else 100, n).astype(kind)
        trouble = rng.random()
        if kind.kind == "f" and trouble < 0.3:
            x[rng.integers(n)] = np.nan
        elif kind.kind == "f" and trouble < 0.33:
            x[rng.integers(n)] = np.inf
        elif kind.itemsize == 8 and kind.kind in "iu" and trouble < 0.3:
            x[rng.integers(n)] = 2**53 + rng.integers(-1, 2)
        columns[f"c{i}"] = x
    return columns


def as_polars(columns):
    return pl.DataFrame({k: pl.Series(k, v) for k, v in columns.items()})


def with_nulls(rng, table):
    """The same with a null somewhere."""
    return table.with_columns(
        pl.when(pl.int_range(pl.len()) == int(rng.integers(table.height))).then(None).otherwise(pl.first()).alias("c0")
    )


def outcome(make):
    try:
        return make()
    except Exception as e:
        return type(e), str(e)


def fitted(table, y):
    tree = TreeClassifier(max_depth=4).fit(table, y)
    return tree.model_.to_bytes(), tree.predict(table).tolist(), tree.model_.predict(table).tolist()


@pytest.mark.parametrize("seed", range(60))
def test_the_quick_way_and_the_way_by_narwhals_agree(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    columns = random_columns(rng, n)
    y = rng.integers(0, 2, n)
    tables = [pd.DataFrame(columns), as_polars(columns), pa.table(columns), with_nulls(rng, as_polars(columns))]
    tables.append(tables[-1].to_arrow())
    quick = [outcome(lambda t=t: fitted(t, y)) for t in tables]
    monkeypatch.setattr(frame, "numbers_of", lambda x: None)
    assert quick == [outcome(lambda t=t: fitted(t, y)) for t in tables]


def test_plain_tables_of_all_three_libraries_go_the_quick_way():
    columns = {t: np.arange(4).astype(t) for t in TYPES}
    for table in (pd.DataFrame(columns), as_polars(columns), pa.table(columns)):
        found = native.numbers_of(table)
        assert found.names == TYPES
        assert found.flags == [t == "?" for t in TYPES]
        assert np.array_equal(found.matrix, np.column_stack([columns[t].astype(float) for t in TYPES]))


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]),
        pd.DataFrame([[1.0, 2.0]], columns=["a", 3]),
        pd.DataFrame([[1.0, 2.0]]),
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        pd.DataFrame({"a": [2**53 + 1, 0]}),
        pd.DataFrame([[1.0]], columns=pd.Index(["\ud800"], dtype=object)),
        pd.DataFrame({"a": []}),
        pl.DataFrame({"a": [True, None]}),
        pa.table({"a": pa.array([1.0]).dictionary_encode()}),
        np.ones((2, 2)),
        [[1.0]],
    ],
    ids=lambda t: type(t).__name__,
)
def test_whatever_is_not_plain_goes_the_other_way(table):
    assert native.numbers_of(table) is None


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_columns_are_matched_by_name_and_others_left_aside(make):
    X, y = load_iris(return_X_y=True)
    named = dict(zip("abcd", X.T.copy(), strict=True))
    model = TreeClassifier().fit(make(named), y).model_
    shuffled = make({"z": np.ones(len(y)), **{k: named[k] for k in "dbca"}})
    assert np.array_equal(model.predict(shuffled), model.predict(X))
    with pytest.raises(DataError, match=r"lacks 1 column\(s\) of the training table: 'b'"):
        model.predict(make({k: named[k] for k in "acd"}))
    with pytest.raises(DataError, match="infinity.*column 'c', row 5"):
        model.predict(make({**named, "c": np.where(np.arange(150) == 5, np.inf, named["c"])}))


@pytest.mark.parametrize(
    "make",
    [pd.Series, pl.Series, pa.array, lambda y: pa.chunked_array([y])],
    ids=["pandas", "polars", "array", "chunked"],
)
def test_answers_may_be_a_column_of_any_library(make):
    X, y = load_iris(return_X_y=True)
    assert TreeClassifier().fit(X, make(y)).model_ == TreeClassifier().fit(X, y).model_
    assert TreeRegressor().fit(X, make(y.astype(float))).model_ == TreeRegressor().fit(X, y.astype(float)).model_
    assert TreeClassifier().fit(X, make(y > 0)).model_ == TreeClassifier().fit(X, y > 0).model_


def test_names_that_differ_from_training_are_still_told():
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = TreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        tree.predict(X[X.columns[::-1]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        tree.predict(X.to_numpy())


def least_time(call, number):
    call()
    return min(timeit.repeat(call, number=number, repeat=7, timer=time.process_time))


def test_a_row_of_a_frame_is_predicted_in_half_of_scikit_learns_time():
    X, y = load_iris(return_X_y=True, as_frame=True)
    ours, theirs, row = TreeClassifier().fit(X, y), DecisionTreeClassifier().fit(X, y), X[:1]
    assert least_time(lambda: ours.predict(row), 40) < 0.5 * least_time(lambda: theirs.predict(row), 40)


def test_a_wide_frame_is_read_in_the_time_of_a_few_copies():
    X = np.random.default_rng(0).normal(size=(1000, 500))
    table = pd.DataFrame(X, columns=[f"c{i}" for i in range(500)])
    assert least_time(lambda: frame.read(table, "from_dtype"), 5) < 5 * least_time(lambda: X.T.copy(), 5) + 0.005
