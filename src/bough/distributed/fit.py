"""One fit of a table in parts: a first look at all of them, then all rows to one place, or growth from counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..errors import ParameterError
from ..estimators.advice import ids_in, needs_units, tell_of_units, warn
from ..estimators.criterion import AUTO, criterion_for
from ..estimators.data import Floats, Target
from ..estimators.fitting import attributes_of, parameters_of, seeded, threads_of
from ..estimators.forest import BaseForest
from ..estimators.hyperplanes import long_fit
from ..estimators.plan import plan_of, smoothing_of
from ..estimators.regressor import TreeRegressor, offset_for
from ..model.metadata import check_listed
from ..model.printed import Printed, joined, printed
from ..model.smoothing import HIERARCHICAL
from ..tables.frame import read_like
from ..tables.schema import Schema
from . import forests, priors
from .engine import Engine, Part, Rows, together
from .growth import Growth, nothing
from .look import Reading, TableFacts, look, odd_one, table_of, weights_or_zero
from .portions import Setup

MOST_BINS = 1024  # of a numeric column
MOST_COUNTS = 8192  # bins times classes, of a column of a node
SAMPLE = 32  # numbers that are looked at for each bin
MOVES_PER_THREAD = 16  # at least so many nodes are moved to a thread: it holds the rows of one at a time twice
FEW_ROWS = 50_000  # a table, or a node, of so many rows is always grown in one place
BYTES_PER_NUMBER = 32  # of a worker that grows from rows: the number, its copies, its place in a sorted list


@dataclass(frozen=True)
class Sizes:
    """What a plan asks of data: how much there is of it."""

    n_rows: int  # that weigh something
    schema: Schema
    weight: float
    target: Target
    weighing: None = None


class Job:
    """One fit."""

    def __init__(self, engine: Engine, estimator: Any, move_rows: int | None, progress: Any = None) -> None:
        self.engine, self.estimator, self.move_rows, self.progress = engine, estimator, move_rows, progress
        self.params = parameters_of(estimator)
        self.params["smoothing"] = smoothing_of(self.params)

    def fitted(self) -> dict[str, Any]:
        """The attributes of the fitted estimator."""
        engine = self.engine
        how = Reading(
            self.params["categorical_features"],
            self.params["ordinal_features"],
            isinstance(self.estimator, TreeRegressor),
            SAMPLE * MOST_BINS // max(1, len(engine.sizes)) + 1,
        )
        facts = engine.each(look, how)
        kept = [i for i, f in enumerate(facts) if f.n_rows]
        table = table_of([facts[i] for i in kept])
        engine.keep(kept, [facts[i].n_rows for i in kept])
        room = int(engine.memory() // 2 // (BYTES_PER_NUMBER * max(1, len(table.schema))))  # rows of a tree
        few = min(room, max(FEW_ROWS, table.n_rows // (MOVES_PER_THREAD * len(engine.slots()))))
        if self.move_rows is not None:
            room = few = self.move_rows
        if table.n_rows <= (room if isinstance(self.estimator, BaseForest) else few):
            return self._in_one_place(table, room, "")
        return self._from_counts(table, room, few)

    # ---- all rows in one place ----------------------------------------------------------------------

    def _in_one_place(self, table: TableFacts, room: int, what: str) -> dict[str, Any]:
        if table.n_rows > room:
            given = self.move_rows is not None
            limit = f"move_rows={self.move_rows} allows no more" if given else f"one worker has room for {room:,}"
            out = "Leave out move_rows" if given else "Give workers more memory"
            raise ParameterError(
                f"{what} needs the rows of a node in one place, and the table has {table.n_rows:,} rows where {limit}. "
                f"{out}, or choose what grows from counts: see the docs of bough.dask."
            )
        columns = sum(not n for n in table.schema.n_values().tolist())
        if text := long_fit(self.params["split"], self.params["split_params"] or {}, table.n_rows, columns):
            warn(text)
        if isinstance(self.estimator, BaseForest):
            unseeded = self.params["random_state"] is None
            begun = forests.shared_out(self.engine, self.estimator, seeded(self.params), unseeded)
        else:
            begun = self.engine.alone(fit_whole, self.estimator)
        attributes = self.engine.result(begun)
        if self.progress:
            self.progress.finish({"model_": attributes["model_"]})
        return {**attributes, "exchanged_": {"levels": [], "moved": 0}}

    # ---- counts -------------------------------------------------------------------------------------

    def _from_counts(self, table: TableFacts, room: int, few: int) -> dict[str, Any]:
        if self.params["smoothing"] == HIERARCHICAL:
            raise ParameterError(
                "smoothing='hierarchical' chooses its strength from rows that one worker holds; give it, as "
                "smoothing={'hierarchical': 10}."
            )
        target, per_class, weights, some = self._target_of(table)
        counted = not some  # every row weighs 1
        alter = priors.weights_in_splits(self.engine, target, per_class)
        if alter is not None:
            per_class = [*per_class, alter]
            some = weights_of_rows(table.some, per_class)
        if target.classes is not None:
            check_listed(table.schema, target.classes, target.stakes.costs)
        if isinstance(self.params["criterion"], str) and self.params["criterion"] == AUTO:
            self.params["criterion"] = criterion_for(self.params, target.n_classes)
        seed = seeded(self.params)
        rows = int(table.rows.sum())
        sizes = Sizes(rows, table.schema, float(weights.sum()) if some else float(rows), target)
        threads = threads_of(self.params["n_jobs"])
        plan = plan_of(self.params, sizes, seed=seed, threads=threads)  # type: ignore[arg-type]
        forest = isinstance(self.estimator, BaseForest)
        circumstances = (
            not all(c.nominal for c in table.schema.columns),
            forest,
            target.stakes.in_splits is not None,
            target.stakes.costs is not None and target.stakes.splits == "pairs",
            max((abs(y - target.offset) for y in table.ends), default=1.0),
            some,
        )
        why = _core.why_in_one_place(plan, *circumstances)
        if why:
            return self._in_one_place(table, room, why)
        for name in ids_in(table.schema, rows):
            warn(f"Column {name!r} has a different value in more than half of its {rows:,} rows; it looks like an id.")
        k = 0 if table.classes is None else len(table.classes)
        n_values = table.schema.n_values().tolist()
        most_bins = max(16, min(MOST_BINS, MOST_COUNTS // max(1, k)))
        setup = Setup(
            self.engine.token,
            table.schema,
            table.classes,
            target.offset,
            per_class,
            bool(some),
            _core.layout(plan, n_values, table.numbers, k, most_bins),
            plan._replace(prune=(), threads=1, target_offset=target.offset),
        )
        weight = float((weights if alter is None else weights * alter).sum())

        def driver_of(its: Setup) -> _core.Driver:
            return _core.Driver(its.plan, its.layout, some, weight, few, forest)

        progress = self.progress.update if self.progress else nothing
        more: dict[str, Any] = {}
        if forest:
            draws, seeds = forests.check(self.params, table), forests.seeds_for(self.params, seed)
            grown = list(forests.trees(self.engine, setup, draws, seeds, driver_of, progress))
            more = {"n_outputs_": 1, "_seeds": seeds, "_draws": [draws] * len(seeds)}
        else:
            growth = Growth(self.engine, setup, driver_of(setup))
            if circumstances[0] and plan.split.name != "axis":
                growth.step()  # which finds the moments of the columns
                driver = growth.driver
                why = _core.why_in_one_place(plan, *circumstances, driver.magnitudes)
                if why:
                    return self._in_one_place(table, room, why)
                if needs_units(self.params):
                    spreads = [0.0 if n else s for n, s in zip(n_values, driver.spreads, strict=True)]
                    tell_of_units(self.params, table.schema, np.array(spreads))
            grown = [(growth.tree(progress), growth.exchanged)]
        trees = [t for t, _ in grown]
        if alter is not None:
            trees = [priors.own_weights(t, alter, counted) for t in trees]
        for part in plan.prune:
            trees = [t.prune(part.name, part.params, plan.criterion, target.stakes.for_core) for t in trees]
        out = {} if forest else {"printed": self._printed(trees[0], table.schema)}
        found = attributes_of(self.estimator, self.params, sizes, tuple(trees), self.progress, out)  # type: ignore[arg-type]
        levels = [level for _, e in grown for level in e.levels]
        moved = sum(e.moved for _, e in grown)
        return {**found, **more, "exchanged_": {"levels": levels, "moved": moved}}

    def _printed(self, tree: _core.Tree, schema: Schema) -> Printed:
        """How the numbers of the tree are printed: the margins of all rows are those of its parts joined."""
        parts = (tree.n_columns, tree.n_classes, tree.parts())
        return printed(tree, joined(tree, self.engine.each(margins_of, schema, parts)))

    def _target_of(self, table: TableFacts) -> tuple[Target, list[Floats], Floats, list[float]]:
        """Classes and stakes; weights of the classes, what all rows of each class weigh, some weights of rows."""
        if table.classes is None:
            return Target(offset=offset_for(self.params["criterion"], *table.ends)), [], table.weights, table.some
        classes = np.asarray(table.classes)
        labels, target = self.estimator._target_of(classes, len(classes))
        per_class = self.estimator._class_weights(labels, target)  # a dict: one for each class
        if per_class is None:
            per_class = np.ones(len(classes))
        elif isinstance(self.estimator.class_weight, str):
            per_class = table.all_rows.sum() / (len(classes) * table.all_rows)
        if not per_class.all():
            raise ParameterError("class_weight of a class is 0; leave its rows out of X before the fit.")
        own = [] if (per_class == 1).all() else [per_class]
        weights, some = table.weights * per_class, weights_of_rows(table.some, own) if own else table.some
        if some and self.estimator.priors is not None:
            weights = priors.weights_of_classes(self.engine, classes, own)
        return self.estimator._with_priors(target, weights), own, weights, some


def weights_of_rows(given: list[float], per_class: list[Floats]) -> list[float]:
    """Some weights of rows, see `look.Facts`, where those of a class weigh so much more."""
    ends = given[:2] or [1.0, 1.0]
    times = np.prod(per_class, axis=0)
    odd = odd_one(np.concatenate([times, *per_class, given[2:]]))  # a product of thirds may look whole
    return [float(ends[0] * times.min()), float(ends[1] * times.max()), *odd]


def margins_of(parts: list[Part], schema: Schema, tree: Any) -> Any:
    """What rows that weigh something leave open at the cuts of a tree."""
    rows = together([part.rows() for part in parts])
    weights = weights_or_zero(rows.weights, len(rows.table))
    listed = None if weights is None or weights.all() else np.flatnonzero(weights).astype(np.uint32)
    return forests.tree_of(*tree).margins(read_like(rows.table, schema, False), listed)


def fit_whole(rows: Rows, estimator: Any, stop: Any) -> dict[str, Any]:
    """The fit of one machine, of all rows."""
    found: dict[str, Any] = estimator._grown(rows.table, rows.y, rows.weights, stop)
    return found
