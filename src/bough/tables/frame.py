"""Tables in: arrays and data frames become the core's columns and a schema.

Numbers become float64, nominal values codes; nothing is converted silently. What cannot be a column
of a tree is refused with its name, the value and a way out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError, shown
from .arrays import Floats, as_matrix, is_matrix, is_sparse, lazy, no_cells, no_infinity, to_float64
from .moments import WANTED, days_of_text
from .native import numbers_of
from .ordered import levels_of, ordered_values, orders_of, places_of
from .schema import Column, Kind, Schema
from .sources import ArraySource as ArraySource
from .sources import FrameSource, pandas_sources
from .sources import Source as Source
from .sparse import sparse_sources
from .values import check_text, codes_of, same_types, values_of

HAS_INFINITY = 2  # what the core returns for such a matrix

# ---- columns ----------------------------------------------------------------------------------------


def add_matrix(columns: _core.Columns, a: npt.NDArray[Any], name: Callable[[int], str]) -> None:
    x = to_float64(a, name)
    if columns.add_matrix(x) == HAS_INFINITY:
        no_infinity(x, name)


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
        raise lazy(x)
    if not isinstance(frame, nw.DataFrame):
        return None
    if frame.shape[0] == 0 or frame.shape[1] == 0:
        raise no_cells(frame.shape)
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
    quick = pandas_sources(x)
    if quick is not None:
        return list(quick), True
    found = frame_of(x)
    if found is None:
        return None
    frame, names, named = found
    return [FrameSource(n, column) for n, column in zip(names, frame.iter_columns(), strict=True)], named


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
            raise DataError(
                f"categorical_features is a mask of {len(given)} flags, but X has {len(names)} columns; "
                "give one for each."
            )
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


def add_source(columns: _core.Columns, source: Source, kind: Kind, missing_apart: bool) -> Column:
    if kind == "ordinal":
        assert source.declared is not None
        coded = source.coded()
        levels = ordered_values(source.name, coded, source.declared)
        columns.add_numeric(places_of(coded, levels))
        return Column(source.name, kind, levels)
    if kind != "nominal":
        x = source.numbers()
        columns.add_numeric(x)
        return Column(source.name, kind_of_numbers(kind, x))
    coded = source.coded()
    values = values_of(coded, source.name, source.declared)
    if missing_apart and len(values) > 1 and values[-1] is None:
        values = values[:-1]
    columns.add_nominal(codes_of(coded, values), len(values))
    return Column(source.name, kind, values)


def kind_of_numbers(kind: Kind, x: Floats) -> Kind:
    """Times that are all at midnight are dates."""
    return "date" if kind == "datetime" and (np.isnan(x) | (x == np.floor(x))).all() else kind


def read(x: Any, categorical: Any, ordinal: Any = None, missing_apart: bool = False) -> tuple[_core.Columns, Schema]:
    """The columns of a training table, and what they are.

    A missing nominal value is the last value of its column, or with ``missing_apart`` none of them: its code is −1.
    """
    columns, ordinal = _core.Columns(), orders_of(ordinal)
    by_type = isinstance(categorical, str) and categorical == "from_dtype"
    if by_type and not ordinal and is_matrix(x):  # nothing to find out
        add_matrix(columns, x, lambda j: f"x{j}")
        return columns, Schema.of_matrix(x.shape[1])
    plain = numbers_of(x)
    if plain is not None and not ordinal and not chosen_columns(categorical, plain.names):
        if columns.add_matrix(plain.matrix) != HAS_INFINITY:
            kinds: list[Kind] = ["boolean" if flag else "numeric" for flag in plain.flags]
            return columns, Schema(tuple(map(Column, plain.names, kinds)), named=True)
        columns = _core.Columns()  # and the other way finds out which column it is
    found = sources_of(x)
    if found is None and is_sparse(x):
        found = sparse_sources(x), False
    if found is None:
        a = as_matrix(x)
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
    infos = [add_source(columns, s, kind, missing_apart) for s, kind in zip(sources, given, strict=True)]
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
    if found is None and is_sparse(x) and len(x.shape) == 2:
        same_width(x.shape[1], schema)
        found = sparse_sources(x, schema.names), False
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
            columns.add_numeric(numbers_as(s, c))
    return columns


def numbers_as(source: Source, column: Column) -> Floats:
    """The numbers of a column, where training had dates from dates only, or from text that is one; an array may give
    their numbers of days."""
    given, was = Column(source.name, source.kind).moment, column.moment
    if source.kind == "nominal" and not was:
        text = next((v for v in source.items() if v is not None), None)
        if isinstance(text, str):
            raise DataError(
                f"could not convert string to float: column {column.name!r} holds {shown(text)}, but in training it "
                "held numbers; convert it in the same way as for training."
            )
    if given == was or {given, was} == {"date", "datetime"}:
        return source.numbers()
    if not was:
        raise DataError(
            f"Column {column.name!r} holds dates, times or durations, but in training it held numbers; "
            "convert it in the same way as for training."
        )
    if source.kind == "nominal":
        return days_of_text(source.items(), column.name, was)
    if source.kind == "numeric" and not given:
        if isinstance(source, ArraySource):
            return source.numbers()
        x = source.numbers()
        if np.isnan(x).all():
            return x
    raise DataError(f"Column {column.name!r} holds {source.items()[0]!r}; {WANTED[was]}.")


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
        raise DataError(
            f"X has {n} features, but the model was fitted on {len(schema)} columns; pass the same columns."
        )


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
