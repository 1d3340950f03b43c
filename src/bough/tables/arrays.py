"""Arrays in: any array-like as a table, its numbers as float64, masked cells as missing ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from ..errors import DataError, shown

MOST_DENSE = 1 << 31  # bytes that a sparse matrix may take as columns
LARGEST_WHOLE = 2**53  # the largest range of whole numbers that float64 holds

Floats = npt.NDArray[np.float64]


def is_matrix(x: Any) -> TypeGuard[npt.NDArray[Any]]:
    """Is it a table of numbers or flags already, as NumPy has it?"""
    return type(x) is np.ndarray and x.ndim == 2 and x.dtype.kind in "fiub" and 0 not in x.shape


def lazy(x: Any, what: str = "X") -> DataError:
    if is_dask(x):
        return DataError(
            f"{what} is a Dask collection; use the estimator of the same name in bough.dask, or {what}.compute() if it "
            "fits here."
        )
    return DataError(f"{what} is a lazy frame; collect() it first.")


def is_dask(x: Any) -> bool:
    return type(x).__module__.startswith("dask.")


def at_hand(given: Any, what: str) -> Any:
    """The same, unless it is a collection that is still to be computed, maybe on other machines."""
    if is_dask(given):
        raise lazy(given, what)
    return given


def as_matrix(x: Any) -> npt.NDArray[Any]:
    """The array behind any array-like, refused in scikit-learn's words if it is no table."""
    if is_matrix(x):
        return x
    at_hand(x, "X")
    if is_sparse(x):
        fits_as_columns(x, x.shape[1])
        return np.asarray(x.toarray())
    if isinstance(x, dict) or (isinstance(x, (list, tuple)) and x and isinstance(x[0], dict)):
        raise DataError("X is made of dicts; make it a table: pandas.DataFrame(X) or polars.DataFrame(X).")
    try:
        a = without_mask(x) if isinstance(x, np.ma.MaskedArray) else np.asarray(x)
        if a.dtype.kind in "US" and isinstance(x, (list, tuple)):
            a = np.asarray(x, dtype=object)  # numbers beside text stay numbers
    except ValueError as e:  # rows of different lengths
        problem = f"its rows have {rows[0]} and {rows[1]} cells" if (rows := lengths(x)) else str(e)
        raise DataError(f"X is not a table: {problem}; make all rows as long as the table is wide.") from None
    if a.ndim == 0 and hasattr(x, "collect"):
        raise lazy(x)
    if a.ndim == 0:
        raise DataError(f"Expected 2D array, got {shown(x)} instead. Give a table: a row for each sample.")
    if a.ndim > 2:
        raise DataError(
            f"Expected 2D array, got {a.ndim}D array instead: its shape is {a.shape}. Reshape your data to rows and "
            "columns, for instance by X.reshape(len(X), -1)."
        )
    if a.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {a.ndim}D array instead. Reshape your data either using array.reshape(-1, 1) "
            "if your data has a single feature or array.reshape(1, -1) if it contains a single sample."
        )
    if 0 in a.shape:
        raise no_cells(a.shape)
    if a.dtype.kind not in "fiubcOUSMm":
        raise DataError(f"X is of type {a.dtype}, which a tree cannot split; make it numbers or text.")
    return a


def is_sparse(x: Any) -> bool:
    """Is it a sparse matrix of SciPy?"""
    return hasattr(x, "toarray") and hasattr(x, "nnz")


def fits_as_columns(x: Any, n_columns: int) -> None:
    """Refuse a sparse matrix of no rows, and one whose columns would fill the memory."""
    if len(x.shape) != 2:
        raise DataError(f"Expected 2D array, got {len(x.shape)}D array instead: its shape is {x.shape}.")
    if 0 in x.shape:
        raise no_cells(x.shape)
    size = 8 * x.shape[0] * n_columns
    if size > MOST_DENSE:
        raise DataError(
            f"X is a sparse matrix of {x.shape[0]:,} × {x.shape[1]:,}, which takes {size / 2**30:.3g} GiB as columns; "
            f"the limit is {MOST_DENSE / 2**30:.3g} GiB. Pass fewer rows, select columns (for example by SelectKBest), "
            "or pass X.toarray() if you have the memory."
        )


def no_cells(shape: tuple[int, ...]) -> DataError:
    what = "sample(s)" if shape[0] == 0 else "feature(s)"
    return DataError(f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is required.")


def one_target(y: Any, way_out: str) -> Any:
    """The same, unless it holds several targets."""
    shape = getattr(y, "shape", None)
    if shape is None and isinstance(y, (list, tuple)) and y and isinstance(y[0], (list, tuple)):
        shape = (len(y), len(y[0]))
    if shape is not None and len(shape) == 2 and shape[1] > 1 and not is_sparse(y):
        raise DataError(
            f"y should be a 1d array, got an array of shape {tuple(shape)} instead: a tree predicts one target. "
            f"Wrap it: sklearn.multioutput.{way_out}(estimator)."
        )
    return y


def lengths(x: Any) -> list[int]:
    """Two different lengths among the rows of nested lists, or none."""
    try:
        found = list(dict.fromkeys(len(row) for row in x))
    except TypeError:
        return []
    return found[:2] if len(found) > 1 else []


def without_mask(x: np.ma.MaskedArray[Any, Any]) -> npt.NDArray[Any]:
    """A masked array as a plain one in which a masked cell is a missing one: NaN, or None among objects."""
    hidden = np.ma.getmaskarray(x)
    plain = np.array(x.data, copy=True)
    if not hidden.any():
        return plain
    if plain.dtype.kind not in "fiub":
        objects = plain.astype(object)
        objects[hidden] = None
        return objects
    plain[hidden] = 0  # whatever lies under a mask is not looked at
    numbers = to_float64(plain, lambda j: f"x{j}")
    numbers = numbers.copy() if numbers is plain else numbers
    numbers[hidden] = np.nan
    return numbers


def real(given: Any, what: str) -> Any:
    """The same, unless it is made of complex numbers."""
    if isinstance(given, (list, tuple, np.ndarray)) and np.iscomplexobj(given):
        raise DataError(f"Complex data not supported: {what} holds complex numbers; take a part, such as .real.")
    return given


def unmasked(given: Any, what: str) -> Any:
    """The same, unless it is a masked array that hides something: a target or a weight cannot be missing."""
    if isinstance(given, np.ma.MaskedArray):
        hidden = np.flatnonzero(np.ma.getmaskarray(given))
        if len(hidden):
            raise DataError(f"{what} is masked in row {int(hidden[0])}; leave out the rows that have none.")
        return np.asarray(given.data)
    return given


def numbers_of(given: Any, what: str) -> Floats:
    """A target or weights as numbers; the first that is none is named."""
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as e:
        cells = np.asarray(given, dtype=object).ravel().tolist() if not isinstance(given, str) else [given]
        for row, value in enumerate(cells):
            try:
                float(value)
            except (TypeError, ValueError, OverflowError):
                raise DataError(f"{what} must be numbers, and row {row} holds {shown(value)}; convert it.") from None
        raise DataError(f"{what} must be numbers: {e}") from None


def check_target(y: npt.NDArray[Any], n: int) -> None:
    """Refuses numbers of a target that are not finite, and a target that is longer or shorter than the table."""
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        what = "NaN" if np.isnan(y[row]) else "infinity"
        raise DataError(f"Input y contains {what}: row {row}. Leave out the rows that have no target.")
    if len(y) != n:
        problem = f"X has {n} rows and y {len(y)}."
        raise DataError(f"Found input variables with inconsistent numbers of samples: [{n}, {len(y)}]: {problem}")


def finite(x: Floats) -> bool:
    """Surely no NaN and no infinity; False may also mean that a sum overflowed."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(np.add.reduce(x, axis=None)))


def no_infinity(x: Floats, name: Callable[[int], str]) -> None:
    """Refuses infinity; NaN is a missing value and passes."""
    bad = np.isinf(x)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad.reshape(len(x), -1))[0])
        raise DataError(
            f"Input X contains infinity or a value too large for float64: column {name(column)!r}, row {row}. "
            "Replace it by NaN (missing) or by a finite number."
        )


def whole_numbers_fit(low: int, high: int, name: str) -> None:
    if low < -LARGEST_WHOLE or high > LARGEST_WHOLE:
        value = low if low < -LARGEST_WHOLE else high
        raise DataError(
            f"Column {name!r} holds integers beyond 2^53 (such as {value}), which float64 cannot tell apart. "
            "Subtract an offset, divide, or make it a nominal column (categorical_features)."
        )


def to_float64(x: npt.NDArray[Any], name: Callable[[int], str]) -> Floats:
    """A numeric array as float64: itself, wherever it already is."""
    if x.dtype.char == "d" and x.dtype.isnative and x.flags.c_contiguous and x.flags.aligned:
        return x
    kind = x.dtype.kind
    if kind == "c":
        raise DataError("Complex data not supported: a column holds complex numbers; take a part, such as .real.")
    if kind in "iu" and x.dtype.itemsize == 8 and x.size:
        low, high = int(x.min()), int(x.max())
        if low < -LARGEST_WHOLE or high > LARGEST_WHOLE:
            for j, column in enumerate(x.T if x.ndim == 2 else [x]):
                whole_numbers_fit(int(column.min()), int(column.max()), name(j))
    if x.dtype != np.float64 or not x.dtype.isnative or any(s % 8 for s in x.strides):
        x = np.asarray(x, dtype=np.float64)
        if any(s % 8 for s in x.strides):
            x = x.copy()
    return x if x.flags.aligned else x.copy()
