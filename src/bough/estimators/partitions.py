"""Partitions of the values of a table by themselves: every nominal search as a plain function."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError, ParameterError
from ..model.stakes import mixing
from ..registry import find
from .blas import one_thread
from .costs import check_costs, costs_of
from .plan import check_pair, integer

__all__ = ["Partition", "partition"]


@dataclass(frozen=True, eq=False)
class Partition:
    """Two groups of the values of a table.

    Attributes
    ----------
    left : ndarray of bool, shape (n_values,)
        Which values are in the first group. The first value with any weight is; values without
        weight are not.
    gain : float
        Its gain by the criterion; NaN if there is nothing to divide, because fewer than two
        values or fewer than two classes have any weight.
    bound : float or None
        No partition of the table gains more than this. None: the search proves nothing.
    """

    left: npt.NDArray[np.bool_]
    gain: float
    bound: float | None

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """The values of the second group."""
        return ~self.left

    def __repr__(self) -> str:
        bound = "None" if self.bound is None else f"{self.bound:.6g}"
        sides = f"{int(self.left.sum())} against {int((~self.left).sum())} values"
        return f"Partition({sides}, gain={self.gain:.6g}, bound={bound})"


def partition(
    table: Any,
    search: str = "auto",
    criterion: str = "gini",
    *,
    costs: Any = None,
    random_state: int = 0,
    **params: Any,
) -> Partition:
    """The partition of the values of a table into two groups that a nominal search finds.

    Parameters
    ----------
    table : array-like of shape (n_values, n_classes)
        The weight, or number of rows, of each class under each value; finite and not negative.
    search : str, default="auto"
        A nominal search that makes two groups: see ``bough list nominal``.
    criterion : str, default="gini"
        What a partition is judged by: see ``bough list criterion``.
    costs : array-like of shape (n_classes, n_classes) or dict, optional
        What it costs to mix two classes (columns of the table); see `TreeClassifier`.
    random_state : int, default=0
        Seed of searches that draw numbers.
    **params
        Parameters of the search, such as ``projection="counts"`` for ``pc_ext``.

    Returns
    -------
    Partition
        With ``left``, ``gain`` and ``bound``. The bound is the optimum itself for ``exact`` (and
        ``superclass`` with ``twoing``), follows from the proven ratio of ``hypercube_cover``,
        ``largest_class_alone``, ``k_means`` (``gini`` and ``entropy``) and ``greedy``, and is the
        value of the relaxation for ``gw``.

    Examples
    --------
    >>> import bough
    >>> marital = [[18, 20], [29, 30], [53, 51], [10, 26]]  # single, married, divorced, widowed
    >>> p = bough.partition(marital, search="exact", criterion="squared_gini")
    >>> p.left.tolist()
    [True, True, False, True]
    >>> p.gain == p.bound
    True
    """
    counts = counts_of(table)
    plugin, by = find("nominal", search, "search"), find("criterion", criterion)
    if plugin.traits["multiway"]:
        raise ParameterError(f"search={search!r} makes one child for each value; a partition has two groups.")
    if by.traits["function"]:
        raise ParameterError(f"criterion={criterion!r} calls a function of your own; it is for trees and forests.")
    check_pair(by, plugin, regression=False)
    if plugin.traits["function"]:
        raise ParameterError("search='partitioner' is a function of your own; call it with the table instead.")
    matrix = costs_of(costs, np.arange(counts.shape[1]))
    if matrix is not None:
        check_costs(by, plugin)
    if "unseen" in params:
        raise ParameterError("unseen is about prediction; a partition of a table has no such parameter.")
    seed = integer("random_state", random_state, 0, "a non-negative integer")
    encoded = plugin.encode(params, "params")
    try:
        with one_thread:
            left, gain, bound = _core.partition(
                counts, by.name, plugin.name, encoded, seed, [] if matrix is None else mixing(matrix).ravel().tolist()
            )
    except ValueError as e:
        raise ParameterError(str(e).replace("nominal=", "search=").replace("column <#0>", "the table")) from None
    return Partition(left.astype(bool), gain, None if math.isinf(bound) else bound)


def counts_of(table: Any) -> npt.NDArray[np.float64]:
    """A table of weights as float64, refused if it is none."""
    try:
        counts = np.require(table, np.float64, ["C", "A"])
    except (TypeError, ValueError, OverflowError):
        raise DataError("table does not consist of numbers; it must have a row for each value.") from None
    if counts.ndim != 2 or 0 in counts.shape:
        raise DataError(f"table has shape {counts.shape}; it must have a row for each value, a column for each class.")
    bad = ~(np.isfinite(counts) & (counts >= 0))
    if bad.any():
        v, c = (int(i[0]) for i in np.nonzero(bad))
        raise DataError(f"table[{v}, {c}] is {float(counts[v, c])!r}; weights must be finite and not negative.")
    return counts
