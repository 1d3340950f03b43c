"""Answers to "why not?": what would have to change, as values with words and a frame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..errors import module_of, printable
from ..model.conditions import Among, Condition, Range
from ..output.words import bounds_of, class_text, number, percent, rows_text, value_text
from ..tables.moments import moment_text

MOST_VALUES = 4  # categories of one change that are written out


@dataclass(frozen=True)
class Changed:
    """One column that would have to change.

    Attributes
    ----------
    column : int
    name : str
    value : Any
        What the row has; None where it is missing.
    to : Any
        The nearest value that will do, as far as the other changes are made, too.
    distance : float
        How far that is: standard deviations of the column times its cost; a category is one away.
    condition : Condition or None
        All values that will do; None where it depends on other columns, through a linear split.
    whole : bool
        Whether the column holds integers only.
    digits : int
        How many significant digits of ``to`` are enough; 0: all.
    moment : str
        The kind of a column of dates, times or durations, whose values are numbers of days here; else empty.
    """

    column: int
    name: str
    value: Any
    to: Any
    distance: float
    condition: Condition | None = None
    whole: bool = False
    digits: int = 0
    moment: str = ""

    @property
    def needed(self) -> str:
        """What is needed, such as ``at most 11.5``."""
        c = self.condition
        if isinstance(c, Among):
            return either([value_text(v) for v in c.values if v is not None])
        if not isinstance(c, Range) or self.value is None or c.boolean:
            return self.text(self.to, self.digits)
        low, high = bounds_of(c)
        up = self.rises
        if c.levels or self.whole:
            return f"at {'least' if up else 'most'} {self.text(self.to)}"
        if up:
            assert low is not None
            return f"{'at least' if low.open else 'more than'} {low.text}"
        assert high is not None
        return f"{'less than' if high.open else 'at most'} {high.text}"

    def text(self, value: Any, digits: int = 0) -> str:
        """A value of the column in words."""
        return moment_text(value, self.moment) if self.moment else as_text(value, digits)

    @property
    def rises(self) -> bool:
        """Is the new number larger?"""
        c = self.condition
        if isinstance(c, Range) and c.levels:
            return c.levels.index(self.to) > (c.levels.index(self.value) if self.value in c.levels else -1)
        return bool(self.to > self.value)

    def __str__(self) -> str:
        old = "missing" if self.value is None else self.text(self.value)
        return f"{printable(self.name)} were {self.needed} instead of {old}"


@dataclass(frozen=True)
class Change:
    """One way to the wanted prediction: the nearest row of one leaf.

    Attributes
    ----------
    changed : tuple of Changed
        The columns that would have to change, in the order of the path.
    prediction : class or number
        What would be predicted then.
    share : float or None
        The share of that class in the leaf; None of numbers.
    node : int
        The leaf.
    rows : int
        Its training rows.
    weight : float
    row : tuple
        The changed row, in the order of the columns of training.
    """

    changed: tuple[Changed, ...]
    prediction: Any
    share: float | None
    node: int
    rows: int
    weight: float
    row: tuple[Any, ...] = ()

    @property
    def distance(self) -> float:
        """How far the row moves in all."""
        return math.fsum(c.distance for c in self.changed)

    def goes_beyond(self, other: Change) -> bool:
        """Does it ask for all that the other one asks for, and more?"""
        own = {c.column: c for c in self.changed}
        if not all(c.column in own for c in other.changed):
            return False
        return len(self.changed) > len(other.changed) or all(
            own[c.column].distance >= c.distance and own[c.column].to == c.to for c in other.changed
        )

    def __str__(self) -> str:
        return (
            f"If {' and '.join(map(str, self.changed))}, the prediction would be {prediction_text(self.prediction)} "
            f"({'' if self.share is None else f'{percent(self.share)} of '}{rows_text(self.rows)})."
        )


@dataclass(frozen=True)
class WhyNot:
    """The nearest changes of a row that give another prediction, as `Model.why_not` returns them; printed, they are
    sentences.

    Attributes
    ----------
    changes : tuple of Change
        The nearest first; none if there are none.
    predicted : class or number
        What is predicted of the row as it is.
    wanted : class, or pair of numbers
    """

    changes: tuple[Change, ...]
    predicted: Any
    wanted: Any

    def __len__(self) -> int:
        return len(self.changes)

    def __getitem__(self, i: int) -> Change:
        return self.changes[i]

    @property
    def already(self) -> bool:
        """Is the wanted prediction the one that the row gets as it is?"""
        if isinstance(self.wanted, tuple):
            return bool(self.wanted[0] <= self.predicted <= self.wanted[1])
        return bool(self.wanted == self.predicted)

    def __str__(self) -> str:
        own, wanted = prediction_text(self.predicted), wanted_text(self.wanted)
        if self.already:
            return f"The prediction is {own} already; nothing has to change."
        if not self.changes:
            return f"The prediction is {own}. No change of the columns that may change makes it {wanted}."
        return "\n".join([f"The prediction is {own}.", *(str(a) for a in self.changes)])

    __repr__ = __str__

    def to_frame(self) -> Any:
        """A data frame of pandas with a row for each changed column of each change.

        Examples
        --------
        >>> import bough
        >>> tree = bough.TreeClassifier().fit([[0.0], [1.5]], ["a", "b"])
        >>> tree.why_not([0.0], "b").to_frame()[["change", "column", "value", "needed"]]
           change column  value          needed
        0       1     x0    0.0  more than 0.75
        """
        pd = module_of("pandas", "to_frame", "frames")
        names = ["change", "column", "value", "needed", "to", "distance", "prediction", "node"]
        lines = [
            (i, c.name, c.value, c.needed, c.to, c.distance, a.prediction, a.node)
            for i, a in enumerate(self.changes, start=1)
            for c in a.changed
        ]
        return pd.DataFrame(lines, columns=names)


def either(texts: list[str]) -> str:
    if len(texts) > MOST_VALUES:
        texts = [*texts[: MOST_VALUES - 1], f"one of {len(texts) - MOST_VALUES + 1} others"]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def as_text(value: Any, digits: int = 0) -> str:
    """A value in words; ``digits``: of a number, 0 for as many as it takes."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value_text(value)
    if digits:
        return number(value, digits)
    short = number(value, 6)
    return short if float(short) == value else repr(value)


def prediction_text(prediction: Any) -> str:
    return number(prediction) if isinstance(prediction, float) else class_text(prediction)


def wanted_text(wanted: Any) -> str:
    if not isinstance(wanted, tuple):
        return class_text(wanted)
    low, high = wanted
    if math.isinf(low):
        return f"at most {number(high)}"
    return f"at least {number(low)}" if math.isinf(high) else f"{number(low)} to {number(high)}"
