"""What else a node could have asked: the gain of the best split of each column by itself, and of the split it has."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import BoughError
from ..registry import plugins
from ..tables.schema import Column, Schema
from .data import Data, Target
from .partitions import partition
from .plan import plan_of

if TYPE_CHECKING:
    from ..model.model import Model

MOST_COLUMNS = 60  # of wide tables the first ones are tried
Array = npt.NDArray[Any]


class Stumps:
    """Stumps over rows of a table, by the criterion of a model."""

    def __init__(self, model: Model, columns: list[Array], classes: Array | None, numbers: Array | None) -> None:
        from .classifier import TreeClassifier
        from .regressor import TreeRegressor, target_of

        kind = TreeClassifier if numbers is None else TreeRegressor
        traits = plugins()["criterion"][model.criterion].traits
        multiway = traits["multiway"] and not traits["ordered"]
        chosen: dict[str, Any] = {"criterion": model.criterion, "missing": model.missing, "max_depth": 1}
        if traits["function"]:  # which the model does not keep
            chosen["criterion"] = "gini"
        chosen["criterion_params"] = model.criterion_params or None
        self.params = kind(**chosen, selector_params={"min_ratio": 0}).get_params()
        self.params_of_split = {**self.params, "nominal": "multiway" if multiway else "auto"}
        self.schema = model.schema
        if numbers is None:
            assert classes is not None
            self.target = Target(codes=classes.astype(np.uint32), classes=model.classes, stakes=model.stakes)
        else:
            self.target = target_of(numbers, model.criterion)
        self.columns, self.n_rows = columns, len(columns[0])
        shown = list(enumerate(model.schema.columns))[:MOST_COLUMNS]
        self.tables = [(i, self.data_of(c, columns[i], len(c.values))) for i, c in shown]

    def data_of(self, column: Column, cells: Array, n_values: int) -> Data:
        table = _core.Columns()
        if column.nominal:
            table.add_nominal(self.codes_of(cells), max(n_values, 1))
        else:
            numbers = np.ascontiguousarray(cells, dtype=np.float64)
            table.add_numeric(np.where(numbers == len(column.values), np.nan, numbers) if column.ordinal else numbers)
        return Data(table, Schema((column,), named=True), self.target, None)

    def codes_of(self, cells: Array) -> npt.NDArray[np.int32]:
        """A value that training did not see counts as the first, unless it counts as missing."""
        least = 0 if self.params["missing"] == "either" else -1
        return np.maximum(cells, least).astype(np.int32)

    def best(self, rows: Array) -> list[tuple[int, float, str]]:
        """(column, gain, where it would be cut), the largest gain first."""
        found = []
        for i, data in self.tables:
            tree = self.grown(data, rows, self.params)
            if tree.n_nodes == 1:
                continue
            s = tree.split(0)
            column, cut = self.schema.columns[i], s["cut"]
            named = f"≤ {column.values[int(cut)]}" if column.ordinal and np.isfinite(cut) else f"≤ {cut:.4g}"
            where = "in groups" if column.nominal else "missing or not" if np.isinf(cut) else named
            found.append((i, float(tree.gains()[0]), where))
        return sorted(found, key=lambda f: (-f[1], f[0]))

    def of_division(self, rows: Array, child: Array, n_children: int) -> float | None:
        """The gain of a split, given by the child of each row."""
        codes = np.zeros(self.n_rows, np.int64)
        codes[rows] = child
        column = Column("child", "nominal", tuple(range(n_children)))
        tree = self.grown(self.data_of(column, codes, n_children), rows, self.params_of_split)
        return None if tree.n_nodes == 1 else float(tree.gains()[0])

    def bound(self, rows: Array, column: int, search: str | None) -> float | None:
        """No grouping of the values of a nominal column gains more on these rows; None where nothing proves it."""
        data = dict(self.tables).get(column)
        stakes = self.target.stakes
        weighed = stakes.scale is not None or (stakes.costs is not None and stakes.splits != "pairs")
        if data is None or weighed or not self.schema.columns[column].nominal:
            return None
        # of numbers: values in the order of their means, one of the cuts is the best grouping
        if self.target.codes is None or self.target.classes is None:
            if plugins()["criterion"][self.params["criterion"]].traits["ordered"]:
                return None  # no search proves one
            tree = self.grown(data, rows, {**self.params, "nominal": "exact"})
            return None if tree.n_nodes == 1 else float(tree.gains()[0])
        counts = np.zeros((len(self.schema.columns[column].values), len(self.target.classes)))
        np.add.at(counts, (np.maximum(self.columns[column][rows], 0), self.target.codes[rows]), 1)
        for name in dict.fromkeys((search or "auto", "auto")):
            with suppress(BoughError):
                found = partition(counts, name, self.params["criterion"], costs=stakes.costs).bound
                if found is not None:
                    return found
        return None

    def grown(self, data: Data, rows: Array, params: dict[str, Any]) -> _core.Tree:
        plan = plan_of(params, data, seed=0, threads=1)
        return _core.grow(data.for_core(), _core.Sample(rows.astype(np.uint32)), plan)
