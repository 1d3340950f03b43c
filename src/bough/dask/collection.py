"""A user's collections as pieces of rows: each is a partition of the table and those of target and weights, as they
are: what is made of them lives no longer than a task, so that nothing is held twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..distributed.engine import Rows
from ..errors import DataError, shown
from ..tables import frame

# Partitions of the table, the target and the weights (None: there is none, or it is a column), and the names of the
# columns that are target and weights, and of the others in the order of the collection. A plain tuple, in which Dask
# finds what has to be there first.
Piece = tuple[Any, Any, Any, list[Any]]

PAIRED = ("bough target", "bough weight")  # columns for a target and weights that are collections of their own


def is_frame(x: Any) -> bool:
    return type(x).__module__.startswith("dask.dataframe") and getattr(x, "ndim", 0) == 2


def is_series(x: Any) -> bool:
    return type(x).__module__.startswith("dask.dataframe") and getattr(x, "ndim", 0) == 1


def is_array(x: Any) -> bool:
    return type(x).__module__.startswith("dask.array") and hasattr(x, "chunks")


def is_collection(x: Any) -> bool:
    return is_frame(x) or is_series(x) or is_array(x)


def pieces_of(X: Any, y: Any, sample_weight: Any) -> list[Piece]:
    """The pieces of a table, which are still to be made."""
    if is_frame(X):
        names = list(X.columns)
        taken = [column_of(names, given, what) for given, what in ((y, "y"), (sample_weight, "sample_weight"))]
        names = [n for n in names if n not in taken]
        frame.sources_of(X[names]._meta_nonempty)  # a type that no tree can split is refused before anything is read
        X, y, sample_weight, taken = paired(X, y, sample_weight, taken)
        taken.append(names)
        parts = X.to_delayed()
    elif is_array(X):
        if X.ndim != 2:
            raise DataError(f"X has {X.ndim} dimension(s); a table has two.")
        for given, what in ((y, "y"), (sample_weight, "sample_weight")):
            if isinstance(given, str):
                raise DataError(f"{what} is {shown(given)}, and a Dask array has no column names; give a collection.")
        taken, X = [None, None, None], X.rechunk({1: -1})
        parts = X.to_delayed()[:, 0].tolist()
    else:
        raise DataError(
            f"X is of type {type(X).__name__!r}; bough.dask grows from Dask DataFrames and arrays. Tables of one "
            "machine are for the estimators of bough itself, or dask.dataframe.from_pandas(X, npartitions=…)."
        )
    others = [
        [None] * len(parts) if given is None or name is not None else cut_alike(given, X, len(parts), what)
        for given, name, what in ((y, taken[0], "y"), (sample_weight, taken[1], "sample_weight"))
    ]
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.")
    return [(part, target, weight, taken) for part, target, weight in zip(parts, *others, strict=True)]


def column_of(names: list[Any], given: Any, what: str) -> Any:
    """The name of a column that is meant; None: no column."""
    if not isinstance(given, str):
        return None
    if given not in names:
        raise DataError(
            f"{what} is {given!r}, which is not a column. Columns: {', '.join(repr(n) for n in names[:20])}."
        )
    return given


def paired(X: Any, y: Any, sample_weight: Any, taken: list[Any]) -> tuple[Any, Any, Any, list[Any]]:
    """The table with a target and weights of as many partitions as columns of its own: Dask may fuse the partitions of
    collections that are computed apart, each in another way."""
    own = {}
    for i, given in enumerate((y, sample_weight)):
        if taken[i] is None and is_series(given) and given.npartitions == X.npartitions:
            own[PAIRED[i]] = given
    if not own:
        return X, y, sample_weight, taken
    from dask.dataframe import map_partitions

    names = list(own)
    meta = X._meta.assign(**{n: s._meta.array for n, s in own.items()})
    X = map_partitions(beside, X, *own.values(), names=names, meta=meta, align_dataframes=False, enforce_metadata=False)
    taken = [name if name in own else t for name, t in zip(PAIRED, taken, strict=True)]
    y, sample_weight = (name if name in own else g for name, g in zip(PAIRED, (y, sample_weight), strict=True))
    return X, y, sample_weight, taken


def beside(table: Any, *columns: Any, names: list[str]) -> Any:
    """A partition with more columns, row by row."""
    for column, name in zip(columns, names, strict=True):
        check_rows(len(table), len(column), "y" if name == PAIRED[0] else "sample_weight")
    return table.assign(**{n: c.array for n, c in zip(names, columns, strict=True)})


def check_rows(rows: int, given: int, what: str) -> None:
    if rows != given:
        raise DataError(f"a partition has {rows} rows of X and {given} of {what}; cut them alike.")


def cut_alike(given: Any, X: Any, n: int, what: str) -> list[Any]:
    """The partitions of a target or of weights, cut as X is."""
    if is_array(given):
        if given.ndim == 2 and given.shape[1] == 1:
            given = given[:, 0]
        if given.ndim != 1:
            raise DataError(f"{what} has {given.ndim} dimensions; it must have one number or label for each row.")
        if is_array(X) and not np.isnan([*X.chunks[0], *given.chunks[0]]).any():
            if given.shape[0] != X.shape[0]:
                raise DataError(f"{what} has {given.shape[0]} rows and X has {X.shape[0]}.")
            given = given.rechunk({0: X.chunks[0]})
    elif is_frame(given) and len(given.columns) == 1:
        given = given[given.columns[0]]
    elif not is_series(given):
        raise DataError(
            f"{what} is of type {type(given).__name__!r}; it must be the name of a column of X, or a Dask collection "
            "with the partitions of X."
        )
    pieces = np.ravel(given.to_delayed()).tolist()
    if len(pieces) != n:
        raise DataError(
            f"{what} has {len(pieces)} partitions and X has {n}; cut them alike, or make {what} a column of X and give "
            "its name."
        )
    return pieces


def rows_of(piece: Piece) -> Rows:
    """The rows of a piece that has been made, on a worker."""
    table, y, weights, (target, weight, names) = piece
    if target is not None:
        y = table[target]
    if weight is not None:
        weights = table[weight]
    if names is not None:
        own = table.columns.drop([n for n in (target, weight) if n is not None])
        table = table[names if set(own) == set(names) else list(own)]
    for other, what in ((y, "y"), (weights, "sample_weight")):
        if other is not None:
            check_rows(len(table), len(other), what)
    return Rows(table, y, weights)


# ---- predictions --------------------------------------------------------------------------------------------


def lazily(X: Any, predict: Callable[[Any], npt.NDArray[Any]], like: npt.NDArray[Any], names: list[Any] | None) -> Any:
    """The predictions for every partition, computed lazily: a collection of the kind of X. ``like`` has the type
    of the predictions and no rows; ``names`` are those of the columns of a frame of predictions."""
    if is_array(X):
        X = X.rechunk({1: -1})
        drop = 1 if like.ndim == 1 else None
        chunks = None if like.ndim == 1 else (X.chunks[0], (like.shape[1],))
        return X.map_blocks(predicted, predict, like, drop_axis=drop, chunks=chunks, dtype=like.dtype, meta=like)
    from pandas import DataFrame, Series

    meta = Series(like) if names is None else DataFrame(like, columns=names)
    return X.map_partitions(framed, predict, like, names, meta=meta)


def predicted(x: Any, predict: Callable[[Any], npt.NDArray[Any]], like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return predict(x) if len(x) else like


def framed(x: Any, predict: Callable[[Any], npt.NDArray[Any]], like: npt.NDArray[Any], names: Any) -> Any:
    from pandas import DataFrame, Series

    found = predicted(x, predict, like)
    return Series(found, index=x.index) if names is None else DataFrame(found, index=x.index, columns=names)
