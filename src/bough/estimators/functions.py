"""Parts of a tree that are functions of the user's own. Such a part stands where a name would stand:
``split=bough.directions(fn)``. The core calls it at every node, from whichever thread is there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError, shown
from ..registry import Plugin, find
from .data import Floats, Target


def plugin_name(part: Any) -> Any:
    """The name of a part: of a function of the user's own that of the plug-in which calls it."""
    return part.plugin if type(part) is not str and isinstance(part, Own) else part


def name_of(fn: Any) -> str:
    return str(getattr(fn, "__qualname__", None) or repr(fn))


@dataclass(frozen=True)
class Own(ABC):
    """A function in the place of a plug-in: ``plugin`` is the one that calls it, ``call`` its name there."""

    fn: Callable[..., Any]
    kind: ClassVar[str]
    plugin: ClassVar[str]
    call: ClassVar[str]

    def __post_init__(self) -> None:
        if not callable(self.fn):
            raise ParameterError(f"bough.{self.plugin} was given {shown(self.fn)}; it must be a function.")

    def __repr__(self) -> str:
        return f"{self.plugin}({name_of(self.fn)})"

    @abstractmethod
    def bound(self, target: Target, raised: list[BaseException]) -> Callable[..., Any]:
        """What the core calls; an error of the function itself is kept in ``raised``."""

    def found(self) -> Plugin:
        """The plug-in that calls it."""
        return find(self.kind, self.plugin)

    def asked(self, raised: list[BaseException], *args: Any) -> Any:
        try:
            return self.fn(*args)
        except BaseException as e:
            raised.append(e)
            raise


@dataclass(frozen=True, repr=False)
class Directions(Own):
    """See `directions`."""

    kind = "split"
    plugin = "directions"
    call = "directions"

    def bound(self, target: Target, raised: list[BaseException]) -> Callable[..., Any]:
        classes = target.classes

        def call(x: Floats, y: Floats, w: Floats) -> Floats:
            truth = y + target.offset if classes is None else classes[y.astype(np.intp)]
            return self.checked(self.asked(raised, x, truth, w), x.shape[1])

        return call

    def checked(self, found: Any, d: int) -> Floats:
        who = f"{self!r} returned"
        try:
            a = np.asarray(found, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(f"{who} {shown(found)}; it must be an array of numbers of shape (p, {d}).") from None
        if a.ndim != 2 or a.shape[1] != d:
            raise ParameterError(
                f"{who} an array of shape {a.shape}; it must be (p, {d}): a row for each direction, "
                f"a coefficient for each of the {d} columns it was given."
            )
        if not np.isfinite(a).all():
            row, column = np.argwhere(~np.isfinite(a))[0].tolist()
            raise ParameterError(f"{who} {a[row, column]} in direction {row}, column {column}; it must be finite.")
        return np.require(a, requirements=["C", "A"])


def directions(fn: Callable[[Floats, npt.NDArray[Any], Floats], Any]) -> Directions:
    """A family of splits from a function: cuts along the directions that it returns for a node.

    Parameters
    ----------
    fn : callable
        ``fn(X, y, w)`` is given the rows of a node: ``X`` of shape (n, d) holds the numeric columns
        that may be split there (NaN where a number is missing; in units of their standard deviation
        if ``standardize=True``), ``y`` the classes or numbers, ``w`` the weights. It returns an array
        of shape (p, d), a row for each direction; length and sign do not matter. With ``n_jobs`` it
        is called from several threads.

    Returns
    -------
    Directions
        To be given as ``split`` of an estimator.

    Examples
    --------
    >>> import numpy as np, bough
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> def between_means(X, y, w):
    ...     means = np.array([X[y == c].mean(axis=0) for c in np.unique(y)])
    ...     return means[1:] - means[:-1]
    >>> tree = bough.TreeClassifier(split=bough.directions(between_means), max_depth=2).fit(X, y)
    >>> round(tree.score(X, y), 3)
    0.933
    """
    return Directions(fn)


@dataclass(frozen=True, repr=False)
class Partitioner(Own):
    """See `partitioner`."""

    kind = "nominal"
    plugin = "partitioner"
    call = "partition"

    def bound(self, target: Target, raised: list[BaseException]) -> Callable[..., Any]:
        def call(table: Floats) -> npt.NDArray[np.uint8]:
            return self.checked(self.asked(raised, table), len(table))

        return call

    def checked(self, found: Any, n: int) -> npt.NDArray[np.uint8]:
        a = np.asarray(found)
        if a.shape != (n,) or a.dtype.kind not in "biu" or not np.isin(a, (0, 1)).all():
            raise ParameterError(
                f"{self!r} returned {shown(found)}; "
                f"it must be a mask of {n} flags, one for each value (row) of the table."
            )
        return np.ascontiguousarray(a, dtype=np.uint8)


def partitioner(fn: Callable[[Floats], Any]) -> Partitioner:
    """A nominal search from a function: the partition of a column's values that it returns for a node.

    Parameters
    ----------
    fn : callable
        ``fn(table)`` is given the weight of each class (column) under each value (row) at the node, for
        the values and classes that occur there, in the order of their numbers. It returns a mask: True
        for values that go left. A mask that leaves a side empty makes no split. The criterion scores the
        partition, so that columns compete. With ``n_jobs`` it is called from several threads.

    Returns
    -------
    Partitioner
        To be given as ``nominal`` of a classifier.

    Examples
    --------
    >>> import numpy as np, bough
    >>> X = np.array([["red"], ["green"], ["blue"], ["red"]], dtype=object)
    >>> def above_average(table):
    ...     share = table[:, 0] / table.sum(axis=1)
    ...     return share > share.mean()
    >>> tree = bough.TreeClassifier(nominal=bough.partitioner(above_average)).fit(X, [0, 1, 1, 0])
    >>> print(tree.show())
    x0 in {blue, green}
    ├─ yes: class 1 (2 rows)
    └─ no: class 0 (2 rows)
    """
    return Partitioner(fn)


@dataclass(frozen=True, repr=False)
class EdgeWeights(Own):
    """See `edge_weights`."""

    kind = "criterion"
    plugin = "edge_weights"
    call = "edges"

    def bound(self, target: Target, raised: list[BaseException]) -> Callable[..., Any]:
        def call(left: Floats, right: Floats, n_values: int) -> Floats:
            return self.checked(self.asked(raised, left, right, n_values), len(left))

        return call

    def checked(self, found: Any, n: int) -> Floats:
        try:
            a = np.asarray(found, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            a = np.empty(0)
        if a.shape != (n,):
            raise ParameterError(f"{self!r} returned {shown(found)}; it must be {n} numbers, one for each pair.")
        bad = np.flatnonzero(~(np.isfinite(a) & (a >= 0)))
        if len(bad) > 0:
            raise ParameterError(
                f"{self!r} returned {a[bad[0]]} for pair {bad[0]}; a weight must be finite and not negative."
            )
        return np.ascontiguousarray(a)


def edge_weights(fn: Callable[[Floats, Floats, int], Any]) -> EdgeWeights:
    """A criterion from a function: the weight of a cut in the graph of a column's values.

    Every pair of values of a nominal column is an edge that weighs what the function says; a partition is worth the
    edges between its two sides, and the nominal searches ``greedy``, ``gw``, ``exact``, ``one_vs_rest`` and ``auto``
    make that large. A numeric cut is an edge between two values, its two sides (Mello Pereira 2018, §3.2).

    Parameters
    ----------
    fn : callable
        ``fn(left, right, n_values)`` is given the class weights of the values of many pairs, as arrays of shape
        (pairs, classes) for the classes that occur at the node, and how many values the node has (2 for a numeric
        cut). It returns the weight of each pair: numbers that are not negative. With ``n_jobs`` it is called from
        several threads.

    Returns
    -------
    EdgeWeights
        To be given as ``criterion`` of a classifier.

    Examples
    --------
    >>> import numpy as np, bough
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> def pairs_of_rows(left, right, n_values):  # of different class, taken apart: Squared Gini
    ...     return left.sum(axis=1) * right.sum(axis=1) - (left * right).sum(axis=1)
    >>> tree = bough.TreeClassifier(criterion=bough.edge_weights(pairs_of_rows), max_depth=2).fit(X, y)
    >>> same = bough.TreeClassifier(criterion="squared_gini", max_depth=2).fit(X, y)
    >>> tree.show() == same.show()
    True
    """
    return EdgeWeights(fn)
