"""The question of a node as a small value that can say itself in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..tables.schema import Schema

KINDS = ("leaf", "axis", "linear", "subset", "multiway")


def number(x: float, digits: int = 6) -> str:
    """A number with `digits` significant digits, and never fewer than its whole part has."""
    if math.isinf(x) or math.isnan(x) or x == 0:
        return f"{x:g}"
    whole = int(math.log10(abs(x))) + 1 if 1 <= abs(x) < 1e15 else 0
    return f"{x:.{max(digits, whole + 1)}g}"


def value_text(value: Any) -> str:
    return "missing" if value is None else str(value)


def values_text(values: tuple[Any, ...], most: int) -> str:
    """Values as a list; a long one tells how many there are besides."""
    shown = ", ".join(value_text(v) for v in values[:most])
    return shown if len(values) <= most else f"{shown}, … {len(values) - most} more"


def or_missing(text: str, here: bool) -> str:
    return f"{text} or missing" if here else text


@dataclass(frozen=True)
class AxisSplit:
    """``column <= cut``; ``saw_missing``: rows without a value were there in training."""

    column: int
    name: str
    cut: float
    missing_left: bool
    saw_missing: bool = False
    boolean: bool = False

    def question(self, digits: int = 6, most: int = 8) -> str:
        return self.condition(0, digits, most)

    def branches(self, digits: int = 6, most: int = 8) -> list[str]:
        return ["yes", "no"]

    def condition(self, child: int, digits: int = 6, most: int = 8) -> str:
        """What is true of the rows of a child."""
        if math.isinf(self.cut):
            return f"{self.name} is {'known' if child == 0 else 'missing'}"
        if self.boolean:
            text = f"{self.name} is {child == 1}"
        else:
            text = f"{self.name} {'<=' if child == 0 else '>'} {number(self.cut, digits)}"
        return or_missing(text, self.saw_missing and self.missing_left == (child == 0))


@dataclass(frozen=True)
class LinearSplit:
    """``Σ weight·column <= cut``, in the user's units.

    The terms that move rows most come first: by coefficient times the column's spread in training.
    """

    columns: tuple[int, ...]
    names: tuple[str, ...]
    weights: tuple[float, ...]
    cut: float
    missing_left: bool
    saw_missing: bool = False

    def left_hand(self, digits: int, most: int) -> str:
        terms: list[str] = []
        for w, name in list(zip(self.weights, self.names, strict=True))[:most]:
            sign = (" - " if w < 0 else " + ") if terms else ("-" if w < 0 else "")
            terms.append(f"{sign}{number(abs(w), digits)}·{name}")
        more = len(self.names) - most
        return "".join(terms) + (f" + … {more} more terms" if more > 0 else "")

    def reached(self, child: int, values: list[Any], digits: int = 6, most: int = 8) -> str:
        """The condition of a child with the sum that a row has, in digits that tell it from the cut."""
        total = math.fsum(w * float(values[c]) for w, c in zip(self.weights, self.columns, strict=True))
        while digits < 17 and number(total, digits) == number(self.cut, digits):
            digits += 1
        sign = "<=" if child == 0 else ">"
        return f"{self.left_hand(digits, most)} = {number(total, digits)} {sign} {number(self.cut, digits)}"

    def question(self, digits: int = 6, most: int = 8) -> str:
        return self.condition(0, digits, most)

    def branches(self, digits: int = 6, most: int = 8) -> list[str]:
        return ["yes", "no"]

    def condition(self, child: int, digits: int = 6, most: int = 8) -> str:
        text = f"{self.left_hand(digits, most)} {'<=' if child == 0 else '>'} {number(self.cut, digits)}"
        return or_missing(text, self.saw_missing and self.missing_left == (child == 0))


@dataclass(frozen=True)
class SubsetSplit:
    """``column in left``, against ``right``; other values follow ``other`` (None: they stop)."""

    column: int
    name: str
    left: tuple[Any, ...]
    right: tuple[Any, ...]
    other: int | None

    def question(self, digits: int = 6, most: int = 8) -> str:
        return self.condition(0, digits, most)

    def branches(self, digits: int = 6, most: int = 8) -> list[str]:
        return ["yes", "no"]

    def condition(self, child: int, digits: int = 6, most: int = 8) -> str:
        values = self.left if child == 0 else self.right
        if len(values) == 1:
            return f"{self.name} is {value_text(values[0])}"
        return f"{self.name} in {{{values_text(values, most)}}}"


@dataclass(frozen=True)
class MultiwaySplit:
    """One child for each value; other values follow ``other`` (None: they stop)."""

    column: int
    name: str
    values: tuple[Any, ...]
    other: int | None

    def question(self, digits: int = 6, most: int = 8) -> str:
        return f"{self.name} is …"

    def branches(self, digits: int = 6, most: int = 8) -> list[str]:
        return [value_text(v) for v in self.values]

    def condition(self, child: int, digits: int = 6, most: int = 8) -> str:
        return f"{self.name} is {value_text(self.values[child])}"


Split = AxisSplit | LinearSplit | SubsetSplit | MultiwaySplit


def split_of(tree: _core.Tree, schema: Schema, node: int) -> Split | None:
    """The split of a node, or None for a leaf."""
    s = tree.split(node)
    kind = KINDS[s["kind"]]
    if kind == "leaf":
        return None
    if kind == "linear":
        # Σ w·(x − center) <= cut, with the centers moved to the right
        cut = s["cut"] + math.fsum(w * c for w, c in zip(s["term_weights"], s["term_centers"], strict=True))
        terms = zip(s["term_columns"], s["term_weights"], s["term_spreads"], strict=True)
        ordered = sorted(terms, key=lambda t: -abs(t[1]) * t[2])
        columns = tuple(c for c, _, _ in ordered)
        weights = tuple(w for _, w, _ in ordered)
        names = tuple(schema.columns[c].name for c in columns)
        return LinearSplit(columns, names, weights, cut, s["missing_left"], s["saw_missing"])
    column = s["column"]
    info = schema.columns[column]
    if kind == "axis":
        return AxisSplit(column, info.name, s["cut"], s["missing_left"], s["saw_missing"], info.kind == "boolean")
    values = tuple(info.values[v] for v in s["values"])
    if kind == "multiway":
        return MultiwaySplit(column, info.name, values, s["other"])
    left = tuple(v for v, is_left in zip(values, s["goes_left"], strict=True) if is_left)
    right = tuple(v for v, is_left in zip(values, s["goes_left"], strict=True) if not is_left)
    return SubsetSplit(column, info.name, left, right, s["other"])
