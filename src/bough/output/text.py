"""A tree in words: the whole of it, its rules, and the way of one row. No recursion anywhere."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import printable
from ..model.conditions import Among, Condition, Path, Sum
from ..model.model import Model
from ..model.nodes import NodeView
from ..model.splits import MultiwaySplit, Split
from ..tables.values import is_missing
from .words import (
    checked_count,
    checked_digits,
    condition_text,
    number,
    numbers_text,
    percent,
    reached_text,
    rows_text,
    tests_text,
    value_text,
)

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


def answer_text(node: NodeView, digits: int = 6) -> str:
    """What a node answers, how sure it is, and from how many rows."""
    rows = rows_text(node.rows)
    if node.nodes.classes is None:
        return f"{number(node.mean, digits)} ({rows})"
    w = node.weights
    share = w[int(np.argmax(w))] / w.sum()
    sure = "" if share == 1 else f" {percent(share)}"
    return f"{value_text(node.answer)}{sure} ({rows})"


def question_text(split: Split, digits: int, most: int) -> str:
    if isinstance(split, MultiwaySplit):
        return f"{printable(split.name)} is …"
    return condition_text(split.conditions[0], digits, most)


def branch_texts(split: Split) -> list[str]:
    if isinstance(split, MultiwaySplit):
        return [value_text(v) for v in split.values]
    return ["yes", "no"]


def show(
    model: Model, max_depth: int | None = None, digits: int = 6, max_values: int = 8, p_values: bool = False
) -> str:
    """The tree as indented text; see `Model.show`."""
    if max_depth is not None:
        checked_count("max_depth", max_depth, 0)
    checked_digits(digits)
    checked_count("max_values", max_values, 1)
    nodes = model.nodes()
    lines: list[str] = []
    # node, depth, text before the question, indentation of what follows
    stack: list[tuple[int, int, str, str]] = [(0, 0, "", "")]
    while stack:
        at, depth, lead, indent = stack.pop()
        node = nodes[at]
        split = node.split
        tested = tests_text(node.tests, max_values) if p_values else ""
        if split is None:
            lines.append(f"{lead}{answer_text(node, digits)}{tested}")
            continue
        if max_depth is not None and depth >= max_depth:
            lines.append(f"{lead}… {nodes.sizes[at] - 1} more nodes, mostly {answer_text(node, digits)}")
            continue
        lines.append(f"{lead}{question_text(split, digits, max_values)}{tested}")
        children = node.children
        names = branch_texts(split)
        for i in reversed(range(len(children))):
            last = i == len(children) - 1
            if depth < DEEPEST_INDENT:
                below, after = f"{indent}{'└─' if last else '├─'} ", f"{indent}{'   ' if last else '│  '}"
            else:
                below, after = f"{indent}[{depth + 1}] ", indent
            stack.append((children[i], depth + 1, f"{below}{names[i]}: ", after))
    return "\n".join(lines)


def rules(model: Model, digits: int = 6, max_values: int = 8) -> Iterator[Rule]:
    """One rule for each leaf, in the order of the tree."""
    checked_digits(digits)
    checked_count("max_values", max_values, 1)
    return rules_of(model, digits, max_values)


def rules_of(model: Model, digits: int, max_values: int) -> Iterator[Rule]:
    nodes = model.nodes()
    path = Path()
    stack: list[tuple[int, int, Condition | None]] = [(0, 0, None)]  # node, depth, what the split above says of it
    while stack:
        at, depth, step = stack.pop()
        while len(path) >= max(depth, 1):
            path.pop()
        if step is not None:
            path.push(step)
        node = nodes[at]
        split = node.split
        if split is None:
            conditions = tuple(condition_text(c, digits, max_values) for c in path.conditions)
            yield Rule(conditions, answer_text(node, digits), node.answer, node.rows, node.weight, at)
            continue
        below = zip(node.children, split.conditions, strict=True)
        stack.extend(reversed([(child, depth + 1, c) for child, c in below]))


def why(model: Model, last: int, values: list[Any], digits: int = 6) -> str:
    """The way of one row down the tree to its last node, a line for each node."""
    checked_digits(digits)
    nodes = model.nodes()
    lines = []
    for above, below in itertools.pairwise(nodes.path(last)):
        node = nodes[above]
        assert node.split is not None
        step = node.split.conditions[node.children.index(below)]
        lines.append(f"{given(step, values, digits)}so {told(step, values, digits)}")
    end = nodes[last]
    if end.split is not None:
        given_here = given(end.split.conditions[0], values, digits)
        lines.append(f"{given_here}a value that was not here in training: the row stops")
    lines.append(f"→ {answer_text(end, digits)}")
    return "\n".join(lines)


def told(step: Condition, values: list[Any], digits: int) -> str:
    """Why a row goes to a child: the condition, or where missing values go."""
    if isinstance(step, Among):
        return condition_text(step, digits)
    if any(is_missing(values[c]) for c in step.columns):
        text = condition_text(step, digits)
        return text if step.saw_missing else f"it goes with {text}"
    if isinstance(step, Sum):
        return reached_text(step, step.total(values), digits)
    return numbers_text(step, digits)


def given(step: Condition, values: list[Any], digits: int) -> str:
    """The values of a row that a split asks about."""
    names = [t.name for t in step.terms] if isinstance(step, Sum) else [step.name]
    parts = []
    for c, name in list(zip(step.columns, names, strict=True))[:8]:
        v = values[c]
        text = "missing" if is_missing(v) else number(v, digits) if isinstance(v, float) else value_text(v)
        parts.append(f"{printable(name)} = {text}")
    return f"{', '.join(parts)}{', …' if len(names) > 8 else ''}, "
