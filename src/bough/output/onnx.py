"""A model as an ONNX graph in float64: rows walk down the nodes in a loop, so any depth and any kind of node will do.

Only operators of the standard set are used. A table of numbers is one input ``X``; a table with nominal columns has an
input for each column: numbers as float64, texts as strings (a missing text is the empty string).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from ..model.stakes import TIE
from .lower import LANES, Compare, Lookup, Lowered, LoweredTree, lowered
from .onnx_shared import mixed
from .onnx_values import lined, linked

if TYPE_CHECKING:
    from ..model.model import Model
    from ..tables.schema import Column

OPSET, ML_OPSET = 17, 3
Array = npt.NDArray[Any]


def write(model: Model) -> bytes:
    data: bytes = to_onnx(model).SerializeToString()
    return data


def to_onnx(model: Model) -> Any:
    """See `Model.to_onnx`."""
    try:
        import onnx
    except ImportError:
        raise DataError('writing ONNX needs the package onnx: pip install "bough-trees[onnx]"') from None
    low = lowered(model)
    graph = Graph(own_prefix(low))
    inputs, table = table_of(graph, low)
    if low.trees[0].shares is None:
        ends = [walk(graph, f"{graph.own}tree{i}_", table, t) for i, t in enumerate(low.trees)]
        parts = [
            graph.add("Gather", graph.constant(f"{graph.own}predicted{i}", np.ascontiguousarray(t.values)), end)
            if t.models is None
            else lined(graph, f"{graph.own}line{i}_", table, end, t.models)
            for i, (end, t) in enumerate(zip(ends, low.trees, strict=True))
        ]
    else:
        ends = []
        parts = [mixed(graph, f"{graph.own}tree{i}_", table, t) for i, t in enumerate(low.trees)]
    outputs = predictions(graph, low, ends, parts)
    made = onnx.helper.make_graph(
        graph.nodes,
        "bough",
        inputs,
        [onnx.helper.make_tensor_value_info(n, kind, shape) for n, (kind, shape) in outputs],
        graph.constants,
    )
    opsets = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    found = onnx.helper.make_model(made, opset_imports=opsets, ir_version=8, producer_name="bough")
    onnx.checker.check_model(found)
    return found


def own_prefix(low: Lowered) -> str:
    """What the names of the graph's own values begin with, and no column's name does."""
    own = "bough_"
    if low.schema.any_values:  # else there is one input
        while any(c.name.startswith(own) for c in low.schema.columns):
            own += "_"
    return own


class Graph:
    """Nodes and constants as they are added; a name tells where a value comes from."""

    def __init__(self, own: str) -> None:
        self.own = own
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.used = 0

    def constant(self, name: str, value: Array) -> str:
        import onnx

        self.constants.append(onnx.numpy_helper.from_array(value, name))
        return name

    def add(self, kind: str, *inputs: str, name: str | None = None, domain: str = "", **attributes: Any) -> str:
        import onnx

        self.used += 1
        name = name or f"{self.own}v{self.used}"
        self.nodes.append(onnx.helper.make_node(kind, list(inputs), [name], domain=domain, **attributes))
        return name

    def ints(self, *values: int) -> str:
        self.used += 1
        return self.constant(f"{self.own}c{self.used}", np.array(values, dtype=np.int64))


# ---- the table ----------------------------------------------------------------------------------------


def table_of(graph: Graph, low: Lowered) -> tuple[list[Any], str]:
    """Inputs, and one float64 matrix: numbers as they are, values by their number (−1: unknown), then a column of 0."""
    import onnx

    double, columns = onnx.TensorProto.DOUBLE, low.schema.columns
    if not low.schema.any_values:
        inputs = [onnx.helper.make_tensor_value_info("X", double, [None, len(columns)])]
        first = graph.add("Slice", "X", graph.ints(0), graph.ints(1), graph.ints(1))
        return inputs, with_zeros(graph, first, ["X"])
    inputs, parts = [], []
    for i, c in enumerate(columns):
        if c.name == "":
            raise DataError("a column has an empty name, which ONNX takes for no input; rename it and fit again.")
        texts = c.values and all(isinstance(v, str) for v in c.values if v is not None)
        inputs.append(
            onnx.helper.make_tensor_value_info(c.name, onnx.TensorProto.STRING if texts else double, [None, 1])
        )
        if c.values:
            codes = codes_of_texts(graph, c) if texts else codes_of_numbers(graph, c, i)
            parts.append(known_codes(graph, codes, i) if c.ordinal else codes)
        else:
            parts.append(c.name)
    return inputs, with_zeros(graph, parts[0], parts)


def with_zeros(graph: Graph, like: str, parts: list[str]) -> str:
    """The parts of the table beside each other, and last a column of zeros, for sums that are shorter than others."""
    zeros = graph.add("Expand", graph.constant(f"{graph.own}zero", np.zeros((1, 1))), graph.add("Shape", like))
    return graph.add("Concat", *parts, zeros, axis=1, name=f"{graph.own}table")


def known_codes(graph: Graph, codes: str, i: int) -> str:
    """Places in an order, which sums may count; NaN for what the order lacks."""
    none = graph.constant(f"{graph.own}none{i}", np.array([[0.0]]))
    return graph.add(
        "Where", graph.add("Less", codes, none), graph.constant(f"{graph.own}lacks{i}", np.array([[np.nan]])), codes
    )


def codes_of_texts(graph: Graph, column: Column) -> str:
    keys = ["" if v is None else v for v in column.values]
    if len(set(keys)) < len(keys):
        raise DataError(
            f"column {column.name!r} has the empty text as a value beside missing ones; ONNX has one word for both"
        )
    codes = graph.add(
        "LabelEncoder",
        column.name,
        domain="ai.onnx.ml",
        keys_strings=keys,
        values_int64s=list(range(len(keys))),
        default_int64=-1,
    )
    return graph.add("Cast", codes, to=11)  # to float64


def codes_of_numbers(graph: Graph, column: Column, i: int) -> str:
    """The place of a number, or of true and false, in the list of values; a missing one is NaN."""
    if any(isinstance(v, str) for v in column.values):
        raise DataError(f"column {column.name!r} has text beside numbers as values; an input of ONNX has one type")
    known = [(k, float(v)) for k, v in enumerate(column.values) if v is not None]
    if len({v for _, v in known}) < len(known):
        raise DataError(f"column {column.name!r} has values that ONNX cannot tell apart, such as 1 and true")
    values = graph.constant(f"{graph.own}values{i}", np.array([[v for _, v in known]]))
    places = graph.constant(
        f"{graph.own}places{i}", np.array([k + 1 for k, _ in known], dtype=np.float64).reshape(-1, 1)
    )
    same = graph.add("Cast", graph.add("Equal", column.name, values), to=11)
    found = graph.add("Sub", graph.add("MatMul", same, places), graph.constant(f"{graph.own}one{i}", np.ones((1, 1))))
    if None not in column.values:
        return found
    missing = graph.constant(f"{graph.own}missing{i}", np.array([[float(column.values.index(None))]]))
    return graph.add("Where", graph.add("IsNaN", column.name), missing, found)


# ---- down one tree --------------------------------------------------------------------------------------


def walk(graph: Graph, prefix: str, table: str, tree: LoweredTree) -> str:
    """The node in which each row ends."""
    import onnx

    rows = graph.add("Gather", graph.add("Shape", table), graph.ints(0))
    start = graph.add("Expand", graph.ints(0), rows)
    if tree.depth == 0:
        return start
    body = Graph(f"{prefix}body_")
    node = f"{prefix}at"
    nominal = [isinstance(s, Lookup) for s in tree.steps]
    compare = [s if isinstance(s, Compare) else None for s in tree.steps]
    number = range(len(tree.steps))
    column = [s.columns[0] if isinstance(s, Compare) else s.column if isinstance(s, Lookup) else 0 for s in tree.steps]

    def per_node(name: str, values: Any, dtype: Any) -> str:
        graph.constant(prefix + name, np.array(list(values), dtype=dtype))
        return body.add("Gather", prefix + name, node)

    wanted = body.add("Unsqueeze", per_node("column", column, np.int64), minus_one(graph, prefix))
    x = body.add("Squeeze", body.add("GatherElements", table, wanted, axis=1), minus_one(graph, prefix))
    z = x
    if any(c and not c.single for c in compare):
        linear = per_node("linear", [bool(c and not c.single) for c in compare], np.bool_)
        z = body.add("Where", linear, sums(graph, body, prefix, table, node, compare), x)
    cut = per_node("cut", [c.cut if c else np.inf for c in compare], np.float64)
    sides = [per_node(k, [getattr(c, k) if c else i for i, c in zip(number, compare, strict=True)], np.int64)
             for k in ("left", "right", "missing")]  # fmt: skip
    by_cut = body.add("Where", body.add("LessOrEqual", z, cut), sides[0], sides[1])
    to = body.add("Where", body.add("IsNaN", z), sides[2], by_cut)
    if any(nominal):
        to = body.add(
            "Where", per_node("nominal", nominal, np.bool_), looked_up(graph, body, prefix, node, x, tree), to
        )
    body.add("Identity", to, name=f"{prefix}next")
    body.add("Identity", f"{prefix}go", name=f"{prefix}on")
    info = onnx.helper.make_tensor_value_info
    int64, boolean = onnx.TensorProto.INT64, onnx.TensorProto.BOOL
    loop = onnx.helper.make_graph(
        body.nodes,
        f"{prefix}step",
        [info(f"{prefix}i", int64, []), info(f"{prefix}go", boolean, []), info(node, int64, [None])],
        [info(f"{prefix}on", boolean, []), info(f"{prefix}next", int64, [None])],
        body.constants,
    )
    times = graph.constant(f"{prefix}times", np.array(tree.depth, dtype=np.int64))
    always = graph.constant(f"{prefix}always", np.array(True))
    return graph.add("Loop", times, always, start, body=loop)


def minus_one(graph: Graph, prefix: str) -> str:
    name = f"{prefix}last_axis"
    if not any(c.name == name for c in graph.constants):
        graph.constant(name, np.array([1], dtype=np.int64))
    return name


def sums(graph: Graph, body: Graph, prefix: str, table: str, node: str, compare: list[Compare | None]) -> str:
    """The sum of each row's node, term by term in eight lanes; shorter sums are filled up with zeros."""
    most = max(len(c.columns) for c in compare if c)
    blocks = -(-most // LANES)
    shape = (len(compare), blocks, LANES)
    columns, weights, centers = np.full(shape, -1, dtype=np.int64), np.zeros(shape), np.zeros(shape)
    for i, c in enumerate(compare):
        if c and not c.single:
            for target, source in ((columns, c.columns), (weights, c.weights), (centers, c.centers)):
                target[i].reshape(-1)[: len(source)] = source
    filled = zero = ""
    asked = np.full(shape, np.nan)  # the place of a category; NaN: a number
    for i, c in enumerate(compare):
        if c and c.values:
            asked[i].reshape(-1)[: len(c.values)] = [np.nan if v is None else v for v in c.values]
    if any(c and c.gaps_at_center for c in compare):  # a missing number of these counts as its center
        graph.constant(f"{prefix}filled", np.array([[bool(c and c.gaps_at_center)] for c in compare]))
        filled = body.add("Gather", f"{prefix}filled", node)
        zero = graph.constant(f"{prefix}zero", np.array(0.0))
    lanes = ""
    for b in range(blocks):
        block = []
        for name, values in (("columns", columns), ("weights", weights), ("centers", centers)):
            graph.constant(f"{prefix}{name}{b}", np.ascontiguousarray(values[:, b]))
            block.append(body.add("Gather", f"{prefix}{name}{b}", node))
        own = body.add("GatherElements", table, block[0], axis=1)
        x = body.add("Sub", own, block[2])
        if filled:
            x = body.add("Where", body.add("And", body.add("IsNaN", x), filled), zero, x)
        if not np.isnan(asked[:, b]).all():
            graph.constant(f"{prefix}asked{b}", np.ascontiguousarray(asked[:, b]))
            place = body.add("Gather", f"{prefix}asked{b}", node)
            same = body.add("Cast", body.add("Equal", own, place), to=11)  # to float64
            x = body.add("Where", body.add("IsNaN", place), x, same)
        terms = body.add("Mul", block[1], x)
        lanes = body.add("Add", lanes, terms) if lanes else terms
    pick = [body.add("Gather", lanes, lane(graph, prefix, i), axis=1) for i in range(LANES)]
    four = [body.add("Add", pick[i], pick[i + 4]) for i in range(4)]
    return body.add("Add", body.add("Add", four[0], four[2]), body.add("Add", four[1], four[3]))


def lane(graph: Graph, prefix: str, i: int) -> str:
    return graph.constant(f"{prefix}lane{i}", np.array(i, dtype=np.int64))


def looked_up(graph: Graph, body: Graph, prefix: str, node: str, x: str, tree: LoweredTree) -> str:
    """The node that belongs to the value; each node has its part of one long list, unknown values first."""
    targets, offsets = [0], []
    for s in tree.steps:
        offsets.append(len(targets))
        if isinstance(s, Lookup):
            part = [s.other] * (2 + max(s.to, default=0))
            for code, to in s.to.items():
                part[code + 1] = to
            targets += part
            offsets[-1] = len(targets) - len(part)
    most = np.array([max(s.to, default=0) if isinstance(s, Lookup) else 0 for s in tree.steps], dtype=np.float64)
    graph.constant(f"{prefix}most", most)
    graph.constant(f"{prefix}offset", np.array(offsets, dtype=np.float64))
    graph.constant(f"{prefix}targets", np.array(targets, dtype=np.int64))
    graph.constant(f"{prefix}nominals", np.array([isinstance(s, Lookup) for s in tree.steps]))
    graph.constant(f"{prefix}unknown", np.array(-1.0))
    graph.constant(f"{prefix}first", np.array(1.0))
    graph.constant(f"{prefix}nowhere", np.array(0.0))
    # a value beyond those of the node is unknown there; what is no value at all looks up place 0
    known = body.add(
        "Where", body.add("LessOrEqual", x, body.add("Gather", f"{prefix}most", node)), x, f"{prefix}unknown"
    )
    at = body.add("Add", body.add("Add", known, f"{prefix}first"), body.add("Gather", f"{prefix}offset", node))
    at = body.add("Where", body.add("Gather", f"{prefix}nominals", node), at, f"{prefix}nowhere")
    return body.add("Gather", f"{prefix}targets", body.add("Cast", at, to=7))  # to int64


# ---- predictions --------------------------------------------------------------------------------------------


def predictions(graph: Graph, low: Lowered, ends: list[str], parts: list[str]) -> list[tuple[str, Any]]:
    """``parts``: what each tree predicts; ``ends``: the nodes in which rows end, if they end in one."""
    import onnx

    prediction, probabilities = (output_name(low, name) for name in ("prediction", "probabilities"))

    kinds = onnx.TensorProto
    if low.boosting is not None:
        mean = linked(graph, low.boosting, parts)
        if low.classes is None:
            graph.add("Identity", mean, name=prediction)
            return [(prediction, (kinds.DOUBLE, [None]))]
        ends, parts = [], [mean]
    else:
        mean = parts[0]
    for part in parts[1:]:
        mean = graph.add("Add", mean, part)
    if len(parts) > 1:
        mean = graph.add("Div", mean, graph.constant(f"{graph.own}trees", np.array(float(len(parts)))))
    if low.classes is None:
        graph.add("Identity", mean, name=prediction)
        return [(prediction, (kinds.DOUBLE, [None]))]
    graph.add("Identity", mean, name=probabilities)
    if not ends and low.boosting is None:  # parts of rows were added up: equal shares are so up to rounding
        mean = graph.add("Round", graph.add("Mul", mean, graph.constant(f"{graph.own}digits", np.array(1e9))))
    if len(ends) == 1:
        classes_of = graph.constant(f"{graph.own}codes", np.array(low.trees[0].codes, dtype=np.int64))
        number = graph.add("Gather", classes_of, ends[0])
    else:
        best = mean if low.costs is None else cheapest(graph, mean, low.costs)
        number = graph.add("ArgMax", best, axis=1, keepdims=0)
    classes: Array
    if all(type(c) is int for c in low.classes):
        wide = max(low.classes) >= 2**63
        kind, classes = kinds.UINT64 if wide else kinds.INT64, np.array(low.classes, np.uint64 if wide else np.int64)
    elif all(type(c) is bool for c in low.classes):
        kind, classes = kinds.BOOL, np.array(low.classes, dtype=np.bool_)
    elif all(isinstance(c, (int, float)) for c in low.classes):
        kind, classes = kinds.DOUBLE, np.array(low.classes, dtype=np.float64)
    else:
        kind, classes = kinds.STRING, np.array([str(c) for c in low.classes], dtype=object)
    graph.add("Gather", graph.constant(f"{graph.own}classes", classes), number, name=prediction)
    return [(prediction, (kind, [None])), (probabilities, (kinds.DOUBLE, [None, len(low.classes)]))]


def output_name(low: Lowered, name: str) -> str:
    """The name of an output; a column, which is an input, may have it already."""
    while low.schema.any_values and any(c.name == name for c in low.schema.columns):
        name += "_"
    return name


def cheapest(graph: Graph, shares: str, costs: list[list[float]]) -> str:
    """1 for each class whose expected cost is the least, else 0."""
    expected = graph.add("MatMul", shares, graph.constant(f"{graph.own}costs", np.array(costs)))
    least, most = (graph.add(kind, expected, axes=[1], keepdims=1) for kind in ("ReduceMin", "ReduceMax"))
    slack = graph.add("Mul", most, graph.constant(f"{graph.own}tie", np.array(TIE)))
    return graph.add("Cast", graph.add("LessOrEqual", expected, graph.add("Add", least, slack)), to=7)  # to int64
