"""Forests of tables that no worker has room for: a few trees at a time, level by level from counts, each from the rows
that its seed draws. A worker finds out by itself which of its rows those are; all trees share its bins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .. import _core
from ..errors import ParameterError
from ..estimators.forest import drawn_rows, is_balanced_subsample, judge_of, seeds_of
from ..estimators.out_of_bag import Draws
from ..estimators.plan import Plan, flag, whole
from . import growth, worker
from .cluster import Cluster
from .look import Whole

AT_A_TIME = 4  # trees: workers have work of one while the driver thinks about another


def check(params: dict[str, Any], table: Whole) -> Draws:
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
    cluster: Cluster,
    setup: worker.Setup,
    plan: Plan,
    draws: Draws,
    params: dict[str, Any],
    seed: int,
    some: list[float],
    weight: float,
    few: int,
    told: Callable[[float], None],
) -> Iterator[tuple[int, _core.Tree, list[growth.Level], int]]:
    """The trees of a forest with their seeds, what they took, and the bytes of rows that were moved for them."""
    number = whole("n_estimators", params["n_estimators"], 1, "a whole number of at least 1")
    starts = np.concatenate([[0], np.cumsum(cluster.sizes)]).astype(int).tolist()
    seeds = seeds_of(seed, number)
    twins = [cluster.twin(str(t)) for t in range(number)]

    def grow(t: int) -> tuple[_core.Tree, list[growth.Level], int]:
        own = twins[t]
        draw = worker.Draw(setup.fit, seeds[t], draws.size, draws.n_rows, starts)
        its = setup._replace(fit=own.token, draw=draw, plan=setup.plan._replace(seed=seeds[t]))
        own.share(its)
        rows, weights = np.sum([own.gather(f) for _, f in own.each("tally", worker.tally)], axis=0)
        limit = plan.min_weight_leaf * float(weights.sum()) / weight if plan.min_weight_leaf > 0 else 0.0
        its = its._replace(plan=its.plan._replace(min_weight_leaf=limit))
        grown = growth.grow(own, its, (rows.tolist(), weights.tolist(), some), few, growth.nothing)
        own.end()
        return grown

    pool = ThreadPoolExecutor(AT_A_TIME, "bough-tree")
    try:
        for t, grown in enumerate(pool.map(grow, range(number))):
            told((t + 1) / number)
            yield seeds[t], *grown
    finally:  # also where one of them failed, or the user has had enough
        pool.shutdown(wait=False, cancel_futures=True)
        for twin in twins:
            twin.end()
        pool.shutdown()
