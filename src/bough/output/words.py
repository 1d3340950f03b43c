"""Numbers, shares, values and conditions as words."""

from __future__ import annotations

import math
from typing import Any

from ..errors import printable, whole_number
from ..model.conditions import Among, Condition, Range, Sum

DIGITS, TERM_DIGITS = 6, 3  # of numbers and of the terms of a sum, unless others are asked for
MOST_DIGITS = 17  # of a float64


def checked_digits(digits: Any) -> None:
    """How many digits of a number are shown, if it is such a number; None leaves it open."""
    checked_optional("digits", digits, 1, MOST_DIGITS)


def checked_optional(name: str, value: Any, least: int, most: int | None = None) -> None:
    if value is not None:
        whole_number(name, value, least, most)


def number(x: float, digits: int | None = None) -> str:
    """A number with `digits` significant digits, and never fewer than its whole part has."""
    if math.isinf(x) or math.isnan(x) or x == 0:
        return f"{x:g}"
    whole = int(math.log10(abs(x))) + 1 if 1 <= abs(x) < 1e15 else 0
    return f"{x:.{max(digits or DIGITS, whole + 1)}g}"


def percent(share: float) -> str:
    """A share in per cent; never 0 or 100 unless it is."""
    if 0.995 <= share < 1:
        return f"{math.floor(1000 * share) / 10:.1f} %"
    if 0 < share < 0.005:
        return "< 1 %"
    return f"{100 * share:.0f} %"


def rows_text(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"


def value_text(value: Any) -> str:
    return "missing" if value is None else printable(str(value))


def class_text(value: Any) -> str:
    """A class; one that is a number or a flag is called a class, so that nobody takes it for a count."""
    return printable(value) if isinstance(value, str) else f"class {value}"


def values_text(values: tuple[Any, ...], most: int) -> str:
    """Values as a list; a long one tells how many there are besides."""
    shown = ", ".join(value_text(v) for v in values[:most])
    return shown if len(values) <= most else f"{shown}, … {len(values) - most:,} more"


def probability(log_p: float) -> str:
    """A probability, given by its natural logarithm, with two digits, also where no double holds it."""
    if log_p > -9:
        return f"{math.exp(log_p):.2g}"
    power = log_p / math.log(10)
    whole = math.floor(power)
    digits = f"{10 ** (power - whole):.1f}"
    if digits == "10.0":
        digits, whole = "1.0", whole + 1
    return f"{digits}e{whole}"


# ---- conditions -------------------------------------------------------------------------------------


def condition_text(c: Condition, digits: int | None = None, most: int = 8) -> str:
    """What is true of the rows of a child, rows without a value included."""
    text = numbers_text(c, digits, most)
    only_missing = isinstance(c, Range) and (c.only_missing or c.only_known)
    return f"{text} or missing" if not isinstance(c, Among) and c.saw_missing and not only_missing else text


def numbers_text(c: Condition, digits: int | None = None, most: int = 8) -> str:
    """What is true of the rows of a child that have a value."""
    if isinstance(c, Among):
        return among_text(c, most)
    if isinstance(c, Sum):
        return bounds_text(sum_text(c, digits, most), c.low, c.high, digits)
    if c.only_missing:
        return f"{printable(c.name)} is missing"
    if c.only_known:
        return f"{printable(c.name)} is known"
    if c.boolean:
        return f"{printable(c.name)} is {math.isinf(c.high)}"
    if c.levels:
        return levels_text(c)
    return bounds_text(printable(c.name), c.low, c.high, digits)


def levels_text(c: Range) -> str:
    """The values of an ordinal column between two bounds, by their names."""
    name = printable(c.name)
    low, high = (value_text(c.level(b)) if math.isfinite(b) else None for b in (c.low, c.high))
    if low is None:
        return f"{name} <= {high}"
    return f"{name} > {low}" if high is None else f"{low} < {name} <= {high}"


def bounds_text(what: str, low: float, high: float, digits: int | None) -> str:
    if math.isinf(low):
        return f"{what} <= {number(high, digits)}"
    if math.isinf(high):
        return f"{what} > {number(low, digits)}"
    return f"{number(low, digits)} < {what} <= {number(high, digits)}"


def among_text(c: Among, most: int) -> str:
    if len(c.values) == 1:
        return f"{printable(c.name)} is {value_text(c.values[0])}"
    return f"{printable(c.name)} in {{{values_text(c.values, most)}}}"


def sum_text(c: Sum, digits: int | None, most: int) -> str:
    """The left-hand side of a linear split."""
    terms: list[str] = []
    for t in c.terms[:most]:
        sign = (" - " if t.weight < 0 else " + ") if terms else ("-" if t.weight < 0 else "")
        times = number(abs(t.weight), digits or TERM_DIGITS)
        terms.append(f"{sign}{'' if times == '1' else f'{times}·'}{printable(t.name)}")
    more = len(c.terms) - most
    return "".join(terms) + (f" + … {more:,} more terms" if more > 0 else "")


def reached_text(c: Sum, total: float, digits: int | None = None, most: int = 8) -> str:
    """The condition of a child with the sum that a row has, in digits that tell it from the cut."""
    cut, sign = (c.high, "<=") if math.isinf(c.low) else (c.low, ">")
    telling = digits or DIGITS
    while telling < 17 and number(total, telling) == number(cut, telling):
        telling += 1
    return f"{sum_text(c, digits, most)} = {number(total, telling)} {sign} {number(cut, telling)}"
