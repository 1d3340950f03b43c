"""Columns of pandas frames: the quick way and narwhals see the same in them."""

from __future__ import annotations

import time

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bough.errors import DataError
from bough.tables.frame import sources_of
from bough.tables.sources import FrameSource, PandasSource, pandas_sources

COLUMNS = {
    "numbers": [1.5, np.nan, -0.0, 3.0],
    "whole numbers": np.array([1, 2, 3, 4], dtype=np.int32),
    "large whole numbers": np.array([2**60, 2, 3, 4]),
    "flags": [True, False, True, True],
    "infinity": [1.0, np.inf, 2.0, 3.0],
    "text": ["b", "a", "ä", "b"],
    "text with missing values": ["b", None, "a", np.nan],
    "no text": pd.Series([None, None, None, None], dtype="str"),
    "objects": pd.Series(["b", None, "a", "b"], dtype=object),
    "nothing": pd.Series([None, np.nan, None, pd.NA], dtype=object),
    "objects that are numbers": pd.Series([1, 2.5, None, 4], dtype=object),
    "objects that are flags": pd.Series([True, None, False, True], dtype=object),
    "text and numbers": pd.Series(["a", 1, "b", 2], dtype=object),
    "categories": pd.Categorical(["b", "a", None, "b"], categories=["b", "a", "zzz"]),
    "ordered": pd.Categorical(["b", "a", None, "b"], categories=["b", "a", "zzz"], ordered=True),
    "numbers as categories": pd.Categorical([3, 1, 3, 2]),
    "no categories": pd.Categorical([None, None, None, None]),
    "many": pd.Series(["v" + str(i % 7) for i in range(500)]),
}


def seen(work):
    try:
        found = work()
    except DataError as e:
        return str(e)
    return [np.asarray(part).tolist() for part in found] if isinstance(found, tuple) else list(found)


@pytest.mark.parametrize("name", COLUMNS)
def test_the_quick_way_sees_what_narwhals_sees(name):
    table = pd.DataFrame({"a": COLUMNS[name]})
    made = []
    for make in (lambda: pandas_sources(table)[0], lambda: FrameSource("a", nw.from_native(table)["a"])):
        try:
            made.append(make())
        except DataError as e:
            made.append(str(e))
    quick, slow = made
    if isinstance(slow, str):
        assert quick == slow
        return
    assert type(quick) is PandasSource
    assert quick.kind == slow.kind
    assert list(quick.declared or []) == list(slow.declared or [])
    assert repr(seen(quick.numbers)) == repr(seen(slow.numbers))
    assert repr(seen(quick.items)) == repr(seen(slow.items))
    values = [[c.values[i] if i >= 0 else None for i in c.codes] for c in (quick.coded(), slow.coded())]
    assert repr(values[0]) == repr(values[1])


def test_what_may_be_refused_goes_by_narwhals():
    for table in (
        pd.DataFrame(np.zeros((2, 2)), columns=["a", "a"]),
        pd.DataFrame(np.zeros((2, 2)), columns=["a", 1]),
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        pd.DataFrame({"a": []}),
    ):
        assert pandas_sources(table) is None


def test_the_columns_of_a_frame_are_read_in_time_that_grows_with_their_number():
    """narwhals lists all names of an arrow table each time that it is asked for one column."""

    def seconds(d):
        table = pa.table({f"c{i}": [1.0, 2.0] for i in range(d)})
        took = []
        for _ in range(3):
            began = time.process_time()
            sources_of(table)
            took.append(time.process_time() - began)
        return min(took)

    assert seconds(4000) < 9 * seconds(1000)  # it took 16 times as long
