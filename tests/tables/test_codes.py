"""Codes of nominal columns: every library numbers its own values, and all say the same of the same cells."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough.tables import codes, frame

CELLS = st.lists(st.none() | st.sampled_from(["a", "b", "", "ä", "a "]) | st.text(max_size=3), min_size=1, max_size=40)


def forms(cells):
    """The same column in everything that can hold it."""
    half = len(cells) // 2
    text = pa.string()
    chunks = [pa.array(cells[:half], text), pa.array(cells[half:], text)]
    yield "object", np.array([*cells, None], dtype=object)[:-1]
    yield "pandas object", pd.Series(cells, dtype=object)
    yield "pandas string", pd.Series(cells, dtype="string")
    yield "pandas category", pd.Series(cells, dtype=object).astype("category")
    yield "polars", pl.Series(cells, dtype=pl.String)
    yield "polars categorical", pl.Series(cells, dtype=pl.Categorical)
    yield "polars enum", pl.Series(cells, dtype=pl.Enum(sorted({c for c in cells if c is not None} | {"unused"})))
    yield "arrow", pa.chunked_array(chunks)
    yield "arrow dictionary", pa.chunked_array([c.dictionary_encode() for c in chunks])


def coded(column):
    if isinstance(column, np.ndarray):
        return codes.of_array(column)
    return codes.of_series(nw.from_native(column, series_only=True))


@pytest.mark.parametrize("few_rows", [0, 10**6])
@given(cells=CELLS)
def test_codes_stand_for_the_cells_in_every_library(few_rows, cells):
    limit, codes.FEW_ROWS = codes.FEW_ROWS, few_rows
    try:
        for name, column in forms(cells):
            found = coded(column)
            assert [found.values[c] if c >= 0 else None for c in found.codes.tolist()] == cells, name
            assert sorted(found.present()) == sorted({c for c in cells if c is not None}), name
            assert len(set(found.values)) == len(found.values), name
    finally:
        codes.FEW_ROWS = limit


def test_a_slice_of_a_categorical_column_has_only_the_values_of_its_rows():
    table = pa.table({"c": pa.array(["p", "q", "r", None]).dictionary_encode()}).slice(1, 1)
    _, schema = frame.read(table, "from_dtype")
    assert schema.columns[0].values == ("q",)


def test_numbers_of_an_array_are_values_of_their_own_type():
    found = codes.of_array(np.array([7, 2**60 + 1, 7]))
    assert found.values == [7, 2**60 + 1]
    assert found.codes.tolist() == [0, 1, 0]
    found = codes.of_array(np.array([1.5, np.nan, -2.0, np.nan]))
    assert [found.values[c] if c >= 0 else None for c in found.codes.tolist()] == [1.5, None, -2.0, None]


def test_every_kind_of_nothing_is_missing():
    found = codes.of_array(np.array(["a", None, float("nan"), np.nan, pd.NA, "a"], dtype=object))
    assert found.values == ["a"]
    assert found.codes.tolist() == [0, -1, -1, -1, -1, 0]
