"""Dates, times and durations as the number of days that a tree cuts: since 1970-01-01 (in UTC where the column has a
time zone), to the microsecond. Whatever float64 cannot tell apart is refused."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..errors import DataError, shown
from .arrays import LARGEST_WHOLE, Floats
from .values import is_missing

Moment = Literal["date", "datetime", "datetime_utc", "duration"]  # kinds of columns; date: no time of day in training
DAY = 86_400_000_000  # microseconds
EPOCH, EPOCH_UTC = datetime(1970, 1, 1), datetime(1970, 1, 1, tzinfo=timezone.utc)
NANOSECONDS = {"ns": 1, "us": 1000, "ms": 1_000_000, "s": 1_000_000_000}


def kind_of_types(types: Iterable[type], values: Iterable[Any]) -> Moment | None:
    """The kind of a column of Python's (or pandas') dates, times or durations; None if it holds anything else."""
    types = list(types)
    if not types:
        return None
    if all(issubclass(t, (timedelta, np.timedelta64)) for t in types):
        return "duration"
    if not all(issubclass(t, (date, np.datetime64)) for t in types):
        return None
    if not any(issubclass(t, (datetime, np.datetime64)) for t in types):
        return "date"
    zoned = {getattr(v, "tzinfo", None) is not None for v in values if not is_missing(v)}
    return None if len(zoned) > 1 else "datetime_utc" if True in zoned else "datetime"


def microseconds(value: Any) -> int:
    """Since 1970, or of a duration; a finer one is refused."""
    if isinstance(value, (np.datetime64, np.timedelta64)):
        unit = "M8[us]" if isinstance(value, np.datetime64) else "m8[us]"
        whole = value.astype(unit)
        if whole.astype(value.dtype) != value:
            raise ValueError
        return int(whole.astype(np.int64))
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):  # pandas'
        raise ValueError
    if isinstance(value, datetime):
        value = value - (EPOCH if value.tzinfo is None else EPOCH_UTC)
    elif isinstance(value, date):
        return (value - EPOCH.date()).days * DAY
    return int((value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds)


def days_of_objects(values: Sequence[Any] | npt.NDArray[Any], name: str) -> Floats:
    """Cells that are Python objects."""
    ticks, known = np.zeros(len(values), np.int64), np.ones(len(values), bool)
    for row, value in enumerate(values):
        if is_missing(value):
            known[row] = False
            continue
        try:
            ticks[row] = microseconds(value)
        except ValueError:
            raise too_fine(value, name) from None
    return days_of_ticks(ticks, "us", known, name)


def days_of_array(column: npt.NDArray[Any], name: str) -> Floats:
    """A column of NumPy's datetime64 or timedelta64."""
    unit, step = np.datetime_data(column.dtype)
    known = ~np.isnat(column)
    if unit in NANOSECONDS and step == 1:
        return days_of_ticks(column.view(np.int64), unit, known, name)
    if unit == "generic":
        return np.full(len(column), np.nan)
    if unit in ("ps", "fs", "as"):
        raise DataError(f"Column {name!r} counts in {unit}; make it microseconds: astype('datetime64[us]').")
    if unit in ("M", "Y") and column.dtype.kind == "m":
        raise DataError(f"Column {name!r} counts in {unit}, which are not equally long; make it days.")
    seconds = column.astype(f"{column.dtype.kind}8[s]")
    return days_of_ticks(seconds.view(np.int64), "s", known, name)


def days_of_ticks(ticks: npt.NDArray[np.int64], unit: str, known: npt.NDArray[np.bool_], name: str) -> Floats:
    """Whole numbers of a unit as days, correctly rounded, so that the same time is the same number in any unit."""
    per_day = 86_400 * 1_000_000_000 // NANOSECONDS[unit]
    ticks = np.where(known, ticks, 0)
    if unit == "ns":
        micro, rest = np.divmod(ticks, 1000)
        if rest.any():
            raise too_fine(np.datetime64(int(ticks[np.flatnonzero(rest)[0]]), "ns"), name)
        return days_of_ticks(micro, "us", known, name)
    if not ((ticks >= -LARGEST_WHOLE) & (ticks <= LARGEST_WHOLE)).all():
        whole, rest = np.divmod(ticks, 1000)
        if unit == "s" or rest.any():
            raise DataError(
                f"Column {name!r} holds times so far away, or so fine, that float64 cannot tell them apart; round them "
                "to milliseconds."
            )
        return days_of_ticks(whole, "ms" if unit == "us" else "s", known, name)
    days: Floats = ticks / per_day
    whole_days = np.floor(days)
    lost = ticks != np.rint((days - whole_days) * per_day) + whole_days * per_day
    if unit == "us" and lost.any():
        bad = int(ticks[np.flatnonzero(lost)[0]])
        raise DataError(
            f"Column {name!r} holds {np.datetime64(bad, 'us')}, which float64 cannot tell from its neighbours; round "
            "times so far from 1970 to milliseconds."
        )
    days[~known] = np.nan
    return days


def too_fine(value: Any, name: str) -> DataError:
    return DataError(
        f"Column {name!r} holds {shown(str(value))}, which is finer than a microsecond, the finest time that a tree "
        f"tells apart; round it: X[{name!r}].dt.floor('us')."
    )


def days_of_text(values: Sequence[Any], name: str, kind: str) -> Floats:
    """ISO 8601 texts (2024-03-01, 2024-03-01T12:30:00+01:00), for a column that held dates in training."""
    found: list[datetime | None] = []
    for row, value in enumerate(values):
        text = None if is_missing(value) else str(value).strip()
        if not text:
            found.append(None)
            continue
        moment = from_text(text) if kind != "duration" else None
        if moment is None or (moment.tzinfo is not None) != (kind == "datetime_utc"):
            raise DataError(f"Column {name!r} holds {shown(value)} in row {row}; {WANTED[kind]}.")
        found.append(moment)
    return days_of_objects(found, name)


WANTED = {
    "date": "it held dates in training: give dates, or text such as 2024-03-01",
    "datetime": "it held times without a time zone in training: give such times, or text such as 2024-03-01 12:30",
    "datetime_utc": "it held times with a time zone in training: give such times, or text such as 2024-03-01 12:30Z",
    "duration": "it held durations in training: give durations (timedelta)",
}


@lru_cache(maxsize=4096)
def from_text(text: str) -> datetime | None:
    """A date or a time in ISO 8601, or None."""
    if len(text) < 10 or text[4] != "-" or text[7] != "-":
        return None
    try:
        return datetime.fromisoformat(text[:-1] + "+00:00" if text[-1] in "zZ" else text)
    except ValueError:
        return None


# ---- as text -----------------------------------------------------------------------------------------


def ticks_of(days: float) -> int:
    """The microsecond nearest to a number of days."""
    whole = math.floor(days)
    return whole * DAY + round((days - whole) * DAY)


def last_tick(days: float) -> int:
    """The last microsecond whose number of days is not above ``days``: on the left of a cut there."""
    tick = ticks_of(days) + 2
    while tick / DAY > days:
        tick -= 1
    return tick


def moment_text(days: float, kind: str) -> str:
    """A number of days as the date, time or duration that it stands for."""
    if not math.isfinite(days):
        return f"{days:g}"
    return tick_text(ticks_of(days), kind)


def tick_text(tick: int, kind: str) -> str:
    if kind == "duration":
        return duration_text(tick)
    days, rest = divmod(tick, DAY)
    text = str(np.datetime64(days, "D"))
    if rest or kind == "datetime_utc":
        text += f" {clock(rest)}"
    return f"{text} UTC" if kind == "datetime_utc" else text


def clock(rest: int) -> str:
    """A time of day: hours and minutes, seconds and their parts where they are not 0."""
    minutes, micro = divmod(rest, 60_000_000)
    text = f"{minutes // 60:02d}:{minutes % 60:02d}"
    if micro:
        text += f":{micro // 1_000_000:02d}"
        text += f".{micro % 1_000_000:06d}".rstrip("0") if micro % 1_000_000 else ""
    return text


def duration_text(tick: int) -> str:
    days, rest = divmod(abs(tick), DAY)
    parts = ([f"{days} day{'' if days == 1 else 's'}"] if days else []) + ([clock(rest)] if rest else [])
    return ("-" if tick < 0 else "") + (" ".join(parts) or "0 days")


GRAINS = (DAY, DAY // 24, 60_000_000, 1_000_000, 1000)  # of the cuts that are printed: day, hour, …, millisecond


def printed_tick(cut: float, kind: str, other: float | None) -> tuple[int, bool]:
    """The microsecond that stands for a cut in texts, and whether it is itself on the right of it (``before``).

    ``other``: another number that parts the training rows as the cut does; the roundest time between the two is
    printed. Without it the cut is printed as it is, to the microsecond.
    """
    if other is None:
        return last_tick(cut), False
    if kind == "date":
        return (math.floor(cut) + 1) * DAY, True
    last = last_tick(cut)
    reach = last_tick(other)
    for grain in GRAINS:
        tick = -(-last // grain) * grain if reach >= last else last // grain * grain
        if min(last, reach) <= tick <= max(last, reach):
            return tick, False
    return last, False
