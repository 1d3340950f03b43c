"""A tree in words: the whole of it, its rules, and the way of one row. No recursion anywhere."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError, printable, shown, whole_number
from ..model.conditions import Among, Condition, Path, Sum
from ..model.lines import LinearModel
from ..model.model import Model
from ..model.nodes import Nodes, NodeView
from ..model.outputs import Outputs
from ..model.pvalues import ColumnTest
from ..model.splits import MultiwaySplit, Split
from ..tables.moments import moment_text
from ..tables.values import is_missing
from .words import (
    OR_MISSING,
    checked_digits,
    checked_optional,
    class_text,
    condition_text,
    given_text,
    number,
    numbers_text,
    percent,
    predicted_text,
    probability,
    reached_text,
    rows_text,
    stage_text,
    value_text,
)

MOST_NODES = 60  # that are shown unless more are asked for
MOST_VOTES = 10  # trees of a forest whose predictions are listed
BRANCHES = (("yes", "no"), ("then", "else"), ("if so", "if not"))
DEEPEST_INDENT = 24  # levels that are drawn; below them the depth is written as a number


@dataclass(frozen=True)
class Rule:
    """What holds for the rows of one leaf, and what the leaf predicts."""

    conditions: tuple[str, ...]
    summary: str
    prediction: Any
    rows: int
    weight: float
    node: int

    def __str__(self) -> str:
        parts = (bracketed(c, len(self.conditions)) for c in self.conditions)
        return f"if {' and '.join(parts) or 'always'}: {self.summary}"


def leaf_text(node: NodeView, digits: int | None = None) -> str:
    """What a node predicts, its share, and from how many rows; their weight, if that differs."""
    rows = rows_text(node.rows)
    if not math.isclose(node.weight, node.rows, rel_tol=1e-9):
        rows += f", weight {number(node.weight, digits)}"
    if node.nodes.classes is None:
        return f"{predicted_text(node, digits)} ({rows})"
    share = node.sure
    between = " " if isinstance(node.prediction, str) else ": "
    sure = "" if share == 1 else f"{between}{percent(share)}"
    return f"{class_text(node.prediction)}{sure} ({rows})"


def question_text(split: Split, digits: int | None, most: int) -> str:
    if isinstance(split, MultiwaySplit):
        return f"{printable(split.name)} is …"
    return condition_text(split.conditions[0], digits, most)


def branch_names(classes: npt.NDArray[Any] | None) -> tuple[str, str]:
    """What the two sides of a question are called; not as the classes are."""
    taken = set() if classes is None else {str(c).strip().lower() for c in classes.tolist()}
    return next((pair for pair in BRANCHES if taken.isdisjoint(pair)), BRANCHES[-1])


def show(
    model: Model,
    max_depth: int | None = None,
    digits: int | None = None,
    max_values: int = 8,
    p_values: bool = False,
    max_nodes: int | None = MOST_NODES,
    tree: int = 0,
    surrogates: bool = False,
    more: str = "show(max_depth=…) shows more, show(max_nodes=None) all",
    other: str = "forest[i].show() or model.show(tree=i)",
) -> str:
    """The tree as indented text; see `Model.show`. ``more`` and ``other`` tell how what is left out can be seen."""
    checked_optional("max_depth", max_depth, 0)
    checked_optional("max_nodes", max_nodes, 1)
    checked_digits(digits)
    whole_number("max_values", max_values, 1)
    for name, flag in (("p_values", p_values), ("surrogates", surrogates)):
        if not isinstance(flag, (bool, np.bool_)):
            raise ParameterError(f"{name} is {shown(flag)}; it must be True or False.")
    nodes = model.nodes(tree)
    if p_values and nodes.log_p_values is None:
        raise ParameterError(
            "p_values=True: no column was tested when this tree was grown; use selector='conditional_inference'."
        )
    if surrogates and model.missing != "surrogate":
        raise ParameterError("surrogates=True: this tree has none; it was not grown with missing='surrogate'.")
    cut = max_depth is None and max_nodes is not None and len(nodes) > max_nodes
    if cut:
        assert max_nodes is not None
        levels = np.cumsum(np.bincount(nodes.depths))  # nodes to each depth
        max_depth = max(1, int(np.searchsorted(levels, max_nodes, side="right")) - 1)
    lines = list(tree_lines(nodes, max_depth, digits, max_values, max_nodes if cut else None, surrogates))
    texts = with_p_values(lines, max_values) if p_values else [text for text, _ in lines]
    if cut:
        texts.append(f"({len(lines):,} of {len(nodes):,} nodes: {more})")
    if model.refinement is not None:
        texts.append(f"({model.refinement.summary()})")
    texts += [f"(changed by hand: {edit})" for edit in map(printable, model.edits)]
    if model.boosting is not None:
        texts.insert(0, f"({stage_text(model, tree)}; show(tree=i) shows another)")
    elif len(model.trees) > 1:
        texts.insert(0, f"(tree {tree} of {len(model.trees):,}, counted from 0; {other} shows another)")
    return "\n".join(texts)


def tree_lines(
    nodes: Nodes,
    max_depth: int | None,
    digits: int | None,
    max_values: int,
    max_branches: int | None,
    surrogates: bool = False,
) -> Iterator[tuple[str, NodeView | None]]:
    """The lines of a tree, each with its node; None for branches that are only counted."""
    pair = branch_names(nodes.classes)
    # node (or how many are left out), depth, text before the question, indentation of what follows
    stack: list[tuple[int | str, int, str, str]] = [(0, 0, "", "")]
    while stack:
        at, depth, lead, indent = stack.pop()
        if isinstance(at, str):
            yield f"{lead}{at}", None
            continue
        node = nodes[at]
        split = node.split
        if split is None:
            yield f"{lead}{leaf_text(node, digits)}", node
            continue
        if max_depth is not None and depth >= max_depth:
            here = f"{'mean ' if nodes.classes is None and not nodes.tree.linear else ''}{leaf_text(node, digits)}"
            yield f"{lead}… {nodes.sizes[at] - 1:,} more nodes: {here}", node
            continue
        yield f"{lead}{question_text(split, digits, max_values)}", node
        for stand_in in node.surrogates if surrogates else ():
            rule = condition_text(stand_in.conditions[0], digits, max_values)
            agrees = f"agrees on {percent(stand_in.agreement)}, adjusted {stand_in.adjusted:.2f}"
            yield f"{indent}│  or, where that is missing: {rule} ({agrees})", None
        names = [value_text(v) for v in split.values] if isinstance(split, MultiwaySplit) else pair
        below: list[tuple[int | str, str]] = [(c, f"{n}: ") for c, n in zip(node.children, names, strict=True)]
        if max_branches is not None and len(below) > max_branches:
            below[max_branches:] = [(f"… {len(below) - max_branches:,} more values", "")]
        for i, (child, name) in reversed(list(enumerate(below))):
            last = i == len(below) - 1
            if depth < DEEPEST_INDENT:
                before, after = f"{indent}{'└─' if last else '├─'} ", f"{indent}{'   ' if last else '│  '}"
            else:
                before, after = f"{indent}[{depth + 1}] ", indent
            stack.append((child, depth + 1, f"{before}{name}", after))


def with_p_values(lines: list[tuple[str, NodeView | None]], most: int) -> list[str]:
    """The lines with the adjusted p-values of their nodes in columns behind them, the surest column first."""
    tests = [{} if node is None else {t.column: t for t in node.tests} for _, node in lines]
    least: dict[int, ColumnTest] = {}
    for found in tests:
        for c, t in found.items():
            if c not in least or t.log_p < least[c].log_p:
                least[c] = t
    chosen = sorted(least, key=lambda c: (least[c].log_p, c))[:most]
    names = [printable(least[c].name) for c in chosen]
    widths = [max(7, len(n)) for n in names]
    room = max(len(text) for text, _ in lines)
    more = f"  … {len(least) - most:,} more columns" if len(least) > most else ""
    head = "  ".join(f"{n:>{w}}" for n, w in zip(names, widths, strict=True))
    out = [f"{'p-values':<{room}}  {head}{more}"]
    for (text, _), found in zip(lines, tests, strict=True):
        cells = [probability(found[c].log_p) if c in found else "" for c in chosen]
        out.append(f"{text:<{room}}  {'  '.join(f'{x:>{w}}' for x, w in zip(cells, widths, strict=True))}".rstrip())
    return out


def rules(model: Model, digits: int | None = None, max_values: int = 8, tree: int = 0) -> Iterator[Rule]:
    """One rule for each leaf, in the order of the tree."""
    checked_digits(digits)
    whole_number("max_values", max_values, 1)
    return rules_of(model.nodes(tree), digits, max_values)


def rules_of(nodes: Nodes, digits: int | None, max_values: int) -> Iterator[Rule]:
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
            yield Rule(conditions, leaf_text(node, digits), node.prediction, node.rows, node.weight, at)
            continue
        below = zip(node.children, split.conditions, strict=True)
        stack.extend(reversed([(child, depth + 1, c) for child, c in below]))


def reasons(nodes: Nodes, ends: list[int], digits: int | None = None) -> dict[int, str]:
    """What is true of all rows that end at a node, for some nodes."""
    checked_digits(digits)
    found = {}
    for end in ends:
        steps = [nodes[i].condition for i in nodes.path(end)[1:]]
        conditions = Path(c for c in steps if c is not None).conditions
        text = " and ".join(bracketed(condition_text(c, digits), len(conditions)) for c in conditions) or "always"
        found[end] = text if nodes[end].is_leaf else f"{text}; it stops there, at node {end}"
    return found


def bracketed(condition: str, of: int) -> str:
    """A condition beside others, so that "or" binds its own parts only."""
    return f"({condition})" if of > 1 and condition.endswith(OR_MISSING) else condition


def why(model: Model, last: int, values: list[Any], digits: int | None = None, outputs: Outputs | None = None) -> str:
    """The way of one row down the tree to its last node, a line for each node."""
    checked_digits(digits)
    nodes = model.nodes()
    lines = []
    share = 1.0  # of the row that came this far
    for above, below in itertools.pairwise(nodes.path(last)):
        node = nodes[above]
        assert node.split is not None
        side = node.children.index(below)
        step = node.split.conditions[side]
        if model.missing != "either" and lacks(node.split, values):
            lines.append(f"{given(step, values, digits)}{by_other_means(node, side, values, digits)}")
            share *= node.missing_shares[side] if node.missing_shares else 1.0
        else:
            lines.append(asked_text(step, values, digits))
    end = nodes[last]
    if end.split is not None:
        given_here = given(end.split.conditions[0], values, digits)
        why_here = "a value that was not here in training" if model.missing == "either" else "both sides are as heavy"
        lines.append(f"{given_here}{why_here}: the row stops")
    lines.append(f"→ {leaf_text(end, digits)}")
    if end.model is not None:
        lines.append(reckoned(end.model, values, digits))
    if share < 1 and outputs is not None:
        lines.append(
            f"{percent(share)} of the row is here; all its parts together: {mixed_text(model, outputs, digits)}"
        )
    return "\n".join(lines)


def reckoned(model: LinearModel, values: list[Any], digits: int | None) -> str:
    """How the prediction of a row follows from a linear model."""
    given = ", ".join(f"{printable(t.name)} = {cell_text(values[t.column], digits, t.moment)}" for t in model.lines)
    own, shown_value = model.unbounded(values), model(values)
    held = f"{number(own, digits)}, held at " if own != shown_value else ""
    return f"{f'with {given}' if given else 'here'} = {held}{number(shown_value, digits)}"


def votes(outputs: Outputs, digits: int | None = None) -> str:
    """What the trees of a model say of one row, and what follows from it."""
    checked_digits(digits)
    model = outputs.model
    ends = [nodes[int(leaves[0])] for nodes, leaves in zip(model.all_nodes, outputs.nodes().T, strict=True)]
    lines = [f"tree {i}: {leaf_text(end, digits)}" for i, end in enumerate(ends[:MOST_VOTES])]
    if len(ends) > MOST_VOTES:
        lines.append(f"… {len(ends) - MOST_VOTES:,} more trees")
    predicted, mean = outputs.predictions().tolist()[0], f"the mean of {len(ends):,} trees"
    if model.classes is None:
        low, high = (number(f(e.mean for e in ends), digits) for f in (min, max))
        return "\n".join([*lines, f"→ {number(predicted, digits)} ({mean}, which say {low} to {high})"])
    same = sum(e.prediction == predicted for e in ends)
    share = percent(float(outputs.shares().max()))
    return "\n".join([*lines, f"→ {class_text(predicted)}: {share} ({mean}, {same:,} of which say so)"])


def steps(outputs: Outputs, digits: int | None = None) -> str:
    """How boosted trees add up for one row: from the start, the largest steps, to the prediction."""
    checked_digits(digits)
    model = outputs.model
    boosting = model.boosting
    assert boosting is not None
    k, raw = boosting.n_outputs, outputs.raw()[0]
    raw = [model.stage(i).outputs(outputs.columns).predictions()[0] for i in range(len(model.trees))]
    added = boosting.learning_rate * np.array(raw, dtype=np.float64)
    names = [""] if k == 1 else [f" for {class_text(c)}" for c in (model.classes if model.classes is not None else [])]
    lines = []
    for output, name in enumerate(names):
        own = added[output::k]
        largest = np.argsort(-np.abs(own), kind="stable")[: max(1, MOST_VOTES // k)].tolist()
        lines.append(f"start{name}: {number(boosting.start[output], digits)}")
        lines += [f"tree {i * k + output}{name}: {signed(float(own[i]), digits)}" for i in sorted(largest)]
        if len(own) > len(largest):
            rest = float(own.sum() - own[largest].sum())
            lines.append(f"{len(own) - len(largest):,} trees of smaller steps{name}: {signed(rest, digits)}")
        lines.append(f"sum{name}: {number(float(raw[output]), digits)}")
    predicted = outputs.predictions().tolist()[0]
    if model.classes is None:
        how = "e to that power" if boosting.link == "exp" else f"{len(model.trees):,} boosted trees"
        return "\n".join([*lines, f"→ {number(predicted, digits)} ({how})"])
    share = percent(float(outputs.shares().max()))
    return "\n".join([*lines, f"→ {class_text(predicted)}: {share} ({boosting.link} of the sum)"])


def signed(value: float, digits: int | None) -> str:
    return f"{'−' if value < 0 else '+'}{number(abs(value), digits)}"


def lacks(split: Split, values: list[Any]) -> bool:
    """Does a row lack what a split asks for? A value that was not at the node counts as lacking."""
    conditions = split.conditions
    if isinstance(conditions[0], Among):
        known = {v for c in conditions if isinstance(c, Among) for v in c.values}
        value = values[conditions[0].column]
        return is_missing(value) or value not in known
    return conditions[0].lacked(values)


def by_other_means(node: NodeView, side: int, values: list[Any], digits: int | None) -> str:
    """Where a row goes that lacks the value: its share, or what a surrogate says."""
    assert node.split is not None
    if node.missing_shares:
        where = "left" if side == 0 else "right"
        if isinstance(node.split, MultiwaySplit):
            where = f"to {value_text(node.split.values[side])}"
        return f"value missing: {percent(node.missing_shares[side])} went {where}"
    text = condition_text(node.split.conditions[side], digits)
    for s in node.surrogates:
        if s.side(values[s.column]) is not None:
            own = given(s.conditions[side], values, digits).removesuffix(", ")
            return f"value missing: by {own}, which agrees on {percent(s.agreement)}, as {text}"
    return f"value missing: to the heavier side, as {text}"


def mixed_text(model: Model, outputs: Outputs, digits: int | None) -> str:
    predicted = outputs.predictions()[0]
    if model.classes is None:
        return number(float(predicted), digits)
    between = " " if isinstance(predicted, str) else ": "
    share = float(outputs.shares()[0][model.classes.tolist().index(predicted)])
    return f"{class_text(predicted)}{between}{percent(share)}"


def asked_text(step: Condition, values: list[Any], digits: int | None) -> str:
    """The values of a row and why it goes to a child: the condition, or where missing values go."""
    own = given(step, values, digits)
    if isinstance(step, Among):
        return f"{own}so {condition_text(step, digits)}"
    sums_anyhow = isinstance(step, Sum) and step.gaps_at_center
    if not sums_anyhow and step.lacked(values):
        text = condition_text(step, digits)
        return f"{own}so {text if step.saw_missing else f'it goes with {text}'}"
    if isinstance(step, Sum):
        return f"{own}so {reached_text(step, values, digits)}"
    value = values[step.column]
    if not isinstance(value, float):
        return f"{own}so {numbers_text(step, digits)}"
    value, text = given_text(step, value, digits)
    return f"{printable(step.name)} = {value}, so {text}"


def given(step: Condition, values: list[Any], digits: int | None) -> str:
    """The values of a row that a split asks about."""
    about: tuple[Any, ...] = step.terms if isinstance(step, Sum) else (step,)
    parts = []
    for a in about[:8]:
        text = cell_text(values[a.column], digits, getattr(a, "moment", ""))
        parts.append(f"{printable(a.name)} = {text}")
    return f"{', '.join(parts)}{', …' if len(about) > 8 else ''}, "


def cell_text(value: Any, digits: int | None, moment: str = "") -> str:
    """A value of a row."""
    if is_missing(value):
        return "missing"
    if moment:
        return moment_text(value, moment)
    return number(value, digits) if isinstance(value, float) else value_text(value)
