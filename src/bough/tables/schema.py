"""What a model knows about the columns of its table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

Kind = Literal["numeric", "boolean", "nominal"]


@dataclass(frozen=True)
class Column:
    """One column: its name, its kind and, if nominal, its values in the order of their codes.

    A missing nominal value is the value ``None``, always the last one.
    """

    name: str
    kind: Kind
    values: tuple[Any, ...] = ()

    @property
    def nominal(self) -> bool:
        return self.kind == "nominal"


@dataclass(frozen=True)
class Schema:
    """The columns of a table; ``named`` tells whether their names are the user's."""

    columns: tuple[Column, ...]
    named: bool

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def names(self) -> list[str]:
        return [c.name for c in self.columns]

    @staticmethod
    @lru_cache(maxsize=64)
    def of_matrix(n_columns: int) -> Schema:
        return Schema(tuple(Column(f"x{i}", "numeric") for i in range(n_columns)), named=False)
