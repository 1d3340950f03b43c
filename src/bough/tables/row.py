"""One row, given in any way: as a table of one row, and as its values in the order of the columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DataError, shown
from . import frame
from .arrays import as_matrix
from .schema import Schema
from .values import plain


def one_row(row: Any, schema: Schema, to: str = "why()") -> Any:
    """A sequence, a dict, a Series or a table of one row as a table of one row; ``to``: what it is given to."""
    if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # a pandas Series
        row = row.to_dict()
    if isinstance(row, dict):
        lacking = [c.name for c in schema.columns if c.name not in row]
        if lacking:
            names = ", ".join(map(repr, lacking[:10]))
            raise DataError(f"the row has no value for {names}; give every column one, None where it is missing.")
        row = [plain(row[c.name]) for c in schema.columns]
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return as_matrix(row.reshape(1, -1))
    if isinstance(row, (list, tuple)):
        types = set(map(type, row))
        if not types <= {float, int} and not types & {list, tuple, np.ndarray}:
            table = np.empty((1, len(row)), dtype=object)
            table[0] = row
            return table
        row = as_matrix(row if types & {list, tuple, np.ndarray} else [row])
    if not hasattr(row, "shape") or len(row.shape) != 2:
        raise DataError(
            f"{to} explains one row, not {shown(row)}; give a list, a dict, a Series or a table of one row."
        )
    if row.shape[0] != 1:
        raise DataError(f"{to} explains one row, but {row.shape[0]} were given; use X.iloc[[i]] or X[i : i + 1].")
    return row


def row_values(table: Any, schema: Schema) -> list[Any]:
    """The values of a table's one row, in the order of the schema's columns."""
    sources = frame.sources_of(table)
    if sources is None:
        values = list(np.asarray(table, dtype=object)[0])
    else:
        found = {s.name: s.items()[0] for s in sources[0]}
        values = [found.get(c.name) for c in schema.columns] if schema.named else list(found.values())
    return [
        moments_in(table, schema, i) if c.moment else plain(v)
        for i, (v, c) in enumerate(zip(values, schema.columns, strict=True))
    ]


def moments_in(table: Any, schema: Schema, column: int) -> float | None:
    """The date, time or duration of a table's one row, as its number of days."""
    sources = frame.sources_of(table)
    if sources is None:
        source: frame.Source = frame.ArraySource(schema.columns[column].name, as_matrix(table)[:, column])
    else:
        found = {s.name: s for s in sources[0]}
        source = found[schema.columns[column].name] if schema.named else sources[0][column]
    days = float(frame.numbers_as(source, schema.columns[column])[0])
    return None if days != days else days
