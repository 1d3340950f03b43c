"""Nominal columns as codes: the different values of a column and, for each row, which of them it has.

Where a library can number the values of its own columns, no Python object is made for a cell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, shown
from .values import Coded, is_missing, plain, sorted_values

FEW_CELLS = 100  # below, pandas' own numbering takes longer than a dictionary
FEW_ROWS = 8000  # below, a dictionary is quicker than a query of polars, which costs 0.1 ms whatever it does


def of_items(items: Sequence[Any] | npt.NDArray[Any], n: int) -> Coded:
    """By a dictionary: for cells that are Python objects anyway."""
    known: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(known.__getitem__, items), dtype=np.int64, count=n)
    except TypeError:  # a signalling NaN has no hash, nor has a list
        known.clear()
        codes = np.fromiter((known[cell(v)] for v in items), dtype=np.int64, count=n)
    return tidy(Coded(codes, list(known)))


def cell(value: Any) -> Any:
    """A value that a dictionary can hold: None for a missing one."""
    if is_missing(value):
        return None
    if not isinstance(value, Hashable):
        raise DataError(f"a cell holds {shown(value)} of type {type(value).__name__!r}; make it text or a number.")
    return value


def of_array(column: npt.NDArray[Any]) -> Coded:
    if column.dtype.kind == "O":
        return of_items(column, len(column))
    if column.dtype.kind in "US":
        return of_items(column.tolist(), len(column))  # sorting wide text costs more than hashing it
    values, codes = np.unique(column, return_inverse=True)
    return tidy(Coded(codes.reshape(-1), values.tolist()))


def of_series(series: Any) -> Coded:
    """Of a narwhals series, by the library that holds it."""
    import narwhals as nw

    library, native = series.implementation, series.to_native()
    text = series.dtype in (nw.String, nw.Categorical, nw.Enum)
    if library.is_pandas() and (text or series.dtype == nw.Object):
        return tidy(of_pandas(native))
    if library.is_polars() and text and len(series) > FEW_ROWS:
        return of_polars(native)
    if library.is_pyarrow() and text:
        return tidy(of_pyarrow(native))
    return of_items(series.to_list(), len(series))


def of_pandas(native: Any) -> Coded:
    array = native.array
    if hasattr(array, "categories"):
        return Coded(array.codes, array.categories.tolist())
    if len(native) < FEW_CELLS:
        return of_items(native.tolist(), len(native))
    try:
        codes, values = native.factorize()
    except TypeError:  # a signalling NaN has no hash
        return of_items(native.tolist(), len(native))
    return Coded(codes, values.tolist())


def of_polars(native: Any) -> Coded:
    import polars as pl

    if not isinstance(native.dtype, pl.Enum):
        if native.dtype != pl.String:
            native = native.cast(pl.String)
        native = native.cast(pl.Enum(native.unique().drop_nulls()))
    codes = native.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    return Coded(codes, native.dtype.categories.to_list())


def of_pyarrow(native: Any) -> Coded:
    import pyarrow as pa

    if not pa.types.is_dictionary(native.type):
        native = native.dictionary_encode()
    whole = native.unify_dictionaries().combine_chunks()
    codes = whole.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return Coded(codes, whole.dictionary.to_pylist())


def tidy(coded: Coded) -> Coded:
    """The same with plain values, each of them once, and −1 for those that are missing."""
    codes, values = coded
    values = [plain(v) for v in values]
    if any(is_missing(v) for v in values):
        places = np.cumsum([not is_missing(v) for v in values]) - 1
        table = np.append(np.where([is_missing(v) for v in values], -1, places), -1)
        codes, values = table[codes], [v for v in values if not is_missing(v)]
    return Coded(codes, values)


def in_order(coded: Coded) -> Coded:
    """The same with the values sorted."""
    ordered = sorted_values(coded.values)
    place = {v: i for i, v in enumerate(ordered)}
    table = np.array([*(place[v] for v in coded.values), -1], dtype=np.int64)
    return Coded(table[coded.codes], ordered)
