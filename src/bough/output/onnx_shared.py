"""ONNX of trees whose rows are shared where a value is missing: every node is asked at once, the part of a row that a
node has is the product along its path, and the leaves count by their parts. A row takes some 50 bytes for each node,
so large tables are best asked in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError
from .lower import LANES, Compare, Lookup, LoweredTree, Stay

if TYPE_CHECKING:
    from .onnx import Graph


def mixed(graph: Graph, prefix: str, table: str, tree: LoweredTree) -> str:
    """What the leaves say of every row: rows × classes, or one number for each row."""
    steps, n = tree.steps, tree.n_nodes
    parents = np.zeros(n, dtype=np.int64)
    shares = np.zeros((1, n))
    assert tree.shares is not None
    for i, below in enumerate(tree.shares):
        for child, share in below.items():
            parents[child], shares[0, child] = i, share

    def constant(name: str, values: Any, dtype: Any) -> str:
        return graph.constant(prefix + name, np.array(values, dtype=dtype))

    compare = [s if isinstance(s, Compare) else None for s in steps]
    column = [s.columns[0] if isinstance(s, Compare) else s.column if isinstance(s, Lookup) else 0 for s in steps]
    x = graph.add("Gather", table, constant("column", column, np.int64), axis=1)
    z = x
    if any(c and c.values for c in compare):
        raise DataError("ONNX has no form for scores of categories in a tree that shares rows without a value.")
    if any(c and not c.single for c in compare):
        linear = constant("linear", [[bool(c and not c.single) for c in compare]], np.bool_)
        z = graph.add("Where", linear, all_sums(graph, prefix, table, compare), x)
    cut = constant("cut", [[c.cut if c else np.inf for c in compare]], np.float64)
    left, right = (constant(k, [[getattr(c, k) if c else 0 for c in compare]], np.int64) for k in ("left", "right"))
    nowhere, nothing = constant("nowhere", -1, np.int64), constant("nothing", 0, np.float64)
    to = graph.add("Where", graph.add("LessOrEqual", z, cut), left, right)
    to = graph.add("Where", graph.add("IsNaN", z), nowhere, to)
    if any(isinstance(s, Lookup) for s in steps):
        to = graph.add(
            "Where",
            constant("nominal", [[isinstance(s, Lookup) for s in steps]], np.bool_),
            looked_up(graph, prefix, x, tree, nothing),
            to,
        )
    up = constant("parents", parents, np.int64)
    above = graph.add("Gather", to, up, axis=1)
    here = graph.add("Equal", above, constant("number", [range(n)], np.int64))
    some = graph.add("Where", graph.add("Equal", above, nowhere), graph.constant(f"{prefix}shares", shares), nothing)
    one = constant("one", 1, np.float64)
    step = graph.add("Where", here, one, some)
    step = graph.add("Where", constant("root", [[i == 0 for i in range(n)]], np.bool_), one, step)
    part = step
    for _ in range(tree.depth - 1):
        part = graph.add("Mul", step, graph.add("Gather", part, up, axis=1))
    ends = [i for i, s in enumerate(steps) if isinstance(s, Stay)]
    values = tree.values[ends].reshape(len(ends), -1)
    mixed = graph.add(
        "MatMul",
        graph.add("Gather", part, constant("ends", ends, np.int64), axis=1),
        graph.constant(f"{prefix}values", np.ascontiguousarray(values)),
    )
    return mixed if tree.values.ndim == 2 else graph.add("Squeeze", mixed, graph.ints(1))


def all_sums(graph: Graph, prefix: str, table: str, compare: list[Compare | None]) -> str:
    """The sum of every node for every row, term by term in eight lanes."""
    blocks = -(-max(len(c.columns) for c in compare if c) // LANES)
    shape = (blocks, LANES, len(compare))
    columns, weights, centers = np.full(shape, -1, dtype=np.int64), np.zeros(shape), np.zeros(shape)
    for i, c in enumerate(compare):
        if c and not c.single:
            for t, (column, weight, center) in enumerate(zip(c.columns, c.weights, c.centers, strict=True)):
                at = (t // LANES, t % LANES, i)
                columns[at], weights[at], centers[at] = column, weight, center
    lanes = []
    for lane in range(LANES):
        total = ""
        for b in range(blocks):
            name = f"{prefix}lane{lane}_{b}_"
            value = graph.add("Gather", table, graph.constant(f"{name}columns", columns[b, lane]), axis=1)
            less = graph.add("Sub", value, graph.constant(f"{name}centers", centers[b, lane][np.newaxis]))
            term = graph.add("Mul", graph.constant(f"{name}weights", weights[b, lane][np.newaxis]), less)
            total = graph.add("Add", total, term) if total else term
        lanes.append(total)
    four = [graph.add("Add", lanes[i], lanes[i + 4]) for i in range(4)]
    return graph.add("Add", graph.add("Add", four[0], four[2]), graph.add("Add", four[1], four[3]))


def looked_up(graph: Graph, prefix: str, x: str, tree: LoweredTree, nothing: str) -> str:
    """The child that belongs to the value of every node; −1 for one that it does not know."""
    targets, offsets, most = [-1], [], []
    for s in tree.steps:
        offsets.append(len(targets))
        most.append(max(s.to, default=0) if isinstance(s, Lookup) else 0)
        if isinstance(s, Lookup):
            targets += [-1, *(s.to.get(code, -1) for code in range(most[-1] + 1))]
    unknown = graph.constant(f"{prefix}unknown", np.array(-1.0))
    limit = graph.constant(f"{prefix}most", np.array([most], dtype=np.float64))
    known = graph.add("Where", graph.add("LessOrEqual", x, limit), x, unknown)  # NaN is not
    first = graph.constant(f"{prefix}offset", np.array([offsets], dtype=np.float64) + 1)
    nominal = graph.constant(f"{prefix}lookups", np.array([[isinstance(s, Lookup) for s in tree.steps]]))
    at = graph.add("Where", nominal, graph.add("Add", known, first), nothing)
    chosen = graph.add("Cast", at, to=7)  # to int64
    return graph.add("Gather", graph.constant(f"{prefix}targets", np.array(targets, dtype=np.int64)), chosen)
