"""The quick way in: tables and columns of pandas, polars and pyarrow that hold nothing but plain numbers and flags, as
the arrays that these libraries hold already. Whatever is not plain gives None here and goes by narwhals, which knows
every type, and says what is wrong with a table, but takes 0.1 ms for a column."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .arrays import LARGEST_WHOLE, Floats

PLAIN = {np.dtype(t) for t in ("f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?")}
LARGE = {np.dtype("i8"), np.dtype("u8")}  # may hold what float64 cannot
FLAG, OBJECT = np.dtype(bool), np.dtype(object)
MOST_COPIED = 1 << 26  # bytes that are gathered in one matrix; of larger tables no column is copied

WHOLE = {t.name: t for t in PLAIN if t.kind in "iu"}
PYARROW = {"bool": FLAG, "double": np.dtype("f8"), "float": np.dtype("f4"), **WHOLE}
POLARS = {"Boolean": FLAG, "Float64": np.dtype("f8"), "Float32": np.dtype("f4")}
POLARS |= {n.replace("uint", "UInt").replace("int", "Int"): t for n, t in WHOLE.items()}


class Numbers(NamedTuple):
    """A table of plain numbers: float64, rows × columns."""

    names: list[str]
    flags: list[bool]  # columns of true and false
    matrix: Floats


def numbers_of(x: Any) -> Numbers | None:
    """A data frame as one matrix, if all its columns are plain and its names are different texts."""
    if type(x) is np.ndarray:
        return None
    found = of_pandas(x) or of_polars(x) or of_pyarrow(x)
    if found is None or 0 in found.matrix.shape:
        return None
    return found if are_names(found.names) else None


def are_names(names: list[Any]) -> bool:
    """Are they different texts that a file can have?"""
    if not all(type(n) is str for n in names) or len(set(names)) != len(names):
        return False
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        return False
    return True


def library(x: Any, name: str, kind: str) -> bool:
    """Is it of that type of that library? One that is not imported has no tables."""
    module = sys.modules.get(name)
    return module is not None and type(x) is getattr(module, kind, None)


def of_pandas(x: Any) -> Numbers | None:
    if not library(x, "pandas", "DataFrame") or 8 * x.size > MOST_COPIED:
        return None
    types = x.dtypes.tolist()
    kinds = set(types)
    if not kinds <= PLAIN:
        return None
    matrix = np.require(x.to_numpy(dtype=np.float64), requirements="A")
    if kinds & LARGE and not fit(matrix[:, [t in LARGE for t in types]]):
        return None
    return Numbers(x.columns.tolist(), [t == FLAG for t in types], matrix)


def of_polars(x: Any) -> Numbers | None:
    if not library(x, "polars", "DataFrame") or 8 * x.height * x.width > MOST_COPIED:
        return None
    types = [POLARS.get(type(t).__name__) for t in x.dtypes]
    return gathered(x.columns, types, x.get_columns(), x.height)


def of_pyarrow(x: Any) -> Numbers | None:
    if not library(x, "pyarrow", "Table") or 8 * x.num_rows * x.num_columns > MOST_COPIED:
        return None
    types = [PYARROW.get(str(t)) for t in x.schema.types]
    return gathered(x.schema.names, types, x.columns, x.num_rows)


def gathered(names: list[str], types: Sequence[Any], columns: Sequence[Any], n: int) -> Numbers | None:
    """Columns that each give an array, together in one matrix; a float that is missing is NaN there already."""
    if any(t is None for t in types):  # "in" would ask whether they are equal, and NumPy takes None for float64
        return None
    matrix = np.empty((len(names), n))
    for row, column, kind in zip(matrix, columns, types, strict=True):
        array = column.to_numpy()
        if array.dtype != kind:  # nulls among flags or whole numbers
            return None
        row[:] = array
        if kind in LARGE and not fit(row):
            return None
    return Numbers(names, [t == FLAG for t in types], matrix.T)


def fit(x: Floats) -> bool:
    """Surely distinct as float64; of whole numbers so large that it is in doubt, narwhals decides."""
    return bool(np.abs(x).max(initial=0.0) < LARGEST_WHOLE)


def series_array(y: Any) -> npt.NDArray[Any] | None:
    """A column of plain numbers or flags without a missing one, as the array that its library holds."""
    if library(y, "pandas", "Series"):
        kind: Any = y.dtype
    elif library(y, "polars", "Series"):
        kind = POLARS.get(type(y.dtype).__name__)
    elif type(y).__module__ == "pyarrow.lib" and hasattr(y, "null_count"):  # an array, whole or in chunks
        return np.asarray(y) if str(y.type) in PYARROW and not y.null_count else None
    else:
        return None
    if not isinstance(kind, np.dtype) or kind not in PLAIN:
        return None
    array: npt.NDArray[Any] = y.to_numpy()
    return array if array.dtype == kind else None


def names_of(x: Any) -> list[Any] | None:
    """The column names of a data frame of one of these libraries."""
    if library(x, "pandas", "DataFrame"):
        names: list[Any] = x.columns.tolist()
        return names
    if library(x, "polars", "DataFrame"):
        return list(x.columns)
    return list(x.schema.names) if library(x, "pyarrow", "Table") else None
