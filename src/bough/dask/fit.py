"""One fit on a cluster: a first look at all partitions, then either all rows to one worker, or growth from counts."""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _core
from ..errors import ParameterError
from ..estimators._base import attributes_of, parameters_of, seeded, threads_of
from ..estimators.advice import ids_in, needs_units, tell_of_units
from ..estimators.advice import tell as warn
from ..estimators.data import Floats, Target
from ..estimators.forest import BaseForest, grown_trees, seeds_of
from ..estimators.plan import plan_of, smoothing_of
from ..model.metadata import check_listed
from ..tables.schema import Schema
from . import directions, forests, growth, offset, priors, worker
from .cluster import Cluster
from .collection import Piece, Rows, pieces_of, together
from .extra import told_in_a_sentence
from .look import Reading, Whole, edges_of, look, odd_one, whole_of
from .plans import why_not

MOST_BINS = 1024  # of a numeric column
MOST_COUNTS = 8192  # bins times classes, of a column of a node
MOST_ALONG = 1 << 20  # bins times classes, of all directions of a node
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

    def __init__(self, client: Any, estimator: Any, regression: bool, move_rows: int | None, token: str) -> None:
        self.client, self.estimator, self.regression = client, estimator, regression
        self.move_rows, self.token = move_rows, token
        self.params = parameters_of(estimator)
        self.params["smoothing"] = smoothing_of(self.params.get("smoothing"))
        self.cluster = Cluster(client, token)

    def fitted(self, X: Any, y: Any, sample_weight: Any, progress: Any) -> dict[str, Any]:
        """The attributes of the fitted estimator."""
        pieces = pieces_of(X, y, sample_weight)
        try:
            with told_in_a_sentence(self.client):
                return self._fitted(pieces, progress)
        finally:
            self.cluster.end()

    def _fitted(self, given: list[Piece], progress: Any) -> dict[str, Any]:
        cluster = self.cluster
        cluster.load(given)
        how = Reading(
            self.params["categorical_features"],
            self.params["ordinal_features"],
            self.regression,
            SAMPLE * MOST_BINS // max(1, len(given)) + 1,
        )
        facts = cluster.gather([cluster.submit("look", look, rows, how) for rows in cluster.rows])
        kept = [i for i, f in enumerate(facts) if f.n_rows]
        cluster.keep(kept, [facts[i].n_rows for i in kept])
        table = whole_of([facts[i] for i in kept])
        room = self._room(table)
        few = min(room, max(FEW_ROWS, table.n_rows // (MOVES_PER_THREAD * sum(cluster.threads().values()))))
        if self.move_rows is not None:
            room = few = self.move_rows
        forest = isinstance(self.estimator, BaseForest)
        if table.n_rows <= (room if forest else few):
            return self._in_one_place(table, room, "", progress)
        return self._from_counts(table, room, few, progress)

    def _room(self, table: Whole) -> int:
        """Rows that a worker can grow a tree from."""
        return int(self.cluster.memory() // 2 // (BYTES_PER_NUMBER * max(1, len(table.schema))))

    # ---- all rows in one place ----------------------------------------------------------------------

    def _in_one_place(self, table: Whole, room: int, what: str, progress: Any) -> dict[str, Any]:
        if table.n_rows > room:
            raise ParameterError(
                f"{what} needs the rows of a node in one place, and the table has {table.n_rows:,} rows where one "
                f"worker has room for {room:,}. Give workers more memory, or choose what grows from counts: see "
                "the docs of bough.dask."
            )
        cluster = self.cluster
        if isinstance(self.estimator, BaseForest):
            return self._forest(progress)
        at = max(cluster.groups(), key=lambda g: sum(cluster.sizes[i] for i in g[1]))[0]
        future = cluster.submit("fit", fit_whole, cluster.rows, self.estimator, at=at)
        cluster.made.append(future)
        return self._back(cluster.gather(future), progress)

    def _back(self, attributes: dict[str, Any], progress: Any) -> dict[str, Any]:
        if progress:
            progress.finish({"model_": attributes["model_"]})
        return {**attributes, "exchanged_": {"levels": [], "moved": 0}}

    def _forest(self, progress: Any) -> dict[str, Any]:
        """Trees are shared out; each worker has the whole table, and the first of them puts the forest together."""
        cluster = self.cluster
        number = self.params["n_estimators"]
        untold = self.params["random_state"] is None
        seed = seeded(self.params)
        seeds = seeds_of(seed, number) if isinstance(number, int) and number > 0 else []
        threads = cluster.threads()
        slots = [at for at, n in threads.items() for _ in range(n)]
        shares = [seeds[s :: len(slots)] for s in range(len(slots))]
        grown = [
            cluster.submit("trees", grow_share, cluster.rows, self.estimator, seed, own, at=at)
            for at, own in zip(slots, shares, strict=True)
            if own
        ]
        future = cluster.submit(
            "forest", fit_forest, cluster.rows, self.estimator, seed, untold, grown, len(slots), at=slots[0]
        )
        cluster.made += [*grown, future]
        return self._back(cluster.gather(future), progress)

    # ---- counts -------------------------------------------------------------------------------------

    def _from_counts(self, table: Whole, room: int, few: int, progress: Any) -> dict[str, Any]:
        target, per_class, weights, some = self._target_of(table)
        whole = not some
        alter = priors.weights_in_splits(self.cluster, target, per_class)
        if alter is not None:
            per_class = [*per_class, alter]
            some = weights_of_rows(table.some, per_class)
        if target.classes is not None:
            check_listed(table.schema, target.classes, target.stakes.costs)
        seed = seeded(self.params)
        rows = int(table.rows.sum())
        sizes = Sizes(rows, table.schema, float(weights.sum()) if some else float(rows), target)
        threads = threads_of(self.params["n_jobs"])
        plan = plan_of(self.params, sizes, seed=seed, threads=threads)  # type: ignore[arg-type]
        apart = max((abs(y - target.offset) for y in table.ends[1:]), default=1.0)
        forest = isinstance(self.estimator, BaseForest)
        why = why_not(plan, table.schema, target.stakes, some, apart, forest)
        if why is not None:
            return self._in_one_place(table, room, why, progress)
        for name in ids_in(table.schema, rows):
            warn(
                f"Column {name!r} has a value of its own for more than half of its {rows:,} rows; it looks like an id."
            )
        k = len(table.classes) if table.classes is not None else 0
        most = max(16, min(MOST_BINS, MOST_COUNTS // max(1, k)))
        setup = worker.Setup(
            self.token,
            table.schema,
            table.classes,
            target.offset,
            per_class,
            bool(some),
            [
                np.empty(0) if c.nominal else edges_of(x, most)
                for c, x in zip(table.schema.columns, table.numbers, strict=True)
            ],
            table.schema.n_values().tolist(),
            plan._replace(prune=(), threads=1, target_offset=0.0),  # which is put back once, at the end
            along=along_of(plan.split.name, table.schema, k, most),
        )
        moments = None
        if setup.along[0]:
            self.cluster.share(setup)
            moments = directions.moments_of(self.cluster, setup, table.numbers)
            if any(m and not 2.0**-200 < m < 2.0**200 for m in moments[2]):
                why = f"split={plan.split.name!r} of very large or very small numbers"
                return self._in_one_place(table, room, why, progress)
            if needs_units(self.params):
                spreads = [0.0 if n else s for n, s in zip(setup.n_values, moments[1], strict=True)]
                tell_of_units(self.params, table.schema, np.array(spreads))
        told = progress.update if progress else growth.nothing
        sums = (table.rows.tolist(), (weights if alter is None else weights * alter).tolist(), some)
        more: dict[str, Any] = {}
        if forest:
            draws = forests.check(self.params, table)
            grown = list(
                forests.trees(self.cluster, setup, plan, draws, self.params, seed, some, sizes.weight, few, told)
            )
            seeds, trees = [g[0] for g in grown], [g[1] for g in grown]
            levels, moved = [level for g in grown for level in g[2]], sum(g[3] for g in grown)
            more = {"n_outputs_": 1, "_seeds": seeds, "_draws": draws}
        else:
            tree, levels, moved = growth.grow(self.cluster, setup, sums, few, told, moments)
            trees = [tree]
        if alter is not None:
            trees = [priors.own_weights(t, alter, whole) for t in trees]
        for part in plan.prune:
            trees = [t.prune(part.name, part.params, plan.criterion, target.stakes.for_core) for t in trees]
        found = attributes_of(self.estimator, self.params, sizes, tuple(trees), progress)  # type: ignore[arg-type]
        return {**found, **more, "exchanged_": {"levels": levels, "moved": moved}}

    def _target_of(self, table: Whole) -> tuple[Target, list[Floats], Floats, list[float]]:
        """Classes and stakes; weights of the classes, what all rows of each class weigh, some weights of rows."""
        if table.classes is None:
            return Target(offset=self._offset_of(table)), [], table.weights, table.some
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
            weights = priors.weights_of_classes(self.cluster, classes, own)
        return self.estimator._with_priors(target, weights), own, weights, some

    def _offset_of(self, table: Whole) -> float:
        """The mean of the numbers to be predicted, as one machine makes it."""
        cluster, first = self.cluster, table.ends[0]
        stretches = offset.stretches_of(cluster.sizes)
        own = [[s for s in stretches if s.partition == i] for i in range(len(cluster.rows))]
        told = [cluster.submit("sums", worker.sums, r, first, p) for r, p in zip(cluster.rows, own, strict=True)]
        answers = [a for part in cluster.gather(told) for a in part]
        mean = first + offset.mean_of(cluster.sizes, stretches, answers)
        return float(mean) if np.isfinite([y - mean for y in table.ends]).all() else 0.0


def weights_of_rows(given: list[float], per_class: list[Floats]) -> list[float]:
    """Some weights of rows, see `look.Facts`, where those of a class weigh so much more."""
    ends = given[:2] or [1.0, 1.0]
    times = np.prod(per_class, axis=0)
    odd = odd_one(np.concatenate([times, *per_class, given[2:]]))  # a product of thirds may look whole
    return [float(ends[0] * times.min()), float(ends[1] * times.max()), *odd]


def along_of(split: str, schema: Schema, n_classes: int, bins: int) -> tuple[int, int]:
    """How many directions a node has at most, and bins of each; none where columns are cut one by one."""
    d = sum(not c.nominal for c in schema.columns)
    most = _core.most_directions(split, n_classes, d) if d else 0
    return (most, max(16, min(bins, MOST_ALONG // (most * max(1, n_classes))))) if most else (0, 0)


# ---- tasks ----------------------------------------------------------------------------------------------


def fit_whole(pieces: list[Piece], estimator: Any) -> dict[str, Any]:
    """The fit of one machine, of all rows, on a worker."""
    rows = together(pieces)
    found: dict[str, Any] = estimator._grown(rows.table, rows.y, rows.weights, worker.Stop())
    return found


def grow_share(pieces: list[Piece], estimator: Any, seed: int, seeds: list[int]) -> list[Any]:
    """Some trees of a forest, as arrays."""
    trees: list[Any] = []

    def some(params: dict[str, Any], data: Any, given: list[int], size: int, progress: Any) -> list[Any]:
        trees.extend(grown_trees(params, data, seeds, size, progress))
        raise Enough

    with suppress(Enough):
        fit_seeded(together(pieces), estimator, seed, some)
    return [(t.n_columns, t.n_classes, t.parts()) for t in trees]


class Enough(Exception):
    """The trees that were wanted are there."""


def fit_forest(
    pieces: list[Piece], estimator: Any, seed: int, untold: bool, shares: list[list[Any]], slots: int
) -> dict[str, Any]:
    """A forest of trees that were grown elsewhere; a seed that nobody gave is not told."""

    def given(params: dict[str, Any], data: Any, seeds: list[int], size: int, progress: Any) -> list[Any]:
        trees: list[Any] = [None] * len(seeds)
        for s, own in enumerate(shares):
            trees[s::slots] = [worker.tree_of(*t) for t in own]
        return trees

    found = fit_seeded(together(pieces), estimator, seed, given)
    if untold:
        model = found["model_"]
        told = {n: v for n, v in model.origin.parameters.items() if n != "random_state"}
        found["model_"] = replace(model, origin=model.origin._replace(parameters=told))
    return found


def fit_seeded(rows: Rows, estimator: Any, seed: int, grow_trees: Any) -> dict[str, Any]:
    """What a fit of one machine finds if its trees are grown by another function."""
    twin = copy(estimator)
    twin.random_state = seed
    twin.__dict__["_grow_trees"] = grow_trees
    found: dict[str, Any] = twin._grown(rows.table, rows.y, rows.weights, worker.Stop())
    return found
