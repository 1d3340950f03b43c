"""What a model file holds besides the tree, as JSON: columns, classes, criterion, costs. What comes from a file is
checked here, piece by piece; a `ModelFileError` names the piece that is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ModelFileError
from ..registry import Plugin, plugins
from ..tables.schema import Column, Schema


def described(column: Column) -> Any:
    """A column as the file has it: its name if it is numeric, else name, kind and values."""
    if column.kind == "numeric":
        return column.name
    return [column.name, column.kind, *([list(column.values)] if column.nominal else [])]


def schema_of(meta: dict[str, Any]) -> Schema:
    columns = meta.get("columns")
    if type(columns) is int:
        if not 0 < columns < 1_000_000:
            raise ModelFileError("the number of columns is out of range")
        return Schema.of_matrix(columns)
    if not isinstance(columns, list) or not columns or type(meta.get("named")) is not bool:
        raise ModelFileError("the columns are not described")
    return Schema(tuple(column_of(c, i) for i, c in enumerate(columns)), meta["named"])


def column_of(entry: Any, i: int) -> Column:
    given = entry if isinstance(entry, list) else [entry, "numeric"]
    if not 2 <= len(given) <= 3:
        raise ModelFileError(f"column {i} is not described")
    name, kind, values = (*given, [])[:3]
    if not isinstance(name, str) or kind not in ("numeric", "boolean", "nominal") or not isinstance(values, list):
        raise ModelFileError(f"column {i} is not described")
    if (len(values) > 0) != (kind == "nominal"):
        raise ModelFileError(f"column {i} does not list its values")
    check_texts(name, *values)
    if None in values[:-1] or len({(type(v), v) for v in values if plain_value(v)}) != len(values):
        raise ModelFileError(f"column {i} lists values that are not plain or not distinct")
    return Column(name, kind, tuple(values))


def plain_value(v: Any) -> bool:
    return v is None or (isinstance(v, (str, int, float, bool)) and v == v)


def check_texts(*texts: Any) -> None:
    for t in texts:
        if isinstance(t, str):
            try:
                t.encode()
            except UnicodeEncodeError:
                raise ModelFileError("a text is not valid Unicode") from None


def classes_of(meta: dict[str, Any], n_classes: int) -> npt.NDArray[Any] | None:
    found = meta.get("classes")
    if n_classes == 0:
        if found is not None:
            raise ModelFileError("a regression model lists classes")
        return None
    if not isinstance(found, dict) or not isinstance(found.get("values"), list) or len(found["values"]) != n_classes:
        raise ModelFileError("the classes are not listed")
    values, dtype = found["values"], found.get("dtype")
    check_texts(*values)
    if not all(plain_value(v) and v is not None for v in values) or len({(type(v), v) for v in values}) != len(values):
        raise ModelFileError("the classes are not plain or not distinct")
    try:
        kind = np.dtype(dtype) if isinstance(dtype, str) and len(dtype) < 16 else None
        if kind is None or kind.kind not in "biufUO" or kind.itemsize > 4 * (8 + max(len(str(v)) for v in values)):
            raise TypeError("not a class type")
        classes = np.array(values, dtype=kind)
    except (TypeError, ValueError, OverflowError) as e:
        raise ModelFileError(f"the classes cannot be of type {dtype!r} ({e})") from None
    if classes.tolist() != values:
        raise ModelFileError(f"the classes are not of type {dtype!r}")
    return classes


def criterion_of(meta: dict[str, Any], classes: npt.NDArray[Any] | None) -> Plugin:
    known, name = plugins()["criterion"], meta.get("criterion")
    if not isinstance(name, str) or name not in known:
        raise ModelFileError(f"the criterion {name!r} is not known here")
    if known[name].traits["regression"] != (classes is None):
        raise ModelFileError(f"the criterion {name!r} does not fit the task")
    return known[name]


def standardize_of(meta: dict[str, Any]) -> bool:
    found = meta.get("standardize", False)
    if type(found) is not bool:
        raise ModelFileError("standardize is neither true nor false")
    return found


def costs_of(
    meta: dict[str, Any], classes: npt.NDArray[Any] | None, criterion: Plugin
) -> npt.NDArray[np.float64] | None:
    """The costs that a file keeps, if any."""
    flat = meta.get("costs")
    if flat is None:
        return None
    k = 0 if classes is None else len(classes)
    whole = isinstance(flat, list) and len(flat) == k * k and all(type(c) in (int, float) for c in flat)
    if not whole or not criterion.traits["costs"]:
        raise ModelFileError("the costs are not a number for each pair of classes")
    costs = np.array(flat, dtype=np.float64).reshape(k, k)
    if not (
        np.isfinite(costs).all() and (costs >= 0).all() and (costs == costs.T).all() and not costs.diagonal().any()
    ):
        raise ModelFileError("the costs are not symmetric, finite and 0 on the diagonal")
    return costs
