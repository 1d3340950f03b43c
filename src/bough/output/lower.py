"""One lowering for every export: each node as the plain steps that a machine without bough can take.

A row stands at node 0 and goes on until a node sends it to itself. All tests are the core's own, in float64: a sum is
added in eight lanes, as training and prediction add it, so that a row that lies on a cut falls to the same side.

Surrogates are steps like others, behind those of the nodes: a row without a value goes there, and from there to a
child. Where rows without a value are shared, a tree has the share of each child.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..model.file import NUMBER

if TYPE_CHECKING:
    from ..model.boosting import Boosting
    from ..model.lines import LinearModel
    from ..model.model import Model
    from ..model.nodes import Nodes
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

    One column is a sum of one term with weight 1 and center 0, which is its value. With ``gaps_at_center`` a term whose
    value is missing is 0, and nothing goes to ``missing``. The value of an ordered column is its place in the order,
    from 0; one that the order lacks is missing.
    """

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    centers: tuple[float, ...]
    cut: float
    left: int
    right: int
    missing: int
    gaps_at_center: bool = False
    values: tuple[int | None, ...] = ()  # of a nominal column's term: it is 1 for the value of this number, else 0

    @property
    def single(self) -> bool:
        return self.weights == (1.0,) and self.centers == (0.0,) and not self.values

    @property
    def asked(self) -> tuple[int | None, ...]:
        """The value that each term asks for; None: it is a number."""
        return self.values or (None,) * len(self.columns)


@dataclass(frozen=True, slots=True)
class Lookup:
    """The node that belongs to the number of the value in the schema; ``other`` for every other value."""

    column: int
    to: dict[int, int]
    other: int


Step = Stay | Compare | Lookup


@dataclass(frozen=True)
class LoweredTree:
    """The steps of all nodes and what each node predicts: class shares (nodes × classes), or means (nodes)."""

    steps: list[Step]
    values: npt.NDArray[np.float64]
    codes: list[int]  # number of the class; of regression trees 0
    depth: int  # most steps of a row, those of surrogates counted
    n_nodes: int  # steps behind these are surrogates, and leaves for rows that none of them knows
    shares: list[dict[int, float]] | None = None  # of a row without a value, by child; None: it goes one way
    models: list[LinearModel] | None = None  # what each node predicts instead of its value

    @property
    def written(self) -> list[Any]:
        """What each node predicts: class shares, a number, or (offset, terms, low, high) of a linear model: the offset
        and Σ slope·(value − center) over the terms, missing values left out, held between low and high."""
        if self.models is None:
            found: list[Any] = self.values.tolist()
            return found
        return [(m.offset, tuple((t.column, t.weight, t.center) for t in m.lines), m.low, m.high) for m in self.models]


@dataclass(frozen=True)
class Lowered:
    """A whole model: with several trees the mean of their values counts, of boosted trees their sum.

    ``costs`` [true, predicted] are there if a prediction follows from shares that only the export has, those of several
    trees or of parts of a row: the class of least expected cost, of equals (up to `stakes.TIE`) the first.
    """

    trees: list[LoweredTree]
    schema: Schema
    classes: list[Any] | None
    costs: list[list[float]] | None = None
    boosting: Boosting | None = None

    @property
    def of_numbers(self) -> bool:
        """Whether every tree predicts a number. Of boosted trees each adds to one output, round by round."""
        return self.classes is None or self.boosting is not None


def lowered(model: Model) -> Lowered:
    """The model as plain steps."""
    found = []
    classes = None if model.classes is None else model.classes.tolist()
    boosting = model.boosting
    missing = model.missing
    for tree in range(len(model.trees)):
        nodes = model.nodes(tree)
        core = model.trees[tree]
        steps = [lowered_step(core, model.schema, i) for i in range(len(nodes))]
        if classes is None or boosting is not None:
            rate = 1.0 if boosting is None else boosting.learning_rate
            values, codes = rate * nodes.means, [0] * len(nodes)
        else:
            place = {c: k for k, c in enumerate(classes)}
            values, codes = nodes.shares, [place[a] for a in nodes.predictions.tolist()]
        depth, shares = core.max_depth, None
        if missing == "shared":
            shares, steps = shares_of(nodes), [parted(s) for s in steps]
        elif missing == "surrogate":
            depth, like = add_surrogates(core, model.schema, nodes.parents, steps)
            values, codes = np.concatenate([values, values[like]]), codes + [codes[i] for i in like]
        found.append(LoweredTree(steps, values, codes, depth, len(nodes), shares, nodes.models))
    costs = None
    if model.costs is not None and len(model.costs) > 1 and (len(found) > 1 or missing == "shared"):
        costs = model.costs.tolist()
    return Lowered(found, model.schema, classes, costs, boosting)


def parted(step: Step) -> Step:
    """A step that sends rows without a value, or with one that was not there, to no single child: to −1."""
    if isinstance(step, Stay):
        return step
    return replace(step, missing=-1) if isinstance(step, Compare) else replace(step, other=-1)


def shares_of(nodes: Nodes) -> list[dict[int, float]]:
    """Of every node, the share of a row without a value that each child gets."""
    weight = nodes.weights.sum(axis=1)
    found = []
    for i in range(len(nodes)):
        below = nodes.tree.children(i)
        total = sum(float(weight[c]) for c in below)
        found.append({c: float(weight[c]) / total if total > 0 else 0.0 for c in below})
    return found


def add_surrogates(core: Any, schema: Schema, parents: list[int], steps: list[Step]) -> tuple[int, list[int]]:
    """Puts the surrogates behind the nodes, each a step of its own, and behind those of a node where rows end a leaf
    for these; returns the most steps that a row takes, and the node that each of the new steps belongs to."""
    taken, like = [0] * len(parents), []
    for i in range(len(parents)):
        before = taken[parents[i]] if i else 0
        s, step = core.split(i), steps[i]
        stand_ins = s["surrogates"]
        taken[i] = before + (not isinstance(step, Stay)) + len(stand_ins)
        if isinstance(step, Stay) or not stand_ins:
            continue
        left, right = core.children(i)
        last = step.missing if isinstance(step, Compare) else step.other
        first = len(steps)
        if last == i:
            last = first + len(stand_ins)
            taken[i] += 1
        for k, u in enumerate(stand_ins):
            following = last if k + 1 == len(stand_ins) else first + k + 1
            if u["values"]:
                sides = [left if goes_left else right for goes_left in u["goes_left"]]
                steps.append(Lookup(u["column"], dict(zip(u["values"], sides, strict=True)), following))
                continue
            low, high = (left, right) if u["low_left"] else (right, left)
            column = schema.columns[u["column"]]
            if column.ordinal:
                to = {code: low if code <= u["cut"] else high for code in range(len(column.values))}
                steps.append(Lookup(u["column"], to, following))
            else:
                steps.append(Compare((u["column"],), (1.0,), (0.0,), u["cut"], low, high, following))
        if last == len(steps):
            steps.append(Stay())
        like += [i] * (len(steps) - first)
        steps[i] = replace(step, missing=first) if isinstance(step, Compare) else replace(step, other=first)
    return max(taken), like


def lowered_step(core: Any, schema: Schema, node: int) -> Step:
    s = core.split(node)
    kind = ("leaf", "axis", "linear", "subset", "multiway")[s["kind"]]
    if kind == "leaf":
        return Stay()
    below = core.children(node)
    if kind in ("axis", "linear"):
        left, right = below
        missing = node if s["stops"] else left if s["missing_left"] else right
        if kind == "axis" and schema.columns[s["column"]].ordinal:
            places = range(len(schema.columns[s["column"]].values))
            return Lookup(s["column"], {p: left if p <= s["cut"] else right for p in places}, missing)
        if kind == "axis":
            return Compare((s["column"],), (1.0,), (0.0,), s["cut"], left, right, missing)
        terms = (tuple(s["term_columns"]), tuple(s["term_weights"]), tuple(s["term_centers"]))
        asked = tuple(None if v == NUMBER else v for v in s["term_values"])
        return Compare(*terms, s["cut"], left, right, missing, s["gaps_at_center"], asked)
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


def columns_of(steps: Iterable[Step]) -> set[int]:
    """The columns that steps ask for."""
    used: set[int] = set()
    for s in steps:
        used.update(s.columns if isinstance(s, Compare) else [s.column] if isinstance(s, Lookup) else [])
    return used
