"""Conditions as users write them, ``("age", "<=", 18)``, checked against the columns of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError, ParameterError, shown
from ..registry import did_you_mean, is_number
from .frame import ArraySource, numbers_as
from .schema import Column, Schema
from .values import is_missing, plain

NUMERIC = ("<=", "<", ">", ">=")
NOMINAL = ("in", "not in", "==", "!=")
EXAMPLES = '("age", "<=", 18), ("job", "in", ["cook", "nurse"]) or ({"a": 1.0, "b": -0.5}, "<=", 3)'


class Asked(NamedTuple):
    """A condition in terms of the core: rows of which ``sum <= cut`` holds, or whose code is in ``codes``, go to the
    left; ``first``: these are the rows for which the condition holds."""

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    cut: float = math.nan
    codes: frozenset[int] | None = None
    first: bool = True


def asked(condition: Any, schema: Schema, argument: str = "condition") -> Asked:
    """What a condition asks, or an error that says what is wrong with it."""
    if isinstance(condition, (str, bytes)) or not hasattr(condition, "__len__") or len(condition) != 3:
        raise ParameterError(f"{argument} is {shown(condition)}; write it as {EXAMPLES}.")
    about, sign, value = condition
    terms = about if isinstance(about, Mapping) else {about: 1.0}
    if not terms:
        raise ParameterError(f"{argument} names no column; write it as {EXAMPLES}.")
    places = tuple(place_of(name, schema, argument) for name in terms)
    columns = [schema.columns[p] for p in places]
    for name, weight in terms.items():
        if not is_number(weight) or not weight or not math.isfinite(weight):
            raise ParameterError(
                f"{argument}: the weight of {shown(name)} is {shown(weight)}; it must be a number but 0."
            )
    if len(places) == 1 and columns[0].nominal:
        if isinstance(about, Mapping) or sign not in NOMINAL:
            raise ParameterError(
                f"{argument}: the column {shown(columns[0].name)} is nominal; ask it with one of "
                f"{', '.join(map(repr, NOMINAL))}."
            )
        codes = codes_of(value, columns[0], argument, sign)
        return Asked(places, (1.0,), codes=codes, first=sign in ("in", "=="))
    nominal = next((c for c in columns if c.nominal), None)
    if nominal is not None:
        raise ParameterError(f"{argument}: the column {shown(nominal.name)} is nominal; it cannot be part of a sum.")
    if sign not in NUMERIC:
        raise ParameterError(
            f"{argument}: {shown(sign)} cannot be asked of numbers; use one of {', '.join(map(repr, NUMERIC))}."
        )
    cut = (
        level_of(value, columns[0], argument)
        if columns[0].ordinal and len(places) == 1
        else days_in(value, columns[0], argument)
        if columns[0].moment and len(places) == 1
        else number_of(value, argument)
    )
    if sign in ("<", ">="):
        cut = cut - 1 if columns[0].ordinal and len(places) == 1 else math.nextafter(cut, -math.inf)
    weights = tuple(float(w) for w in terms.values())
    return Asked(places, weights, cut, None, sign in ("<=", "<"))


def place_of(name: Any, schema: Schema, argument: str) -> int:
    names = schema.names
    if isinstance(name, int) and not isinstance(name, bool) and not schema.named:
        if -len(names) <= name < len(names):
            return name % len(names)
        raise ParameterError(f"{argument} names column {shown(name)}; use one from 0 to {len(names) - 1}.")
    if not isinstance(name, str) or name not in names:
        near = did_you_mean(name, names)
        if near == ".":
            near = f"; use one of {', '.join(map(shown, names[:10]))}{', …' if len(names) > 10 else ''}."
        raise ParameterError(f"{argument} names {shown(name)}, which is not a column{near}")
    return names.index(name)


def number_of(value: Any, argument: str) -> float:
    if not is_number(value) or not math.isfinite(value):
        raise ParameterError(f"{argument}: {shown(value)} is not a number to compare with.")
    return float(value)


def days_in(value: Any, column: Column, argument: str) -> float:
    """A date, time or duration, or a text that is one, as its number of days."""
    try:
        given = ArraySource(column.name, np.array([value], dtype=object))
        return float(numbers_as(given, column)[0])
    except (DataError, TypeError) as e:
        raise ParameterError(f"{argument}: {shown(value)} does not fit: {e}") from None


def level_of(value: Any, column: Column, argument: str) -> float:
    if plain(value) not in column.values:
        raise ParameterError(
            f"{argument}: {shown(value)} is not a value of the ordinal column {shown(column.name)}; it has "
            f"{', '.join(map(shown, column.values[:20]))}."
        )
    return float(column.values.index(plain(value)))


def codes_of(value: Any, column: Column, argument: str, sign: str) -> frozenset[int]:
    given = [value] if sign in ("==", "!=") else value
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise ParameterError(f"{argument}: {shown(given)} is no list of categories; write [{shown(given)}].")
    wanted = [None if is_missing(v) else plain(v) for v in given]
    unknown = [v for v in wanted if v not in column.values]
    if unknown:
        known = ", ".join(map(shown, column.values[:20]))
        raise ParameterError(
            f"{argument}: {shown(unknown[0])} is not a category of {shown(column.name)}; it has {known}"
            f"{', …' if len(column.values) > 20 else ''}."
        )
    codes = frozenset(column.values.index(v) for v in wanted)
    if not codes or len(codes) == len(column.values):
        raise ParameterError(
            f"{argument}: {'no' if not codes else 'every'} category of {shown(column.name)} is asked for."
        )
    return codes
