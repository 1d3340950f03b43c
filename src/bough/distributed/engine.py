"""What an engine offers to a fit: parts of a table, and work done where they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

Work = Callable[..., Any]


class Rows(NamedTuple):
    """Rows of a table as they came."""

    table: Any  # a data frame or a matrix
    y: Any
    weights: Any  # None: every row weighs 1


class Part(NamedTuple):
    """One part of a table, for those who hold it: its number, and its rows."""

    i: int
    rows: Callable[[], Rows]


class Engine(ABC):
    """Parts of a table, and those who hold them. Work is a function that is called where rows are, as
    ``work(parts, *args)`` with some of the parts, or ``work(rows, *args, stop)`` with all rows in one place; ``stop``
    raises once nobody waits any more. Of what is shared the other side sees the value."""

    token: str  # of the fit: what is kept for it goes by this name
    sizes: list[int]  # rows of each part

    @abstractmethod
    def keep(self, which: list[int], sizes: list[int]) -> None:
        """Goes on with some of the parts, of which the rows are known."""

    @abstractmethod
    def twin(self, name: str) -> Engine:
        """The same parts for another tree, which grows at the same time."""

    @abstractmethod
    def share(self, value: Any) -> Any:
        """A value that all work may be given."""

    @abstractmethod
    def each(self, work: Work, *args: Any) -> list[Any]:
        """What comes of each part by itself, in order."""

    @abstractmethod
    def ahead(self, work: Work, *args: Any) -> Any:
        """Work on all parts whose result nobody needs, begun as long as what is returned lives."""

    @abstractmethod
    def together(self, how: str, work: Work, add: Callable[[list[Any]], Any], *args: Any) -> tuple[Any, int]:
        """What comes of all parts, and of how many results it was added: in groups of any kind (``added``), always in
        the same way (``in order``), or ``in turn``: each part is given, as last argument, what came before it."""

    @abstractmethod
    def moved(self, take: Work, grow: Work, shared: Any, requests: Sequence[Any], *args: Any) -> Iterator[Any]:
        """``grow(taken, shared, request, stop)`` for each request, with what ``take(parts, shared, *args, request)``
        gives of all parts, in order; as soon as each is done."""

    @abstractmethod
    def alone(self, work: Work, *args: Any, at: Any = None) -> Any:
        """Begins work on all rows in one place, one of `slots` or any; other such work may be among the arguments."""

    @abstractmethod
    def result(self, begun: Any) -> Any:
        """What comes of that."""

    @abstractmethod
    def slots(self) -> list[Any]:
        """The places where work is done at the same time."""

    @abstractmethod
    def memory(self) -> int:
        """Bytes of the smallest place."""

    @abstractmethod
    def end(self) -> None:
        """Lets go of everything."""


class InProcess(Engine):
    """All parts in this process, one after the other."""

    def __init__(self, parts: Sequence[Rows], token: str = "here", memory: int = 1 << 40) -> None:
        self.parts = [Part(i, lambda rows=rows: rows) for i, rows in enumerate(parts)]  # type: ignore[misc]
        self.sizes = [len(p.table) for p in parts]
        self.token, self.bytes = token, memory

    def keep(self, which: list[int], sizes: list[int]) -> None:
        self.parts, self.sizes = [Part(at, self.parts[i].rows) for at, i in enumerate(which)], sizes

    def twin(self, name: str) -> InProcess:
        twin = InProcess([], f"{self.token}-{name}")
        twin.parts, twin.sizes = self.parts, self.sizes
        return twin

    def share(self, value: Any) -> Any:
        return value

    def each(self, work: Work, *args: Any) -> list[Any]:
        return [work([part], *args) for part in self.parts]

    def ahead(self, work: Work, *args: Any) -> None:
        return None

    def together(self, how: str, work: Work, add: Callable[[list[Any]], Any], *args: Any) -> tuple[Any, int]:
        if how != "in turn":
            return add(self.each(work, *args)), len(self.parts)
        return work(self.parts, *args, None), 1

    def moved(self, take: Work, grow: Work, shared: Any, requests: Sequence[Any], *args: Any) -> Iterator[Any]:
        for request in requests:
            yield grow([take(self.parts, shared, *args, request)], shared, request, None)

    def alone(self, work: Work, *args: Any, at: Any = None) -> Any:
        return work(together([part.rows() for part in self.parts]), *args, None)

    def result(self, begun: Any) -> Any:
        return begun

    def slots(self) -> list[Any]:
        return [None]

    def memory(self) -> int:
        return self.bytes

    def end(self) -> None:
        from .portions import forget

        forget(self.token)


def together(parts: Sequence[Rows]) -> Rows:
    """All rows in one place, in their order."""
    parts = [p for p in parts if len(p.table)]
    weights = None if parts[0].weights is None else stacked([p.weights for p in parts])
    return Rows(stacked([p.table for p in parts]), stacked([p.y for p in parts]), weights)


def stacked(pieces: list[Any]) -> Any:
    import numpy as np

    if len(pieces) == 1:
        return pieces[0]
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces)
    from pandas import concat

    return concat(pieces, ignore_index=True)
