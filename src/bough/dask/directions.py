"""Directions of nodes, from sums over their rows. Sums are rounded, so they are added in the order of the partitions:
the same partitions give the same file, whatever the workers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from .. import _core
from ..estimators.data import Floats
from . import worker
from .cluster import Cluster
from .collection import Piece


def moments_of(cluster: Cluster, setup: worker.Setup, numbers: list[Floats]) -> worker.Moments:
    """Means, spreads and centers of the columns of all rows; ``numbers``: some of each column."""
    origins = [float(x.mean()) if len(x) and np.isfinite(x.mean()) else 0.0 for x in numbers]
    added, most = cluster.added(cluster.singly("moments", column_sums, origins), add)
    return _core.moments_of_sums(origins, worker.aligned(added), worker.aligned(most))


def aims_of(cluster: Cluster, grower: _core.PooledGrower, moments: worker.Moments) -> tuple[worker.Aims, int]:
    """The directions of the nodes that are asked for, and the bytes that were sent for them."""
    nodes, means, centers = grower.asked(), grower.centers(), moments[3]
    parts = cluster.singly("sums", sums, nodes, means, centers, grower.steps())
    added, ends, *some = cluster.added(parts, add)
    grower.summed(worker.aligned(added), worker.aligned(ends), [worker.aligned(s) for s in some])
    sent = (added.nbytes + ends.nbytes) * len(parts) + sum(s.nbytes for s in some)
    products = None
    if grower.n_products:
        about = grower.about()
        parts = cluster.singly("scatter", scatter, nodes, means, centers, *about, grower.of_each_group)
        (products,) = cluster.added(parts, add)
        sent += products.nbytes * len(parts)
    grower.scattered(None if products is None else worker.aligned(products))
    return worker.Aims(cluster.calls, nodes, pickle.dumps(grower.along())), sent


# ---- tasks ----------------------------------------------------------------------------------------------


def column_sums(piece: list[Piece], which: list[int], setup: worker.Setup, history: list[bytes], origins: Any) -> Any:
    """What a partition adds to the moments of the columns."""
    return next(portion.column_sums(origins) for _, portion in worker.portions(piece, which, setup, history))


def sums(
    piece: list[Piece],
    which: list[int],
    setup: worker.Setup,
    history: list[bytes],
    nodes: list[int],
    means: list[float],
    centers: list[float],
    steps: list[int],
) -> Any:
    """Sums over the numbers of nodes in a partition, their ends, and some rows of each node."""
    for _, portion in worker.portions(piece, which, setup, history):
        added, ends, some = portion.sums(nodes, means, centers, steps)
    return added, ends, *some


def scatter(
    piece: list[Piece],
    which: list[int],
    setup: worker.Setup,
    history: list[bytes],
    nodes: list[int],
    means: list[float],
    centers: list[float],
    about: Floats,
    missing: Floats,
    each: bool,
) -> Any:
    """Sums over the products of the numbers of nodes in a partition."""
    points = worker.aligned(about), worker.aligned(missing)
    for _, portion in worker.portions(piece, which, setup, history):
        products = portion.scatter(nodes, means, centers, *points, each)
    return (products,)


def add(parts: list[Any]) -> Any:
    """What partitions tell, in their order: the first of it is summed up, of the second the largest counts, and the
    rest is put side by side."""
    first = parts[0][0].copy()
    for p in parts[1:]:
        first += p[0]
    if len(parts[0]) == 1:
        return (first,)
    some = zip(*(p[2:] for p in parts), strict=True)
    return first, np.max([p[1] for p in parts], axis=0), *map(np.concatenate, some)
