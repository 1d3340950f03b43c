"""The nearest change of a row that gives another prediction. Each leaf with the wanted prediction is a set of
intervals, sets of categories and half-spaces; the nearest point of it is found by clipping, or, with half-spaces, by a
small mixed-integer program. Every change is checked by `predict`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError, shown, whole_number
from ..model.conditions import Among, Condition, Path, Range, Sum
from ..model.model import Model
from ..model.nodes import NodeView
from ..output.words import number
from ..tables.row import one_row, row_values
from ..tables.values import is_missing, plain
from .changes import Change, Changed, WhyNot
from .half_spaces import Choice, Problem, nearest
from .usual import Usual, usual_of

FAR = 1.0  # spreads that a category, or a value where there was none, is away


@dataclass(frozen=True)
class Limits:
    """What may change, and how."""

    fixed: frozenset[int]
    direction: Mapping[int, str]
    costs: Mapping[int, float]

    def bounds(self, column: int, value: float, low: float, high: float) -> tuple[float, float]:
        """Between which numbers a column may move."""
        way = self.direction.get(column)
        return (max(low, value) if way == "up" else low), (min(high, value) if way == "down" else high)


def why_not(
    model: Model,
    row: Any,
    wanted: Any,
    *,
    fixed: Sequence[Any] = (),
    direction: Mapping[Any, str] | None = None,
    costs: Mapping[Any, float] | None = None,
    n: int = 3,
    background: Any = None,
    unseen: bool = False,
) -> WhyNot:
    """See `Model.why_not`."""
    n = whole_number("n", n, 1)
    if len(model.trees) > 1 or model.boosting is not None:
        raise ParameterError(
            f"why_not looks for the nearest change of one tree, and this model has {len(model.trees)}: all leaves of "
            "them together are too many to go through. Fit a single tree, for instance to the forest's predictions."
        )
    if model.tree.linear:
        raise ParameterError(
            "why_not goes through leaves that each predict one number, and this model has linear leaves; why() writes "
            "out the sum that a prediction comes from."
        )
    limits = limits_of(model, fixed, direction, costs)
    target = wanted_of(model, wanted)
    table = one_row(row, model.schema, "why_not()")
    values = [None if is_missing(v) else plain(v) for v in row_values(table, model.schema)]
    predicted = plain(model.predict(table)[0])
    check_missing(model, values)
    found = WhyNot((), predicted, target)
    numbers = numbers_of(model, values)
    search = Search(model, values, numbers, usual_of(model, background, unseen, numbers), limits, target)
    return found if found.already else replace(found, changes=search.changes(n))


# ---- what is asked -------------------------------------------------------------------------------------------------


def column_of(model: Model, name: Any, of: str) -> int:
    """A column by name or number."""
    names = model.schema.names
    if isinstance(name, str) and name in names:
        return names.index(name)
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool) and 0 <= name < len(names):
        return int(name)
    known = ", ".join(map(repr, names[:10])) + (" …" if len(names) > 10 else "")
    raise ParameterError(f"{of} names {shown(name)}, which is not a column; columns: {known}.")


def limits_of(model: Model, fixed: Any, direction: Any, costs: Any) -> Limits:
    if isinstance(fixed, (str, int)):
        fixed = [fixed]
    if not isinstance(fixed, Iterable):
        raise ParameterError(f"fixed is {shown(fixed)}; it must be a list of columns that may not change.")
    for name, given in (("direction", direction), ("costs", costs)):
        if given is not None and not isinstance(given, Mapping):
            raise ParameterError(f"{name} is {shown(given)}; it must be a dict by column.")
    still = {column_of(model, c, "fixed") for c in fixed}
    ways: dict[int, str] = {}
    for name, way in (direction or {}).items():
        column = column_of(model, name, "direction")
        if way not in ("up", "down"):
            raise ParameterError(f"direction[{shown(name)}] is {shown(way)}; it must be 'up' or 'down'.")
        if model.schema.columns[column].nominal:
            raise ParameterError(f"direction names {shown(name)}, whose categories have no order; leave it out.")
        ways[column] = way
    prices: dict[int, float] = {}
    for name, price in (costs or {}).items():
        column = column_of(model, name, "costs")
        if isinstance(price, bool) or not isinstance(price, (int, float, np.number)) or not price >= 0:
            raise ParameterError(f"costs[{shown(name)}] is {shown(price)}; it must be a number of at least 0.")
        if math.isinf(price):
            still.add(column)
        prices[column] = float(price)
    return Limits(frozenset(still), ways, prices)


def wanted_of(model: Model, wanted: Any) -> Any:
    """The class that is wanted, or the range of numbers."""
    if model.classes is not None:
        known = model.classes.tolist()
        if plain(wanted) not in known:
            names = ", ".join(map(shown, known[:10]))
            raise ParameterError(f"wanted is {shown(wanted)}; it must be a class of the model: {names}.")
        return plain(wanted)
    ends: list[float] = []
    if isinstance(wanted, (tuple, list)) and len(wanted) == 2:
        for end, none in zip(wanted, (-math.inf, math.inf), strict=True):
            ends.append(none if end is None else float(end) if isinstance(end, (int, float, np.number)) else math.nan)
    if len(ends) != 2 or not ends[0] <= ends[1]:
        raise ParameterError(
            f"wanted is {shown(wanted)}; of numbers it must be a range, the lower end first, such as (100, 200) or "
            "(None, 50)."
        )
    return ends[0], ends[1]


def meets(predicted: Any, target: Any, model: Model) -> bool:
    if model.classes is not None:
        return bool(predicted == target)
    return bool(target[0] <= predicted <= target[1])


def check_missing(model: Model, values: list[Any]) -> None:
    """Refuses rows that go several ways, or by columns that stand in for others."""
    if model.missing == "either":
        return
    parts = model.tree.parts()
    asked = {*parts["columns"].tolist(), *parts["term_columns"].tolist()}
    lacking = [model.schema.columns[c].name for c in sorted(asked) if values[c] is None]
    if lacking:
        raise ParameterError(
            f"the row has no value of {lacking[0]!r}, and with missing={model.missing!r} it does not go one way by "
            "itself. Give the row a value, or fit with missing='either'."
        )


def numbers_of(model: Model, values: list[Any]) -> npt.NDArray[np.float64]:
    """The values of a row as the tree reads numbers; NaN for categories and missing ones."""
    out = np.full(len(values), np.nan)
    for i, (c, v) in enumerate(zip(model.schema.columns, values, strict=True)):
        if v is None or c.nominal:
            continue
        if c.ordinal:
            out[i] = c.values.index(v) if v in c.values else math.nan
        else:
            out[i] = float(v)
    return out


def leaves_of(model: Model, target: Any) -> Iterable[tuple[NodeView, tuple[Condition, ...]]]:
    """The leaves with the wanted prediction that training rows came to, and what is true of their rows."""
    path = Path()
    open_splits: dict[int, dict[int, Condition]] = {}  # of the path: what is true of each child
    for node in model.nodes():
        while len(path) > max(0, node.depth - 1):
            path.pop()
        if node.parent is not None:
            path.push(open_splits[node.parent].pop(node.number))
        if node.split is not None:
            open_splits[node.number] = dict(zip(node.children, node.split.conditions, strict=True))
        elif node.rows > 0 and meets(plain(node.prediction), target, model):
            yield node, path.conditions


# ---- the search -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Search:
    """The search for one row."""

    model: Model
    values: list[Any]
    numbers: npt.NDArray[np.float64]
    usual: Usual
    limits: Limits
    target: Any

    def changes(self, n: int) -> tuple[Change, ...]:
        """The nearest ones that `predict` confirms; none that is another one with more changes."""
        found = [change for leaf in leaves_of(self.model, self.target) if (change := self.in_leaf(*leaf)) is not None]
        found.sort(key=lambda c: (len(c.changed), c.distance, -c.weight, c.node))
        taken: list[Change] = []
        for change in found:
            if len(taken) == n:
                break
            if not any(change.goes_beyond(other) for other in taken):
                row = self.row_of(change.changed)
                if self.right(row):
                    taken.append(replace(self.shorter(change), row=tuple(row)))
        return tuple(taken)

    def row_of(self, changed: Iterable[Changed]) -> list[Any]:
        """The row with these changes."""
        row = list(self.values)
        for c in changed:
            row[c.column] = c.to
        return row

    def right(self, row: list[Any]) -> bool:
        """Is that what is wanted?"""
        cells = np.empty((1, len(row)), dtype=object)
        cells[0] = row
        predicted = self.model.predict(cells if self.model.schema.any_values else cells.astype(np.float64))
        return meets(plain(predicted[0]), self.target, self.model)

    def shorter(self, change: Change) -> Change:
        """The same; numbers that depend on each other with the fewest digits that will do."""
        if all(c.condition is not None or c.whole for c in change.changed):
            return change
        for digits in range(3, 16):
            printed = [
                replace(c, digits=digits, to=float(number(c.to, digits)))
                if c.condition is None and isinstance(c.to, float)
                else c
                for c in change.changed
            ]
            if self.right(self.row_of(printed)):
                return replace(
                    change, changed=tuple(replace(c, to=old.to) for c, old in zip(printed, change.changed, strict=True))
                )
        return change

    # ---- the nearest point of a leaf ----------------------------------------------------------------------------

    def in_leaf(self, node: NodeView, conditions: tuple[Condition, ...]) -> Change | None:
        """The nearest row there; None where the row may not go."""
        changed: list[Changed] = []
        ranges: dict[int, Range] = {}
        sums: list[Sum] = []
        among = {c.column: c for c in conditions if isinstance(c, Among)}
        for c in conditions:
            if isinstance(c, Among):
                continue
            if isinstance(c, Range):
                ranges[c.column] = c
            elif c.gaps_at_center or not (c.missing and c.lacked(self.values)):
                sums.append(c)
        scored = {t.column for c in sums for t in c.terms if t.scores}
        for c in among.values():
            if c.column not in scored:
                to = self.category(c)
                if to is None:
                    return None
                changed += to
        choices = [self.choice(column, among.get(column)) for column in sorted(scored)]
        moved = self.by_sums(sums, ranges, choices) if sums else self.by_ranges(ranges)
        if moved is None:
            return None
        share = None if self.model.classes is None else node.sure
        return Change(tuple(changed + moved), plain(node.prediction), share, node.number, node.rows, node.weight)

    def category(self, c: Among) -> list[Changed] | None:
        """What has to change about a category: nothing, or one thing; None where it may not."""
        own, values = self.values[c.column], self.model.schema.columns[c.column].values
        if own in c.values or (c.others and own not in values):
            return []
        to = self.usual.commonest(c.column, [v for v in c.values if v is not None])
        if to is None or c.column in self.limits.fixed:
            return None
        return [Changed(c.column, c.name, own, to, FAR * self.limits.costs.get(c.column, 1.0), c)]

    def choice(self, column: int, c: Among | None) -> Choice:
        """The categories of a column that sums count."""
        own, known = self.values[column], self.model.schema.columns[column].values
        stays = c is None or own in c.values or (c.others and own not in known)
        others = () if column in self.limits.fixed else known if c is None else c.values
        kept = tuple(v for v in others if v is not None and v != own)
        return Choice(column, own, kept, not stays, FAR * self.limits.costs.get(column, 1.0))

    def by_ranges(self, ranges: Mapping[int, Range]) -> list[Changed] | None:
        """The row clipped to intervals."""
        changed = []
        for column, c in ranges.items():
            x = float(self.numbers[column])
            lacks = math.isnan(x)
            if c.missing if lacks else c.low < x <= c.high:
                continue
            if column in self.limits.fixed or c.only_missing:
                return None
            low, high = self.usual.inside(column, c.low, c.high)
            if not lacks:
                low, high = self.limits.bounds(column, x, low, high)
            if not low <= high:
                return None
            to = self.usual.middle(column, low, high) if lacks else min(max(x, low), high)
            changed.append(self.moved(column, to, c))
        return changed

    def moved(self, column: int, to: float, c: Range | None) -> Changed:
        """A number that changes."""
        x = float(self.numbers[column])
        far = FAR if math.isnan(x) else abs(to - x) / self.usual.spread(column, to - x)
        return Changed(
            column,
            self.usual.name(column),
            self.values[column],
            self.usual.given(column, to),
            far * self.limits.costs.get(column, 1.0),
            c,
            self.usual.whole(column),
            moment=self.model.schema.columns[column].moment,
        )

    def by_sums(self, sums: list[Sum], ranges: Mapping[int, Range], choices: list[Choice]) -> list[Changed] | None:
        """The nearest point where sums of columns are bounded, too."""
        if any(c.must and not c.others for c in choices):
            return None
        columns = sorted((summed(sums) | set(ranges)) - {c.column for c in choices})
        taken = [(c, v) for c in choices for v in c.others]  # behind the columns
        bounds = np.zeros((2, len(columns)))
        for i, column in enumerate(columns):
            x, c = float(self.numbers[column]), ranges.get(column)
            if math.isnan(x):  # it stays missing
                if (c is not None and not c.missing) or any(column in s.columns and not s.gaps_at_center for s in sums):
                    return None
                continue
            ends = (c.low, c.high) if c is not None else (-math.inf, math.inf)
            low, high = self.limits.bounds(column, x, *self.usual.inside(column, *ends, bounded=True))
            if c is None or c.low < x <= c.high:
                low, high = min(low, x), max(high, x)  # it may stay, however unusual it is
            if column in self.limits.fixed:
                low, high = max(low, x), min(high, x)
            if not low <= high:
                return None
            bounds[:, i] = low, high
        at = self.numbers[columns]
        of = [self.usual.spread(c, 0.0) for c in columns]
        prices = [self.limits.costs.get(c, 1.0) for c in columns]
        whole = np.array([self.usual.whole(c) for c in columns])
        problem = Problem(sums, columns, at, bounds[0], bounds[1], np.array(of), np.array(prices), whole, choices)

        def right(point: npt.NDArray[np.float64]) -> bool:
            row = list(self.values)
            for i in np.flatnonzero(point[: len(at)] != at).tolist():
                row[columns[i]] = (
                    row[columns[i]] if math.isnan(at[i]) else self.usual.given(columns[i], point[i].item())
                )
            for (c, v), there in zip(taken, point[len(at) :], strict=True):
                row[c.column] = v if there else row[c.column]
            return all(s.centered[0] < s.position(row) <= s.centered[1] for s in sums)

        to = nearest(problem, right)
        if to is None:
            return None
        chosen = [c for c, there in zip(taken, to[len(at) :], strict=True) if there]
        swaps = [Changed(c.column, self.usual.name(c.column), c.own, v, c.price) for c, v in chosen]
        return swaps + [
            self.moved(column, float(to[i]), ranges.get(column) if column not in summed(sums) else None)
            for i, column in enumerate(columns)
            if not math.isnan(at[i]) and to[i] != at[i]
        ]


def summed(sums: list[Sum]) -> set[int]:
    return {c for s in sums for c in s.columns}
