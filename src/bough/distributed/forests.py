"""Forests: trees that are shared out to places which hold the table each, or, of a table that no place has room for, a
few trees at a time, level by level from counts, each from the rows that its seed draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from .. import _core
from ..errors import ParameterError
from ..estimators.fitting import parameters_of
from ..estimators.forest import drawn_rows, grown_trees, is_balanced_subsample, judge_of, seeds_of
from ..estimators.out_of_bag import Draws
from ..estimators.plan import flag, integer
from . import portions
from .engine import Engine, Rows
from .growth import Exchanged, Growth
from .look import TableFacts

AT_A_TIME = 4  # trees: others have work of one while the driver thinks about another


def check(params: dict[str, Any], table: TableFacts) -> Draws:
    """How rows are drawn; what a forest from counts cannot do is refused."""
    bootstrap = flag("bootstrap", params["bootstrap"])
    n_rows = int(table.rows.sum())
    if judge_of(params["oob_score"], bootstrap, False) is not None:
        raise ParameterError("oob_score needs all rows in one place, which no worker has room for; set it to False.")
    if is_balanced_subsample(params):
        raise ParameterError("class_weight='balanced_subsample' needs all rows in one place; 'balanced' does not.")
    if n_rows < table.n_rows:
        raise ParameterError(
            f"{table.n_rows - n_rows:,} rows weigh nothing, which a forest of a table of this size cannot leave out; "
            "filter them first."
        )
    return Draws(n_rows, None, drawn_rows(params["max_samples"], bootstrap, n_rows))


def trees(
    engine: Engine,
    setup: portions.Setup,
    draws: Draws,
    seeds: list[int],
    driver_of: Callable[[portions.Setup], _core.Driver],
    progress: Callable[[float], None],
) -> Iterator[tuple[_core.Tree, Exchanged]]:
    """The trees of a forest, and what they took."""
    starts = np.concatenate([[0], np.cumsum(engine.sizes)]).astype(int).tolist()
    twins = [engine.twin(str(t)) for t in range(len(seeds))]

    def grow(t: int) -> tuple[_core.Tree, Exchanged]:
        own = twins[t]
        draw = portions.Draw(setup.fit, seeds[t], draws.size, draws.n_rows, starts)
        its = setup._replace(fit=own.token, draw=draw, plan=setup.plan._replace(seed=seeds[t]))
        growth = Growth(own, its, driver_of(its))
        tree = growth.tree()
        own.end()
        return tree, growth.exchanged

    pool = ThreadPoolExecutor(AT_A_TIME, "bough-tree")
    try:
        for t, grown in enumerate(pool.map(grow, range(len(seeds)))):
            progress((t + 1) / len(seeds))
            yield grown
    finally:  # also where one of them failed, or the user has had enough
        pool.shutdown(wait=False, cancel_futures=True)
        for twin in twins:
            twin.end()
        pool.shutdown()


def seeds_for(params: dict[str, Any], seed: int) -> list[int]:
    return seeds_of(seed, integer("n_estimators", params["n_estimators"], 1, "a positive integer"))


# ---- all rows in one place -------------------------------------------------------------------------------


def shared_out(engine: Engine, estimator: Any, seed: int, unseeded: bool) -> Any:
    """Begins a forest whose trees are shared out; one place puts it together."""
    number = estimator.n_estimators
    seeds = seeds_of(seed, number) if isinstance(number, int) and number > 0 else []
    slots = engine.slots()
    shares = [seeds[s :: len(slots)] for s in range(len(slots))]
    grown = [
        engine.alone(grow_share, estimator, seed, own, at=at) for at, own in zip(slots, shares, strict=True) if own
    ]
    return engine.alone(fit_forest, estimator, seed, unseeded, grown, at=slots[0])


def seeded_twin(estimator: Any, seed: int) -> Any:
    from copy import copy

    twin = copy(estimator)
    twin.random_state = seed
    return twin


def grow_share(rows: Rows, estimator: Any, seed: int, seeds: list[int], stop: Any) -> list[Any]:
    """Some trees of a forest, as arrays."""
    twin = seeded_twin(estimator, seed)
    params = parameters_of(twin)
    data = twin._data_of(rows.table, rows.y, rows.weights)
    size = drawn_rows(params["max_samples"], flag("bootstrap", params["bootstrap"]), data.n_rows)
    return [(t.n_columns, t.n_classes, t.parts()) for t in grown_trees(params, data, seeds, size, stop)]


def fit_forest(rows: Rows, estimator: Any, seed: int, unseeded: bool, shares: list[list[Any]], stop: Any) -> Any:
    """A forest of trees that were grown elsewhere; a seed that nobody gave is not kept."""

    def given(params: dict[str, Any], data: Any, seeds: list[int], size: int, *how: Any) -> list[_core.Tree]:
        trees: list[Any] = [None] * len(seeds)
        for s, own in enumerate(shares):
            trees[s :: len(shares)] = [tree_of(*t) for t in own]
        return trees

    found: dict[str, Any] = seeded_twin(estimator, seed)._grown(rows.table, rows.y, rows.weights, stop, given)
    if unseeded:
        model = found["model_"]
        kept = {n: v for n, v in model.origin.parameters.items() if n != "random_state"}
        found["model_"] = replace(model, origin=model.origin._replace(parameters=kept))
    return found


def tree_of(n_columns: int, n_classes: int, parts: dict[str, Any]) -> _core.Tree:
    """A tree from its arrays, which came over a wire and may begin at any byte."""
    return _core.Tree.from_parts(
        n_columns, n_classes, {n: np.require(a, requirements=["C", "A"]) for n, a in parts.items()}
    )
