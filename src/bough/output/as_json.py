"""A model as JSON that any language can follow: nodes with plain steps and their predictions."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from ..errors import whole_number
from ..model.rules import rules_of
from ..model.stakes import TIE
from .lower import Compare, Lookup, LoweredTree, Stay, lowered

MOST_INDENT = 100
SHARED = (
    "; where 'missing' or 'other' is -1 the row is parted: each child of 'parts' gets its share of it, and the "
    "predictions of all ends count by their shares; of classes the first counts whose sum, to nine digits, is largest"
)
LINES = (
    "; 'model' predicts offset + the sum of slope * (value - center) over its terms of known value, no less than 'low' "
    "and no more than 'high'"
)
BOOSTED = (
    "; the values of tree i are added to output i modulo the length of 'start', from there on; 'link' makes "
    "predictions of the sums: identity, exp, logistic (the share of the second class) or softmax (the shares of all "
    "classes)"
)
COSTS = (
    "; 'costs' [true][predicted] decide: of the classes whose expected cost is at most the least of all, plus "
    f"{TIE} of the largest, the first is predicted"
)

if TYPE_CHECKING:
    from ..model.model import Model


def write(model: Model) -> bytes:
    return to_json(model, indent=1).encode()


def to_json(model: Model, indent: int | None = None) -> str:
    """See `Model.to_json`."""
    if indent is not None:
        whole_number("indent", indent, 0, MOST_INDENT)
    low = lowered(model)
    columns = [
        {"name": c.name, "kind": c.kind, **({"values": list(c.values)} if c.values else {})} for c in low.schema.columns
    ]
    found: dict[str, Any] = {
        "format": "bough model",
        "rows": "start at node 0; 'terms' compares the sum of weight * (value - center), added in eight lanes, "
        "with cut; a row that lacks a value goes to 'missing', or, where that is null, its term is 0; a sum that is "
        "not a number goes to 'missing', too, or, where that is null, to 'overflow'; 'to' looks up the place "
        "of the value in the column's values; a node without a step is the end",
        "task": "regression" if low.classes is None else "classification",
        "columns": columns,
        "classes": low.classes,
        "trees": [[entry(t, i, low.of_numbers) for i in range(len(t.steps))] for t in low.trees],
    }
    if low.trees[0].shares is not None:
        found["rows"] += SHARED
    if low.boosting is not None:
        found["rows"] += BOOSTED
        found["start"], found["link"] = list(low.boosting.start), low.boosting.link
    if any(c.ordinal for c in low.schema.columns):
        found["rows"] += "; the value of an ordinal column in 'terms' is its place in the column's values, from 0"
    if any(isinstance(s, Compare) and s.values for t in low.trees for s in t.steps):
        found["rows"] += "; a term with a fourth number is weight where the value has that place in the column's values"
    if low.trees[0].models is not None:
        found["rows"] += LINES
    if low.costs is not None:
        found["rows"] += COSTS
        found["costs"] = low.costs
    if rules := rules_of(model.origin):
        found["constraints"] = rules
    return json.dumps(found, indent=indent, ensure_ascii=False, allow_nan=False)


def entry(tree: LoweredTree, i: int, regression: bool) -> dict[str, Any]:
    step, value = tree.steps[i], tree.values[i]
    found: dict[str, Any] = {}
    if i < tree.n_nodes or isinstance(step, Stay):  # a surrogate predicts nothing
        found = {"value": float(value)} if regression else {"shares": value.tolist(), "class": tree.codes[i]}
    if tree.models is not None:
        m = tree.models[i]
        lines = [(t.column, t.weight, t.center) for t in m.lines]
        found = {"model": {"offset": m.offset, "terms": lines, "low": m.low, "high": m.high}}
    if tree.shares is not None and tree.shares[i]:
        found["parts"] = list(tree.shares[i].items())
    if isinstance(step, Compare):
        terms: list[Any] = list(zip(step.columns, step.weights, step.centers, strict=True))
        if step.values:
            terms = [t if v is None else (*t, v) for t, v in zip(terms, step.values, strict=True)]
        cut = None if math.isinf(step.cut) else step.cut  # every known value is at most infinity
        way = {"missing": None, "overflow": step.missing} if step.gaps_at_center else {"missing": step.missing}
        return {"terms": terms, "cut": cut, "left": step.left, "right": step.right, **way, **found}
    if isinstance(step, Lookup):
        return {"column": step.column, "to": list(step.to.items()), "other": step.other, **found}
    return found
