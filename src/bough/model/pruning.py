"""The table that pruning by cross-validation leaves, as a model file keeps it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ModelFileError
from ..registry import LARGEST

COLUMNS = ("alpha", "leaves", "error", "cv_error", "cv_deviation")
POINTS = ("leaves", "error", "cv_error", "cv_deviation")  # what is drawn of each subtree

Table = dict[str, npt.NDArray[np.float64]]


class PruningTable(dict[str, npt.NDArray[np.float64]]):
    """A pruning table: a dict of arrays that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        lines = zip(*self.values(), strict=True)
        head = "".join(f"<th>{name}</th>" for name in self)
        body = "".join(f"<tr>{''.join(f'<td>{x:.6g}</td>' for x in line)}</tr>" for line in lines)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def described_pruning(table: Table) -> dict[str, list[float | None]]:
    """The columns as lists; a number that nobody could compute is null."""
    return {name: [None if x != x else x for x in table[name].tolist()] for name in COLUMNS}


def pruning_of(meta: dict[str, Any]) -> Table | None:
    """The table that a file keeps, if any."""
    found = meta.get("pruning")
    if found is None:
        return None
    if not isinstance(found, dict) or sorted(found) != sorted(COLUMNS):
        raise ModelFileError("the pruning table does not have its five columns")
    table: Table = {}
    for name in COLUMNS:
        column = found[name]
        if not isinstance(column, list) or not column or len(column) != len(found["alpha"]):
            raise ModelFileError("the columns of the pruning table differ in length or are empty")
        if not all((x is None and name.startswith("cv")) or plain(x) for x in column):
            raise ModelFileError(f"the pruning table has a wrong number in {name}")
        table[name] = np.array([np.nan if x is None else x for x in column], dtype=np.float64)
    return table


def plain(x: Any) -> bool:
    return type(x) in (int, float) and 0 <= x <= LARGEST


def points_of(table: Table) -> list[tuple[float, ...]]:
    """What pictures draw: leaves, error in training, cross-validated error and its deviation."""
    return [tuple(float(table[name][i]) for name in POINTS) for i in range(len(table["alpha"]))]
