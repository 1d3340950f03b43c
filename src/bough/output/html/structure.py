"""The tree as the page reads it: kinds in preorder, splits, and what the leaves hold. Nodes above the leaves are
added up in the page, so a node costs about a hundred bytes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.arrays import TreeArrays
from .numbers import exact, short, sparse

if TYPE_CHECKING:
    from ...model.model import Model
    from ...model.nodes import Nodes

LETTERS = ".alsm"  # leaf, axis, linear, subset, multiway: the order of the core
MOST_TESTED = 2000  # nodes whose p-values are told


def structure(nodes: Nodes) -> dict[str, Any]:
    kinds = nodes.kinds
    leaves = [i for i, k in enumerate(kinds) if k == 0]
    found: dict[str, Any] = {
        "k": "".join(LETTERS[k] for k in kinds),
        "n": [int(nodes.rows[i]) for i in leaves],
        "s": [split_of(nodes, i) for i, k in enumerate(kinds) if k],
        "g": [short(float(g), 5) for g, k in zip(nodes.gains, kinds, strict=True) if k],
    }
    if nodes.classes is None:
        found["w"] = [short(float(nodes.weights[i].sum()), 9) for i in leaves]
        found["m"] = [exact(float(nodes.means[i])) for i in leaves]
        found["v"] = [short(max(0.0, float(nodes.variances[i]))) for i in leaves]
    else:
        found["w"] = [sparse(nodes.weights[i]) for i in leaves]
        answers = {c: k for k, c in enumerate(nodes.classes.tolist())}
        told = [answers[a] for a in nodes.answers.tolist()]
        if told != nodes.weights.argmax(axis=1).tolist():
            found["a"] = told
    if nodes.log_p_values is not None:
        tested = {i: nodes[i].tests for i in range(min(len(nodes), MOST_TESTED))}
        ten = math.log(10)
        found["p"] = {i: [[t.column, short(t.log_p / ten, 4)] for t in tests] for i, tests in tested.items() if tests}
    return found


def split_of(nodes: Nodes, i: int) -> list[Any]:
    s = nodes.tree.split(i)
    letter = LETTERS[s["kind"]]
    other = -1 if s["other"] is None else s["other"]
    flags = (0 if s["missing_left"] else 1) + (2 if s["saw_missing"] else 0)
    if letter == "a":
        return [s["column"], exact(s["cut"]), flags]
    if letter == "l":
        return [exact(s["cut"]), flags, s["term_columns"], [exact(w) for w in s["term_weights"]]]
    if letter == "m":
        return [s["column"], other, s["values"]]
    sides = list(zip(s["values"], s["goes_left"], strict=True))
    return [s["column"], other, [v for v, left in sides if left], [v for v, left in sides if not left]]


def columns(model: Model, tree: int) -> list[dict[str, Any]]:
    """Names and kinds; spreads and centres of columns that stand in sums."""
    found: list[dict[str, Any]] = []
    for c in model.schema.columns:
        entry: dict[str, Any] = {"n": c.name, "k": {"numeric": "number"}.get(c.kind, c.kind)}
        if c.nominal:
            entry["v"] = [None if v is None else str(v) for v in c.values]
        found.append(entry)
    parts = model.trees[tree].parts()
    for key, name in (("c", "centers"), ("s", "spreads")):
        for entry, x in zip(found, parts[name].tolist(), strict=False):
            entry[key] = exact(x)
    return found


def importances(model: Model) -> list[float | int | None]:
    """The share of each column in all that impurity falls by, the mean of all trees."""
    found, used = np.zeros(len(model.schema)), np.zeros(len(model.schema), dtype=bool)
    for tree, nodes in zip(model.trees, model.all_nodes, strict=True):
        found += TreeArrays(nodes).compute_feature_importances()
        parts = tree.parts()
        used[parts["columns"]] = used[parts["term_columns"]] = True
    found /= found.sum() or 1.0
    # a column that is asked for but gains nothing is still one that the tree asks for
    return [short(max(x, 1e-9), 4) if asked else 0 for x, asked in zip(found.tolist(), used.tolist(), strict=True)]
