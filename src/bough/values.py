"""Nominal values: which there are, their codes, and what may be one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import DataError
from .schema import Column


def is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA
        return True


def plain(value: Any) -> Any:
    """A NumPy scalar as the Python value it stands for."""
    return value.item() if isinstance(value, np.generic) else value


def sorted_values(values: Iterable[Any]) -> list[Any]:
    found = list(values)
    try:
        return sorted(found)
    except TypeError:  # of several types
        return sorted(found, key=lambda v: (type(v).__name__, str(v)))


def check_value(value: Any, name: str) -> None:
    if not isinstance(value, (str, int, float, bool)):
        raise TypeError(
            f"Column {name!r} holds {value!r}: argument must be a string or a number, not {type(value).__name__!r}."
        )


def values_of(items: Sequence[Any], name: str, declared: Sequence[Any] | None) -> tuple[Any, ...]:
    """The values of a nominal column in the order of their codes, None last if any is missing."""
    present = set(items)
    missing = any(is_missing(v) for v in present)
    present = {plain(v) for v in present if not is_missing(v)}
    for v in present:
        check_value(v, name)
    ordered = sorted_values(present) if declared is None else [plain(v) for v in declared]
    return (*ordered, None) if missing else tuple(ordered)


def codes_of(items: Sequence[Any], values: Sequence[Any]) -> npt.NDArray[np.int32]:
    """Codes of values; −1 for one that is not among them."""
    known = {v: i for i, v in enumerate(values) if v is not None}
    none = len(values) - 1 if values and values[-1] is None else -1
    codes = {}
    for v in set(items):
        codes[v] = none if is_missing(v) else known.get(plain(v), -1)
    # NaN is not equal to itself: look it up by what it is
    lookup = codes.get
    out = np.fromiter((lookup(v, none) for v in items), dtype=np.int32, count=len(items))
    return out


def same_types(items: Sequence[Any], column: Column) -> None:
    """Refuses numbers where training had text, and text where it had numbers: all would be unseen."""
    given = {v for v in set(items) if not is_missing(v)}
    known = [v for v in column.values if v is not None]
    if not given or not known:
        return
    was, now = (isinstance(known[0], str), any(isinstance(v, str) for v in given))
    if was != now and not any(plain(v) in known for v in given):
        words = {True: "text", False: "numbers"}
        raise DataError(
            f"Column {column.name!r} holds {words[now]} (such as {next(iter(given))!r}), but in training its values "
            f"were {words[was]} (such as {known[0]!r}). Convert it: astype({'str' if was else 'int'})."
        )
