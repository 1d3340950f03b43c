"""A tree of the core from nodes as other libraries have them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..model.file import PARTS
from ..model.file import tree_of as core_tree
from ..tables.schema import Column, Schema

Floats = npt.NDArray[np.float64]
LARGEST = float(np.finfo(np.float64).max)


@dataclass
class Node:
    """A node: a leaf, a cut of a numeric column, or a set of codes of a nominal one.

    ``between`` are the numbers next to the cut, where they are known; texts have the digits that part them.
    """

    left: int = -1  # of a leaf
    right: int = -1
    column: int = 0
    cut: float = math.nan
    codes_left: frozenset[int] | None = None
    missing_left: bool = False
    gain: float = 0.0
    between: tuple[float, float] | None = None
    rows: int = 1  # of a leaf, as what follows
    weights: Sequence[float] = ()  # of each class
    weight: float = 1.0  # of a regression tree
    mean: float = 0.0
    spread: float = 0.0  # Σ weight·(y − mean)²


@dataclass
class Foreign:
    """What a model of another library says, tree by tree, and how it predicts.

    ``predict`` takes a matrix in which a nominal cell is the place of its category, and gives shares or numbers.
    """

    trees: list[list[Node]]  # the first node is the root
    schema: Schema
    classes: npt.NDArray[Any] | None
    criterion: str
    name: str
    predict: Callable[[Floats], npt.NDArray[Any]] | None = None
    takes_missing: bool = True
    parameters: Mapping[str, Any] = field(default_factory=dict)


def preorder(nodes: list[Node]) -> list[int]:
    waiting, found = [0], []
    while waiting:
        i = waiting.pop()
        found.append(i)
        if nodes[i].left >= 0:
            waiting += [nodes[i].right, nodes[i].left]
    return found


def tree_of(nodes: list[Node], schema: Schema, n_classes: int, keeps_inner: bool = False) -> _core.Tree:
    """The tree; ``keeps_inner``: what inner nodes predict does not follow from the leaves."""
    order = [nodes[i] for i in preorder(nodes)]
    inner = [n for n in order if n.left >= 0]
    leaves = [n for n in order if n.left < 0]
    cuts = [n for n in inner if n.codes_left is None]
    sets = [(n, len(schema.columns[n.column].values)) for n in inner if n.codes_left is not None]
    parts: dict[str, npt.NDArray[Any]] = {name: np.empty(0, dtype) for name, dtype in PARTS.items()}
    parts["kinds"] = np.array([0 if n.left < 0 else 1 if n.codes_left is None else 3 for n in order], np.uint8)
    parts["gains"] = np.array([n.gain for n in inner], np.float64)
    parts["columns"] = np.array([n.column for n in inner], np.uint32)
    parts["cuts"] = np.array([n.cut for n in cuts], np.float64)
    parts["missing"] = np.array([n.missing_left for n in cuts], np.uint8)
    parts["value_counts"] = np.array([k for _, k in sets], np.uint32)
    parts["values"] = np.array([v for _, k in sets for v in range(k)], np.uint32)
    parts["value_left"] = np.array([left for n, k in sets for left in sides_of(n, k)], np.uint8)
    parts["others"] = np.array([0 if n.missing_left else 1 for n, _ in sets], np.uint32)
    parts["leaf_rows"] = np.array([n.rows for n in leaves], np.uint32)
    if n_classes:
        parts["leaf_weights"] = np.array([n.weights for n in leaves], np.float64).ravel()
    else:
        parts["leaf_weights"] = np.array([n.weight for n in leaves], np.float64)
        parts["leaf_means"] = np.array([n.mean for n in leaves], np.float64)
        parts["leaf_spreads"] = np.array([n.spread for n in leaves], np.float64)
        if keeps_inner:
            parts["inner_means"] = np.array([n.mean for n in inner], np.float64)
            parts["inner_spreads"] = np.array([n.spread for n in inner], np.float64)
    return core_tree(parts, n_classes, schema.n_values())


def sides_of(node: Node, n_values: int) -> list[bool]:
    """Whether each code goes left; the last one is the missing value."""
    assert node.codes_left is not None
    return [code in node.codes_left for code in range(n_values - 1)] + [node.missing_left]


def margins_of(nodes: list[Node]) -> Floats:
    """Of each node what is next to its cut, as `Tree.digits` takes it; NaN where that is not known."""
    order = [nodes[i] for i in preorder(nodes)]
    found = np.array([n.between or (math.nan, math.nan) for n in order])
    return np.ascontiguousarray(found.T).ravel()


def schema_of(names: Sequence[str] | None, n: int, values: Mapping[int, tuple[Any, ...]] | None = None) -> Schema:
    """Columns of numbers, but for those whose categories are given; a nominal one knows the missing value, too."""
    if names is None and not values:
        return Schema.of_matrix(n)
    names = [f"x{i}" for i in range(n)] if names is None else names
    columns = [
        Column(name, "nominal", (*values[i], None)) if values and i in values else Column(name, "numeric")
        for i, name in enumerate(names)
    ]
    return Schema(tuple(columns), names is not None)


def below32(threshold: float) -> tuple[float, tuple[float, float] | None]:
    """The largest number that, rounded to float32, is at most ``threshold``; and the numbers of float32 beside it."""
    most = float(np.finfo(np.float32).max)
    near = np.float32(min(max(threshold, -most), most))
    low = float(near if float(near) <= threshold else np.nextafter(near, np.float32(-np.inf)))
    high = float(np.nextafter(np.float32(low), np.float32(np.inf))) if abs(low) < most else math.inf
    if not math.isfinite(low) or not math.isfinite(high):
        return threshold, None
    middle = (low + high) / 2
    return (middle if float(np.float32(middle)) <= threshold else math.nextafter(middle, -math.inf)), (low, high)
