"""One lowering for every export: each node as the plain steps that a machine without bough can take.

A row stands at node 0 and goes on until a node sends it to itself. All tests are the core's own, in float64: a sum is
added in eight lanes, as training and prediction add it, so that a row that lies on a cut falls to the same side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError

if TYPE_CHECKING:
    from ..model.model import Model
    from ..tables.schema import Schema

LANES = 8
# Lanes are added in pairs: ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)).
PAIRS = (((0, 4), (2, 6)), ((1, 5), (3, 7)))


@dataclass(frozen=True, slots=True)
class Stay:
    """A leaf."""


@dataclass(frozen=True, slots=True)
class Compare:
    """``left`` if ``Σ weight·(value − center) <= cut``, else ``right``; ``missing`` if a value is missing.

    One column is a sum of one term with weight 1 and center 0, which is its value.
    """

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    centers: tuple[float, ...]
    cut: float
    left: int
    right: int
    missing: int

    @property
    def single(self) -> bool:
        return self.weights == (1.0,) and self.centers == (0.0,)


@dataclass(frozen=True, slots=True)
class Lookup:
    """The node that belongs to the number of the value in the schema; ``other`` for every other value."""

    column: int
    to: dict[int, int]
    other: int


Step = Stay | Compare | Lookup


@dataclass(frozen=True)
class LoweredTree:
    """The steps of all nodes and what each node answers: class shares (nodes × classes), or means (nodes)."""

    steps: list[Step]
    values: npt.NDArray[np.float64]
    answers: list[int]  # number of the class; of regression trees 0
    depth: int


@dataclass(frozen=True)
class Lowered:
    """A whole model: with several trees the mean of their values counts."""

    trees: list[LoweredTree]
    schema: Schema
    classes: list[Any] | None


def lowered(model: Model) -> Lowered:
    """The model as plain steps."""
    mode = getattr(model, "missing", "either")
    if mode != "either":
        raise DataError(
            f"a model with missing={mode!r} sends rows without a value by more than one rule, which exports do not "
            "have; export a model that was fitted with missing='either'"
        )
    found = []
    classes = None if model.classes is None else model.classes.tolist()
    for tree in range(len(model.trees)):
        nodes = model.nodes(tree)
        core = model.trees[tree]
        steps = [lowered_step(core, i) for i in range(len(nodes))]
        if classes is None:
            found.append(LoweredTree(steps, nodes.means, [0] * len(nodes), core.max_depth))
            continue
        place = {c: k for k, c in enumerate(classes)}
        answers = [place[a] for a in nodes.answers.tolist()]
        found.append(LoweredTree(steps, nodes.shares, answers, core.max_depth))
    return Lowered(found, model.schema, classes)


def lowered_step(core: Any, node: int) -> Step:
    s = core.split(node)
    kind = ("leaf", "axis", "linear", "subset", "multiway")[s["kind"]]
    if kind == "leaf":
        return Stay()
    below = core.children(node)
    if kind in ("axis", "linear"):
        left, right = below
        missing = left if s["missing_left"] else right
        if kind == "axis":
            return Compare((s["column"],), (1.0,), (0.0,), s["cut"], left, right, missing)
        terms = (tuple(s["term_columns"]), tuple(s["term_weights"]), tuple(s["term_centers"]))
        return Compare(*terms, s["cut"], left, right, missing)
    other = node if s["other"] is None else below[s["other"]]
    if kind == "multiway":
        return Lookup(s["column"], dict(zip(s["values"], below, strict=True)), other)
    sides = [below[0] if left else below[1] for left in s["goes_left"]]
    return Lookup(s["column"], dict(zip(s["values"], sides, strict=True)), other)


def lane_texts(terms: list[str]) -> str:
    """Texts of terms joined as the core adds them; brackets say the order."""
    lanes: list[str] = []
    for lane in range(LANES):
        own = terms[lane::LANES]
        if own:
            lanes.append(f"({' + '.join(own)})" if len(own) > 1 else own[0])
        else:
            lanes.append("")

    def joined(a: str, b: str) -> str:
        return f"({a} + {b})" if a and b else a or b

    pairs = [[joined(lanes[i], lanes[j]) for i, j in half] for half in PAIRS]
    return joined(*(joined(*half) for half in pairs))
