"""What a split says of the rows of one child, as small frozen values. Renderers (text, pictures, pages) write them
out; nothing is read back from text. Two conditions about the same thing meet in one: that is how a rule is made of
the splits on its path."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

LANES = 8  # of a sum; see lower.py


def no_value(value: Any, levels: tuple[Any, ...]) -> bool:
    """Is it a missing value, or one outside the order of an ordinal column?"""
    return value is None or value != value or (len(levels) > 0 and value not in levels)


@dataclass(frozen=True, slots=True)
class Term:
    """One column of a sum: ``weight · (value − center)``; of a nominal column the score of its value.

    ``spread`` is the column's standard deviation in training, so that ``weight · spread`` can be compared between
    columns of different units; 1 where the tree does not keep it. The value of an ordinal column is its place among
    ``levels``.
    """

    column: int
    name: str
    weight: float
    center: float = 0.0
    spread: float = 1.0
    levels: tuple[Any, ...] = ()
    moment: str = ""  # the kind of a column of dates, times or durations: its number of days is meant
    scores: tuple[tuple[Any, float], ...] = ()  # of a nominal column, the weight being 1; other values have 0

    @property
    def strength(self) -> float:
        """How far the term moves rows."""
        return abs(self.weight) * self.spread

    def lacks(self, value: Any) -> bool:
        """Is that no value of the column? A missing category is one."""
        return not self.scores and no_value(value, self.levels)

    def number(self, value: Any) -> float:
        """A value that is there, as the number that is meant."""
        return float(self.levels.index(value) if self.levels else value)

    def place(self, value: Any) -> int:
        """Of a category among the scores; their number if it has none."""
        value = None if value != value else value
        return next((i for i, (own, _) in enumerate(self.scores) if own == value), len(self.scores))

    def score(self, value: Any) -> float:
        """Of a category."""
        at = self.place(value)
        return self.scores[at][1] if at < len(self.scores) else 0.0


@dataclass(frozen=True, slots=True)
class Range:
    """``low < value <= high`` of a numeric column.

    ``missing``: rows without a value go here too; ``saw_missing``: and in training some did. Where ``low`` is not below
    ``high``, no number is here and the rows are those without a value.
    """

    column: int
    name: str
    low: float = -math.inf
    high: float = math.inf
    missing: bool = False
    saw_missing: bool = False
    boolean: bool = False
    levels: tuple[Any, ...] = ()  # of an ordinal column: its values; low and high count them from 0
    moment: str = ""  # the kind of a column of dates, times or durations: bounds are numbers of days
    low_digits: int = 0  # significant digits of the bound that part the training rows; 0: all of it is printed
    high_digits: int = 0

    def level(self, bound: float) -> Any:
        """The highest value that is not above a bound between two of them."""
        return self.levels[min(len(self.levels) - 1, max(0, math.floor(bound)))]

    @property
    def subject(self) -> Hashable:
        """What the condition is about: two of one subject can meet."""
        return self.column

    @property
    def columns(self) -> tuple[int, ...]:
        return (self.column,)

    def lacked(self, values: list[Any]) -> bool:
        """Is the number of a row missing?"""
        return no_value(values[self.column], self.levels)

    @property
    def only_missing(self) -> bool:
        return self.low >= self.high

    @property
    def in_full(self) -> Range:
        """The same, printed with all digits."""
        return replace(self, low_digits=0, high_digits=0)

    @property
    def only_known(self) -> bool:
        return math.isinf(self.low) and math.isinf(self.high) and not self.only_missing

    def meet(self, other: Range) -> Range:
        """What is true of rows that keep both conditions."""
        low, high = max(self, other, key=lambda r: r.low), min(self, other, key=lambda r: r.high)
        joined = replace(self, **met(self, other))
        return replace(joined, low_digits=low.low_digits, high_digits=high.high_digits)


@dataclass(frozen=True, slots=True)
class Sum:
    """``low < Σ weight·value <= high``, in the units of the table.

    A row with a missing value in one of the columns has no sum or, with ``gaps_at_center``, counts as its center
    there. The terms that move rows most come first.

    ``digits`` of the weights are enough to part the training rows, which leave ``room`` about the cut; 0: the sum is
    printed in full, as ``low < Σ weight·(value − center) <= high`` with the bounds in ``centered``.
    """

    terms: tuple[Term, ...]
    low: float = -math.inf
    high: float = math.inf
    missing: bool = False
    saw_missing: bool = False
    gaps_at_center: bool = False
    digits: int = 0
    room: float = math.inf
    centered: tuple[float, float] = (-math.inf, math.inf)

    @property
    def in_full(self) -> Sum:
        """The same, printed with all digits."""
        return replace(self, digits=0)

    @property
    def uncentered(self) -> bool:
        """Is it exactly the same with the centers moved to the side of the cut?"""
        if not any(t.center for t in self.terms):
            return True
        moved = sum((Fraction(t.weight) * Fraction(t.center) for t in self.terms), Fraction(0))
        ends = zip((self.low, self.high), self.centered, strict=True)
        return all(math.isinf(a) or Fraction(a) == Fraction(b) + moved for a, b in ends)

    @property
    def subject(self) -> Hashable:
        return self.columns, tuple(t.weight for t in self.terms), tuple(t.scores for t in self.terms)

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(t.column for t in self.terms)

    def lacked(self, values: list[Any]) -> bool:
        """Is one of the numbers of a row missing?"""
        return any(t.lacks(values[t.column]) for t in self.terms)

    def total(self, values: list[Any]) -> float:
        """The sum that a row has."""
        return weighted_sum((t.weight, self.number(t, values[t.column])) for t in self.terms)

    def position(self, values: list[Any]) -> float:
        """Σ weight·(value − center) of a row as the core adds it up."""
        lanes, at = [0.0] * LANES, 0
        for t in sorted(self.terms, key=lambda t: t.column):
            own = values[t.column]
            if t.scores:  # the core has a term for each value, in the order of the scores
                lanes[(at + t.place(own)) % LANES] += t.score(own)
                at += len(t.scores)
                continue
            lanes[at % LANES] += t.weight * (self.number(t, own) - t.center)
            at += 1
        a, b, c, d, e, f, g, h = lanes
        return ((a + e) + (c + g)) + ((b + f) + (d + h))

    def number(self, term: Term, value: Any) -> float:
        """What a term's weight is multiplied by."""
        if term.scores:
            return term.score(value)
        if self.gaps_at_center and term.lacks(value):
            return term.center
        return term.number(value)

    def meet(self, other: Sum) -> Sum:
        """What is true of rows that keep both conditions."""
        digits = max(self.digits, other.digits) if self.digits and other.digits else 0
        centered = (max(self.centered[0], other.centered[0]), min(self.centered[1], other.centered[1]))
        joined = replace(self, **met(self, other))
        return replace(joined, digits=digits, room=min(self.room, other.room), centered=centered)


@dataclass(frozen=True, slots=True)
class Among:
    """The value of a nominal column is one of ``values``; None stands for a missing one.

    ``others``: values that were not at the node in training go here too.
    """

    column: int
    name: str
    values: tuple[Any, ...]
    others: bool = False

    @property
    def subject(self) -> Hashable:
        return self.column

    @property
    def columns(self) -> tuple[int, ...]:
        return (self.column,)

    def meet(self, other: Among) -> Among:
        """What is true of rows that keep both conditions."""
        both = frozenset(other.values)
        values = tuple(v for v in self.values if v in both)
        return replace(self, values=values, others=self.others and other.others)


Condition = Range | Sum | Among


def weighted_sum(pairs: Iterable[tuple[float, float]]) -> float:
    """Σ a·b, rounded once; exact also where a part of it leaves the range of a double."""
    known = list(pairs)
    products = [a * b for a, b in known]
    if all(map(math.isfinite, products)):
        with contextlib.suppress(OverflowError):  # of a sum of some of them
            return math.fsum(products)
    total = sum((Fraction(a) * Fraction(b) for a, b in known), Fraction(0))
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def met(a: Range | Sum, b: Range | Sum) -> dict[str, Any]:
    return {
        "low": max(a.low, b.low),
        "high": min(a.high, b.high),
        "missing": a.missing and b.missing,
        "saw_missing": a.saw_missing and b.saw_missing,
    }


class Path:
    """The conditions from the root to a node, those about the same thing joined; steps can be taken back."""

    def __init__(self, steps: Iterable[Condition] = ()) -> None:
        self._facts: dict[Hashable, Condition] = {}
        self._before: list[tuple[Hashable, Condition | None]] = []
        for step in steps:
            self.push(step)

    def push(self, step: Condition) -> None:
        known = self._facts.get(step.subject)
        self._before.append((step.subject, known))
        self._facts[step.subject] = step if known is None else known.meet(step)  # type: ignore[arg-type]

    def pop(self) -> None:
        subject, known = self._before.pop()
        if known is None:
            del self._facts[subject]
        else:
            self._facts[subject] = known

    def __len__(self) -> int:
        """The number of steps; `conditions` may be fewer."""
        return len(self._before)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """In the order in which they were first met."""
        return tuple(self._facts.values())
