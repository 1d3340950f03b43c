"""What is done where rows are. Bins and the rows of nodes live in a memory of the process that is never sent. All work
brings the splits that were made so far, and whoever lacks some of them, or all because it has just taken over for one
that died, makes them first."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..estimators.classifier import classes_of, labels_of
from ..estimators.data import Floats
from ..estimators.plan import Plan
from ..tables import frame
from ..tables.schema import Schema
from .engine import Part, Rows
from .look import numbers_of, weights_or_zero


class Draw(NamedTuple):
    """A tree of a forest, and the rows that it draws."""

    forest: str  # the fit whose bins its trees share
    seed: int
    size: int  # 0: every row once
    n_rows: int  # of all parts
    starts: list[int]  # the first row of each part

    def rows(self, i: int, n: int) -> npt.NDArray[np.uint32]:
        """The rows of part i, of n rows, each as often as it was drawn."""
        all_rows = np.arange(n, dtype=np.uint32)
        if self.size == 0:
            return all_rows
        here = self.starts[i]
        times = _core.times_drawn(self.n_rows, self.size, self.seed)[here : here + n]
        found: npt.NDArray[np.uint32] = np.repeat(all_rows, times)
        return found


class Setup(NamedTuple):
    """What is the same for all parts of a fit."""

    fit: str
    schema: Schema
    classes: npt.NDArray[Any] | None  # None: a number is predicted
    offset: float  # what is taken off the numbers to be predicted
    per_class: list[Floats]  # weights of the classes, by which rows are multiplied one after the other
    weighted: bool
    layout: bytes
    plan: Plan
    draw: Draw | None = None  # of a tree of a forest

    @property
    def bytes_of_row(self) -> int:
        """What a row takes to be moved."""
        columns = sum(4 if c.nominal else 8 for c in self.schema.columns)
        return columns + (8 if self.classes is None else 4) + (8 if self.weighted else 0)


class Held:
    """A portion and how many levels of splits its rows have gone through."""

    def __init__(self) -> None:
        self.portion: _core.Portion | None = None  # None: it is still to be made
        self.levels = 0
        self.lock = threading.Lock()

    @staticmethod
    def of(fit: str, i: int) -> Held:
        """What is held of part i for a fit."""
        with GUARD:
            return HELD.setdefault(fit, {}).setdefault(i, Held())


HELD: dict[str, dict[int, Held]] = {}  # by fit and part
GUARD = threading.Lock()


def forget(fit: str) -> None:
    """Lets go of everything that a fit has left here."""
    with GUARD:
        for name in [n for n in HELD if n == fit or n.startswith(f"{fit}-")]:  # the trees of a forest
            del HELD[name]


def n_held() -> int:
    """How many portions are held here."""
    with GUARD:
        return sum(map(len, HELD.values()))


def portions(parts: list[Part], setup: Setup, splits: list[bytes]) -> Iterator[tuple[int, _core.Portion]]:
    """The portions of some parts, after all splits; nobody else has them meanwhile."""
    for part in parts:
        held = Held.of(setup.fit, part.i)
        with held.lock:
            if held.portion is None:
                held.portion = made(part.rows(), setup) if setup.draw is None else drawn(part, setup)
            while held.levels < len(splits):
                held.portion.answer(splits[held.levels])
                held.levels += 1
            yield part.i, held.portion


def drawn(part: Part, setup: Setup) -> _core.Portion:
    """The portion of the rows of a part that a tree has drawn; its bins are those of the forest."""
    assert setup.draw is not None
    shared = Held.of(setup.draw.forest, part.i)
    with shared.lock:
        rows = part.rows()
        if shared.portion is None:
            shared.portion = made(rows, setup)
        return shared.portion.drawn(setup.draw.rows(part.i, len(rows.table)))


def made(rows: Rows, setup: Setup) -> _core.Portion:
    columns = frame.read_like(rows.table, setup.schema, by_name=True)
    n = len(rows.table)
    codes = numbers = None
    if setup.classes is None:
        numbers = numbers_of(rows.y, n) - setup.offset
    else:
        codes = codes_of(rows, setup.classes)
    weights = weights_in(rows, codes, setup.per_class) if setup.weighted else None
    n_classes = 0 if setup.classes is None else len(setup.classes)
    return _core.Portion(_core.Data(columns, codes, n_classes, numbers, weights), setup.layout)


def codes_of(rows: Rows, classes: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """The number of each row's class."""
    labels, codes = classes_of(labels_of(rows.y))
    place = {label: i for i, label in enumerate(classes.tolist())}
    found: npt.NDArray[np.uint32] = np.array([place[label] for label in labels.tolist()], dtype=np.uint32)[codes]
    return found


def weights_in(rows: Rows, codes: Any, per_class: list[Floats]) -> Floats:
    """What each row weighs."""
    given = weights_or_zero(rows.weights, len(rows.table))
    weights = np.ones(len(rows.table)) if given is None else given
    for factors in per_class:
        weights = weights * factors[codes]
    return np.ascontiguousarray(weights)


# ---- work -----------------------------------------------------------------------------------------------


def arrive(parts: list[Part], setup: Setup, splits: list[bytes]) -> None:
    """Sends the rows of some parts on."""
    for _ in portions(parts, setup, splits):
        pass


def answer(
    parts: list[Part], setup: Setup, splits: list[bytes], request: bytes, before: bytes | None = None
) -> bytes | None:
    """The answer of some parts, added to that of the parts before them if there is one."""
    for _, portion in portions(parts, setup, splits):
        before = portion.answer(request, before)
    return before


def added(answers: list[bytes]) -> bytes:
    """The sum of answers, in their order."""
    return _core.add_answers(answers)


def take(parts: list[Part], setup: Setup, splits: list[bytes], request: bytes) -> list[tuple[int, bytes]]:
    """The rows of nodes, of each part."""
    return [(i, portion.answer(request)) for i, portion in portions(parts, setup, splits)]


def grow(taken: list[list[tuple[int, bytes]]], setup: Setup, request: bytes, stop: Any) -> bytes:
    """The subtrees below nodes whose rows were taken."""
    rows = [answer for _, answer in sorted(own for some in taken for own in some)]
    return _core.grow_rows(setup.plan, setup.layout, request, rows, stop)
