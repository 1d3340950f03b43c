"""Numbers, shares, values and conditions as words."""

from __future__ import annotations

import math
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import printable, whole_number
from ..model.conditions import Among, Condition, Range, Sum, Term, weighted_sum
from ..model.lines import LinearModel
from ..model.nodes import NodeView
from ..tables.moments import printed_tick, tick_text, ticks_of

if TYPE_CHECKING:
    from ..model.model import Model

DIGITS, TERM_DIGITS = 6, 3  # of numbers and of the terms of a sum, unless others are asked for
LINE_DIGITS = 4  # of the slopes of a linear leaf
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


NEEDS_QUOTES = re.compile(r"""[,<>=≤≥{}'"]|^\s|\s$|^$|^missing$""")  # what would be read as part of a condition


def value_text(value: Any) -> str:
    """A category as conditions name it, in quotes where it could be taken for something else."""
    if value is None:
        return "missing"
    text = printable(str(value))
    return repr(text) if NEEDS_QUOTES.search(text) else text


def class_text(value: Any) -> str:
    """A class; one that is a number or a flag is called a class, so that nobody takes it for a count."""
    return printable(value) if isinstance(value, str) else f"class {value}"


def values_text(values: tuple[Any, ...], most: int) -> str:
    """Categories as a list; a long one says how many more there are, and always names the missing value."""
    listed = list(values[:most])
    if None in values[most:]:
        listed[-1] = None
    shown = ", ".join(value_text(v) for v in listed)
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


def model_text(model: LinearModel, digits: int | None = None, most: int = 8) -> str:
    """A linear model as a sum; the steepest of its terms are listed, in the order of the columns."""
    kept = sorted(model.lines, key=lambda t: -abs(t.weight))[:most]
    terms = [number(model.intercept, digits)]
    for t in sorted(kept, key=lambda t: t.column):
        times = number(abs(t.weight), digits or LINE_DIGITS)
        terms.append(f" {'-' if t.weight < 0 else '+'} {times}·{term_name(t)}")
    more = len(model.lines) - most
    return "".join(terms) + (f" + … {more:,} more terms" if more > 0 else "")


def predicted_text(node: NodeView, digits: int | None = None) -> str:
    """The number that a node predicts, or the sum that gives it."""
    model = node.model
    return number(node.mean, digits) if model is None else model_text(model, digits)


# ---- conditions -------------------------------------------------------------------------------------

OR_MISSING = " or missing"  # the end of a condition that rows without a value meet, too


def condition_text(c: Condition, digits: int | None = None, most: int = 8) -> str:
    """What is true of the rows of a child, rows without a value included."""
    text = numbers_text(c, digits, most)
    only_missing = isinstance(c, Range) and (c.only_missing or c.only_known)
    return f"{text}{OR_MISSING}" if not isinstance(c, Among) and c.saw_missing and not only_missing else text


def numbers_text(c: Condition, digits: int | None = None, most: int = 8) -> str:
    """What is true of the rows of a child that have a value."""
    if isinstance(c, Among):
        return among_text(c, most)
    if isinstance(c, Sum):
        return bounds_text(sum_text(c, digits, most), *bounds_of(c, digits))
    if c.only_missing:
        return f"{printable(c.name)} is missing"
    if c.only_known:
        return f"{printable(c.name)} is known"
    if c.boolean:
        return f"{printable(c.name)} is {math.isinf(c.high)}"
    if c.levels:
        return levels_text(c)
    return bounds_text(printable(c.name), *bounds_of(c, digits))


def levels_text(c: Range) -> str:
    """The values of an ordinal column between two bounds, by their names."""
    name = printable(c.name)
    low, high = (value_text(c.level(b)) if math.isfinite(b) else None for b in (c.low, c.high))
    if low is None:
        return f"{name} <= {high}"
    return f"{name} > {low}" if high is None else f"{low} < {name} <= {high}"


class Bound(NamedTuple):
    """A cut as it is printed: values up to it, or with ``open`` below it, are on its left."""

    text: str
    open: bool = False
    tick: int | None = None  # the microsecond that is printed, of dates, times and durations

    def has_left(self, x: float) -> bool:
        """Is a number on the left of what is printed?"""
        if self.tick is not None:
            return ticks_of(x) < self.tick + (not self.open)
        return x < float(self.text) if self.open else x <= float(self.text)


def bounds_of(c: Range | Sum, digits: int | None = None) -> tuple[Bound | None, Bound | None]:
    """The lower and the upper bound of a condition; None: there is none. Every text of a cut is made here."""
    if isinstance(c, Range):
        ends = ((c.low, c.low_digits), (c.high, c.high_digits))
        low, high = (bound(x, digits, need, c.moment) if math.isfinite(x) else None for x, need in ends)
    elif c.digits:
        moved = shift(c, digits)
        low, high = (sum_bound(x + moved, digits, c.room) if math.isfinite(x) else None for x in (c.low, c.high))
    else:
        full = (c.low, c.high) if c.uncentered else c.centered
        low, high = (Bound(in_full(x)) if math.isfinite(x) else None for x in full)
    return low, high


def bound(cut: float, digits: int | None, need: int, moment: str = "") -> Bound:
    """A cut with the digits asked for, but never with fewer than part the training rows; of a cut just below a short
    number, that number."""
    if moment:
        known = 0 < need < MOST_DIGITS - 1
        tick, before = printed_tick(cut, moment, float(number(cut, need)) if known else None)
        return Bound(tick_text(tick, moment), before, tick)
    if 0 < need < MOST_DIGITS - 1:
        return Bound(number(cut, max(digits or DIGITS, need)))
    own, above = in_full(cut), in_full(math.nextafter(cut, math.inf))
    return Bound(own) if len(own) <= len(above) else Bound(above, open=True)


def in_full(x: float) -> str:
    """The shortest text that is read back as the same number."""
    return next((t for n in range(DIGITS, MOST_DIGITS) if float(t := number(x, n)) == x), number(x, MOST_DIGITS))


def sum_bound(cut: float, digits: int | None, room: float) -> Bound:
    """The cut of a sum, moved by an eighth of the room about it at most."""
    most = sys.float_info.max  # as a damaged file may go beyond
    cut, room = min(max(cut, -most), most), min(max(room, 4 * math.ulp(0.0)), most)  # a quarter of less room is 0
    least = math.floor(math.log10(abs(cut))) + 1 - math.floor(math.log10(room / 4)) if cut else 0
    return Bound(number(cut, min(MOST_DIGITS, max(digits or DIGITS, least))))


def weight_of(term: Term, c: Sum, digits: int | None) -> float:
    """The weight of a term as it is printed."""
    return float(number(term.weight, weight_digits(c, digits)))


def weight_digits(c: Sum, digits: int | None) -> int:
    return max(digits or TERM_DIGITS, c.digits) if c.digits else MOST_DIGITS


def shift(c: Sum, digits: int | None) -> float:
    """How far the sums of all rows lie beside their place because weights are printed with few digits."""
    return weighted_sum((weight_of(t, c, digits) - t.weight, t.center) for t in c.terms)


def bounds_text(what: str, low: Bound | None, high: Bound | None) -> str:
    if low and low.open and low.tick is not None and high is None:
        return f"{what} from {low.text} on"
    if high and high.open and high.tick is not None and low is None:
        return f"{what} before {high.text}"
    if high is None:
        return f"{what} {'>=' if low and low.open else '>'} {low.text if low else ''}"
    upper = f"{what} {'<' if high.open else '<='} {high.text}"
    return upper if low is None else f"{low.text} {'<=' if low.open else '<'} {upper}"


def among_text(c: Among, most: int) -> str:
    if len(c.values) == 1:
        return f"{printable(c.name)} is {value_text(c.values[0])}"
    return f"{printable(c.name)} in {{{values_text(c.values, most)}}}"


def term_name(term: Term) -> str:
    return f"days({printable(term.name)})" if term.moment else printable(term.name)


def sum_text(c: Sum, digits: int | None, most: int) -> str:
    """The left-hand side of a linear split."""
    terms: list[str] = []
    plain = c.digits > 0 or c.uncentered
    for t in c.terms[:most]:
        if t.scores:
            terms.append((" + " if terms else "") + scores_text(t, c, digits, most))
            continue
        sign = (" - " if t.weight < 0 else " + ") if terms else ("-" if t.weight < 0 else "")
        weight, name = abs(t.weight), term_name(t)
        times = number(weight, weight_digits(c, digits)) if c.digits else in_full(weight)
        if not plain and t.center:
            name = f"({name} {'+' if t.center < 0 else '-'} {in_full(abs(t.center))})"
        terms.append(f"{sign}{'' if times == '1' else f'{times}·'}{name}")
    more = len(c.terms) - most
    return "".join(terms) + (f" + … {more:,} more terms" if more > 0 else "")


def scores_text(t: Term, c: Sum, digits: int | None, most: int) -> str:
    """A nominal column of a sum with the scores of its values; the others have 0."""
    own = [f"{value_text(v)}: {score_text(x, c, digits)}" for v, x in t.scores[:most]]
    more = len(t.scores) - most
    return f"{printable(t.name)}{{{', '.join(own)}{f', … {more:,} more' if more > 0 else ''}}}"


def score_text(x: float, c: Sum, digits: int | None) -> str:
    return number(x, weight_digits(c, digits)) if c.digits else in_full(x)


def part_of(term: Term, c: Sum, value: Any, digits: int | None) -> tuple[float, float]:
    """The weight of a term as it is printed, and what it is multiplied by."""
    x = c.number(term, value)
    return (1.0, float(score_text(x, c, digits))) if term.scores else (weight_of(term, c, digits), x)


def reached_text(c: Sum, values: list[Any], digits: int | None = None, most: int = 8) -> str:
    """The condition of a child with the sum that a row has, in digits that tell it from the cut."""
    low, high = bounds_of(c, digits)
    cut, left = (high, True) if high else (low, False)
    if cut is None:  # of a file: its cut is no number once the centers are in it
        return bounds_text(sum_text(c, digits, most), low, high)
    if c.digits:
        total = weighted_sum(part_of(t, c, values[t.column], digits) for t in c.terms)
        if cut.has_left(total) != left:  # a row that was not there in training, between the cut and what is printed
            return reached_text(c.in_full, values, digits, most)
    elif c.uncentered:
        total = c.total(values)
    else:
        total = c.position(values)
    return f"{sum_text(c, digits, most)} = {telling(total, cut, left, digits)} {'<=' if left else '>'} {cut.text}"


def given_text(c: Range, value: float, digits: int | None) -> tuple[str, str]:
    """The value of a row and the condition of a child, in digits that agree with each other."""
    (low, high), text = bounds_of(c, digits), numbers_text(c, digits)
    cut, left = (high, True) if high else (low, False)
    if cut is None or c.boolean or c.levels:
        return number(value, digits), text
    if cut.has_left(value) != left:
        return given_text(c.in_full, value, digits)
    if c.moment:
        return tick_text(ticks_of(value), c.moment), text
    return telling(value, cut, left, digits), text


def telling(x: float, cut: Bound, left: bool, digits: int | None) -> str:
    """A number in digits that leave it on its side of a cut."""
    tried = (number(x, n) for n in range(digits or DIGITS, MOST_DIGITS))
    return next((t for t in tried if cut.has_left(float(t)) == left and (left or t != cut.text)), in_full(x))


def stage_text(model: Model, tree: int) -> str:
    """Which of the boosted trees it is, and what its leaves say."""
    assert model.boosting is not None
    k = model.boosting.n_outputs
    of = "" if k == 1 or model.classes is None else f" of {class_text(model.classes[tree % k])}"
    return (
        f"tree {tree} of {len(model.trees):,}, counted from 0, round {tree // k}: "
        f"{model.boosting.learning_rate:g} of what a leaf says is added to the sum{of}"
    )
