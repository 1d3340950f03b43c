"""The question of a node as a small frozen value: exact, as prediction asks it, and with a `Condition` for each
child, as people read it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from .. import _core
from ..tables.schema import Schema
from .conditions import Among, Condition, Range, Sum, Term, weighted_sum
from .printed import UNKNOWN, Need, Printed

KINDS = ("leaf", "axis", "linear", "subset", "multiway")


@dataclass(frozen=True, slots=True)
class AxisSplit:
    """``column <= cut``; ``saw_missing``: rows without a value were there in training.

    A cut of infinity parts rows with a value from those without one.
    """

    kind: ClassVar[str] = "axis"
    column: int
    name: str
    cut: float
    missing_left: bool | None  # None: rows without a value stop, unless a surrogate knows their way
    saw_missing: bool = False
    boolean: bool = False
    levels: tuple[Any, ...] = ()  # of an ordinal column: its values, which the cut counts from 0
    moment: str = ""  # the kind of a column of dates, times or durations, whose number of days is cut
    digits: int = 0  # of the cut that part the training rows; 0: not known

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What is true of the rows of each child."""
        left, right = sides_of(self)
        low, high = (
            Range(self.column, self.name, *ends, *side, self.boolean, self.levels, self.moment)
            for ends, side in (((-math.inf, self.cut), left), ((self.cut, math.inf), right))
        )
        return replace(low, high_digits=self.digits), replace(high, low_digits=self.digits)


@dataclass(frozen=True, slots=True)
class LinearSplit:
    """``Σ weight·column <= cut``, in the units of the table; a nominal column counts by a score for each value.

    The terms that move rows most come first: by coefficient times the column's spread in training. With
    ``gaps_at_center`` a missing number counts as its column's center, and every row has a sum.
    """

    kind: ClassVar[str] = "linear"
    terms: tuple[Term, ...]
    centered_cut: float
    missing_left: bool | None  # None: rows without a value stop, unless a surrogate knows their way
    saw_missing: bool = False
    gaps_at_center: bool = False
    need: Need = UNKNOWN

    @property
    def columns(self) -> tuple[int, ...]:
        return tuple(t.column for t in self.terms)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(t.name for t in self.terms)

    @property
    def weights(self) -> tuple[float, ...]:
        return tuple(t.weight for t in self.terms)

    @property
    def cut(self) -> float:
        """The cut with the centers moved to its side."""
        return self.centered_cut + weighted_sum((t.weight, t.center) for t in self.in_order)

    @property
    def in_order(self) -> tuple[Term, ...]:
        """The terms as prediction adds them up: a row goes left when ``Σ weight·(value − center) <= centered_cut``."""
        return tuple(sorted(self.terms, key=lambda t: t.column))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What is true of the rows of each child."""
        left, right = sides_of(self)
        cut, (digits, below, above), gaps = self.cut, self.need, self.gaps_at_center
        room = above - below
        if digits and min(self.centered_cut - below, above - self.centered_cut) < room / 4:
            cut += (below + above) / 2 - self.centered_cut  # beside a row: texts have the middle, which needs less
        own = self.centered_cut
        return (
            Sum(self.terms, -math.inf, cut, *left, gaps, digits, room, (-math.inf, own)),
            Sum(self.terms, cut, math.inf, *right, gaps, digits, room, (own, math.inf)),
        )


@dataclass(frozen=True, slots=True)
class SubsetSplit:
    """``column in left``, against ``right``; other values follow ``other`` (None: they stop)."""

    kind: ClassVar[str] = "subset"
    column: int
    name: str
    left: tuple[Any, ...]
    right: tuple[Any, ...]
    other: int | None

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What is true of the rows of each child."""
        sides = (self.left, self.right)
        return tuple(Among(self.column, self.name, v, self.other == i) for i, v in enumerate(sides))


@dataclass(frozen=True, slots=True)
class MultiwaySplit:
    """One child for each value; other values follow ``other`` (None: they stop)."""

    kind: ClassVar[str] = "multiway"
    column: int
    name: str
    values: tuple[Any, ...]
    other: int | None

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What is true of the rows of each child."""
        return tuple(Among(self.column, self.name, (v,), self.other == i) for i, v in enumerate(self.values))


Split = AxisSplit | LinearSplit | SubsetSplit | MultiwaySplit


def terms_of(s: dict[str, Any], schema: Schema) -> list[Term]:
    """The terms of a linear split in the order of its columns, one for each."""
    parts = zip(s["term_columns"], s["term_weights"], s["term_centers"], s["term_spreads"], strict=True)
    terms: list[Term] = []
    scores: dict[int, list[tuple[Any, float]]] = {}
    for i, (c, weight, center, spread) in enumerate(parts):
        info = schema.columns[c]
        if not info.nominal:
            terms.append(Term(c, info.name, weight, center, spread, info.values if info.ordinal else (), info.moment))
            continue
        if c not in scores:
            terms.append(Term(c, info.name, 1.0, 0.0, spread))
        scores.setdefault(c, []).append((info.values[s["term_values"][i]], weight))
    for i, t in enumerate(terms):
        if own := scores.get(t.column):
            terms[i] = replace(t, spread=t.spread * math.hypot(*(x for _, x in own)), scores=tuple(own))
    return terms


def sides_of(split: AxisSplit | LinearSplit) -> tuple[tuple[bool, bool], tuple[bool, bool]]:
    """For the left and the right child: whether rows without a value go there, and whether some did in training."""
    left, right, saw = split.missing_left is True, split.missing_left is False, split.saw_missing
    return (left, left and saw), (right, right and saw)


def split_of(tree: _core.Tree, schema: Schema, node: int, printed: Printed | None = None) -> Split | None:
    """The split of a node, or None for a leaf."""
    need = UNKNOWN if printed is None else printed.need(tree, node)
    s = tree.split(node)
    saw_missing = s["saw_missing"] and tree.missing == "either"  # else a side says nothing of rows without a value
    missing_left = None if s["stops"] else s["missing_left"]
    kind = KINDS[s["kind"]]
    if kind == "leaf":
        return None
    if kind == "linear":
        terms = sorted(terms_of(s, schema), key=lambda t: -t.strength)
        return LinearSplit(tuple(terms), s["cut"], missing_left, saw_missing, s["gaps_at_center"], need)
    column = s["column"]
    info = schema.columns[column]
    if kind == "axis":
        levels = info.values if info.ordinal else ()
        boolean = info.kind == "boolean"
        own = (boolean, levels, info.moment)
        return AxisSplit(column, info.name, s["cut"], missing_left, saw_missing, *own, need.digits)
    values = tuple(info.values[v] for v in s["values"])
    if kind == "multiway":
        return MultiwaySplit(column, info.name, values, s["other"])
    left = tuple(v for v, is_left in zip(values, s["goes_left"], strict=True) if is_left)
    right = tuple(v for v, is_left in zip(values, s["goes_left"], strict=True) if not is_left)
    return SubsetSplit(column, info.name, left, right, s["other"])
