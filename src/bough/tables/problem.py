"""What is to be learned from a table: which column, as classes or as numbers, and on which rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, ParameterError
from . import values
from .files import Table
from .schema import MOMENTS

MOST_INTEGER_CLASSES = 20  # a target of more different integers is taken for a number


@dataclass(frozen=True)
class Problem:
    """What is to be learned: columns and target, for the rows that have one."""

    table: Table
    target: str
    y: npt.NDArray[Any]
    regression: bool
    reason: str
    unanswered: int

    @property
    def task(self) -> str:
        return "regression" if self.regression else "classification"

    def part(self, rows: npt.NDArray[np.bool_]) -> Problem:
        index = np.flatnonzero(rows)
        return replace(self, table=self.table.rows(index), y=self.y[index])


def problem_of(table: Table, target: str | None, task: str = "auto", drop: Iterable[str] = ()) -> Problem:
    """The problem of predicting a column of a table, the columns to ``drop`` left aside."""
    target = target or table.target
    if target is None:
        shown = ", ".join(map(repr, table.names[:20])) + (" …" if len(table.names) > 20 else "")
        raise ParameterError(f"{table.label!r} needs a target: the column to predict, one of {shown}.")
    table.named([target])
    drop = set(drop)
    if target in drop:
        raise ParameterError(f"{target!r} is the target, so it cannot be dropped as well.")
    rest = table.without({target, *drop})
    if not rest.names:
        raise DataError(f"{table.label!r} has no column to learn from besides the target {target!r}.")
    return problem_with(rest, target, *answers_in(table, target), task)


def problem_with(table: Table, target: str, items: list[Any], kind: str, task: str = "auto") -> Problem:
    """The problem of columns and their target, where some values may be missing."""
    keep = np.array([not values.is_missing(v) for v in items])
    if not keep.any():
        raise DataError(f"the target {target!r} of {table.label!r} has no values; every cell is missing.")
    y = array_of([v for v in items if not values.is_missing(v)], kind)
    if len(set(y.tolist())) == 1:
        only = f"one value only, {y.tolist()[0]!r}"
        raise DataError(f"the target {target!r} of {table.label!r} has {only}: nothing can be learned.")
    regression, reason = task_of(y, task)
    check_task(y, regression, target)
    if not keep.all():
        table = table.rows(np.flatnonzero(keep))
    return Problem(table, target, y, regression, reason, int((~keep).sum()))


def answers_in(table: Table, target: str) -> tuple[list[Any], str]:
    """The cells of the target, and what kind of column it is."""
    alone = table.without([n for n in table.names if n != target])
    (source,) = alone.sources()
    if source.kind in MOMENTS:
        raise DataError(
            f"the target {target!r} holds dates, times or durations, which no tree predicts; make it a number, such as "
            "days since a fixed day, or add --text to take it as classes."
        )
    return [values.plain(v) for v in source.items()], source.kind


def array_of(y: list[Any], kind: str) -> npt.NDArray[Any]:
    if kind == "nominal":
        found = np.empty(len(y), dtype=object)
        found[:] = y
        return found
    numbers = np.array(y)
    return numbers if numbers.dtype.kind in "biuf" else numbers.astype(np.float64)


def task_of(y: npt.NDArray[Any], task: str) -> tuple[bool, str]:
    """Whether y holds numbers rather than classes, and why."""
    if task != "auto":
        return task == "regression", f"as task={task} says"
    kind = y.dtype.kind
    if kind == "f":
        return True, "the target has decimal numbers"
    if kind in "iu":
        n = len(np.unique(y))
        return n > MOST_INTEGER_CLASSES, f"the target has {n} different integers"
    return False, "the target is true or false" if kind == "b" else "the target is text"


def check_task(y: npt.NDArray[Any], regression: bool, target: str) -> None:
    if regression and y.dtype.kind == "O":
        raise DataError(f"the target {target!r} is text, such as {y[0]!r}; task=regression needs numbers.")
    if y.dtype.kind != "f":
        return
    bad = y[~np.isfinite(y)] if regression else y[y != np.floor(y)]
    if len(bad):
        way_out = "use a finite number" if regression else "task=classification needs classes"
        raise DataError(f"the target {target!r} holds {bad[0]}; {way_out}.")
