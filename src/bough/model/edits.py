"""Changes to a grown tree by hand: each gives a new model, which keeps a sentence about it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError, ParameterError, sentences, shown, whole_number
from ..registry import find
from ..tables.asked import Asked, asked
from . import file, in_order
from .lines import check_means
from .model import Model
from .printed import LINEAR, NOTHING, Printed, printed
from .rules import condition_text

Floats = npt.NDArray[np.float64]
LEAF, AXIS, SUBSET = 0, 1, 3


# ---- smaller ------------------------------------------------------------------------------------------


def pruned(model: Model, rule: str, params: Mapping[str, Any]) -> Model:
    """The tree cut back by a pruner that needs no rows."""
    tree = one_tree(model)
    plugin = find("prune", rule, "rule")
    if plugin.traits["needs_data"]:
        raise ParameterError(
            f"rule {rule!r} needs the training rows, which a fitted tree does not keep; fit with prune={rule!r}."
        )
    with sentences():
        smaller = tree.prune(rule, plugin.encode(params, rule), model.criterion, model.stakes.for_core)
    given = ", ".join(f"{name}={value!r}" for name, value in params.items())
    return edited(model, smaller, f"pruned by {rule}{f' ({given})' if given else ''}", digits_below(model, smaller))


def pruned_to(model: Model, leaves: int) -> Model:
    """The largest subtree of the cost-complexity path that has at most so many leaves."""
    tree = one_tree(model)
    leaves = whole_number("leaves", leaves, 1)
    with sentences():
        alphas, _ = tree.pruning_path(model.criterion, model.stakes.for_core)
        low, high = 0, len(alphas) - 1
        while low < high:  # the first price at which few enough are left
            mid = (low + high) // 2
            low, high = (low, mid) if by_price(model, tree, float(alphas[mid])).n_leaves <= leaves else (mid + 1, high)
        smaller = tree if tree.n_leaves <= leaves else by_price(model, tree, float(alphas[low]))
    said = f"pruned to {smaller.n_leaves} {'leaf' if smaller.n_leaves == 1 else 'leaves'}"
    return edited(model, smaller, said, digits_below(model, smaller))


def by_price(model: Model, tree: _core.Tree, alpha: float) -> _core.Tree:
    return tree.prune("cost_complexity", {"alpha": alpha}, model.criterion, model.stakes.for_core)


def without(model: Model, node: int) -> Model:
    """The tree in which a node is a leaf."""
    tree = one_tree(model)
    node = inner_node(model, node, "it has nothing below it that could be left out")
    smaller = cut_at(tree, node)
    return edited(model, smaller, f"what was below node {node} was left out", digits_below(model, smaller))


def cut_at(tree: _core.Tree, node: int) -> _core.Tree:
    leaves = np.zeros(tree.n_nodes, np.uint8)
    leaves[node] = 1
    return tree.cut(leaves)


# ---- other predictions ----------------------------------------------------------------------------------


def relabelled(model: Model, node: int, prediction: Any) -> Model:
    """The tree in which a leaf predicts something else."""
    tree = one_tree(model)
    node = node_of(model, node)
    if tree.kinds()[node] != LEAF:
        raise ParameterError(f"node {node} is not a leaf; make it one by without({node}) first.")
    ends = Ends(tree)
    place = ends.place_of(node)
    if model.classes is None:
        if (
            isinstance(prediction, bool)
            or not isinstance(prediction, (int, float, np.number))
            or not math.isfinite(prediction)
        ):
            raise ParameterError(f"the prediction is {shown(prediction)}; it must be a number.")
        ends.means[place] = float(prediction)
    else:
        wanted = place_of_class(model, prediction)
        before = int(model.nodes().codes_at(np.array([node]))[0])
        row = ends.weights[place]
        row[[before, wanted]] = row[[wanted, before]]
        if predicted_at(with_tree(model, ends.tree()), node) != wanted:  # costs or priors decide otherwise
            row[:], row[wanted] = 0.0, row.sum() or 1.0
        ends.rows[place] = max(1, ends.rows[place])
        if predicted_at(with_tree(model, ends.tree()), node) != wanted:
            raise DataError(f"costs, priors or smoothing keep node {node} from predicting {shown(prediction)}.")
    said = in_order.checked(model, tree, ends, f"node {node} was made to predict {text_of(prediction)}")
    return edited(model, ends.tree(), said, model.printed)


def place_of_class(model: Model, wanted: Any) -> int:
    assert model.classes is not None
    classes = model.classes.tolist()
    plain = wanted.item() if isinstance(wanted, np.generic) else wanted
    if plain not in classes:
        raise ParameterError(f"{shown(plain)} is not a class. Classes: {', '.join(map(shown, classes[:20]))}.")
    return int(classes.index(plain))


def predicted_at(model: Model, node: int) -> int:
    return int(model.nodes().codes_at(np.array([node]))[0])


def updated(model: Model, columns: _core.Columns, target: npt.NDArray[Any], weights: Floats) -> Model:
    """The tree with the predictions of its leaves taken from other rows. ``target``: places of classes, or numbers."""
    tree = one_tree(model)
    ends = Ends(tree)
    leaf, row, share = ends.reached(tree, columns)
    w = share * weights[row]
    leaf, row, w = leaf[w > 0], row[w > 0], w[w > 0]
    n = len(ends.rows)
    rows, total = np.bincount(leaf, minlength=n), np.bincount(leaf, w, n)
    if not rows.any():
        raise DataError("all rows passed have the weight 0.")
    if model.classes is not None:
        ends.rows[:], ends.weights[:] = rows, 0.0
        np.add.at(ends.weights, (leaf, target[row]), w)
    else:
        here = rows > 0  # a number is that of rows, so a leaf that none reaches keeps its own
        ends.rows[here], ends.weights[here, 0] = rows[here], total[here]
        order = np.argsort(leaf, kind="stable")
        numbers, weights, starts = target[row[order]], w[order], np.cumsum([0, *rows])
        ends.means[here], ends.spreads[here] = model.losses.leaves(numbers, weights, starts[:-1][here])
        ends.parts |= model.losses.inner(model.nodes(), ends.parts, ends.nodes, starts, numbers, weights)
    if in_order.put_in_order(model, tree, ends) and model.classes is None:
        losses = model.losses.of(target[row].astype(np.float64), ends.means[leaf])
        ends.spreads[here] = np.bincount(leaf, w * losses, n)[here]
    return edited(model, ends.tree(), f"its predictions were taken from {columns.n_rows:,} other rows", model.printed)


# ---- larger -------------------------------------------------------------------------------------------


def with_split(
    model: Model,
    node: int,
    condition: Any,
    missing: str | None,
    rows: tuple[_core.Columns, npt.NDArray[Any], Floats] | None,
) -> Model:
    """The tree in which a node asks a condition and its two children are leaves; these say what the given rows do, or,
    without rows, what the node did."""
    tree = one_tree(model)
    node = node_of(model, node)
    if tree.missing != "either":
        raise ParameterError(
            f"a tree with missing={tree.missing!r} takes no splits by hand; fit it with missing='either'."
        )
    what = asked(condition, model.schema)
    if missing not in (None, "yes", "no"):
        raise ParameterError(f"missing is {shown(missing)}; it must be 'yes', 'no' or None (the heavier side).")
    if tree.kinds()[node] != LEAF:
        tree = cut_at(tree, node)
    ends = Ends(tree)
    place = ends.place_of(node)
    first_missing = True if missing is None else (missing == "yes") == what.first
    grown = inserted(tree, ends, node, place, what, first_missing, halves(ends, place))
    if rows is not None:
        columns, target, weights = rows
        at_node = tree.apply(columns)
        here = np.isin(at_node, [node])
        if not (weights[here] > 0).any():
            raise DataError(f"none of the rows passed reaches node {node}.")
        sides = [side_of(model, grown, columns, target, weights, node + 1 + k) for k in (0, 1)]
        for k, side in enumerate(sides):
            if side[0] == 0:
                raise DataError(
                    f"none of the rows passed goes to the {('first', 'second')[k]} side of {shown(condition)}."
                )
        if missing is None and sides[1][1].sum() > sides[0][1].sum():
            grown = inserted(tree, ends, node, place, what, False, halves(ends, place))
            sides = [side_of(model, grown, columns, target, weights, node + 1 + k) for k in (0, 1)]
        grown = inserted(tree, ends, node, place, what, missing_left(grown, node), sides)
    digits = inserted_digits(digits_below(model, tree), grown, node, None if rows is None else rows[0])
    said = in_order.checked(model, grown, Ends(grown), f"node {node} was made to ask {condition_text(condition)}")
    return edited(model, grown, said, digits)


def missing_left(tree: _core.Tree, node: int) -> bool:
    split = tree.split(node)
    return bool(split["missing_left"]) if split["kind"] != SUBSET else split["other"] == 0


Side = tuple[int, Floats, float, float]  # rows, weights of classes or the weight, mean, spread


def halves(ends: Ends, place: int) -> list[Side]:
    rows, weights = int(ends.rows[place]), ends.weights[place] / 2
    mean, spread = (float(ends.means[place]), float(ends.spreads[place]) / 2) if len(ends.means) else (0.0, 0.0)
    return [(max(1, rows - rows // 2), weights, mean, spread), (max(1, rows // 2), weights, mean, spread)]


def side_of(model: Model, tree: _core.Tree, columns: _core.Columns, target: Any, weights: Floats, leaf: int) -> Side:
    here = (tree.apply(columns) == leaf) & (weights > 0)
    w = weights[here]
    if model.classes is not None:
        of_classes: Floats = np.bincount(target[here], w, len(model.classes)).astype(np.float64)
        return int(here.sum()), of_classes, 0.0, 0.0
    return int(here.sum()), np.array([w.sum()]), *model.losses.leaf(target[here], w)


def inserted(
    tree: _core.Tree, ends: Ends, node: int, place: int, what: Asked, first_missing: bool, sides: list[Side]
) -> _core.Tree:
    """A leaf turned into a split with two leaves."""
    parts, kinds = tree.parts(), tree.kinds()
    before = kinds[:node]
    inner, terms = int((before != LEAF).sum()), int((before == LINEAR).sum())
    cuts = int(np.isin(before, (AXIS, LINEAR)).sum())
    columns, sets = inner - terms, int((before > LINEAR).sum())
    kind = SUBSET if what.codes is not None else LINEAR if what.weights != (1.0,) else AXIS
    parts["kinds"] = np.insert(kinds, node, kind)
    parts["kinds"] = np.insert(parts["kinds"], node + 1, LEAF)
    parts["gains"] = np.insert(parts["gains"], inner, 0.0)
    for name, own in {"inner_means": ends.means, "inner_spreads": ends.spreads}.items():
        parts[name] = np.insert(parts[name], inner, own[place]) if parts[name].size else parts[name]
    if parts["log_p"].size:
        width = len(parts["n_values"])
        parts["log_p"] = np.insert(parts["log_p"], (node + 1) * width, np.full(2 * width, np.nan))
    if kind != LINEAR:
        parts["columns"] = np.insert(parts["columns"], columns, what.columns[0])
    if kind == SUBSET:
        n = int(parts["n_values"][what.columns[0]])
        at = int(parts["value_counts"][:sets].sum())
        left_at = int(parts["value_counts"][:sets][before[before > LINEAR] == SUBSET].sum())
        assert what.codes is not None
        parts["value_counts"] = np.insert(parts["value_counts"], sets, n)
        parts["values"] = np.insert(parts["values"], at, np.arange(n))
        parts["value_left"] = np.insert(parts["value_left"], left_at, [c in what.codes for c in range(n)])
        parts["others"] = np.insert(parts["others"], sets, 0 if first_missing else 1)
    else:
        cut = what.cut
        if kind == LINEAR:
            at = int(parts["term_counts"][:terms].sum())
            order = np.argsort(what.columns)
            columns_, weights = np.array(what.columns)[order], np.array(what.weights)[order]
            centers = parts["centers"][columns_] if parts["centers"].size else np.zeros(len(columns_))
            cut -= float((weights * centers).sum())
            parts["term_counts"] = np.insert(parts["term_counts"], terms, len(columns_))
            parts["term_columns"] = np.insert(parts["term_columns"], at, columns_)
            parts["term_weights"] = np.insert(parts["term_weights"], at, weights)
            numbers = np.full(len(columns_) if parts["term_values"].size else 0, file.NUMBER)
            parts["term_values"] = np.insert(parts["term_values"], at * (len(numbers) > 0), numbers)
        parts["cuts"] = np.insert(parts["cuts"], cuts, cut)
        parts["missing"] = np.insert(parts["missing"], cuts, int(first_missing))
    grown = Ends.of(ends, place, sides)
    return grown.tree(parts, tree.n_classes)


# ---- leaves as dense arrays --------------------------------------------------------------------------------


class Ends:
    """The predictions of the leaves of a tree, to be changed."""

    def __init__(self, tree: _core.Tree) -> None:
        if tree.missing == "surrogate":
            raise ParameterError("a tree with missing='surrogate' can only be made smaller by hand.")
        check_means(tree)
        self.parts, self.n_classes = tree.parts(), tree.n_classes
        self.nodes = np.flatnonzero(tree.kinds() == LEAF)
        self.rows = self.parts["leaf_rows"].astype(np.int64)
        self.weights = tree.weights(self.nodes.astype(np.uint32)).reshape(len(self.nodes), -1).copy()
        self.means, self.spreads = self.parts["leaf_means"].copy(), self.parts["leaf_spreads"].copy()

    @staticmethod
    def of(ends: Ends, place: int, sides: list[Side]) -> Ends:
        """The same with two leaves in the place of one."""
        found = object.__new__(Ends)
        found.n_classes = ends.n_classes
        found.rows = np.insert(np.delete(ends.rows, place), place, [s[0] for s in sides])
        found.weights = np.insert(np.delete(ends.weights, place, 0), place, [s[1] for s in sides], 0)
        found.means, found.spreads = ends.means, ends.spreads
        if not ends.n_classes:
            found.means = np.insert(np.delete(ends.means, place), place, [s[2] for s in sides])
            found.spreads = np.insert(np.delete(ends.spreads, place), place, [s[3] for s in sides])
        return found

    def place_of(self, node: int) -> int:
        return int(np.searchsorted(self.nodes, node))

    def reached(self, tree: _core.Tree, columns: _core.Columns) -> tuple[Any, Any, Floats]:
        """Places of leaves, rows and shares: each leaf that some of a row comes to."""
        starts, nodes, shares = tree.reach(columns)
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        at_leaf = tree.kinds()[nodes] == LEAF
        stays = np.setdiff1d(np.arange(len(starts) - 1), row[at_leaf])
        if len(stays):
            raise DataError(
                f"row {stays[0]} ends at a node that is no leaf (unseen='stop'), as {len(stays):,} rows do; leave them "
                "out."
            )
        return np.searchsorted(self.nodes, nodes[at_leaf]), row[at_leaf], shares[at_leaf]

    def tree(self, parts: dict[str, Any] | None = None, n_classes: int | None = None) -> _core.Tree:
        parts = dict(self.parts if parts is None else parts)
        n_values = parts.pop("n_values")
        parts["leaf_rows"] = self.rows.astype(np.uint32)
        parts["leaf_weights"], parts["leaf_counts"] = self.weights.ravel(), parts["leaf_counts"][:0]
        parts["leaf_classes"] = parts["leaf_classes"][:0]
        parts["leaf_means"], parts["leaf_spreads"] = self.means, self.spreads
        return file.tree_of(parts, self.n_classes if n_classes is None else n_classes, n_values)


# ---- the model around it ------------------------------------------------------------------------------------


def one_tree(model: Model) -> _core.Tree:
    if len(model.trees) != 1 or model.boosting:
        raise ParameterError(f"a model of {len(model.trees)} trees is not changed by hand; it has no node to name.")
    return model.trees[0]


def node_of(model: Model, node: Any) -> int:
    return int(whole_number("node", node, 0, model.n_nodes - 1))


def inner_node(model: Model, node: Any, otherwise: str) -> int:
    found = node_of(model, node)
    if model.trees[0].kinds()[found] == LEAF:
        raise ParameterError(f"node {found} is a leaf; {otherwise}.")
    return found


def with_tree(model: Model, tree: _core.Tree) -> Model:
    return replace(model, trees=(tree,), printed=None, pruning_table=None, refinement=None)


def edited(model: Model, tree: _core.Tree, said: str, digits: Printed | None) -> Model:
    return replace(with_tree(model, tree), printed=digits, edits=(*model.edits, said))


def text_of(value: Any) -> str:
    return shown(value.item() if isinstance(value, np.generic) else value)


def matching(old: _core.Tree, new: _core.Tree) -> list[int] | None:
    """The node of the old tree that each of a smaller one was; None if it is not that tree with subtrees cut off."""
    parents = old.parents()
    sizes = np.ones(old.n_nodes, np.int64)
    for i in range(old.n_nodes - 1, 0, -1):
        sizes[parents[i]] += sizes[i]
    kinds, new_kinds, found, at = old.kinds(), new.kinds(), [], 0
    for i in range(new.n_nodes):
        if at >= old.n_nodes or (new_kinds[i] != LEAF and new_kinds[i] != kinds[at]):
            return None
        found.append(at)
        at += 1 if new_kinds[i] != LEAF else int(sizes[at])
    rows, new_rows = old.rows(), new.rows()
    return found if all(rows[o] == new_rows[i] for i, o in enumerate(found)) else None


def digits_below(model: Model, smaller: _core.Tree) -> Printed | None:
    """The digits of a tree made smaller."""
    if model.printed is None:
        return None
    same = matching(model.trees[0], smaller)
    if same is None:
        return None
    digits = model.printed.digits[same].copy()
    digits[smaller.kinds() == LEAF] = 0
    linear = np.flatnonzero(model.trees[0].kinds() == LINEAR)
    kept = np.isin(linear, [o for i, o in enumerate(same) if smaller.kinds()[i] == LINEAR])
    return Printed.of(digits, model.printed.margins.reshape(-1, 2)[kept].ravel())


def inserted_digits(
    digits: Printed | None, grown: _core.Tree, node: int, columns: _core.Columns | None
) -> Printed | None:
    if digits is None or columns is None:
        return None
    own = printed(grown, grown.margins(columns))
    found = np.insert(np.insert(digits.digits, node, own.digits[node]), node + 1, 0)
    linear = grown.kinds() == LINEAR
    if not linear.any():
        return Printed.of(found, NOTHING)
    margins = digits.margins.reshape(-1, 2) if digits.margins.size else np.empty((0, 2))
    if linear[node]:
        at = int(linear[:node].sum())
        margins = np.insert(margins, at, own.margins.reshape(-1, 2)[at], 0)
    return Printed.of(found, margins.ravel())
