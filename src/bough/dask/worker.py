"""What workers do. The futures of a fit hold rows and nothing else; bins and the rows of nodes live in a memory of the
worker's own that is never sent. Every task brings the splits that were made so far, and a worker that lacks some of
them, or all because it has just taken over for one that died, makes them first."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..estimators.classifier import classes_of, labels_of
from ..estimators.data import Floats
from ..estimators.plan import Plan
from ..tables import frame
from ..tables.schema import Schema
from . import offset
from .collection import Piece, Rows, rows_of
from .look import numbers_of, weights_or_zero

Counts = tuple[npt.NDArray[np.uint32], Floats | None, Floats | None]
Moments = tuple[list[float], list[float], list[float], list[float], bool]  # see _core.moments_of_sums


class Draw(NamedTuple):
    """A tree of a forest, and the rows that it draws."""

    forest: str  # the fit whose bins its trees share
    seed: int
    size: int  # 0: every row once
    n_rows: int  # of the whole table
    starts: list[int]  # the first row of each partition

    def rows(self, i: int, n: int) -> npt.NDArray[np.uint32]:
        """The rows of partition i, of n rows, each as often as it was drawn."""
        all_rows = np.arange(n, dtype=np.uint32)
        if self.size == 0:
            return all_rows
        here = self.starts[i]
        return np.repeat(all_rows, _core.times_drawn(self.n_rows, self.size, self.seed)[here : here + n])


class Setup(NamedTuple):
    """What is the same for all workers of a fit."""

    fit: str
    schema: Schema
    classes: npt.NDArray[Any] | None  # None: a number is predicted
    offset: float  # what is taken off the numbers to be predicted
    per_class: list[Floats]  # weights of the classes, by which rows are multiplied one after the other
    weighted: bool
    edges: list[Floats]
    n_values: list[int]
    plan: Plan
    draw: Draw | None = None  # of a tree of a forest
    along: tuple[int, int] = (0, 0)  # directions that a node has at most, where trees cut along them, and their bins

    @property
    def n_classes(self) -> int:
        """0 where a number is predicted."""
        return 0 if self.classes is None else len(self.classes)

    @property
    def size(self) -> int:
        """Counts of one node."""
        most, bins = self.along
        cells = sum(n or (0 if most else len(e) + 2) for n, e in zip(self.n_values, self.edges, strict=True))
        return (cells + most * (bins + 1 if most else 0)) * max(1, self.n_classes)

    @property
    def fields(self) -> int:
        """Sums beside each count."""
        return (2 if self.classes is None else 0) + (1 if self.weighted else 0)

    @property
    def n_sums(self) -> int:
        """Sums of one node: those, and last the squares of the weights."""
        return self.size * self.fields + (1 if self.weighted else 0)

    @property
    def n_ends(self) -> int:
        """Ends of the bins along the directions of one node."""
        return 2 * self.along[0] * self.along[1]


class Held:
    """A portion and how many levels of splits its rows have gone through."""

    def __init__(self) -> None:
        self.portion: _core.Portion | None = None  # None: it is still to be made
        self.levels = 0
        self.aimed = 0  # the call whose directions its nodes have
        self.lock = threading.Lock()

    @staticmethod
    def of(fit: str, i: int) -> Held:
        """What is held of partition i for a fit."""
        with GUARD:
            return HELD.setdefault(fit, {}).setdefault(i, Held())


HELD: dict[str, dict[int, Held]] = {}  # by fit and partition
GUARD = threading.Lock()


def aligned(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array as the core takes it: what comes over a wire may begin at any byte."""
    return np.require(x, requirements=["C", "A"])


def forget(fit: str) -> None:
    """Lets go of everything that a fit has left here."""
    with GUARD:
        for name in [n for n in HELD if n == fit or n.startswith(f"{fit}-")]:  # the trees of a forest
            del HELD[name]


def n_held() -> int:
    """How many portions are held here."""
    with GUARD:
        return sum(map(len, HELD.values()))


class Aims(NamedTuple):
    """The directions of nodes."""

    call: int
    nodes: list[int]
    directions: bytes  # pickled, see Cluster.history


def portions(
    pieces: list[Piece], which: list[int], setup: Setup, history: list[bytes], aims: Aims | None = None
) -> Iterator[tuple[int, Any]]:
    """The portions of some partitions, after all splits; nobody else has them meanwhile."""
    for piece, i in zip(pieces, which, strict=True):
        held = Held.of(setup.fit, i)
        with held.lock:
            if held.portion is None:
                held.portion = made(rows_of(piece), setup) if setup.draw is None else drawn(piece, i, setup)
            while held.levels < len(history):
                held.portion.divide(pickle.loads(history[held.levels]))
                held.levels += 1
            if aims is not None and held.aimed != aims.call:
                held.portion.aim(aims.nodes, pickle.loads(aims.directions))
                held.aimed = aims.call
            yield i, held.portion


def drawn(piece: Piece, i: int, setup: Setup) -> _core.Portion:
    """The portion of the rows of a partition that a tree has drawn; its bins are those of the forest."""
    assert setup.draw is not None
    whole = Held.of(setup.draw.forest, i)
    with whole.lock:
        if whole.portion is None:
            whole.portion = made(rows_of(piece), setup)
        return whole.portion.drawn(setup.draw.rows(i, len(piece[0])))


def made(rows: Rows, setup: Setup) -> _core.Portion:
    columns = frame.read_like(rows.table, setup.schema, by_name=True)
    n = len(rows.table)
    codes = numbers = None
    if setup.classes is None:
        numbers = numbers_of(rows.y, n) - setup.offset
    else:
        codes = codes_of(rows, setup.classes)
    weights = weights_in(rows, codes, setup.per_class) if setup.weighted else None
    data = _core.Data(columns, codes, setup.n_classes, numbers, weights)
    return _core.Portion(data, setup.n_values, [aligned(e) for e in setup.edges], setup.along)


def codes_of(rows: Rows, classes: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """The number of each row's class."""
    labels, codes = classes_of(labels_of(rows.y))
    place = {label: i for i, label in enumerate(classes.tolist())}
    return np.array([place[label] for label in labels.tolist()], dtype=np.uint32)[codes]


def weights_in(rows: Rows, codes: Any, per_class: list[Floats]) -> Floats:
    """What each row weighs."""
    given = weights_or_zero(rows.weights, len(rows.table))
    weights = np.ones(len(rows.table)) if given is None else given
    for factors in per_class:
        weights = weights * factors[codes]
    return np.ascontiguousarray(weights)


# ---- tasks ----------------------------------------------------------------------------------------------


def sums(piece: Piece, first: float, stretches: list[offset.Stretch]) -> list[Any]:
    """What a partition tells for the mean of the numbers to be predicted."""
    rows = rows_of(piece)
    return offset.told(numbers_of(rows.y, len(rows.table)), first, stretches)


def arrive(pieces: list[Piece], which: list[int], setup: Setup, history: list[bytes]) -> None:
    """Sends the rows of some partitions on."""
    for _ in portions(pieces, which, setup, history):
        pass


def measure(
    pieces: list[Piece], which: list[int], setup: Setup, history: list[bytes], before: Any, nodes: list[int]
) -> Floats:
    """Goes on with the means, or class weights, of nodes from where the partitions before these came."""
    state = np.zeros((setup.n_classes or 6) * len(nodes)) if before is None else np.array(before)
    for _, portion in portions(pieces, which, setup, history):
        portion.measure(nodes, state)
    return state


def spread(
    pieces: list[Piece],
    which: list[int],
    setup: Setup,
    history: list[bytes],
    before: Any,
    nodes: list[int],
    means: Any,
) -> Floats:
    """... and with the spreads about means."""
    spreads = np.zeros(len(nodes)) if before is None else np.array(before)
    known = np.array(means)
    for _, portion in portions(pieces, which, setup, history):
        portion.add_spreads(nodes, known, spreads)
    return spreads


def count(
    pieces: list[Piece],
    which: list[int],
    setup: Setup,
    history: list[bytes],
    nodes: list[int],
    centers: list[float],
    aims: Aims | None = None,
) -> Counts:
    """The counts of nodes over some partitions, what else is summed up, and the ends of bins along directions."""
    total = np.zeros(len(nodes) * setup.size, np.uint32)
    more = np.zeros(len(nodes) * setup.n_sums) if setup.n_sums else None
    ends = np.full(len(nodes) * setup.n_ends, -np.inf) if setup.n_ends else None
    for _, portion in portions(pieces, which, setup, history, aims):
        portion.count(nodes, centers, total, more)
        if ends is not None:
            portion.raise_ends(nodes, ends)
    return total, more, ends


def tally(pieces: list[Piece], which: list[int], setup: Setup, history: list[bytes]) -> Any:
    """The rows of each class over some partitions, or of all, and what they weigh."""
    k = max(1, setup.n_classes)
    counts, more, _ = count(pieces, which, setup, history, [0], [0.0])
    cells = setup.n_values[0] or len(setup.edges[0]) + 2  # every row is in one cell of the first column
    total = counts.reshape(-1, k)[:cells].sum(axis=0).astype(np.float64)
    if more is None or not setup.weighted:
        return np.array([total, total])
    return np.array([total, more[:-1].reshape(-1, k, setup.fields)[:cells, :, -1].sum(axis=0)])


def add(counts: list[Counts]) -> Counts:
    """The sum of counts, in their order."""
    total = counts[0][0].copy()
    weights, ends = (None if a is None else a.copy() for a in counts[0][1:])
    for more, heavy, wide in counts[1:]:
        total += more
        if weights is not None and heavy is not None:
            weights += heavy
        if ends is not None and wide is not None:
            np.maximum(ends, wide, out=ends)
    return total, weights, ends


def find(
    pieces: list[Piece],
    which: list[int],
    setup: Setup,
    history: list[bytes],
    bins: Any,
    aims: Aims | None = None,
) -> Any:
    """The numbers in bins of nodes, over some partitions."""
    wanted = tuple(map(aligned, bins))
    return beside([portion.find(wanted) for _, portion in portions(pieces, which, setup, history, aims)])


def beside(found: Sequence[Any]) -> Any:
    """What several have found, one after the other; None: nobody has."""
    found = [f for f in found if f is not None]
    if not found:
        return None
    return tuple(None if own[0] is None else np.concatenate(own) for own in zip(*found, strict=True))


def take(pieces: list[Piece], which: list[int], setup: Setup, history: list[bytes], nodes: list[int]) -> Any:
    """The rows of nodes: for each partition and node numbers, codes, classes or targets, weights."""
    return [(i, [portion.take(node) for node in nodes]) for i, portion in portions(pieces, which, setup, history)]


def grow(
    taken: list[Any],
    setup: Setup,
    nodes: list[tuple[int, int, int, int]],
    weight: float,
    moments: Moments | None,
) -> list[Any]:
    """The subtrees below nodes whose rows were taken: their arrays. ``weight`` and ``moments`` of all rows."""
    pieces = [own for _, own in sorted((p for part in taken for p in part), key=lambda p: p[0])]
    stop = Stop()
    grown = []
    for at, (_, depth, path, _) in enumerate(nodes):
        data = data_of([own[at] for own in pieces], setup)
        grown.append(_core.grow_below(data, setup.plan, depth, path, weight, moments, stop).parts())
    return grown


def data_of(pieces: list[Any], setup: Setup) -> _core.Data:
    n = sum(len(p[2]) for p in pieces)
    numeric = [i for i, v in enumerate(setup.n_values) if v == 0]
    nominal = [i for i, v in enumerate(setup.n_values) if v > 0]
    numbers = np.empty((len(numeric), n))
    codes = np.empty((len(nominal), n), np.int32)
    at = 0
    for p in pieces:
        m = len(p[2])
        numbers[:, at : at + m] = p[0].reshape(len(numeric), m)
        codes[:, at : at + m] = p[1].reshape(len(nominal), m)
        at += m
    columns = _core.Columns()
    for i, v in enumerate(setup.n_values):
        if v == 0:
            columns.add_numeric(numbers[numeric.index(i)])
        else:
            columns.add_nominal(codes[nominal.index(i)], v)
    target = np.concatenate([p[2] for p in pieces])  # which makes new arrays, aligned ones
    weights = np.concatenate([p[3] for p in pieces]) if setup.weighted else None
    if setup.classes is None:
        return _core.Data(columns, None, 0, target, weights)
    return _core.Data(columns, target, setup.n_classes, None, weights)


def tree_of(n_columns: int, n_classes: int, parts: dict[str, npt.NDArray[Any]]) -> _core.Tree:
    """A tree from its arrays, which came over a wire."""
    return _core.Tree.from_parts(n_columns, n_classes, {name: aligned(a) for name, a in parts.items()})


class Stop:
    """Asked by the core while it grows: raises once the driver has given the task up."""

    def __init__(self) -> None:
        from distributed import get_worker

        try:
            worker = get_worker()
            self.state, self.key = worker.state, worker.get_current_task()
        except ValueError:  # not in a task
            self.state = self.key = None

    def __call__(self, share: float) -> None:
        if self.state is None:
            return
        task = self.state.tasks.get(self.key)
        if task is None or task.state in ("cancelled", "released", "forgotten"):
            raise RuntimeError("the fit was given up")

    # An estimator asks in other words.
    update = __call__

    def finish(self, attributes: dict[str, Any]) -> None:
        pass
