"""A tree in words: the whole of it, its rules, and the way of one row. No recursion anywhere."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ParameterError
from ..model.pvalues import p_values_text
from ..model.splits import AxisSplit, LinearSplit, Split, number, or_missing, value_text
from ..tables.values import is_missing

if TYPE_CHECKING:
    from ..model.model import Model

DEEPEST_INDENT = 24  # levels that are drawn; below them the depth is written as a number


@dataclass(frozen=True)
class Rule:
    """What holds for the rows of one leaf, and what the leaf answers."""

    conditions: tuple[str, ...]
    answer: str
    prediction: Any
    rows: int
    weight: float
    node: int

    def __str__(self) -> str:
        return f"if {' and '.join(self.conditions) or 'always'}: {self.answer}"


def percent(share: float) -> str:
    """A share in per cent; never 0 or 100 unless it is."""
    if 0.995 <= share < 1:
        return f"{math.floor(1000 * share) / 10:.1f} %"
    if 0 < share < 0.005:
        return "< 1 %"
    return f"{100 * share:.0f} %"


def rows_text(n: int) -> str:
    return "1 row" if n == 1 else f"{n} rows"


def answer_text(model: Model, node: int, digits: int = 6) -> str:
    """What a node answers, how sure it is, and from how many rows."""
    rows = rows_text(int(model.node_rows[node]))
    if model.classes is None:
        return f"{number(float(model.node_means[node]), digits)} ({rows})"
    w = model.node_weights[node]
    best = int(np.argmax(w))
    share = w[best] / w.sum()
    sure = "" if share == 1 else f" {percent(share)}"
    return f"{value_text(model.classes[best])}{sure} ({rows})"


def show(
    model: Model, max_depth: int | None = None, digits: int = 6, max_values: int = 8, p_values: bool = False
) -> str:
    """The tree as indented text; see `Model.show`."""
    if max_depth is not None and (not isinstance(max_depth, (int, np.integer)) or max_depth < 0):
        raise ParameterError(f"max_depth is {max_depth!r}; it must be None or a whole number of at least 0.")
    sizes = subtree_sizes(model)
    lines: list[str] = []
    # node, depth, text before the question, indentation of what follows
    stack: list[tuple[int, int, str, str]] = [(0, 0, "", "")]
    while stack:
        node, depth, lead, indent = stack.pop()
        split = model.split(node)
        tested = p_values_text(model, node, max_values) if p_values else ""
        if split is None:
            lines.append(f"{lead}{answer_text(model, node, digits)}{tested}")
            continue
        if max_depth is not None and depth >= max_depth:
            lines.append(f"{lead}… {sizes[node] - 1} more nodes, mostly {answer_text(model, node, digits)}")
            continue
        lines.append(f"{lead}{split.question(digits, max_values)}{tested}")
        children = model.children(node)
        names = split.branches(digits, max_values)
        for i in reversed(range(len(children))):
            last = i == len(children) - 1
            if depth < DEEPEST_INDENT:
                below, after = f"{indent}{'└─' if last else '├─'} ", f"{indent}{'   ' if last else '│  '}"
            else:
                below, after = f"{indent}[{depth + 1}] ", indent
            stack.append((children[i], depth + 1, f"{below}{names[i]}: ", after))
    return "\n".join(lines)


def subtree_sizes(model: Model) -> list[int]:
    sizes = [1] * model.n_nodes
    parents = model.parents
    for node in range(model.n_nodes - 1, 0, -1):
        sizes[parents[node]] += sizes[node]
    return sizes


@dataclass(frozen=True)
class Interval:
    """Thresholds of one column along a path."""

    low: float = -math.inf
    high: float = math.inf
    missing: bool = True  # may rows without a value still be here?

    def narrowed(self, split: AxisSplit, child: int) -> Interval:
        missing = self.missing and split.saw_missing and split.missing_left == (child == 0)
        if child == 0:
            return Interval(self.low, min(self.high, split.cut), missing)
        return Interval(max(self.low, split.cut), self.high, missing)

    def text(self, name: str, digits: int) -> str:
        if math.isinf(self.low):
            text = f"{name} <= {number(self.high, digits)}"
        elif math.isinf(self.high):
            text = f"{name} > {number(self.low, digits)}"
        else:
            text = f"{number(self.low, digits)} < {name} <= {number(self.high, digits)}"
        return or_missing(text, self.missing)


class Conditions:
    """Conditions along a path, thresholds of one column joined; steps can be taken back."""

    def __init__(self, digits: int, most: int) -> None:
        self.digits, self.most = digits, most
        self.steps: list[tuple[int | str, Interval | str | None]] = []
        self.facts: dict[int | str, Interval | str] = {}  # thresholds by column, others by their text
        self.names: dict[int, str] = {}

    def push(self, split: Split, child: int) -> None:
        key: int | str
        after: Interval | str
        if isinstance(split, AxisSplit) and not split.boolean and math.isfinite(split.cut):
            key = split.column
            self.names[key] = split.name
            before = self.facts.get(key)
            after = (before if isinstance(before, Interval) else Interval()).narrowed(split, child)
        else:
            key = after = split.condition(child, self.digits, self.most)
            before = self.facts.get(key)
        self.steps.append((key, before))
        self.facts[key] = after

    def pop(self) -> None:
        key, before = self.steps.pop()
        if before is None:
            del self.facts[key]
        else:
            self.facts[key] = before

    def texts(self) -> tuple[str, ...]:
        return tuple(
            fact.text(self.names[key], self.digits)
            if isinstance(key, int) and isinstance(fact, Interval)
            else str(fact)
            for key, fact in self.facts.items()
        )


def rules(model: Model, digits: int = 6, max_values: int = 8) -> Iterator[Rule]:
    """One rule for each leaf, in the order of the tree."""
    path = Conditions(digits, max_values)
    stack: list[tuple[int, int, Split | None, int]] = [(0, 0, None, 0)]
    depth_now = 0
    while stack:
        node, depth, split, child = stack.pop()
        while depth_now >= max(depth, 1):
            path.pop()
            depth_now -= 1
        if split is not None:
            path.push(split, child)
            depth_now += 1
        own = model.split(node)
        if own is None:
            yield Rule(
                path.texts(),
                answer_text(model, node, digits),
                model.answer(node),
                int(model.node_rows[node]),
                float(model.node_weights[node].sum()),
                node,
            )
            continue
        for i, c in reversed(list(enumerate(model.children(node)))):
            stack.append((c, depth + 1, own, i))


def why(model: Model, path: list[int], values: list[Any], digits: int = 6) -> str:
    """The way of one row down the tree, a line for each node."""
    lines = []
    for node, child in itertools.pairwise(path):
        split = model.split(node)
        assert split is not None
        place = model.children(node).index(child)
        lines.append(f"{given(split, values, digits)}so {told(split, place, values, digits)}")
    last = model.split(path[-1])
    if last is not None:
        lines.append(f"{given(last, values, digits)}a value that was not here in training: the row stops")
    lines.append(f"→ {answer_text(model, path[-1], digits)}")
    return "\n".join(lines)


def told(split: Split, child: int, values: list[Any], digits: int) -> str:
    """Why a row goes to a child: the condition, or where missing values go."""
    columns = split.columns if isinstance(split, LinearSplit) else (split.column,)
    text = split.condition(child, digits)
    if isinstance(split, (AxisSplit, LinearSplit)) and any(is_missing(values[c]) for c in columns):
        return text if text.endswith("missing") else f"it goes with {text}"
    if isinstance(split, LinearSplit):
        return split.reached(child, values, digits)
    return text.removesuffix(" or missing")


def given(split: Split, values: list[Any], digits: int) -> str:
    if isinstance(split, LinearSplit):
        columns, names = split.columns, split.names
    else:
        columns, names = (split.column,), (split.name,)
    parts = []
    for c, n in list(zip(columns, names, strict=True))[:8]:
        v = values[c]
        text = "missing" if is_missing(v) else number(v, digits) if isinstance(v, float) else value_text(v)
        parts.append(f"{n} = {text}")
    return f"{', '.join(parts)}{', …' if len(columns) > 8 else ''}, "
