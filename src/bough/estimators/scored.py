"""A criterion that is a function of the user's own: a tree that Python grows, slowly, for trying an idea out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import ParameterError, shown
from ..model.file import PARTS
from ..model.file import tree_of as core_tree
from ..model.printed import printed
from ..registry import Plugin
from ..tables.like import columns_like
from .data import Data, Floats, Target
from .fitting import attributes_of
from .functions import Own
from .origins import origin_of
from .plan import plan_of

TAKEN = {"criterion", "max_depth", "min_samples_split", "min_samples_leaf", "class_weight"}
TAKEN |= {"categorical_features", "ordinal_features", "random_state", "n_jobs", "keep_leaves"}


@dataclass(frozen=True, repr=False)
class Scored(Own):
    """See `criterion`."""

    kind = "criterion"
    plugin = "criterion"
    call = "criterion"

    def bound(self, target: Target, raised: list[BaseException]) -> Callable[..., Any]:
        return self.gains

    def found(self) -> Plugin:
        raise ParameterError(
            f"criterion={self!r} is a function of your own, which grows single trees (TreeClassifier, "
            "TreeRegressor) by fit only; take a criterion by name here."
        )

    def gains(self, left: Floats, right: Floats) -> Floats:
        """The function's scores of cuts, checked."""
        found = self.fn(left, right)
        try:
            a = np.asarray(found, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(f"{self!r} returned {shown(found)}; it must be {len(left)} gains.") from None
        if a.shape != (len(left),):
            raise ParameterError(
                f"{self!r} returned an array of shape {a.shape}; it must be ({len(left)},): a gain for each cut (row)."
            )
        if np.isnan(a).any() or (a == math.inf).any():
            raise ParameterError(f"{self!r} returned {a[np.isnan(a) | (a == math.inf)][0]}; a gain is a number.")
        return a


def criterion(fn: Callable[[Floats, Floats], Any]) -> Scored:
    """A criterion from a function: how good each cut of a column is.

    The tree is grown in Python: some hundred times slower than with a criterion of the core, and meant for trying an
    idea out. ``split="axis"``, ``missing="either"`` and stopping rules by depth and rows go with it; everything else
    (forests, pruning, refinement, costs, clusters) refuses it by name.

    Parameters
    ----------
    fn : callable
        ``fn(left, right)`` is given both sides of m cuts of one column and returns m gains, larger is better; a cut
        whose gain is not above 0 is never made, and minus infinity forbids one. Of classes, ``left`` and ``right`` are
        arrays of shape (m, n_classes), the weight of each class on that side. Of numbers they are (m, 3): weight, mean
        and variance.

    Returns
    -------
    Scored
        To be given as ``criterion`` of a `TreeClassifier` or a `TreeRegressor`.

    Notes
    -----
    Numeric columns are cut halfway between neighbouring values; rows without a value are tried on both sides of each
    cut, and apart from the rest. Categories are put in order, by their mean, or by the share of the class that weighs
    most at the node (of two classes: the second), and cut in that order; with more than two classes that is not every
    partition. The largest gain wins; of equal ones the first column, and in it the lowest cut.

    Examples
    --------
    >>> import bough, numpy as np
    >>> def misclassified(left, right):
    ...     right_now = np.maximum((left + right).max(axis=1), 0)
    ...     return left.max(axis=1) + right.max(axis=1) - right_now
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    >>> print(bough.TreeClassifier(criterion=bough.criterion(misclassified)).fit(X, y).show())
    x0 <= 2.5
    ├─ yes: a (2 rows)
    └─ no: b (2 rows)
    """
    return Scored(fn)


def check_alone(estimator: Any, params: Mapping[str, Any]) -> None:
    """Refuses parameters that a tree grown in Python does not have."""
    defaults = type(estimator)()
    for name, value in params.items():
        if name in TAKEN or not hasattr(defaults, name):
            continue
        default = getattr(defaults, name)
        if value is not default and not (isinstance(value, (str, int, float)) and value == default):
            raise ParameterError(
                f"{name}={shown(value)} does not go with criterion={params['criterion']!r}, a function of your own; "
                f"leave {name} out, or take a criterion by name."
            )


@dataclass
class Limits:
    """When a node is not split."""

    depth: float
    split: int
    leaf: int


def limits_of(params: Mapping[str, Any], n: int) -> Limits:
    def rows(value: Any) -> int:
        return max(1, math.ceil(value * n) if isinstance(value, float) else int(value))

    depth = math.inf if params["max_depth"] is None else params["max_depth"]
    return Limits(depth, max(2, rows(params["min_samples_split"])), rows(params["min_samples_leaf"]))


@dataclass
class Cut:
    """The best split of a node so far."""

    gain: float = 0.0
    column: int = -1
    cut: float = math.nan
    codes: npt.NDArray[np.int64] | None = None  # present at the node, those that go left first
    n_left: int = 0  # of these
    missing: int = 0  # bit 0: rows without a value go left; bit 1: there were some
    left: npt.NDArray[np.bool_] | None = None


class Grower:
    """Nodes in preorder, from the root down, without recursion."""

    def __init__(self, scored: Scored, data: Data, columns: list[Floats], limits: Limits) -> None:
        self.scored, self.columns, self.limits, self.schema = scored, columns, limits, data.schema
        target, n = data.target, data.columns.n_rows
        self.weights = np.ones(n) if data.weights is None else np.asarray(data.weights)
        self.classes = 0 if target.codes is None else target.n_classes
        if target.codes is not None:
            self.stats = np.zeros((n, self.classes))
            self.stats[np.arange(n), target.codes] = self.weights
        else:
            self.numbers = np.asarray(target.numbers)
        self.parts: dict[str, list[Any]] = {name: [] for name in PARTS}

    def grow(self) -> _core.Tree:
        stack = [(np.flatnonzero(self.weights > 0), 0)]
        while stack:
            rows, depth = stack.pop()
            best = self.best(rows) if self.may_split(rows, depth) else Cut()
            if best.left is None:
                self.leaf(rows)
                continue
            self.inner(best)
            stack += [(rows[~best.left], depth + 1), (rows[best.left], depth + 1)]
        parts = {name: np.array(self.parts[name], dtype) for name, dtype in PARTS.items()}
        return core_tree(parts, self.classes, self.schema.n_values())

    def may_split(self, rows: npt.NDArray[np.int64], depth: int) -> bool:
        if depth >= self.limits.depth or len(rows) < max(self.limits.split, 2 * self.limits.leaf):
            return False
        if self.classes:
            return int((self.stats[rows].sum(axis=0) > 0).sum()) > 1
        y = self.numbers[rows]
        return bool(y.min() < y.max())

    # ---- the search -----------------------------------------------------------------------------

    def best(self, rows: npt.NDArray[np.int64]) -> Cut:
        best = Cut()
        stats, center = self.stats_of(rows)
        for column, info in enumerate(self.schema.columns):
            x = self.columns[column][rows]
            (self.by_codes if info.nominal else self.by_numbers)(column, x, stats, center, best)
        return best

    def stats_of(self, rows: npt.NDArray[np.int64]) -> tuple[Floats, float]:
        """Of each row what sums are made of: class weights; of numbers weight, and first and second moments."""
        if self.classes:
            return self.stats[rows], 0.0
        w, y = self.weights[rows], self.numbers[rows]
        center = float(np.average(y, weights=w))
        return np.column_stack([w, w * (y - center), w * (y - center) ** 2]), center

    def sides(self, sums: Floats, center: float) -> Floats:
        """Sums as the function is given them."""
        if self.classes:
            return sums
        mean = sums[:, 1] / sums[:, 0]
        return np.column_stack([sums[:, 0], mean + center, np.maximum(sums[:, 2] / sums[:, 0] - mean**2, 0.0)])

    def gains(self, left: Floats, total: Floats, n_left: Any, n: int, center: float) -> Floats:
        """Of cuts, minus infinity where a side has too few rows."""
        n_left = np.asarray(n_left)
        fits = (n_left >= self.limits.leaf) & (n - n_left >= self.limits.leaf)
        found = np.full(len(left), -math.inf)
        if fits.any():
            found[fits] = self.scored.gains(self.sides(left[fits], center), self.sides(total - left[fits], center))
        return found

    def by_numbers(self, column: int, x: Floats, stats: Floats, center: float, best: Cut) -> None:
        known = ~np.isnan(x)
        rows = np.flatnonzero(known)
        order = rows[np.argsort(x[rows], kind="stable")]
        values, total, n = x[order], stats.sum(axis=0), len(x)
        at = np.flatnonzero(values[:-1] < values[1:])  # the last row on the left
        some = len(order) < n
        gone = stats[~known].sum(axis=0)
        sums = np.cumsum(stats[order], axis=0)
        for with_missing in (False, True) if some else (False,):
            left, n_left = sums[at] + (gone if with_missing else 0.0), at + 1 + (n - len(order) if with_missing else 0)
            gains = self.gains(left, total, n_left, n, center)
            if len(gains) and gains.max() > best.gain:
                i = int(gains.argmax())
                low, high = values[at[i]], values[at[i] + 1]
                cut = low + (high - low) / 2
                cut = low if not low <= cut < high else cut
                heavier = 2 * n_left[i] >= n
                best.gain, best.column, best.cut, best.codes = float(gains[i]), column, float(cut), None
                best.missing = (int(with_missing) | 2) if some else int(heavier)
                best.left = (x <= cut) | (~known & with_missing)
        if some and len(order):
            gain = self.gains(sums[-1:], total, [len(order)], n, center)[0]
            if gain > best.gain:
                best.gain, best.column, best.cut, best.codes = float(gain), column, math.inf, None
                best.missing, best.left = 2, known.copy()

    def by_codes(self, column: int, x: Floats, stats: Floats, center: float, best: Cut) -> None:
        codes = x.astype(np.int64)
        present, places = np.unique(codes, return_inverse=True)
        if len(present) < 2:
            return
        table = np.zeros((len(present), stats.shape[1]))
        np.add.at(table, places, stats)
        if self.classes:
            heavy = 1 if self.classes == 2 else int(table.sum(axis=0).argmax())
            key = table[:, heavy] / table.sum(axis=1)
        else:
            key = table[:, 1] / table[:, 0]
        order = np.argsort(key, kind="stable")
        counts = np.bincount(places)[order]
        n_left = np.cumsum(counts)[:-1]
        gains = self.gains(np.cumsum(table[order], axis=0)[:-1], stats.sum(axis=0), n_left, len(x), center)
        if gains.max() > best.gain:
            i = int(gains.argmax())
            best.gain, best.column, best.cut = float(gains[i]), column, math.nan
            best.codes, best.n_left = present[order], i + 1
            best.missing = int(2 * n_left[i] >= len(x))
            best.left = np.isin(codes, best.codes[: i + 1])

    # ---- the tree -------------------------------------------------------------------------------

    def inner(self, best: Cut) -> None:
        p = self.parts
        p["gains"].append(best.gain)
        p["columns"].append(best.column)
        p["kinds"].append(1 if best.codes is None else 3)
        if best.codes is None:
            p["cuts"].append(best.cut)
            p["missing"].append(best.missing)
            return
        going = sorted((int(c), i < best.n_left) for i, c in enumerate(best.codes))
        p["value_counts"].append(len(going))
        p["values"] += [c for c, _ in going]
        p["value_left"] += [left for _, left in going]
        p["others"].append(0 if best.missing else 1)

    def leaf(self, rows: npt.NDArray[np.int64]) -> None:
        p = self.parts
        p["kinds"].append(0)
        p["leaf_rows"].append(len(rows))
        if self.classes:
            p["leaf_weights"] += self.stats[rows].sum(axis=0).tolist()
            return
        w, y = self.weights[rows], self.numbers[rows]
        mean = float(np.average(y, weights=w))
        p["leaf_weights"].append(float(w.sum()))
        p["leaf_means"].append(mean)
        p["leaf_spreads"].append(float((w * (y - mean) ** 2).sum()))


def grown_by(scored: Scored, data: Data, columns: list[Floats], params: Mapping[str, Any]) -> _core.Tree:
    """The tree of a function; numbers are those of the target less its offset, as the core's are."""
    if data.target.numbers is not None and data.target.offset:
        whole = data.target._replace(numbers=np.asarray(data.target.numbers) + data.target.offset, offset=0.0)
        data = Data(data.columns, data.schema, whole, data.weights)
    return Grower(scored, data, columns, limits_of(params, data.n_rows)).grow()


def fitted_by(estimator: Any, params: dict[str, Any], data: Data, X: Any) -> dict[str, Any]:
    """The attributes of an estimator whose criterion is a function."""
    if "n_estimators" in params:
        params["criterion"].found()
    check_alone(estimator, params)
    named = {**params, "criterion": "squared_error" if data.target.numbers is not None else "gini"}
    plan_of(named, data, seed=0, threads=1)  # wrong values are refused as ever
    columns = [np.asarray(c, dtype=np.float64) for c in columns_like(X, data.schema)]
    tree = grown_by(params["criterion"], data, columns, params)
    digits = printed(tree, tree.margins(data.columns, data.weighing))
    out = {"engine": "Python: the criterion is a function", "printed": digits}
    found = attributes_of(estimator, named, data, (tree,), None, out)
    origin = origin_of(type(estimator), params, data.schema)
    return {**found, "model_": replace(found["model_"], origin=origin), "_fitted_on": None}
