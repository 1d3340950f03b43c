"""Nominal values: which there are, their codes, and what may be one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import DataError, shown
from ..registry import LARGEST
from .schema import Column


def is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ArithmeticError):  # pandas.NA, a signalling NaN
        return True
    except ValueError:  # an array, which is no value at all
        return False


def plain(value: Any) -> Any:
    """A NumPy scalar as the Python value it stands for, an interval of pandas' as its text."""
    if isinstance(value, np.generic):
        return value.item()
    kind = type(value)
    return str(value) if kind.__name__ == "Interval" and kind.__module__.partition(".")[0] == "pandas" else value


def sorted_values(values: Iterable[Any]) -> list[Any]:
    found = list(values)
    try:
        return sorted(found)
    except TypeError:  # of several types
        return sorted(found, key=lambda v: (type(v).__name__, str(v)))


def check_value(value: Any, where: str) -> None:
    """Refuses what cannot be a nominal value or a class, because no file could keep it."""
    if not isinstance(value, (str, int, float, bool)):
        raise TypeError(
            f"{where} holds {shown(value)}: argument must be a string or a number, not {type(value).__name__!r}. "
            "Make it text, for instance by astype(str), or a number."
        )
    if isinstance(value, str):
        check_text(value, where)
    elif not -LARGEST <= value <= LARGEST:
        size = f"{value!r}" if isinstance(value, float) else f"an integer of {value.bit_length()} bits"
        raise DataError(
            f"{where} contains infinity or a value too large for float64: {size}. "
            "Replace it by a missing value or by a finite number, or make it text."
        )


def check_text(text: str, where: str) -> None:
    """Refuses half of a surrogate pair, which no encoding of text can write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError(
            f"{where} holds the text {shown(text)}, which is not valid Unicode (a lone surrogate). "
            "Replace it, for instance by text.encode(errors='replace').decode()."
        ) from None


class Coded(NamedTuple):
    """A nominal column as it came: ``values[codes[i]]`` is the value of row i, code −1 a missing one."""

    codes: npt.NDArray[Any]
    values: list[Any]

    def present(self) -> list[Any]:
        """The values that some row has; a categorical type may list others."""
        seen = np.zeros(len(self.values) + 1, dtype=bool)
        seen[self.codes] = True
        return [v for v, s in zip(self.values, seen.tolist(), strict=False) if s]

    def lacks_some(self) -> bool:
        return bool((self.codes < 0).any())


def values_of(coded: Coded, name: str, declared: Sequence[Any] | None) -> tuple[Any, ...]:
    """The values of a nominal column in the order of their codes, None last if any is missing."""
    present = coded.present() if declared is None else [plain(v) for v in declared]
    for v in present:
        check_value(v, f"Column {name!r}")
    ordered = sorted_values(present) if declared is None else present
    return (*ordered, None) if coded.lacks_some() else tuple(ordered)


def codes_of(coded: Coded, values: Sequence[Any]) -> npt.NDArray[np.int32]:
    """The codes of rows among given values; −1 for one that is not among them."""
    known = {v: i for i, v in enumerate(values) if v is not None}
    none = len(values) - 1 if values and values[-1] is None else -1
    table = np.array([*(known.get(v, -1) for v in coded.values), none], dtype=np.int32)
    found: npt.NDArray[np.int32] = table[coded.codes]  # a missing one has code −1: the last entry
    return found


def same_types(coded: Coded, column: Column) -> None:
    """Refuses numbers where training had text, and text where it had numbers: all would be unseen."""
    given = coded.present()
    known = [v for v in column.values if v is not None]
    if not given or not known:
        return
    was, now = (isinstance(known[0], str), any(isinstance(v, str) for v in given))
    if was != now and not any(v in known for v in given):
        words = {True: "text", False: "numbers"}
        raise DataError(
            f"Column {column.name!r} holds {words[now]} (such as {shown(given[0])}), but in training its values "
            f"were {words[was]} (such as {known[0]!r}). Convert it: astype({'str' if was else 'int'})."
        )
