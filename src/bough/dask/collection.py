"""A user's collections as pieces of rows: each is a partition of the table and those of target and weights, as they
are: what is made of them lives no longer than a task, so that nothing is held twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import DataError, shown

# Partitions of the table, the target and the weights (None: there is none, or it is a column), and the columns that
# are target and weights. A plain tuple, in which Dask finds what has to be there first.
Piece = tuple[Any, Any, Any, list[Any]]


class Rows(NamedTuple):
    """Rows of a table as they came."""

    table: Any  # a pandas frame or a matrix
    y: Any
    weights: Any  # None: every row weighs 1


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
        parts = X.to_delayed()
    elif is_array(X):
        if X.ndim != 2:
            raise DataError(f"X has {X.ndim} dimension(s); a table has two.")
        for given, what in ((y, "y"), (sample_weight, "sample_weight")):
            if isinstance(given, str):
                raise DataError(f"{what} is {shown(given)}, and a Dask array has no column names; give a collection.")
        taken, X = [None, None], X.rechunk({1: -1})
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
    table, y, weights, taken = piece
    names = [n for n in taken if n is not None]
    if taken[0] is not None:
        y = table[taken[0]]
    if taken[1] is not None:
        weights = table[taken[1]]
    if names:
        table = table.drop(columns=names)
    for other, what in ((y, "y"), (weights, "sample_weight")):
        if other is not None and len(other) != len(table):
            raise DataError(f"a partition has {len(table)} rows of X and {len(other)} of {what}; cut them alike.")
    return Rows(table, y, weights)


def together(pieces: list[Piece]) -> Rows:
    """All rows in one place, in their order."""
    parts = [rows_of(p) for p in pieces if len(p[0])]
    table = stacked([p.table for p in parts])
    y = stacked([p.y for p in parts])
    weights = None if parts[0].weights is None else stacked([p.weights for p in parts])
    return Rows(table, y, weights)


def stacked(pieces: list[Any]) -> Any:
    if len(pieces) == 1:
        return pieces[0]
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces)
    from pandas import concat

    names = getattr(pieces[0], "columns", None)  # partitions may have their columns in another order
    return concat([p if names is None else p[names] for p in pieces], ignore_index=True)


# ---- answers --------------------------------------------------------------------------------------------


def lazily(X: Any, answer: Callable[[Any], npt.NDArray[Any]], like: npt.NDArray[Any], names: list[Any] | None) -> Any:
    """What a model answers of every partition, when it is asked: a collection of the kind of X. ``like`` has the type
    of the answers and no rows; ``names`` are those of the columns of a frame of answers."""
    if is_array(X):
        X = X.rechunk({1: -1})
        drop = 1 if like.ndim == 1 else None
        chunks = None if like.ndim == 1 else (X.chunks[0], (like.shape[1],))
        return X.map_blocks(answered, answer, like, drop_axis=drop, chunks=chunks, dtype=like.dtype, meta=like)
    from pandas import DataFrame, Series

    meta = Series(like) if names is None else DataFrame(like, columns=names)
    return X.map_partitions(framed, answer, like, names, meta=meta)


def answered(x: Any, answer: Callable[[Any], npt.NDArray[Any]], like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return answer(x) if len(x) else like


def framed(x: Any, answer: Callable[[Any], npt.NDArray[Any]], like: npt.NDArray[Any], names: Any) -> Any:
    from pandas import DataFrame, Series

    found = answered(x, answer, like)
    return Series(found, index=x.index) if names is None else DataFrame(found, index=x.index, columns=names)
