"""A tree in DOT, the language of graphviz: boxes with conditions and predictions, edges as wide as their rows."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from ..errors import printable, whole_number
from ..model.nodes import Nodes, NodeView
from ..model.splits import MultiwaySplit
from .text import branch_names, leaf_text, question_text
from .words import checked_digits, checked_optional, rows_text, value_text

if TYPE_CHECKING:
    from ..model.model import Model

LINE = 36  # characters of a line in a box
WIDEST = 6.0  # points of the edge to all rows
# Fills of the classes, light enough for black text; a further class is grey.
FILLS = ("#9ecae9", "#ffbf79", "#a9dca3", "#e7a9c4", "#c9b6e4", "#f2e38c", "#9fd6d2")
GREY = "#d9d9d9"


def write(model: Model) -> bytes:
    """All trees of a model, one graph after the other."""
    return "".join(to_dot(model, tree) for tree in range(len(model.trees))).encode()


def to_dot(
    model: Model, tree: int = 0, max_depth: int | None = None, digits: int | None = None, max_values: int = 8
) -> str:
    """One tree as a graph; see `Model.to_dot`."""
    checked_optional("max_depth", max_depth, 0)
    checked_digits(digits)
    whole_number("max_values", max_values, 1)
    nodes = model.nodes(tree)
    pair = branch_names(nodes.classes)
    lines = [
        f"digraph tree{tree} {{",
        '  node [shape=box, style="filled,rounded", fillcolor=white, fontname="Helvetica, sans-serif", fontsize=11];',
        '  edge [arrowhead=none, color="#888888", fontname="Helvetica, sans-serif", fontsize=10];',
    ]
    for node in nodes:
        if max_depth is not None and node.depth > max_depth:
            continue
        split = node.split
        if split is None:
            lines.append(
                f"  {node.number} [label={quoted(leaf_text(node, digits))}, fillcolor={fill_of(nodes, node)}];"
            )
            continue
        if node.depth == max_depth:
            rest = f"… {nodes.sizes[node.number] - 1:,} more nodes: {leaf_text(node, digits)}"
            lines.append(f'  {node.number} [label={quoted(rest)}, style="filled,rounded,dashed"];')
            continue
        asked = f"{question_text(split, digits, max_values)}\n{rows_text(node.rows)}"
        lines.append(f"  {node.number} [label={quoted(asked)}];")
        names = [value_text(v) for v in split.values] if isinstance(split, MultiwaySplit) else pair
        for child, name in zip(node.children, names, strict=True):
            width = 1 + (WIDEST - 1) * nodes[child].rows / max(1, nodes[0].rows)
            lines.append(f"  {node.number} -> {child} [label={quoted(name)}, penwidth={width:.2f}];")
    return "\n".join([*lines, "}", ""])


def fill_of(nodes: Nodes, leaf: NodeView) -> str:
    """The colour of a leaf: of its class, as full as it is sure."""
    if nodes.classes is None:
        return "white"
    code = int(nodes.codes[leaf.number])
    full = FILLS[code] if code < len(FILLS) else GREY
    sure = max(0.25, leaf.sure)
    parts = (255 - sure * (255 - int(full[i : i + 2], 16)) for i in (1, 3, 5))
    return '"#' + "".join(f"{round(p):02x}" for p in parts) + '"'


def quoted(text: str) -> str:
    """A text as graphviz shows it letter by letter: no escape, no entity, no end of the string."""
    lines = [w for part in text.split("\n") for w in textwrap.wrap(printable(part), LINE) or [""]]
    safe = (t.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for t in lines)
    return '"' + "\\n".join(safe) + '"'
