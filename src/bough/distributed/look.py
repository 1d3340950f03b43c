"""The first look at every partition, and what the partitions make together: kinds, values, classes, weights, bins.

All of it is fixed before the first split, so that every worker gives the same numbers to the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError, shown
from ..estimators.classifier import classes_of, labels_of
from ..estimators.data import Floats
from ..estimators.fitting import weights_of
from ..estimators.regressor import numbers_to_predict
from ..tables import frame
from ..tables.arrays import as_matrix, check_target
from ..tables.ordered import ordered_values, orders_of
from ..tables.schema import MOMENTS, Column, Kind, Schema
from ..tables.values import check_value, plain, sorted_values
from .engine import Part


class Reading(NamedTuple):
    """How the columns of a table are to be read."""

    categorical: Any
    ordinal: Any
    regression: bool
    sample: int  # numbers of each column that are looked at for bins, about


@dataclass
class ColumnFacts:
    """What a partition knows of one column."""

    name: str
    kind: Kind
    present: list[Any] = field(default_factory=list)  # nominal: the values of its rows
    declared: list[Any] | None = None  # nominal and ordinal: the values of its type, in order
    missing: bool = False  # nominal: some row lacks a value
    nothing: bool = False  # numeric: every row lacks a number
    numbers: Floats = field(default_factory=lambda: np.empty(0))  # numeric: some of them


@dataclass
class Facts:
    """What a partition knows."""

    n_rows: int
    named: bool = False
    plain: bool = False  # a matrix of numbers
    columns: list[ColumnFacts] = field(default_factory=list)
    classes: npt.NDArray[Any] | None = None
    all_rows: Floats = field(default_factory=lambda: np.empty(0))  # per class, with those that weigh nothing
    rows: Floats = field(default_factory=lambda: np.empty(0))  # per class
    weights: Floats = field(default_factory=lambda: np.empty(0))  # per class
    ends: tuple[float, ...] = ()  # of numbers to be predicted: the least, the greatest
    some: list[float] = field(default_factory=list)  # the least and greatest weight, and see odd_one
    weighted: bool = False  # some row does not weigh 1
    n_bytes: int = 0


def look(parts: list[Part], how: Reading) -> Facts:
    """What the rows of a part are, where they lie."""
    rows = parts[0].rows()
    n = len(rows.table)
    if n == 0:
        return Facts(0)
    facts = Facts(n, n_bytes=size_of(rows.table))
    facts.columns, facts.named, facts.plain = columns_of(rows.table, how)
    w = weights_or_zero(rows.weights, n)
    facts.weighted = w is not None
    weighing = np.ones(n, dtype=bool) if w is None else w > 0
    if how.regression:
        numbers = numbers_of(rows.y, n)
        facts.ends = float(numbers.min()), float(numbers.max())
        facts.rows = np.array([weighing.sum()], dtype=np.float64)
        facts.weights = facts.rows if w is None else np.array([w.sum()])
    else:
        y = labels_of(rows.y)
        check_target(y, n)
        facts.classes, codes = classes_of(y)
        k = len(facts.classes)
        facts.all_rows = np.bincount(codes, minlength=k).astype(np.float64)
        facts.rows = np.bincount(codes[weighing], minlength=k).astype(np.float64)
        facts.weights = facts.rows if w is None else np.bincount(codes, w, minlength=k).astype(np.float64)
    if w is not None and weighing.any():
        known = w[weighing]
        facts.some = [float(known.min()), float(known.max()), *odd_one(known)]
    return facts


def odd_one(weights: Floats) -> list[float]:
    """A weight that is no whole number, if there is one; one whose sums are rounded, if there is such a one."""
    odd = weights[weights != np.floor(weights)]
    return [float(odd[np.argmax(odd * _core.Driver.weight_parts % 1 != 0)])] if len(odd) else []


def numbers_of(y: Any, n: int) -> Floats:
    """The numbers to be predicted of a partition."""
    numbers = numbers_to_predict(y)
    check_target(numbers, n)
    return numbers


def weights_or_zero(given: Any, n: int) -> Floats | None:
    """The weights of a partition; it may weigh nothing as long as another one does."""
    if given is None:
        return None
    if (np.asarray(given) == 0).all():
        return np.zeros(n)
    return weights_of(given, n, None)


def size_of(table: Any) -> int:
    if isinstance(table, np.ndarray):
        return int(table.nbytes)
    return int(table.memory_usage(index=False, deep=False).sum())


def columns_of(table: Any, how: Reading) -> tuple[list[ColumnFacts], bool, bool]:
    """The columns of a partition, whether their names are the user's, and whether it is a matrix of numbers."""
    found, ordinal = frame.sources_of(table), orders_of(how.ordinal)
    is_plain = False
    if found is None:
        a = as_matrix(table)
        names = Schema.of_matrix(a.shape[1]).names
        by_type = isinstance(how.categorical, str) and how.categorical == "from_dtype"
        chosen = None if by_type else frame.chosen_columns(how.categorical, names)
        is_plain = not chosen and not ordinal and a.dtype.kind in "fiubc"
        sources: list[frame.Source] = [frame.ArraySource(n, a[:, i]) for i, n in enumerate(names)]
        named = False
    else:
        sources, named = found
        chosen = frame.chosen_columns(how.categorical, [s.name for s in sources])
    kinds = frame.kinds_to_read(sources, chosen, ordinal)
    return [column_of(s, k, how.sample) for s, k in zip(sources, kinds, strict=True)], named, is_plain


def column_of(source: frame.Source, kind: Kind, sample: int) -> ColumnFacts:
    facts = ColumnFacts(source.name, kind)
    if kind in ("nominal", "ordinal"):
        coded = source.coded()
        if kind == "ordinal":
            assert source.declared is not None
            facts.declared = list(ordered_values(source.name, coded, source.declared))
        elif source.declared is not None:
            facts.declared = [plain(v) for v in source.declared]
        facts.present = coded.present()
        facts.missing = coded.lacks_some()
        for v in facts.present:
            check_value(v, f"Column {source.name!r}")
        return facts
    x = source.numbers()
    facts.kind = frame.kind_of_numbers(kind, x)
    some = x[:: max(1, len(x) // max(1, sample))]
    facts.numbers = np.sort(some[~np.isnan(some)])
    facts.nothing = len(facts.numbers) == 0 and bool(np.isnan(x).all())
    return facts


# ---- all partitions -------------------------------------------------------------------------------------


@dataclass
class TableFacts:
    """What all partitions are together."""

    schema: Schema
    n_rows: int  # with those that weigh nothing
    classes: npt.NDArray[Any] | None
    all_rows: Floats
    rows: Floats
    weights: Floats
    some: list[float]
    ends: tuple[float, ...]  # of numbers to be predicted: the least, the greatest
    numbers: list[Floats]  # per column: some of its numbers, ascending; nominal: none
    n_bytes: int


def table_of(parts: Sequence[Facts]) -> TableFacts:
    """What partitions with rows make together."""
    if not parts:
        raise DataError("Found array with 0 sample(s): no partition of X has a row.")
    schema = schema_of(parts)
    place = {n: i for i, n in enumerate(schema.names)}
    numbers = []
    for column in schema.columns:
        found = [np.empty(0)]
        for p in parts:
            given = p.columns[place[column.name]] if not p.named else by_name(p, column.name)
            found.append(given.numbers if not column.nominal and not column.ordinal else np.empty(0))
        numbers.append(np.sort(np.concatenate(found)))
    for i, column in enumerate(schema.columns):
        if column.ordinal:
            numbers[i] = np.arange(len(column.values), dtype=np.float64)
    classes = None
    sums: list[Floats] = [np.empty(0)] * 3
    if parts[0].classes is not None:
        classes = classes_of(np.concatenate([p.classes for p in parts if p.classes is not None]))[0]
        where = {label: i for i, label in enumerate(classes.tolist())}
        sums = [np.zeros(len(classes)) for _ in range(3)]
        for p in parts:
            at = [where[label] for label in np.asarray(p.classes).tolist()]
            for total, own in zip(sums, (p.all_rows, p.rows, p.weights), strict=True):
                total[at] += own
    ends: tuple[float, ...] = ()
    if parts[0].ends:
        ends = min(p.ends[0] for p in parts), max(p.ends[1] for p in parts)
        sums = [np.empty(0), np.sum([p.rows for p in parts], axis=0), np.sum([p.weights for p in parts], axis=0)]
    weighted = any(p.weighted for p in parts)
    known = [p.some if p.weighted else [1.0, 1.0] for p in parts]
    some = []
    if weighted:
        weighing = [s for s in known if s]
        if not weighing:
            raise DataError("All sample_weight are zero; at least one must be positive.")
        some = [
            min(s[0] for s in weighing),
            max(s[1] for s in weighing),
            *odd_one(np.concatenate([s[2:] for s in weighing])),
        ]
    n = sum(p.n_rows for p in parts)
    all_rows, rows, weights = sums
    n_bytes = sum(p.n_bytes for p in parts)
    return TableFacts(schema, n, classes, all_rows, rows, weights, some, ends, numbers, n_bytes)


def by_name(part: Facts, name: str) -> ColumnFacts:
    return next(c for c in part.columns if c.name == name)


def schema_of(parts: Sequence[Facts]) -> Schema:
    """The schema of the table that the partitions make, as if they had been read in one piece."""
    first = parts[0]
    names = [c.name for c in first.columns]
    for p in parts[1:]:
        given = [c.name for c in p.columns]
        if sorted(given) != sorted(names):
            lacking = sorted(set(names) ^ set(given))
            raise DataError(
                f"Partitions differ in their columns: only some have {lacking[0]!r}."
                if lacking
                else "Partitions differ in their columns."
            )
    if all(p.plain for p in parts):
        return Schema.of_matrix(len(names))
    columns = [merged(name, [by_name(p, name) for p in parts]) for name in names]
    return Schema(tuple(columns), first.named)


def merged(name: str, facts: list[ColumnFacts]) -> Column:
    kinds = {f.kind for f in facts if not f.nothing} or {f.kind for f in facts}
    if kinds == {"date", "datetime"}:
        return Column(name, "datetime")
    if kinds <= set(MOMENTS) and len(kinds) == 1:
        return Column(name, next(iter(kinds)))
    if kinds & set(MOMENTS):
        raise DataError(f"Column {name!r} holds dates or times in some partitions, in others not; make them one type.")
    if kinds <= {"numeric", "boolean"}:
        return Column(name, "boolean" if kinds == {"boolean"} and not any(f.nothing for f in facts) else "numeric")
    if len(kinds) > 1:
        text = next((f.present[0] for f in facts if f.kind == "nominal" and f.present), None)
        raise DataError(
            f"Column {name!r} is {' in some partitions and '.join(sorted(kinds))} in others"
            f"{'' if text is None else f' (it holds {shown(text)})'}. Make it one or the other in all of them."
        )
    (kind,) = kinds
    known = [f for f in facts if not f.nothing]
    orders = [f.declared for f in known]
    alike = all(o is not None and o == orders[0] for o in orders)
    if kind == "ordinal":
        if not alike:
            raise DataError(f"Column {name!r} has another order of values in some partitions; give all the same.")
        return Column(name, kind, tuple(orders[0] or ()))
    missing = any(f.missing or f.nothing for f in facts)
    values = list(orders[0] or ()) if alike else one_type({v for f in known for v in f.present})
    return Column(name, kind, (*values, None) if missing else tuple(values))


def one_type(values: set[Any]) -> list[Any]:
    """Values in order; whole numbers beside others are numbers like them, as they are in one array."""
    if any(type(v) is float for v in values) and all(type(v) in (int, float) for v in values):
        values = {float(v) for v in values}
    return sorted_values(values)
