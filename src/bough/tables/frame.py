"""Tables in: arrays and data frames become the core's columns and a schema.

Numbers become float64, nominal values codes; nothing is converted silently. What cannot be a column
of a tree is refused with its name, the value and a way out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError, shown
from . import codes
from .arrays import LARGEST_WHOLE, Floats, as_matrix, finite, no_infinity, to_float64, whole_numbers_fit
from .native import numbers_of
from .ordered import is_ordered, levels_of, ordered_values, orders_of, places_of
from .schema import Column, Kind, Schema
from .values import Coded, check_text, check_value, codes_of, is_missing, same_types, values_of

HAS_INFINITY = 2  # what the core answers of such a matrix

# ---- columns ----------------------------------------------------------------------------------------


def add_matrix(columns: _core.Columns, a: npt.NDArray[Any], name: Callable[[int], str]) -> None:
    x = to_float64(a, name)
    if columns.add_matrix(x) == HAS_INFINITY:
        no_infinity(x, name)


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
        elif column.dtype.kind == "O":
            self.kind = kind_of_objects(column, name)

    def numbers(self) -> Floats:
        column = self.column
        if self.kind == "nominal":
            raise text_is_not_numeric(self.name, next(v for v in self.items() if isinstance(v, (str, bytes))))
        if column.dtype.kind == "O":
            column = numbers_of_objects(column, self.name)
        return checked(column, self.name)

    def items(self) -> Sequence[Any]:
        items: list[Any] = self.column.tolist()
        return items

    def coded(self) -> Coded:
        return codes.of_array(self.column)


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
        "Text columns are nominal; with an explicit categorical_features they have to be named there."
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
        else:
            raise DataError(
                f"Column {name!r} is of type {dtype}, which a tree cannot split. "
                "Make it a number (for dates: days or seconds since a fixed day) or text."
            )

    def numbers(self) -> Floats:
        import narwhals as nw

        s = self.series
        if self.kind in ("nominal", "ordinal"):
            if s.null_count() == len(s):  # pandas: nothing but None
                return np.full(len(s), np.nan)
            raise text_is_not_numeric(self.name, next((v for v in self.items() if v is not None), ""))
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


def declared_values(series: Any) -> list[Any] | None:
    """Values in the order that a categorical type declares: pandas' categories, an Enum's."""
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "categories"):
        return list(native.cat.categories)
    if series.implementation.is_pyarrow() and getattr(native.type, "ordered", False):
        return list(native.unify_dictionaries().chunk(0).dictionary.to_pylist()) if native.num_chunks else []
    categories = getattr(series.dtype, "categories", None)
    return None if categories is None else list(categories)


def frame_of(x: Any) -> tuple[Any, list[str], bool] | None:
    """A data frame as narwhals sees it, its column names, and whether they are text; None if ``x`` is none."""
    if isinstance(x, (np.ndarray, list, tuple)):
        return None
    import narwhals as nw

    try:
        frame = nw.from_native(x, pass_through=True)
    except nw.exceptions.DuplicateError:
        given = [str(n) for n in getattr(x, "column_names", None) or x.columns]  # pyarrow, others
        raise DataError(f"Two columns are called {repeated_in(given)!r}; give each its own name.") from None
    if isinstance(frame, nw.LazyFrame):
        raise DataError("X is a lazy frame; collect() it first.")
    if not isinstance(frame, nw.DataFrame):
        return None
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        what = "sample(s)" if frame.shape[0] == 0 else "feature(s)"
        raise DataError(f"Found array with 0 {what} (shape={frame.shape}) while a minimum of 1 is required.")
    names = list(frame.columns)
    if len({str(n) for n in names}) != len(names):
        raise DataError(f"Two columns are called {repeated_in(map(str, names))!r}; give each its own name.")
    named = all(isinstance(n, str) for n in names)
    if not named and any(isinstance(n, str) for n in names):
        other = next(n for n in names if not isinstance(n, str))
        raise DataError(
            f"Some columns are named by text, others are not (such as {shown(other)}); name all of them by text: "
            "X.columns = X.columns.astype(str)."
        )
    for i, n in enumerate(names):
        check_text(str(n), f"The name of column {i}")
    return frame, [str(n) for n in names], named


def sources_of(x: Any) -> tuple[list[Source], bool] | None:
    """The columns of a data frame, or None if ``x`` is none."""
    found = frame_of(x)
    if found is None:
        return None
    frame, names, named = found
    return [FrameSource(n, frame[:, i]) for i, n in enumerate(names)], named


def repeated_in(names: Iterable[str]) -> str:
    return next(name for name, times in Counter(names).items() if times > 1)


# ---- the two doors: fit and predict -----------------------------------------------------------------


def chosen_columns(categorical: Any, names: list[str]) -> set[int] | None:
    """Indices that ``categorical_features`` names; None leaves it to the types."""
    if categorical is None:
        return set()
    if isinstance(categorical, str):
        if categorical == "from_dtype":
            return None
        categorical = [categorical]
    given = (
        list(np.asarray(categorical, dtype=object).ravel())
        if not isinstance(categorical, (list, tuple, set, frozenset))
        else list(categorical)
    )
    if given and all(isinstance(g, (bool, np.bool_)) for g in given):
        if len(given) != len(names):
            raise DataError(f"categorical_features is a mask of {len(given)} flags, but X has {len(names)} columns.")
        return {i for i, g in enumerate(given) if g}
    chosen = set()
    for g in given:
        if isinstance(g, str):
            if g not in names:
                raise DataError(
                    f"categorical_features names {shown(g)}, which is not a column. "
                    f"Columns: {', '.join(map(repr, names[:20]))}."
                )
            chosen.add(names.index(g))
        elif isinstance(g, (int, np.integer)) and -len(names) <= g < len(names):
            chosen.add(int(g) % len(names))
        else:
            raise DataError(f"categorical_features names column {shown(g)}; X has columns 0 to {len(names) - 1}.")
    return chosen


def add_source(columns: _core.Columns, source: Source, kind: Kind, gaps: bool) -> Column:
    if kind == "ordinal":
        assert source.declared is not None
        coded = source.coded()
        levels = ordered_values(source.name, coded, source.declared)
        columns.add_numeric(places_of(coded, levels))
        return Column(source.name, kind, levels)
    if kind != "nominal":
        columns.add_numeric(source.numbers())
        return Column(source.name, kind)
    coded = source.coded()
    values = values_of(coded, source.name, source.declared)
    if gaps and len(values) > 1 and values[-1] is None:
        values = values[:-1]
    columns.add_nominal(codes_of(coded, values), len(values))
    return Column(source.name, kind, values)


def read(x: Any, categorical: Any, ordinal: Any = None, gaps: bool = False) -> tuple[_core.Columns, Schema]:
    """The columns of a training table, and what they are.

    A missing nominal value is the last value of its column; or, with ``gaps``, none of them, and its code is −1.
    """
    columns, ordinal = _core.Columns(), orders_of(ordinal)
    plain = numbers_of(x)
    if plain is not None and not ordinal and not chosen_columns(categorical, plain.names):
        if columns.add_matrix(plain.matrix) != HAS_INFINITY:
            kinds: list[Kind] = ["boolean" if flag else "numeric" for flag in plain.flags]
            return columns, Schema(tuple(map(Column, plain.names, kinds)), named=True)
        columns = _core.Columns()  # and the other way finds out which column it is
    found = sources_of(x)
    if found is None:
        a = as_matrix(x)
        by_type = isinstance(categorical, str) and categorical == "from_dtype"
        chosen = None if by_type else chosen_columns(categorical, Schema.of_matrix(a.shape[1]).names)
        if not chosen and not ordinal and a.dtype.kind in "fiubc":
            add_matrix(columns, a, lambda j: f"x{j}")
            return columns, Schema.of_matrix(a.shape[1])
        names = Schema.of_matrix(a.shape[1]).names
        sources: list[Source] = [ArraySource(n, a[:, i]) for i, n in enumerate(names)]
        named = False
    else:
        sources, named = found
        chosen = chosen_columns(categorical, [s.name for s in sources])
    given = kinds_to_read(sources, chosen, ordinal)
    infos = [add_source(columns, s, kind, gaps) for s, kind in zip(sources, given, strict=True)]
    return columns, Schema(tuple(infos), named)


def kinds_to_read(sources: list[Source], chosen: set[int] | None, ordinal: Mapping[Any, Any]) -> list[Kind]:
    """The kinds that columns have once the user's choice is heard; an ordinal one gets its order."""
    kinds: list[Kind] = []
    levels = levels_of(ordinal, [s.name for s in sources])
    for i, s in enumerate(sources):
        kind: Kind = s.kind
        if chosen is not None:
            kind = "nominal" if i in chosen else ("numeric" if kind == "nominal" else kind)
        if i in levels:
            kind, s.declared = "ordinal", levels[i]
        kinds.append(kind)
    return kinds


def read_like(x: Any, schema: Schema, by_name: bool) -> _core.Columns:
    """The columns of a table that is to be predicted, as those of the training table."""
    columns = _core.Columns()
    matrix = None if schema.any_values else numbers_like(x, schema, by_name)
    if matrix is not None:
        if columns.add_matrix(matrix) != HAS_INFINITY:
            return columns
        columns = _core.Columns()  # and the other way finds out which column it is
    found = sources_of(x)
    if found is None:
        a = as_matrix(x)
        same_width(a.shape[1], schema)
        if a.dtype.kind in "fiubc" and not schema.any_values:
            add_matrix(columns, a, lambda j: schema.columns[j].name)
            return columns
        sources: list[Source] = [ArraySource(c.name, a[:, i]) for i, c in enumerate(schema.columns)]
    else:
        sources, named = found
        if by_name and named and schema.named:
            sources = matched(sources, schema)
        same_width(len(sources), schema)
    for s, c in zip(sources, schema.columns, strict=True):
        s.name = c.name
        if c.nominal:
            coded = s.coded()
            same_types(coded, c)
            columns.add_nominal(codes_of(coded, c.values), len(c.values))
        elif c.ordinal:
            coded = s.coded()
            same_types(coded, c)
            columns.add_numeric(places_of(coded, c.values))
        else:
            columns.add_numeric(s.numbers())
    return columns


def numbers_like(x: Any, schema: Schema, by_name: bool) -> Floats | None:
    """A data frame of plain numbers in the order of the schema's columns, if it has them all."""
    plain = numbers_of(x)
    if plain is None:
        return None
    if by_name and schema.named and plain.names != schema.names:
        place = {n: i for i, n in enumerate(plain.names)}
        if not all(n in place for n in schema.names):
            return None
        return plain.matrix[:, [place[n] for n in schema.names]]
    return plain.matrix if len(plain.names) == len(schema) else None


def same_width(n: int, schema: Schema) -> None:
    if n != len(schema):
        raise DataError(f"X has {n} features, but the model was fitted on {len(schema)} columns.")


def matched(sources: list[Source], schema: Schema) -> list[Source]:
    """The columns that the model knows, in its order; others are left aside."""
    by_name = {s.name: s for s in sources}
    lacking = [c.name for c in schema.columns if c.name not in by_name]
    if lacking:
        raise DataError(
            f"X lacks {len(lacking)} column(s) of the training table: {', '.join(map(repr, lacking[:10]))}"
            f"{' …' if len(lacking) > 10 else ''}. It has: {', '.join(map(repr, list(by_name)[:20]))}."
        )
    return [by_name[c.name] for c in schema.columns]
