"""What an ONNX graph predicts from leaves: linear models, and sums of boosted trees with their links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..model.boosting import Boosting
    from ..model.lines import LinearModel
    from .onnx import Graph


def lined(graph: Graph, prefix: str, table: str, node: str, models: list[LinearModel]) -> str:
    """What the linear models of nodes predict; shorter sums are filled up with zeros."""
    shape = (len(models), max(1, *(len(m.lines) for m in models)))
    columns, slopes, centers = np.full(shape, -1, dtype=np.int64), np.zeros(shape), np.zeros(shape)
    for i, m in enumerate(models):
        for j, t in enumerate(m.lines):
            columns[i, j], slopes[i, j], centers[i, j] = t.column, t.weight, t.center
    ends = {name: np.array([getattr(m, name) for m in models]) for name in ("offset", "low", "high")}
    own = {"columns": columns, "slopes": slopes, "centers": centers, **ends}
    at = {name: graph.add("Gather", graph.constant(prefix + name, values), node) for name, values in own.items()}
    x = graph.add("Sub", graph.add("GatherElements", table, at["columns"], axis=1), at["centers"])
    known = graph.add("Where", graph.add("IsNaN", x), graph.constant(f"{prefix}nothing", np.array(0.0)), x)
    total = graph.add("ReduceSum", graph.add("Mul", at["slopes"], known), graph.ints(1), keepdims=0)
    bounded = graph.add("Max", graph.add("Add", at["offset"], total), at["low"])
    return graph.add("Min", bounded, at["high"])


def linked(graph: Graph, boosting: Boosting, parts: list[str]) -> str:
    """The sums of boosted trees, and the numbers or the class shares that follow from them."""
    k, raw = boosting.n_outputs, []
    for output, start in enumerate(boosting.start):
        total = graph.constant(f"{graph.own}start{output}", np.array(start))
        for part in parts[output::k]:
            total = graph.add("Add", total, part)
        raw.append(total)

    def wide(column: str) -> str:
        return graph.add("Unsqueeze", column, graph.ints(1))

    if boosting.link == "softmax":
        table = graph.add("Concat", *map(wide, raw), axis=1)
        powers = graph.add("Exp", graph.add("Sub", table, graph.add("ReduceMax", table, axes=[1], keepdims=1)))
        return graph.add("Div", powers, graph.add("ReduceSum", powers, graph.ints(1), keepdims=1))
    if boosting.link == "logistic":
        one, nought = (graph.constant(f"{graph.own}is{v:g}", np.array(v)) for v in (1.0, 0.0))
        e = graph.add("Exp", graph.add("Neg", graph.add("Abs", raw[0])))
        below = graph.add("Add", one, e)
        small, large = graph.add("Div", e, below), graph.add("Div", one, below)
        second = graph.add("GreaterOrEqual", raw[0], nought)
        shares = (graph.add("Where", second, a, b) for a, b in ((small, large), (large, small)))
        return graph.add("Concat", *map(wide, shares), axis=1)
    return graph.add("Exp", raw[0]) if boosting.link == "exp" else raw[0]
