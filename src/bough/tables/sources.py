"""The columns of the user's tables, whatever these came in: each gives its numbers, or codes of its values."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from . import codes, moments
from .arrays import LARGEST_WHOLE, Floats, finite, no_infinity, to_float64, whole_numbers_fit
from .native import FLAG, OBJECT, PLAIN, are_names, library
from .ordered import is_ordered
from .schema import MOMENTS, Kind
from .values import Coded, check_value, is_missing


def checked(column: npt.NDArray[Any], name: str) -> Floats:
    x = to_float64(column, lambda _: name)
    if not finite(x):
        no_infinity(x, lambda _: name)
    return x


class Source:
    """One column of the user's table, whatever it came in."""

    name: str
    kind: Kind
    declared: Sequence[Any] | None = None  # values of a categorical type, in its order

    def numbers(self) -> Floats:
        raise DataError(f"Column {self.name!r} is not numeric.")

    def items(self) -> Sequence[Any]:
        raise DataError(f"Column {self.name!r} has no values.")

    def coded(self) -> Coded:
        raise DataError(f"Column {self.name!r} has no values.")


class ArraySource(Source):
    """A column of a NumPy array."""

    def __init__(self, name: str, column: npt.NDArray[Any]) -> None:
        self.name = name
        self.column = column
        self.kind = "numeric"
        if column.dtype.kind == "b":
            self.kind = "boolean"
        elif column.dtype.kind in "US":
            self.kind = "nominal"
        elif column.dtype.kind in "Mm":
            self.kind = "datetime" if column.dtype.kind == "M" else "duration"
        elif column.dtype.kind == "O":
            self.kind = kind_of_objects(column, name)

    def numbers(self) -> Floats:
        column = self.column
        if self.kind == "nominal":
            raise text_is_not_numeric(self.name, next(v for v in self.items() if isinstance(v, (str, bytes))))
        if self.kind in MOMENTS:
            return days_of(column, self.name)
        if column.dtype.kind == "O":
            column = numbers_of_objects(column, self.name)
        return checked(column, self.name)

    def items(self) -> Sequence[Any]:
        items: list[Any] = self.column.tolist()
        return items

    def coded(self) -> Coded:
        return codes.of_array(self.column)


def days_of(column: npt.NDArray[Any], name: str) -> Floats:
    """A column of dates, times or durations as numbers of days."""
    return moments.days_of_array(column, name) if column.dtype.kind in "Mm" else moments.days_of_objects(column, name)


def numbers_of_objects(column: npt.NDArray[Any], name: str) -> Floats:
    """Cells that are Python numbers, whole ones as long as float64 can tell them apart."""
    try:
        x = column.astype(np.float64)  # None becomes NaN
    except (TypeError, ValueError, OverflowError):  # pandas.NA and a signalling NaN do not
        x = np.array([number_of_object(v, name, i) for i, v in enumerate(column)], dtype=np.float64)
    if (np.abs(x) > LARGEST_WHOLE).any():
        whole = [int(v) for v in column if isinstance(v, (int, np.integer))]
        whole_numbers_fit(min(whole, default=0), max(whole, default=0), name)
    return x


def number_of_object(value: Any, name: str, row: int) -> float:
    try:
        return np.nan if is_missing(value) else float(value)
    except OverflowError:
        raise DataError(
            f"Input X contains infinity or a value too large for float64: column {name!r}, row {row}. "
            "Replace it by NaN (missing) or by a finite number."
        ) from None


def kind_of_objects(column: npt.NDArray[Any], name: str) -> Kind:
    types = set(map(type, column))
    if not types <= {str, int, bool, type(None)}:  # others may stand for a missing value
        types = {type(v) for v in column if type(v) is not str and not is_missing(v)} | ({str} & types)
    types -= {type(None)}
    if moment := moments.kind_of_types(types, column):
        return moment
    for t in types:
        if not issubclass(t, (str, int, float, np.number, np.bool_, Decimal, Fraction)):
            bad = next(v for v in column if type(v) is t)
            check_value(bad, f"Column {name!r}")
    if not any(issubclass(t, str) for t in types):
        return "boolean" if types and types <= {bool, np.bool_} else "numeric"
    if all(issubclass(t, str) for t in types):
        return "nominal"
    mixed = sorted(t.__name__ for t in types)
    raise DataError(
        f"Column {name!r} mixes text and numbers ({', '.join(mixed)}). Make it one or the other: "
        "astype(str) for a nominal column, or numbers with NaN where there is none."
    )


def text_is_not_numeric(name: str, value: Any) -> DataError:
    return DataError(
        f"could not convert string to float: column {name!r} holds {value!r}. "
        "Text columns are nominal; with an explicit categorical_features they must be named there."
    )


class FrameSource(Source):
    """A column of a data frame that narwhals understands."""

    def __init__(self, name: str, series: Any) -> None:
        import narwhals as nw

        self.name = name
        self.series = series
        dtype = series.dtype
        if dtype == nw.Boolean:
            self.kind = "boolean"
        elif dtype.is_numeric():
            self.kind = "numeric"
        elif dtype in (nw.String, nw.Categorical, nw.Enum):
            self.declared = declared_values(series)
            self.kind = "ordinal" if self.declared and is_ordered(series) else "nominal"
        elif dtype in (nw.Object, nw.Unknown):
            # pandas keeps text, flags and mixtures as objects; a column of nulls only has no type
            self.kind = kind_of_objects(np.asarray(series.to_numpy(), dtype=object), name)
        elif dtype == nw.Date:
            self.kind = "date"
        elif dtype == nw.Datetime:
            self.kind = "datetime" if dtype.time_zone is None else "datetime_utc"
        elif dtype == nw.Duration:
            self.kind = "duration"
        else:
            raise DataError(
                f"Column {name!r} is of type {dtype}, which a tree cannot split. Make it a number (for a time of day: "
                "seconds since midnight) or text."
            )

    def numbers(self) -> Floats:
        import narwhals as nw

        s = self.series
        if self.kind in ("nominal", "ordinal"):
            if s.null_count() == len(s):  # pandas: nothing but None
                return np.full(len(s), np.nan)
            raise text_is_not_numeric(self.name, next((v for v in self.items() if v is not None), ""))
        if self.kind in MOMENTS:
            return days_of(moments_of(s), self.name)
        if s.dtype.is_integer():
            low, high = s.min(), s.max()
            if low is not None and high is not None and not is_missing(low):
                whole_numbers_fit(int(low), int(high), self.name)
        if s.dtype == nw.Boolean or not s.dtype.is_numeric():
            column = numbers_of_objects(np.asarray(s.to_numpy(), dtype=object), self.name)
        else:
            column = np.asarray(s.to_numpy())
            if column.dtype != np.float64:
                column = column.astype(np.float64)
            if s.null_count():
                column = np.where(s.is_null().to_numpy(), np.nan, column)
        return checked(column, self.name)

    def items(self) -> Sequence[Any]:
        items: list[Any] = self.series.to_list()
        return [None if is_missing(v) else v for v in items]

    def coded(self) -> Coded:
        return codes.of_series(self.series)


def moments_of(series: Any) -> npt.NDArray[Any]:
    """The dates, times or durations of a narwhals series as NumPy has them, or as objects; times in UTC."""
    native = series.to_native()
    if series.implementation.is_pandas():
        zone = getattr(native.dtype, "tz", None)
        return np.asarray((native.dt.tz_convert(None) if zone is not None else native).to_numpy())
    if series.implementation.is_polars() and hasattr(series.dtype, "time_unit"):
        ticks = native.to_physical()
        kind = "m" if native.dtype.base_type().__name__ == "Duration" else "M"
        missing = np.iinfo(np.int64).min  # NumPy's NaT
        return np.asarray(ticks.fill_null(missing).to_numpy()).view(f"{kind}8[{series.dtype.time_unit}]")
    if series.implementation.is_pyarrow() and hasattr(series.dtype, "time_unit"):
        import pyarrow as pa

        kind = "m" if pa.types.is_duration(native.type) else "M"
        ticks = native.cast(pa.int64()).fill_null(np.iinfo(np.int64).min)
        return np.asarray(ticks.to_numpy()).view(f"{kind}8[{series.dtype.time_unit}]")
    return np.array(series.to_list(), dtype=object)


class PandasSource(FrameSource):
    """A column of a pandas frame that holds plain numbers, text, categories or objects: a hundredth of a millisecond,
    where narwhals takes a tenth."""

    def __init__(self, name: str, native: Any) -> None:
        self.name = name
        self.native = native
        kind = native.dtype
        if kind in PLAIN:
            self.kind = "boolean" if kind == FLAG else "numeric"
        elif kind.kind in "Mm":
            zoned = getattr(kind, "tz", None) is not None
            self.kind = "duration" if kind.kind == "m" else "datetime_utc" if zoned else "datetime"
        elif hasattr(kind, "categories"):
            self.declared = kind.categories.tolist()
            self.kind = "ordinal" if self.declared and kind.ordered else "nominal"
        else:
            self.kind = kind_of_objects(native.to_numpy(), name) if kind == OBJECT and not self.empty else "nominal"

    @cached_property
    def empty(self) -> bool:
        """Is it a column of objects, all of them missing?"""
        return bool(self.native.dtype == OBJECT) and all(map(is_missing, self.native.to_numpy()))

    @cached_property
    def series(self) -> Any:
        import narwhals as nw

        return nw.from_native(self.native, series_only=True)

    def numbers(self) -> Floats:
        if self.native.dtype in PLAIN:
            return checked(self.native.to_numpy(), self.name)
        return np.full(len(self.native), np.nan) if self.empty else super().numbers()

    def coded(self) -> Coded:
        return super().coded() if self.native.dtype in PLAIN else codes.tidy(codes.of_pandas(self.native))


def pandas_sources(x: Any) -> list[PandasSource] | None:
    """The columns of a pandas frame, if there is nothing about any of them to be found out, or to be refused."""
    if not library(x, "pandas", "DataFrame") or 0 in x.shape:
        return None
    names = x.columns.tolist()
    types = x.dtypes.tolist()
    if not are_names(names) or not all(map(is_quick, types)):
        return None
    return [PandasSource(n, x[n]) for n in names]


PANDAS = ("CategoricalDtype", "StringDtype", "DatetimeTZDtype")  # besides numbers, flags, objects and times


def is_quick(kind: Any) -> bool:
    """Is it a type of pandas' columns that needs no narwhals?"""
    own = isinstance(kind, np.dtype) and kind.kind in "Mm"
    return kind in PLAIN or kind == OBJECT or own or type(kind).__name__ in PANDAS


def declared_values(series: Any) -> list[Any] | None:
    """Values in the order that a categorical type declares: pandas' categories, an Enum's."""
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "categories"):
        return list(native.cat.categories)
    if series.implementation.is_pyarrow() and getattr(native.type, "ordered", False):
        return list(native.unify_dictionaries().chunk(0).dictionary.to_pylist()) if native.num_chunks else []
    categories = getattr(series.dtype, "categories", None)
    return None if categories is None else list(categories)
