"""The data of a comparison: built-in names, files, folders, frames and (X, y), each as a `DataSet`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, ParameterError, shown
from ..tables import files, frame
from ..tables.arrays import as_matrix as matrix_of
from ..tables.built_in import BUILT_IN
from ..tables.files import Table
from ..tables.problem import problem_of, problem_with
from ..tables.schema import MOMENTS
from ..tables.values import is_missing, plain

TABLES = ("*.csv", "*.tsv", "*.csv.gz", "*.tsv.gz", "*.parquet", "*.pq")  # files of a folder that are data


@dataclass(frozen=True)
class DataSet:
    """A table and what is to be predicted, by name.

    ``table`` is what trees and pipelines get: a frame, or a matrix of numbers. ``y`` is the user's;
    ``truth`` holds the same as numbers: for classes, places in ``classes``.
    """

    name: str
    table: Table
    y: npt.NDArray[Any]
    regression: bool
    positive: Any = None  # the class that has scores of its own

    @cached_property
    def positive_code(self) -> int | None:
        """Its place among the classes."""
        if self.positive is None:
            return None
        found = np.flatnonzero([c == self.positive for c in self.classes.tolist()])
        if self.regression or not found.size:
            known = "a number is predicted" if self.regression else f"classes are {shown(self.classes.tolist())}"
            raise ParameterError(f"positive is {shown(self.positive)}; it must be a class of {self.name!r} ({known}).")
        return int(found[0])

    @property
    def task(self) -> str:
        return "regression" if self.regression else "classification"

    @property
    def n_rows(self) -> int:
        return len(self.y)

    @cached_property
    def classes(self) -> npt.NDArray[Any]:
        return np.unique(self.y)

    @cached_property
    def truth(self) -> npt.NDArray[Any]:
        if self.regression:
            return self.y.astype(np.float64)
        return np.searchsorted(self.classes, self.y).astype(np.int64)

    @cached_property
    def nominal(self) -> list[int]:
        """Columns without an order."""
        return [i for i, s in enumerate(self.table.sources()) if s.kind == "nominal"]

    @cached_property
    def matrix(self) -> npt.NDArray[np.float64]:
        """All columns as numbers, for systems that take nothing else: nominal values by their place in order of
        appearance, NaN for what is missing."""
        columns = []
        for source in self.table.sources():
            if source.kind == "numeric" or source.kind in MOMENTS:
                columns.append(np.asarray(source.numbers(), dtype=np.float64))
            else:
                codes: dict[Any, float] = {}
                items = source.items()
                columns.append(np.array([np.nan if is_missing(v) else codes.setdefault(v, len(codes)) for v in items]))
        return np.column_stack(columns)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all cells and targets: results of other data under the same name are not mixed with these."""
        digest = hashlib.sha256(repr((self.table.names, self.nominal, self.task)).encode())
        digest.update(np.ascontiguousarray(self.matrix).tobytes())
        digest.update(repr(self.y.tolist()).encode())
        return digest.hexdigest()[:16]

    def describe(self) -> dict[str, Any]:
        """What the results file says of it."""
        out: dict[str, Any] = {
            "name": self.name,
            "rows": self.n_rows,
            "columns": len(self.table.names),
            "nominal": len(self.nominal),
            "task": self.task,
        }
        if not self.regression:
            out["classes"] = len(self.classes)
        if self.positive_code is not None:
            out["positive"] = plain(self.positive)
        return {**out, "sha256": self.fingerprint}


# ---- what users give --------------------------------------------------------------------------------


def data_sets(
    given: Any,
    target: str | None = None,
    task: str = "auto",
    categorical: Iterable[str] = (),
    drop: Iterable[str] = (),
    how: files.Reading = files.AS_USUAL,
) -> list[DataSet]:
    """The data sets that a user gives, one or many.

    Parameters
    ----------
    given : str, path, frame, (X, y), or a list or dict of these
        A built-in name, a file, a folder of files, a frame with a column ``target``, or columns and target.
    target : str, optional
        The column to predict; built-in data and (X, y) have their own.
    task : {"auto", "classification", "regression"}
    categorical, drop : iterables of str
        Columns that are nominal whatever they look like, and columns to leave aside; in whichever data set
        has them.
    how : Reading, optional
        How text files are read; columns named in ``how.text`` must be in one of the data sets.
    """
    if task not in ("auto", "classification", "regression"):
        raise ParameterError(f"task is {shown(task)}; it must be 'auto', 'classification' or 'regression'.")
    text, aside = list(categorical), list(drop)
    found = [data_set(name, one, target, task, text, aside, how) for name, one in named(given)]
    for column in [*text, *aside, *how.text]:
        if not any(column in seen for _, seen in found):
            raise DataError(f"no data set has a column {shown(column)}.")
    sets = [one for one, _ in found]
    check_sets(sets)
    return sets


def named(given: Any) -> list[tuple[str | None, Any]]:
    """(name or None, data) of everything that was given; folders are opened."""
    if isinstance(given, Mapping):
        pairs: list[tuple[str | None, Any]] = [(str(k), v) for k, v in given.items()]
    elif isinstance(given, list) or (isinstance(given, tuple) and not is_pair(given)):
        pairs = [(None, v) for v in given]
    else:
        pairs = [(None, given)]
    out: list[tuple[str | None, Any]] = []
    for name, one in pairs:
        if isinstance(one, (str, Path)) and str(one) not in BUILT_IN and Path(one).is_dir():
            inside = sorted(str(p) for pattern in TABLES for p in Path(one).glob(pattern))
            if not inside:
                raise DataError(f"the folder {str(one)!r} holds no table; a table ends in {files.ENDINGS}.")
            out += [(None, p) for p in inside]
        else:
            out.append((name, one))
    if not out:
        raise ParameterError("there is no data to compare systems on: give a name, a file, a frame or (X, y).")
    return out


def is_pair(given: Any) -> bool:
    """Whether this is (X, y) and not a list of data sets."""
    return isinstance(given, tuple) and len(given) == 2 and not isinstance(given[0], (str, Path, tuple))


def data_set(
    name: str | None,
    given: Any,
    target: str | None,
    task: str,
    categorical: Sequence[str],
    drop: Sequence[str],
    how: files.Reading,
) -> tuple[DataSet, list[str]]:
    """One data set, and the columns that it had."""
    if is_pair(given):
        X, y = given
        label = name or "data"
        table = as_text(table_of(X, label), categorical)
        columns, target_column = table.names, frame.ArraySource("y", np.asarray(y))
        if target_column.column.ndim != 1 or len(target_column.column) != table.n_rows:
            shape = target_column.column.shape
            raise DataError(
                f"{label!r} has {table.n_rows} rows and a target of shape {shape}; each row needs one value."
            )
        items = [plain(v) for v in target_column.items()]
        problem = problem_with(table.without(drop), "y", items, target_column.kind, task)
    else:
        if isinstance(given, (str, Path)):
            table, label = (
                from_file(str(given), how._replace(text=(*how.text, *categorical))),
                name or files.stem(str(given)),
            )
        else:
            label = name or "data"
            table = as_text(table_of(given, label), categorical)
        columns = table.names
        problem = problem_of(table, target, task, [c for c in drop if c in columns])
    y_ = problem.y
    if y_.dtype.kind == "O":
        y_ = y_.astype(str)  # text of one width is compared and sorted much quicker than objects
    return DataSet(label, as_matrix(problem.table), y_, problem.regression), list(columns)


def from_file(given: str, how: files.Reading) -> Table:
    """A table from a file, as a frame of pandas where it is installed: scikit-learn knows no other so well."""
    table = files.read(given, how)
    if table.is_array or not files.installed("pandas"):
        return table
    return table_of(table.cells.to_pandas(), table.label, table.target)


def table_of(given: Any, label: str, target: str | None = None) -> Table:
    """A table of what a user has in memory: a frame, or an array."""
    found = frame.frame_of(given)
    if found is not None:
        return Table(label, found[1], found[0], target)
    if isinstance(given, np.ndarray) or (isinstance(given, (list, tuple)) and given and not isinstance(given[0], str)):
        matrix = matrix_of(given)
        return Table(label, [f"x{i}" for i in range(matrix.shape[1])], matrix, target)
    raise DataError(
        f"{label!r} is of type {type(given).__name__}; data is a built-in name, a file, a folder, a frame, or (X, y)."
    )


def as_text(table: Table, categorical: Sequence[str]) -> Table:
    """The table with some of its columns as text."""
    import narwhals as nw

    chosen = [c for c in categorical if c in table.names]
    if not chosen:
        return table
    if table.is_array:
        raise DataError(f"{table.label!r} is an array; give a frame in which {chosen[0]!r} is text.")
    return replace(table, cells=table.cells.with_columns(nw.col(*chosen).cast(nw.String)))


def as_matrix(table: Table) -> Table:
    """An array of objects as an array of numbers wherever it can be one; other tables as they are."""
    if not table.is_array or table.cells.dtype == np.float64:
        return table
    sources = table.sources()
    if any(s.kind != "numeric" for s in sources):
        return table
    return replace(table, cells=np.column_stack([s.numbers() for s in sources]))


def check_sets(sets: list[DataSet]) -> None:
    names = [s.name for s in sets]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise ParameterError(f"two data sets are called {twice!r}; give them as a dict with a name for each.")
    tasks = {s.task: s.name for s in sets}
    if len(tasks) > 1:
        pairs = " and ".join(f"{name!r} is for {task}" for task, name in sorted(tasks.items()))
        raise DataError(f"a comparison has one task: {pairs}; compare them apart, or say which with task.")
