"""Figures from rows passed to the report: histograms, values, cells of a plane, scores. Counts, never rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...errors import DataError, shown
from ...registry import plugins
from ...tables import values
from ...tables.like import columns_like
from .at_nodes import along, by_value, linear
from .leaf_lines import leaf_lines
from .numbers import exact, short, sparse
from .structure import asked

if TYPE_CHECKING:
    from ...model.model import Model
    from ...model.nodes import Nodes
    from ...tables.schema import Schema

MOST = 400  # nodes with pictures of the rows: those with the most rows
MOST_ASKED = 120  # nodes whose other columns are tried
SHOWN_ROWS = 24
Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Given:
    """The rows of the report by column, the leaf that each reaches and its true class or number, if known."""

    columns: list[npt.NDArray[Any]]  # float64, or numbers of values
    leaves: Rows
    order: Rows  # rows by the node in which they end
    sorted_leaves: Rows
    classes: Rows | None
    numbers: Floats | None
    predicted: npt.NDArray[Any]  # by the whole model, forests included: classes or numbers
    truth: Floats | None  # the share of the true class, by row
    sure: Floats | None  # ... of the predicted class
    squares: Floats | None  # the sum of the squares of all shares

    @property
    def n(self) -> int:
        return len(self.leaves)

    def at(self, node: int, size: int) -> Rows:
        """The rows that come to a node: preorder puts all that is below it behind it."""
        low, high = np.searchsorted(self.sorted_leaves, [node, node + size])
        return self.order[low:high]


def given(model: Model, nodes: Nodes, tree: int, X: Any, y: Any) -> Given:
    table = model.columns_of(X)
    outputs = model.outputs(table)
    leaves = outputs.nodes() if len(model.trees) == 1 else outputs.nodes()[:, tree]
    if len(leaves) == 0:
        raise DataError("X has no rows; omit X to make a report without data")
    order = np.argsort(leaves, kind="stable")
    classes = numbers = truth = sure = squares = None
    if y is not None:
        target = np.asarray(y)
        if target.shape != leaves.shape:
            raise DataError(f"X has {len(leaves)} rows, but y has the shape {target.shape}; give one value per row")
        if model.classes is None:
            numbers = numbers_in(target)
        else:
            known = {c: k for k, c in enumerate(model.classes.tolist())}
            classes = np.array([known.get(values.plain(a), -1) for a in target.tolist()], dtype=np.int64)
            if (classes < 0).any():
                strange = target.tolist()[int(np.flatnonzero(classes < 0)[0])]
                raise DataError(
                    f"y holds {shown(strange)}, which is not a class of the model; it has {known_text(known)}"
                )
            predicted_codes = np.array([known[a] for a in outputs.predictions().tolist()])
            truth, sure, squares = np.empty((3, len(leaves)))
            for part, shares in outputs.shares_by_part():
                rows = np.arange(len(shares))
                truth[part], sure[part] = shares[rows, classes[part]], shares[rows, predicted_codes[part]]
                squares[part] = np.square(shares).sum(axis=1)
    columns = [
        np.where(np.isnan(x), len(c.values), x).astype(np.int64) if c.ordinal else x
        for c, x in zip(model.schema.columns, columns_like(X, model.schema), strict=True)
    ]
    return Given(columns, leaves, order, leaves[order], classes, numbers, outputs.predictions(), truth, sure, squares)


def numbers_in(target: npt.NDArray[Any]) -> Floats:
    """The true numbers, for a regression model."""
    try:
        numbers = target.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("y holds values that are not numbers; a regression model needs numbers") from None
    strange = np.flatnonzero(~np.isfinite(numbers))
    if strange.size:
        row = int(strange[0])
        raise DataError(f"y holds {numbers[row]} (row {row}); pass finite numbers, or leave that row out")
    return numbers


def known_text(known: dict[Any, int]) -> str:
    names = [repr(c) for c in known]
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def measured(model: Model, nodes: Nodes, g: Given) -> dict[str, Any]:
    found: dict[str, Any] = {"n": g.n, "t": by_leaf(nodes, g), "h": {}}
    if (g.classes is not None or g.numbers is not None) and are_training_rows(nodes, g):
        found["train"] = 1
    sizes = nodes.sizes
    split_nodes = [i for i, k in enumerate(nodes.kinds) if k]
    counts = {i: len(g.at(i, sizes[i])) for i in split_nodes}
    for i in sorted(split_nodes, key=lambda i: (-counts[i], i))[:MOST]:
        rows = g.at(i, sizes[i])
        if len(rows):
            found["h"][i] = details(nodes, g, i, rows)
    if nodes.models is not None:
        found["l"] = leaf_lines(nodes, g)
    if g.classes is not None:
        found.update(scores_of_classes(nodes, g))
    elif g.numbers is not None:
        found["score"] = scores_of_numbers(g)
    return found


def are_training_rows(nodes: Nodes, g: Given) -> bool:
    """Do the same rows come to every leaf as when the tree was fitted, as far as counts and means tell?"""
    leaves = [i for i, kind in enumerate(nodes.kinds) if kind == 0]
    counts = np.bincount(g.leaves, minlength=len(nodes.kinds))[leaves]
    if not np.array_equal(counts, nodes.rows[leaves]):
        return False
    if g.numbers is not None:
        found = [nodes.losses.leaf(g.numbers[g.at(i, 1)])[0] for i in leaves]
        return bool(np.allclose(found, nodes.tree.means()[leaves]))
    assert g.classes is not None
    if nodes.stakes.scale is not None or not np.allclose(nodes.total_weights, nodes.rows):
        return True  # what classes weigh is not how many there are
    some = leaves[:MOST]
    k = nodes.tree.n_classes
    counts = np.array([np.bincount(g.classes[g.at(i, 1)], minlength=k) for i in some])
    return bool(np.allclose(counts, nodes.weights_at(some)))


def add_others(
    found: dict[str, Any], model: Model, nodes: Nodes, g: Given, others: Any, search: str | None = None
) -> None:
    """What other columns would have gained at the nodes with the most rows, and other groupings of the same values."""
    # along different directions gains are not of one kind
    traits = plugins()["criterion"][model.criterion].traits
    comparable = not (traits["projection"] or traits["function"])
    stumps = others(model, g.columns, g.classes, g.numbers)
    for i in list(found["h"])[:MOST_ASKED]:
        kind = nodes[i].kind
        rows = g.at(i, nodes.sizes[i])
        below = nodes[i].children
        child = np.searchsorted(below, g.leaves[rows], side="right") - 1
        if len(np.unique(child)) < 2 or child.min() < 0 or not (comparable or kind == "subset"):
            continue
        own = stumps.of_division(rows, child, len(below))
        column = nodes.tree.split(i)["column"] if kind != "linear" else -1
        if own is not None and kind == "subset" and (bound := stumps.bound(rows, column, search)):
            found["h"][i]["best"] = proven_share(own, bound)
        best = [[c, short(gain, 4), where] for c, gain, where in stumps.best(rows) if c != column] if comparable else []
        if own is not None and best:
            found["h"][i].update(gain=short(own, 4), alt=best[:5])


def proven_share(gain: float, bound: float) -> float | int | None:
    """The share of what the best grouping could gain that a grouping surely has, rounded down; 1: it is the best."""
    share = gain / bound
    return 1 if share > 1 - 1e-9 else short(math.floor(1e4 * share) / 1e4)


def by_leaf(nodes: Nodes, g: Given) -> list[Any]:
    out: list[Any] = []
    for i, kind in enumerate(nodes.kinds):
        if kind:
            continue
        rows = g.at(i, 1)
        if g.classes is not None:
            out.append(sparse(np.bincount(g.classes[rows])))
        elif nodes.classes is None:
            miss = 0.0 if g.numbers is None else float(np.square(g.numbers[rows] - predicted(nodes, g, i, rows)).sum())
            out.append([len(rows), short(miss)])
        else:
            out.append([])
    return out


def predicted(nodes: Nodes, g: Given, i: int, rows: Rows) -> Any:
    """The number that a node predicts for some of the rows."""
    return nodes.means[i] if nodes.models is None else nodes.models[i].of_rows(g.columns, rows)


def details(nodes: Nodes, g: Given, i: int, rows: Rows) -> dict[str, Any]:
    s = asked(nodes, i)
    kind = ("leaf", "axis", "linear", "subset", "multiway")[s["kind"]]
    if kind == "axis":
        return along(g, rows, g.columns[s["column"]][rows], s["cut"])
    if kind == "linear":
        return linear(g, rows, s, nodes.schema)
    return {"n": len(rows), "vals": by_value(g, rows, g.columns[s["column"]][rows])}


# ---- scores -----------------------------------------------------------------------------------------


def scores_of_classes(nodes: Nodes, g: Given) -> dict[str, Any]:
    assert g.classes is not None
    assert g.truth is not None
    assert g.sure is not None
    assert g.squares is not None
    assert nodes.classes is not None
    place = {c: k for k, c in enumerate(nodes.classes.tolist())}
    predicted_codes = np.array([place[a] for a in g.predicted.tolist()])
    right = predicted_codes == g.classes
    common = int(nodes[0].weights.argmax())
    loss = float(-np.log(np.maximum(g.truth, np.finfo(float).eps)).mean())
    k = len(nodes.classes)
    brier = float((g.squares - 2 * g.truth + 1).mean()) / (2 if k == 2 else 1)  # as scikit-learn has it
    found: dict[str, Any] = {
        "score": {
            "acc": exact(float(right.mean())),
            "base": exact(float((g.classes == common).mean())),
            "common": common,
            "loss": short(loss, 4),
            "brier": short(brier, 4),
        }
    }
    if k == 2 and 0 < g.classes.sum() < g.n:
        found["score"]["auc"] = short(area(np.where(g.classes == 1, g.truth, 1 - g.truth), g.classes == 1), 4)
    if nodes.stakes.costs is not None:
        by_class = nodes.stakes.costs[g.classes]
        always = by_class.mean(axis=0)
        cheap = int(always.argmin())
        own = float(by_class[np.arange(g.n), predicted_codes].mean())
        found["score"].update(cost=short(own, 4), cheap=cheap, least=short(float(always[cheap]), 4))
    if k <= 40:
        found["conf"] = np.bincount(g.classes * k + predicted_codes, minlength=k * k).reshape(k, k).tolist()
    sure = g.sure
    bins = np.minimum(9, (sure * 10).astype(int))
    found["cal"] = [
        [short(float(sure[bins == b].mean()), 4), short(float(right[bins == b].mean()), 4), int((bins == b).sum())]
        for b in np.unique(bins)
    ]
    return found


def area(scores: Floats, positive: npt.NDArray[np.bool_]) -> float:
    """The area under the ROC curve: how often a row of the class has a larger share of it than a row of the other; of
    equal ones half. Shares are compared with twelve digits."""
    different, places = np.unique(scores.round(12), return_inverse=True)
    counts = np.bincount(places, minlength=len(different))
    ranks = np.cumsum(counts) - (counts - 1) / 2
    n = int(positive.sum())
    return float((ranks[places][positive].sum() - n * (n + 1) / 2) / (n * (len(scores) - n)))


def scores_of_numbers(g: Given) -> dict[str, Any]:
    assert g.numbers is not None
    # squares of numbers beyond 1e154 are more than a float64 holds: all are brought near 1
    exponent = int(np.frexp(np.abs([g.numbers, g.predicted]).max())[1])
    numbers, predicted = np.ldexp(g.numbers, -exponent), np.ldexp(g.predicted, -exponent)
    miss, spread = float(np.square(numbers - predicted).mean()), float(np.var(numbers))
    return {
        "rmse": short(float(np.ldexp(math.sqrt(miss), exponent))),
        "base": short(float(np.ldexp(math.sqrt(spread), exponent))),
        "r2": short(1 - miss / spread) if spread > 0 else None,
    }


def rows_of(g: Given, nodes: Nodes) -> list[dict[str, Any]]:
    """Some of the rows themselves, for those who ask for them."""
    out = []
    for r in range(min(g.n, SHOWN_ROWS)):
        x = [None if isinstance(v, float) and math.isnan(v) else exact(v) for v in (c[r].item() for c in g.columns)]
        truth: Any = None
        if g.classes is not None:
            truth = int(g.classes[r])
        elif g.numbers is not None:
            truth = exact(float(g.numbers[r]))
        out.append({"x": x, "y": truth})
    return out


def summaries(g: Given, schema: Schema) -> list[dict[str, Any]]:
    """Of each column: range, missing values and a typical value."""
    out: list[dict[str, Any]] = []
    for c, x in zip(schema.columns, g.columns, strict=True):
        if c.values:
            missing = len(c.values) if c.ordinal else c.values.index(None) if None in c.values else -1
            n_missing = int((x == missing).sum()) if missing >= 0 else 0
            known = x[x >= 0]
            out.append({"gaps": n_missing, **({"d": int(np.bincount(known).argmax())} if len(known) else {})})
            continue
        v = x[~np.isnan(x)]
        entry: dict[str, Any] = {"gaps": len(x) - len(v)}
        if len(v):
            entry["q"] = [short(float(v.min())), short(float(v.max()))]
            entry["d"] = short(float(np.median(v)))
            entry["sd"] = short(float(np.std(v)))
            if (v == np.floor(v)).all():
                entry["whole"] = 1
        out.append(entry)
    return out
