"""The conversation of a fit: what the core's driver asks goes to all portions, and their answers come back to it; then
nodes of few rows are moved, each to one place where what is below them is grown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .. import _core
from . import portions
from .engine import Engine


@dataclass
class Level:
    """What one level took: nodes that were split by counts, and bytes that travelled."""

    nodes: int
    counts: int = 0
    numbers: int = 0


@dataclass
class Exchanged:
    """What a tree took: its levels, and the rows that were moved."""

    levels: list[Level] = field(default_factory=list)
    moved: int = 0


def nothing(share: float) -> None:
    """Tells nobody how far a tree is."""


class Growth:
    """One tree."""

    def __init__(self, engine: Engine, setup: portions.Setup, driver: _core.Driver) -> None:
        self.engine, self.driver = engine, driver
        self.setup = engine.share(setup)
        self.bytes_of_row = setup.bytes_of_row
        self.splits: list[bytes] = []  # of each level: those who lack some of them catch up
        self.exchanged = Exchanged()
        self.sent = 0  # bytes since the last counts

    def step(self) -> bool:
        """Asks the portions once; is there more to ask?"""
        asked = self.driver.next()
        if asked is None:
            return False
        what, how, request = asked
        if how == "splits":
            self.splits = [*self.splits, request]
            return True
        ahead = self.engine.ahead(portions.arrive, self.setup, self.splits) if how == "in turn" else None
        answer, n = self.engine.together(how, portions.answer, portions.added, self.setup, self.splits, request)
        del ahead  # which was there to be done first
        if what == "find":
            self.exchanged.levels[-1].numbers += len(answer)
        elif what in ("sums", "products", "count"):
            self.sent += len(answer) * n
        if what == "count":
            self.exchanged.levels.append(Level(self.driver.n_asked, self.sent))
            self.sent = 0
        self.driver.take(answer)
        return True

    def tree(self, progress: Callable[[float], None] = nothing) -> _core.Tree:
        """The tree, once there is no more to ask."""
        driver = self.driver
        while self.step():
            if driver.rows:
                progress(1 - driver.rows_left / driver.rows)
        self.exchanged.moved = driver.rows_moved * self.bytes_of_row
        grown = self.engine.moved(portions.take, portions.grow, self.setup, driver.batches(), self.splits)
        for subtrees in grown:
            driver.take(subtrees)
            progress(1 - driver.rows_left / driver.rows)
        return driver.finish()
