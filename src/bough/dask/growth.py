"""The driver's loop: level by level counts are added up, a few bins are looked into, splits are made and sent with
the next call; then nodes of few rows are moved, each to one worker that grows what is below them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from . import directions, worker
from .cluster import Cluster

MOST_NUMBERS = 1 << 18  # rows in bins that the driver looks into at a time, but for a single node with more


@dataclass
class Level:
    """What one level took: nodes that were split by counts, and bytes that travelled."""

    nodes: int
    counts: int = 0
    numbers: int = 0


def nothing(share: float) -> None:
    """Tells nobody how far a tree is."""


def grow(
    cluster: Cluster,
    setup: worker.Setup,
    sums: tuple[list[float], list[float], list[float]],
    few: int,
    told: Callable[[float], None],
    moments: worker.Moments | None = None,
) -> tuple[_core.Tree, list[Level], int]:
    """The tree, what its levels took, and the bytes of rows that were moved. ``sums``: rows and weights of each class,
    or of all, some weights of rows; ``moments`` of the columns where splits are along directions."""
    plan = setup.plan._replace(target_offset=setup.offset)
    grower = _core.PooledGrower(plan, setup.n_values, setup.edges, *sums, few, setup.along, moments)
    cluster.share(setup)
    # Along directions sums are rounded, and so are added in the order of the partitions.
    each = cluster.singly if moments is not None and setup.n_sums else cluster.each
    levels: list[Level] = []
    all_rows = sum(sums[0])
    waiting: list[tuple[int, int, int, int]] = []
    while not grower.done:
        if grower.unmeasured():
            measure(cluster, setup, grower)
            continue
        level, aims = tabulate(cluster, setup, grower, each, moments)
        for bins in pieces_of(grower.wanted(), MOST_NUMBERS):
            level.numbers += look_into(cluster, grower, each, bins, aims)
        steps = grower.settle()
        if steps:
            cluster.sends_on(steps)
        levels.append(level)
        waiting += grower.take_moved()
        told(1 - (grower.open_rows + sum(rows for *_, rows in waiting)) / all_rows)
    waiting += grower.take_moved()
    moved = sum(rows for *_, rows in waiting)
    done = 0
    for nodes, trees in subtrees(cluster, batches(waiting, few), grower.weight, moments):
        for (node, *_, rows), parts in zip(nodes, trees, strict=True):
            grower.graft(node, worker.tree_of(len(setup.n_values), setup.n_classes, parts))
            done += rows
        told(1 - (moved - done) / all_rows)
    bytes_of_row = sum(4 if n else 8 for n in setup.n_values)
    bytes_of_row += (8 if setup.classes is None else 4) + (8 if setup.weighted else 0)
    return grower.finish(), levels, moved * bytes_of_row


Each = Callable[..., list[tuple[str, Any]]]


def tabulate(
    cluster: Cluster, setup: worker.Setup, grower: _core.PooledGrower, each: Each, moments: worker.Moments | None
) -> tuple[Level, worker.Aims | None]:
    """Counts of the nodes that are asked for, with the directions along which that is done."""
    asked = grower.asked()
    aims, sent = (None, 0) if moments is None else directions.aims_of(cluster, grower, moments)
    parts = each("count", worker.count, asked, grower.centers(), aims)
    counts, *rest = cluster.added(parts)
    counts = worker.aligned(counts)
    more, ends = (None if a is None else worker.aligned(a) for a in rest)
    grower.counted(counts, more, setup.size, ends)
    return Level(len(asked), sent + sum(a.nbytes for a in (counts, more, ends) if a is not None) * len(parts)), aims


def pieces_of(bins: Any, most: int) -> Iterator[Any]:
    """Bins of nodes that hold about so many rows together, so that the driver holds no more numbers; those of a node
    stay together."""
    nodes, rows = bins[0], bins[-1].astype(np.int64)
    first = 0
    for last in [*(np.flatnonzero(nodes[1:] != nodes[:-1]) + 1).tolist(), len(nodes)]:
        if last > first and (rows[first:last].sum() >= most or last == len(nodes)):
            yield tuple(a[first:last] for a in bins)
            first = last


def look_into(cluster: Cluster, grower: _core.PooledGrower, each: Each, bins: Any, aims: worker.Aims | None) -> int:
    """Finds the numbers in some bins; the bytes that it took."""
    found = cluster.gather([f for _, f in each("find", worker.find, bins, aims)])
    sent = sum(a.nbytes for f in found if f is not None for a in f if a is not None)
    grower.found(worker.beside(found))
    return sent


def measure(cluster: Cluster, setup: worker.Setup, grower: _core.PooledGrower) -> None:
    """Means and spreads of new nodes, or class weights, row by row: rows are sent on everywhere at once, then sums go
    along the partitions, for spreads a second time."""
    nodes = grower.unmeasured()
    arrived = cluster.each("arrive", worker.arrive) if cluster.history else []
    state = cluster.along("measure", worker.measure, nodes)
    spreads = None
    if setup.classes is None:
        spreads = worker.aligned(cluster.along("spread", worker.spread, nodes, state))
    del arrived  # they were there to be done first
    grower.measured(worker.aligned(state), spreads)


def batches(waiting: list[tuple[int, int, int, int]], most: int) -> list[list[tuple[int, int, int, int]]]:
    """Nodes that are moved together, of so many rows; the largest first, so that workers end at the same time."""
    found: list[list[tuple[int, int, int, int]]] = []
    rows = most + 1
    for node in sorted(waiting, key=lambda n: (-n[3], n[0])):
        if rows + node[3] > most:
            found.append([])
            rows = 0
        found[-1].append(node)
        rows += node[3]
    return found


def subtrees(cluster: Cluster, work: list[Any], weight: float, moments: worker.Moments | None) -> Any:
    """Batches of nodes with the subtrees below them, as workers get them done: as many at a time as there are threads,
    so that only the rows of those are held twice."""
    from distributed import as_completed

    threads = cluster.threads()
    busy = dict.fromkeys(threads, 0)
    under_way: dict[str, tuple[str, Any]] = {}
    todo = list(reversed(work))

    def begin() -> Any:
        at = min(busy, key=lambda a: busy[a] / threads[a])
        busy[at] += 1
        nodes = todo.pop()
        taken = cluster.each("take", worker.take, [n[0] for n in nodes])
        rows = [f for _, f in taken]
        future = cluster.submit("grow", worker.grow, rows, cluster.setup, nodes, weight, moments, at=at)
        under_way[future.key] = (at, nodes)
        return future

    first = [begin() for _ in range(min(len(todo), sum(threads.values())))]
    running = as_completed(first)
    for future in running:
        trees = cluster.gather(future)
        at, nodes = under_way.pop(future.key)
        busy[at] -= 1
        if todo:
            running.add(begin())
        yield nodes, trees
