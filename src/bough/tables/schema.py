"""What a model knows about the columns of its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

Kind = Literal["numeric", "boolean", "nominal", "ordinal", "date", "datetime", "datetime_utc", "duration"]
MOMENTS = ("date", "datetime", "datetime_utc", "duration")  # numbers of days to the core (moments.py)


@dataclass(frozen=True)
class Column:
    """One column: its name, its kind and, if nominal or ordinal, its values in the order of their codes.

    A missing nominal value is the value ``None``, always the last one. An ordinal column is one of numbers to the core:
    the place of each value in its order, a missing or unknown one NaN.
    """

    name: str
    kind: Kind
    values: tuple[Any, ...] = ()

    @property
    def nominal(self) -> bool:
        return self.kind == "nominal"

    @property
    def ordinal(self) -> bool:
        return self.kind == "ordinal"

    @property
    def moment(self) -> str:
        """The kind of a column of dates, times or durations, else nothing."""
        return self.kind if self.kind in MOMENTS else ""


class Numbered(Sequence[Column]):
    """The columns x0, x1, … of a matrix; they take no memory, however many a file says there are."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    @overload
    def __getitem__(self, i: int) -> Column: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Column, ...]: ...
    def __getitem__(self, i: int | slice) -> Column | tuple[Column, ...]:
        places = range(self.n)[i]
        return Column(f"x{places}", "numeric") if isinstance(places, int) else tuple(self[p] for p in places)

    def __iter__(self) -> Iterator[Column]:
        return (Column(f"x{i}", "numeric") for i in range(self.n))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Numbered):
            return self.n == other.n
        return (
            isinstance(other, tuple) and len(other) == self.n and all(a == b for a, b in zip(self, other, strict=True))
        )

    def __hash__(self) -> int:
        return hash(self.n)

    def __repr__(self) -> str:
        return f"Numbered({self.n})"


@dataclass(frozen=True)
class Schema:
    """The columns of a table; ``named`` tells whether their names are the user's."""

    columns: Sequence[Column]
    named: bool

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> list[str]:
        return [c.name for c in self.columns]

    @property
    def numbered(self) -> bool:
        """Are they x0, x1, …, all of them numbers?"""
        return isinstance(self.columns, Numbered)

    @cached_property
    def any_values(self) -> bool:
        """Is there a column whose cells are values and not numbers?"""
        return not self.numbered and any(c.values or c.moment for c in self.columns)

    def n_values(self) -> npt.NDArray[np.uint32]:
        """How many nominal values each column has; 0 for numbers."""
        if self.numbered:
            return np.zeros(len(self), np.uint32)
        return np.array([len(c.values) if c.nominal else 0 for c in self.columns], np.uint32)

    @staticmethod
    @lru_cache(maxsize=64)
    def of_matrix(n_columns: int) -> Schema:
        return Schema(Numbered(n_columns), named=False)
