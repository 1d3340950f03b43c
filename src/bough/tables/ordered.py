"""Ordinal columns: values with an order, which a tree cuts as it cuts numbers. The core sees the places of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, shown
from .values import Coded, check_value, codes_of, plain


def is_ordered(series: Any) -> bool:
    """Does the type say that the order of its values means something: pandas' ordered, an Enum, arrow's ordered?"""
    import narwhals as nw

    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "ordered"):
        return bool(native.cat.ordered)
    if series.implementation.is_pyarrow():
        return bool(getattr(native.type, "ordered", False))
    return bool(series.dtype == nw.Enum)


def orders_of(ordinal: Any) -> Mapping[Any, Any]:
    """What ``ordinal_features`` says; nothing is an empty dict."""
    if ordinal is None:
        return {}
    if not isinstance(ordinal, Mapping):
        raise DataError(f"ordinal_features is {shown(ordinal)}; it must be a dict {{column: values in order}} or None.")
    return ordinal


def levels_of(ordinal: Mapping[Any, Any], names: list[str]) -> dict[int, list[Any]]:
    """The order of the values of each column that ``ordinal_features`` names."""
    found = {}
    for g, levels in ordinal.items():
        if isinstance(g, str) and g in names:
            place = names.index(g)
        elif isinstance(g, (int, np.integer)) and not isinstance(g, bool) and -len(names) <= g < len(names):
            place = int(g) % len(names)
        else:
            raise DataError(
                f"ordinal_features names {shown(g)}, which is not a column. "
                f"Columns: {', '.join(map(repr, names[:20]))}."
            )
        if isinstance(levels, str) or not isinstance(levels, Sequence | np.ndarray) or len(levels) == 0:
            raise DataError(f"ordinal_features of {g!r} is {shown(levels)}; it must be a list of values in order.")
        found[place] = list(levels)
    return found


def ordered_values(name: str, coded: Coded, declared: Sequence[Any]) -> tuple[Any, ...]:
    """The values of an ordinal column, lowest first; a value that the order lacks is refused."""
    levels = tuple(plain(v) for v in declared)
    for v in levels:
        check_value(v, f"Column {name!r}")
    if len(set(levels)) != len(levels):
        twice = next(v for i, v in enumerate(levels) if v in levels[:i])
        raise DataError(f"The order of column {name!r} names {shown(twice)} twice.")
    known = set(levels)
    for v in coded.present():
        if v not in known:
            raise DataError(
                f"Column {name!r} holds {shown(v)}, which its order lacks; it has: {', '.join(map(repr, levels[:20]))}."
            )
    return levels


def places_of(coded: Coded, levels: Sequence[Any]) -> npt.NDArray[np.float64]:
    """The place of each row's value in an order; NaN where it is missing or not in the order."""
    codes = codes_of(coded, levels)
    return np.where(codes < 0, np.nan, codes.astype(np.float64))
