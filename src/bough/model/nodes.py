"""The nodes of a tree, in preorder: what is known of all of them as arrays, and of each one as a `NodeView`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import shown
from ..tables.schema import Schema
from .conditions import Condition
from .file import MANY_CLASSES
from .lines import LinearModel, models_of
from .losses import Losses
from .printed import Printed
from .pvalues import ColumnTest, column_tests
from .smoothing import Smoothing, shares_of, shrunk, smoothed, strength_of
from .splits import KINDS, Split, split_of
from .stakes import Stakes
from .surrogates import Surrogate, surrogates_of

Floats = npt.NDArray[np.float64]
MOST_KEPT = 1 << 24  # numbers in a table of nodes × many classes that is kept; of a larger one, rows are made as needed
MOST_MADE = 1 << 31  # ... that is made at all
DIGITS = 9  # to which shares are compared where rows are shared
MOST_PART = 1 << 21  # ... of some nodes, that is made on the way


@dataclass(frozen=True, slots=True)
class NodeView:
    """One node of a tree. It holds nothing but its number; everything is read when asked for."""

    nodes: Nodes
    number: int

    # ---- where it is ----------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """0 for the root."""
        return self.nodes.depths[self.number]

    @property
    def parent(self) -> int | None:
        """The number of the node above; None for the root."""
        return self.nodes.parents[self.number] if self.number else None

    @property
    def children(self) -> tuple[int, ...]:
        """The numbers of the nodes below, in order; none for a leaf."""
        return tuple(self.nodes.tree.children(self.number))

    @property
    def path(self) -> list[int]:
        """The numbers of the nodes from the root to this one."""
        return self.nodes.path(self.number)

    # ---- what it asks ---------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """'leaf', 'axis', 'linear', 'subset' or 'multiway'."""
        return KINDS[self.nodes.kinds[self.number]]

    @property
    def is_leaf(self) -> bool:
        return self.nodes.kinds[self.number] == 0

    @property
    def split(self) -> Split | None:
        """The question of the node; None for a leaf."""
        return split_of(self.nodes.tree, self.nodes.schema, self.number, self.nodes.printed)

    @property
    def condition(self) -> Condition | None:
        """The condition that leads from the parent to this node; None for the root."""
        if self.number == 0:
            return None
        above = self.nodes[self.nodes.parents[self.number]]
        assert above.split is not None
        return above.split.conditions[above.children.index(self.number)]

    @property
    def surrogates(self) -> tuple[Surrogate, ...]:
        """Splits on other columns for rows with a missing value, the best first; with ``missing="surrogate"`` only."""
        return surrogates_of(self.nodes.tree, self.nodes.schema, self.number)

    @property
    def missing_shares(self) -> tuple[float, ...]:
        """The share of a row without the value that goes to each child; with ``missing="shared"`` only."""
        if self.nodes.tree.missing != "shared":
            return ()
        below = self.nodes.total_weights[list(self.children)] if self.children else np.ones(0)
        return tuple((below / below.sum()).tolist())

    @property
    def gain(self) -> float | None:
        """The gain of the split by the criterion; None for a leaf."""
        gain = float(self.nodes.gains[self.number])
        return None if math.isnan(gain) else gain

    @property
    def tests(self) -> list[ColumnTest]:
        """The columns that were tested here, surest first, adjusted for their number; none without tests."""
        return column_tests(self.nodes, self.number)

    # ---- what it holds --------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """How many training rows came here."""
        return int(self.nodes.rows[self.number])

    @property
    def weight(self) -> float:
        """What these rows weigh together."""
        return float(self.nodes.total_weights[self.number])

    @property
    def weights(self) -> Floats:
        """The weight of each class; of a regression tree, the weight of the rows."""
        return np.asarray(self.nodes.weights_at([self.number])[0])

    @property
    def shares(self) -> Floats:
        """The share of each class."""
        return np.asarray(self.nodes.shares_at([self.number])[0])

    @property
    def sure(self) -> float:
        """The share of the class that the node predicts."""
        return float(self.shares[self.nodes.codes_at(np.array([self.number]))[0]])

    @property
    def mean(self) -> float:
        """What is predicted here: the mean of the numbers, or by ``absolute_error`` and ``quantile`` their quantile; of
        regression trees only."""
        return float(self.nodes.means[self.number])

    @property
    def model(self) -> LinearModel | None:
        """What is predicted here where leaves are linear; None where it is the mean."""
        return None if self.nodes.models is None else self.nodes.models[self.number]

    @property
    def spread(self) -> float:
        """The standard deviation of the numbers here; of regression trees by ``squared_error`` only."""
        return math.sqrt(max(0.0, float(self.nodes.variances[self.number])))

    @property
    def impurity(self) -> float:
        """By the criterion of the model."""
        return float(self.nodes.impurities[self.number])

    @property
    def prediction(self) -> Any:
        """What the node predicts: a class or a number."""
        return self.nodes.answers_at(np.array([self.number]))[0]


class Nodes(Sequence[NodeView]):
    """The nodes of one tree of a model, numbered in preorder. Arrays have one entry for each node."""

    def __init__(
        self,
        tree: _core.Tree,
        schema: Schema,
        classes: npt.NDArray[Any] | None,
        losses: Losses,
        stakes: Stakes,
        smoothing: Smoothing = None,
        printed: Printed | None = None,
    ) -> None:
        self.tree, self.schema, self.classes = tree, schema, classes
        self.stakes, self.printed = stakes, printed
        self.losses, self._smoothing = losses, smoothing

    def __len__(self) -> int:
        return self.tree.n_nodes

    @overload
    def __getitem__(self, number: int) -> NodeView: ...
    @overload
    def __getitem__(self, number: slice) -> list[NodeView]: ...
    def __getitem__(self, number: int | slice) -> NodeView | list[NodeView]:
        if isinstance(number, slice):
            return [NodeView(self, i) for i in range(*number.indices(len(self)))]
        if not isinstance(number, (int, np.integer)):
            known = f"the tree has nodes 0 to {len(self) - 1}"
            raise TypeError(f"a node is chosen by its number, not by {shown(number)}; {known}.")
        n = len(self)
        if not -n <= number < n:
            raise IndexError(f"node {shown(number)} does not exist; the tree has nodes 0 to {n - 1}.")
        return NodeView(self, int(number) % n)

    def __iter__(self) -> Iterator[NodeView]:
        return (NodeView(self, i) for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} nodes, {self.tree.n_leaves} of them leaves>"

    @cached_property
    def kinds(self) -> list[int]:
        """Places in `KINDS`."""
        return list(self.tree.kinds().tolist())

    @cached_property
    def parents(self) -> list[int]:
        """−1 for the root."""
        return list(self.tree.parents().tolist())

    @cached_property
    def depths(self) -> list[int]:
        depths = [0] * len(self)
        for node, parent in enumerate(self.parents[1:], start=1):
            depths[node] = depths[parent] + 1
        return depths

    @cached_property
    def sizes(self) -> list[int]:
        """How many nodes there are from each node on down, itself counted."""
        sizes = [1] * len(self)
        for node in range(len(self) - 1, 0, -1):
            sizes[self.parents[node]] += sizes[node]
        return sizes

    def path(self, node: int) -> list[int]:
        """The numbers of the nodes from the root to a node."""
        found = [node]
        while found[-1] != 0:
            found.append(self.parents[found[-1]])
        return found[::-1]

    @cached_property
    def rows(self) -> npt.NDArray[np.int64]:
        return self.tree.rows()

    @cached_property
    def weights(self) -> Floats:
        """Class weights, nodes × classes; of a regression tree, nodes × 1."""
        if len(self) * self.tree.n_classes > MOST_MADE:
            raise MemoryError(
                f"a table of {len(self):,} nodes × {self.tree.n_classes:,} classes is too large; ask for one node "
                "after the other, as model.nodes()[0].weights"
            )
        return self._made(range(len(self)))

    def _made(self, numbers: Any) -> Floats:
        return np.asarray(self.tree.weights(np.asarray(numbers, np.uint32)).reshape(len(numbers), -1))

    @property
    def kept(self) -> bool:
        """Whether tables of nodes × classes are small enough to be kept."""
        return self.tree.n_classes <= MANY_CLASSES or len(self) * self.tree.n_classes <= MOST_KEPT

    def weights_at(self, numbers: Any) -> Floats:
        """Class weights of some nodes."""
        return self.weights[numbers] if self.kept else self._made(numbers)

    @cached_property
    def total_weights(self) -> Floats:
        """What the rows of every node weigh together."""
        return np.asarray(self.weights.sum(axis=1) if self.kept else self.tree.total_weights())

    def relative_weights(self, factors: Floats | None) -> Floats:
        """What the rows of every node weigh, as a share of the root, where the rows of each class count so much."""
        found: Floats = self.total_weights / self.total_weights[0]
        if factors is not None:
            factors = factors / factors.max()
            for part in parts_of(len(self), self.tree.n_classes):
                own = self.weights_at(np.arange(len(self))[part]) / self.total_weights[0]
                found[part] = (own * factors).sum(axis=1)
            found /= found[0]
        return found

    @cached_property
    def scaled(self) -> Floats:
        """Class weights as they count in shares and predictions: by the priors, if any were given."""
        return self.weights if self.classes is None else self.stakes.scaled(self.weights, self.weights[0])

    def scaled_at(self, numbers: Any) -> Floats:
        """The same of some nodes."""
        return self.scaled[numbers] if self.kept else self.stakes.scaled(self._made(numbers), self._made([0])[0])

    @cached_property
    def shares(self) -> Floats:
        """Class shares, nodes × classes."""
        if self.classes is None:
            raise AttributeError("a regression model has no class shares")
        return shares_of(self.scaled, self.parents, self._smoothing)

    def shares_at(self, numbers: Any) -> Floats:
        """Class shares of some nodes."""
        if self.kept or self.classes is None:
            return np.asarray(self.shares[numbers])
        return self.shares_made(numbers)

    def shares_made(self, numbers: Any) -> Floats:
        """The same, of which nothing is kept."""
        shape = (len(numbers), self.tree.n_classes)
        try:
            shares = np.empty(shape)
        except MemoryError:
            raise MemoryError(
                f"the shares of {shape[0]:,} rows × {shape[1]:,} classes take {8 * shape[0] * shape[1] / 2**30:.3g} "
                "GiB; ask for fewer rows at a time, or for predict"
            ) from None
        taken, parents = np.array(numbers), np.asarray(self.parents)
        while (empty := self.rows[taken] == 0).any():  # the next node above that a training row took
            taken[empty] = parents[taken[empty]]
        along = strength_of(self._smoothing)
        for part in parts_of(len(taken), self.tree.n_classes):
            shares[part] = (
                self._own_shares(taken[part], self._smoothing) if along is None else self._shrunk(taken[part], along)
            )
        return shares

    def _own_shares(self, numbers: Any, smoothing: Smoothing = None) -> Floats:
        root = self._made([0])[0]
        weights = self.stakes.scaled(self._made(numbers), root)
        return smoothed(weights, self.stakes.scaled(root, root), smoothing)

    def _shrunk(self, numbers: npt.NDArray[Any], strength: float) -> Floats:
        """Shares of some nodes, shrunk along their paths, without a table of all nodes."""
        parents, at = np.asarray(self.parents), np.array(numbers)
        shares = self._own_shares(np.zeros(len(at), np.int64))
        while (below := np.flatnonzero(at > 0)).size:
            above = parents[at[below]]
            totals = self.stakes.scaled(self._made(above), self._made([0])[0]).sum(axis=1)
            step = self._own_shares(at[below]) - self._own_shares(above)
            shares[below] += step / (1 + strength / totals)[:, None]
            at[below] = above
        return shares

    @cached_property
    def means(self) -> Floats:
        """What every node predicts of a number."""
        own, along = self.tree.means(), strength_of(self._smoothing)
        return own if along is None else shrunk(own, self.total_weights, self.parents, along)

    @cached_property
    def models(self) -> list[LinearModel] | None:
        """What every node predicts where leaves are linear."""
        return models_of(self.tree, self.schema)

    @property
    def variances(self) -> Floats:
        if self.classes is not None:
            raise AttributeError("a classification model has no spread")
        if not self.losses.squares:
            raise AttributeError(f"a tree by {self.losses.criterion!r} keeps no deviations; impurity has its loss")
        return self.impurities

    @cached_property
    def impurities(self) -> Floats:
        return self.tree.impurities(self.losses.criterion, self.stakes.for_core)

    @cached_property
    def gains(self) -> Floats:
        """The gain of each split by the criterion; NaN for leaves."""
        return self.tree.gains()

    @cached_property
    def predictions(self) -> npt.NDArray[Any]:
        """What every node predicts."""
        if self.classes is None:
            return self.means
        found: npt.NDArray[Any] = self.classes[self.codes]
        return found

    def answers_at(self, numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What these nodes predict."""
        if self.classes is None or self.kept:
            found: npt.NDArray[Any] = self.predictions[numbers]
            return found
        named: npt.NDArray[Any] = self.classes[self.codes_at(numbers)]
        return named

    @property
    def plain(self) -> bool:
        """Whether every node predicts the class that weighs most."""
        alone = self._smoothing is None and self.stakes.costs is None and self.stakes.scale is None
        return alone and self.tree.missing != "shared"

    @cached_property
    def codes(self) -> npt.NDArray[np.intp]:
        """The number of the class that every node predicts."""
        if self.kept:
            return self.stakes.decide(self._comparable(self.shares))
        return self.codes_at(np.arange(len(self)))

    def codes_at(self, numbers: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
        """The number of the class that each of these nodes predicts."""
        if self.kept or "codes" in self.__dict__:
            found: npt.NDArray[np.intp] = self.codes[numbers]
            return found
        different, places = np.unique(numbers, return_inverse=True)
        if self.plain:
            codes = self.tree.heaviest(different.astype(np.uint32))
        else:
            codes = np.empty(len(different), np.intp)
            for part in parts_of(len(different), self.tree.n_classes):
                codes[part] = self.stakes.decide(self._comparable(self.shares_at(different[part])))
        return codes[places.ravel()]

    def _comparable(self, shares: Floats) -> Floats:
        """Shares as predictions compare them: what parts of rows add up to is equal up to rounding."""
        return shares.round(DIGITS) if self.tree.missing == "shared" else shares

    @cached_property
    def log_p_values(self) -> Floats | None:
        """Natural logarithms of p-values, nodes × columns, NaN where a column was not tested; None without tests."""
        found = self.tree.parts()["log_p"]
        return found.reshape(len(self), -1) if found.size else None


def parts_of(n: int, n_classes: int) -> Iterator[slice]:
    """Rows, some after the other, so that a table of some × classes is small."""
    step = max(1, MOST_PART // max(1, n_classes))
    return (slice(at, min(n, at + step)) for at in range(0, n, step))
