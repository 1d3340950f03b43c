"""What a model file holds besides the tree, as JSON: columns, classes, criterion, costs. What comes from a file is
checked here, piece by piece; a `ModelFileError` names the piece that is wrong."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, ModelFileError, ParameterError, shown
from ..registry import LARGEST, Plugin, plugins
from ..tables.schema import MOMENTS, Column, Schema
from .smoothing import HIERARCHICAL, Smoothing

MOST_COLUMNS = 1_000_000
MOST_LISTED = 2_000_000  # commas and brackets of the metadata: a value has one of them, a column at most five

CLASS_TYPES = re.compile(r"[<>|]?(b1|[iu][1248]|f[248]|U[1-9][0-9]{0,8}|O8?)")


def check_listed(schema: Schema, classes: npt.NDArray[Any] | None, costs: npt.NDArray[np.float64] | None) -> None:
    """Refuses a model that lists more than a file may, before it is grown."""
    if len(schema) > MOST_COLUMNS:
        raise DataError(f"X has {len(schema):,} columns; a model has at most {MOST_COLUMNS:,}. Leave some out.")
    listed = 0 if schema.numbered else sum(5 + len(c.values) for c in schema.columns)
    listed += 0 if classes is None else classes.size
    listed += 0 if costs is None else costs.size
    if listed > MOST_LISTED - 2_000:  # the rest, the origin among it, takes less
        widest = max(schema.columns, key=lambda c: len(c.values))
        raise DataError(
            f"The table has {listed:,} names, nominal values, classes and costs; a model lists at most about two "
            f"million. Leave out columns, such as {widest.name!r} with {len(widest.values):,} values."
        )


def described(column: Column) -> Any:
    """A column as the file has it: its name if it is numeric, else name, kind and values."""
    if column.kind == "numeric":
        return column.name
    return [column.name, column.kind, *([list(column.values)] if column.values else [])]


def schema_of(meta: dict[str, Any]) -> Schema:
    columns = meta.get("columns")
    if type(columns) is int:
        if not 0 < columns <= MOST_COLUMNS:
            raise ModelFileError("the number of columns is out of range")
        return Schema.of_matrix(columns)
    if not isinstance(columns, list) or not columns or type(meta.get("named")) is not bool:
        raise ModelFileError("the columns are not described")
    schema = Schema(tuple(column_of(c, i) for i, c in enumerate(columns)), meta["named"])
    if len({c.name for c in schema.columns}) != len(schema):
        raise ModelFileError("two columns have the same name")
    return schema


def column_of(entry: Any, i: int) -> Column:
    given = entry if isinstance(entry, list) else [entry, "numeric"]
    if not 2 <= len(given) <= 3:
        raise ModelFileError(f"column {i} is not described")
    name, kind, values = (*given, [])[:3]
    if (
        not isinstance(name, str)
        or kind not in ("numeric", "boolean", "nominal", "ordinal", *MOMENTS)
        or not isinstance(values, list)
    ):
        raise ModelFileError(f"column {i} is not described")
    if (len(values) > 0) != (kind in ("nominal", "ordinal")) or (kind == "ordinal" and None in values):
        raise ModelFileError(f"column {i} does not list its values")
    check_texts(name, *values)
    if not all(map(plain_value, values)) or None in values[:-1] or len(set(values)) != len(values):
        raise ModelFileError(f"column {i} lists values that are not plain or not distinct")
    return Column(name, kind, tuple(values))


def plain_value(v: Any) -> bool:
    return v is None or isinstance(v, str) or (isinstance(v, (int, float)) and -LARGEST <= v <= LARGEST)


def check_texts(*texts: Any) -> None:
    for t in texts:
        if isinstance(t, str):
            try:
                t.encode()
            except UnicodeEncodeError:
                raise ModelFileError("a text is not valid Unicode") from None


def text_type(values: list[Any]) -> np.dtype[Any]:
    """The type of an array of texts that is as wide as the longest."""
    return np.dtype(f"<U{max(1, *(len(str(v)) for v in values))}")


def described_classes(classes: npt.NDArray[Any]) -> dict[str, Any]:
    """The classes as a file keeps them; those that are among texts of a wider type are as wide as they are."""
    values = classes.tolist()
    return {"dtype": (text_type(values) if classes.dtype.kind == "U" else classes.dtype).str, "values": values}


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
    if not all(plain_value(v) and v is not None for v in values) or len(set(values)) != len(values):
        raise ModelFileError("the classes are not plain or not distinct")
    if not isinstance(dtype, str) or not CLASS_TYPES.fullmatch(dtype):
        raise ModelFileError(f"the classes cannot be of type {shown(dtype)}")
    kind = np.dtype(dtype)
    if kind.kind == "U":  # no wider than the longest, whatever the file says
        kind = min(kind, text_type(values), key=lambda t: t.itemsize)
    try:
        with np.errstate(over="ignore"):
            classes = np.array(values, dtype=kind)
    except (TypeError, ValueError, OverflowError) as e:
        raise ModelFileError(f"the classes cannot be of type {dtype!r} ({e})") from None
    if [(type(v), v) for v in classes.tolist()] != [(type(v), v) for v in values]:
        raise ModelFileError(f"the classes are not of type {dtype!r}")
    return classes


def criterion_of(meta: dict[str, Any], classes: npt.NDArray[Any] | None) -> Plugin:
    known, name = plugins()["criterion"], meta.get("criterion")
    if not isinstance(name, str) or name not in known:
        raise ModelFileError(f"the criterion {shown(name)} is not known here")
    if known[name].traits["regression"] != (classes is None):
        raise ModelFileError(f"the criterion {name!r} does not fit the task")
    return known[name]


def criterion_params_of(meta: dict[str, Any], criterion: Plugin) -> dict[str, float]:
    try:
        return criterion.encode(meta.get("criterion_params"), "criterion_params")
    except ParameterError as e:
        raise ModelFileError(f"the parameters of the criterion are wrong ({e})") from None


def standardize_of(meta: dict[str, Any]) -> bool:
    found = meta.get("standardize", False)
    if type(found) is not bool:
        raise ModelFileError("standardize is neither true nor false")
    return found


def smoothing_of(meta: dict[str, Any], classes: npt.NDArray[Any] | None) -> Smoothing:
    """What a file says is added to the class weights of a leaf, or how values shrink along the path."""
    found = meta.get("smoothing")
    if found is None or (found == "laplace" and classes is not None):
        return found
    if isinstance(found, dict):
        strength: Any = found.get(HIERARCHICAL) if len(found) == 1 else None
        if type(strength) in (int, float) and 0 <= strength <= LARGEST:
            return {HIERARCHICAL: float(strength)}
    elif type(found) in (int, float) and 0 <= found <= LARGEST and classes is not None:
        return float(found)
    raise ModelFileError("smoothing is neither 'laplace', a number ≥ 0, nor {'hierarchical': a number ≥ 0}")
