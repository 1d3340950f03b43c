"""``tree_``: the arrays of a tree under scikit-learn's names."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .nodes import Nodes
from .splits import KINDS, Split

NO_CHILD = -1
UNDEFINED = -2  # feature and threshold of nodes that have none

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class AxisOnly(np.ndarray[Any, Any]):
    """An array in which single nodes that scikit-learn does not know cannot be asked for: its pictures and texts would
    be wrong without a word. Whole arrays, slices and masks are as ever."""

    unknown: npt.NDArray[np.bool_] | None = None  # by node; what is computed from the array has none

    def __getitem__(self, key: Any) -> Any:
        if self.unknown is not None and isinstance(key, (int, np.integer)) and self.unknown[key]:
            raise TypeError(
                f"node {key} is not a cut of one column, which is all that scikit-learn's functions can draw; "
                "use show(), plot(), report() or to_dot(), or ask tree_.split(node) and tree_.children(node)."
            )
        return np.asarray(self)[key]


def axis_only(values: npt.NDArray[Any], unknown: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """The same numbers, guarded where there is something to guard."""
    if not unknown.any():
        return values
    guarded = values.view(AxisOnly)
    guarded.unknown = unknown
    return guarded


class TreeArrays:
    """Arrays with one entry for each node, in preorder, named as in scikit-learn.

    ``feature`` is −2 for leaves and for linear splits, ``threshold`` is −2 for leaves and nominal
    splits; ``kind`` tells what each node is, ``split(node)`` gives the split whole. A multiway node
    has its children in ``children(node)`` and −1 in both child arrays. Where a tree has such nodes, their single
    entries of ``threshold``, and of a multiway node those of the child arrays, raise TypeError: scikit-learn's
    `export_graphviz` stops there instead of drawing something else.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._tree = nodes.tree

    @property
    def node_count(self) -> int:
        return self._tree.n_nodes

    @property
    def n_leaves(self) -> int:
        return self._tree.n_leaves

    @property
    def n_features(self) -> int:
        return self._tree.n_columns

    @property
    def n_outputs(self) -> int:
        return 1

    @property
    def n_classes(self) -> npt.NDArray[np.int64]:
        return np.array([max(1, self._tree.n_classes)])

    @property
    def max_n_classes(self) -> int:
        return max(1, self._tree.n_classes)

    @cached_property
    def max_depth(self) -> int:
        return self._tree.max_depth

    def children(self, node: int) -> list[int]:
        """The children of a node, in order."""
        return list(self._nodes[node].children)

    def split(self, node: int) -> Split | None:
        """The split of a node as a small value, or None for a leaf."""
        return self._nodes[node].split

    @cached_property
    def kind(self) -> npt.NDArray[Any]:
        """'leaf', 'axis', 'linear', 'subset' or 'multiway'."""
        return np.array(KINDS)[self._tree.kinds()]

    @cached_property
    def children_left(self) -> Ints:
        return axis_only(self._tree.children_left(), self.kind == "multiway")

    @cached_property
    def children_right(self) -> Ints:
        return axis_only(self._tree.children_right(), self.kind == "multiway")

    @cached_property
    def feature(self) -> Ints:
        out = np.full(self.node_count, UNDEFINED, dtype=np.int64)
        out[np.isin(self.kind, ("axis", "subset", "multiway"))] = self._tree.parts()["columns"]
        return out

    @cached_property
    def threshold(self) -> Floats:
        out = np.full(self.node_count, float(UNDEFINED))
        out[np.isin(self.kind, ("axis", "linear"))] = self._tree.parts()["cuts"]
        return axis_only(out, np.isin(self.kind, ("linear", "subset", "multiway")))

    @cached_property
    def missing_go_to_left(self) -> npt.NDArray[np.uint8]:
        out = np.zeros(self.node_count, dtype=np.uint8)
        out[np.isin(self.kind, ("axis", "linear"))] = self._tree.parts()["missing"] & 1
        return out

    @property
    def impurity(self) -> Floats:
        return self._nodes.impurities

    @property
    def gain(self) -> Floats:
        """The gain of each split by the criterion; NaN for leaves."""
        return self._nodes.gains

    @property
    def n_node_samples(self) -> Ints:
        return self._nodes.rows

    @cached_property
    def weighted_n_node_samples(self) -> Floats:
        return self._nodes.total_weights

    @cached_property
    def value(self) -> Floats:
        """Class shares, or means, in scikit-learn's shape (nodes, 1, classes)."""
        if self._nodes.classes is None:
            return self._nodes.means.reshape(-1, 1, 1)
        return self._nodes.shares[:, np.newaxis, :]

    def compute_feature_importances(self, normalize: bool = True) -> Floats:
        """Decrease of impurity that each column brought, as a share of all."""
        decrease, unit, exponent = self._decreases()
        out = np.zeros(self.n_features)
        if self._tree.linear:
            parts = self._tree.parts()
            terms = np.repeat(np.arange(self.node_count), parts["line_counts"])
            share = (self._nodes.total_weights / self._nodes.total_weights[0])[terms]
            np.add.at(out, parts["line_columns"], share * np.square(np.ldexp(roots_of(parts["line_gains"]), -exponent)))
        for node in np.flatnonzero(self.kind == "linear").tolist():
            s = self._tree.split(node)
            np.add.at(out, s["term_columns"], decrease[node] * shares_of_terms(s["term_weights"], s["term_spreads"]))
        single = self.feature >= 0
        np.add.at(out, self.feature[single], decrease[single])
        total = out.sum()
        if normalize:
            return out / total if total > 0 else out
        with np.errstate(over="ignore"):
            unit = np.ldexp(unit, exponent)
            scaled: Floats = out * unit * unit
            return scaled

    def _decreases(self) -> tuple[Floats, float, int]:
        """What each split takes off the impurity of the whole tree, in squares of a unit times a power of two."""
        parents, nodes = np.asarray(self._nodes.parents), self._nodes
        if nodes.tree.linear:  # penalised mean squared errors, as those of lines are
            roots = roots_of(nodes.gains)
            exponent = tamed(np.append(roots, roots_of(nodes.tree.parts()["line_gains"])))[1]
            gains = np.ldexp(roots, -exponent)
            return np.square(gains) * nodes.total_weights / nodes.total_weights[0], 1.0, exponent
        if nodes.classes is None:  # squares of numbers may be more than a float64 holds, of their ratios they are not
            w = nodes.total_weights / nodes.total_weights[0]
            means, exponent = tamed(nodes.tree.means())
            means -= means[0]
            unit = float(np.abs(means).max()) or 1.0
            means /= unit
            decrease = np.zeros(self.node_count)
            np.add.at(decrease, parents[1:], (w * np.square(means - means[parents]))[1:])
            return decrease, unit, exponent
        decrease = nodes.relative_weights(nodes.stakes.in_splits) * self.impurity
        np.subtract.at(decrease, parents[1:], decrease[1:].copy())
        return decrease, 1.0, 0


def roots_of(gains: Floats) -> Floats:
    roots: Floats = np.sqrt(np.maximum(np.nan_to_num(gains), 0))
    return roots


def tamed(values: Floats) -> tuple[Floats, int]:
    """Numbers divided by a power of two, so that the largest is about 1, and its exponent."""
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    return np.ldexp(values, -exponent), exponent


def shares_of_terms(weights: Any, spreads: Any) -> Floats:
    """How much each term of a linear split counts: squares of standardised coefficients, as shares."""
    (own, by_weight), (spread, by_spread) = np.frexp(weights), np.frexp(spreads)
    parts = own * spread
    if not parts.any():  # as a file may have it: no term tells more than another
        return np.full(len(parts), 1 / len(parts))
    exponents = np.where(parts == 0, np.iinfo(np.int32).min // 4, by_weight + by_spread)
    squares = np.square(np.ldexp(parts, exponents - exponents.max()))
    shares: Floats = squares / squares.sum()
    return shares
