"""What pruning would do to a tree: its error by number of leaves, as the weakest links are cut, one after the other."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...model.nodes import parts_of
from .measure import predicted
from .numbers import short

if TYPE_CHECKING:
    from ...model.nodes import Nodes
    from .measure import Given

MOST_WORK = 400_000  # nodes times levels; larger trees have no curve
MOST_POINTS = 60
Floats = npt.NDArray[np.float64]


def pruning_path(nodes: Nodes, given: Given | None) -> list[list[Any]] | None:
    """[leaves, training error, error on the rows of the report or None], whole tree first; None: too large a tree."""
    levels = max(nodes.depths) + 1
    if len(nodes) < 3 or len(nodes) * levels > MOST_WORK:
        return None
    risks = [training_risk(nodes)]
    seen = None if given is None else given_risk(nodes, given)
    if seen is not None:
        risks.append(seen)
    total = nodes[0].weight
    points = weakest_links(nodes, risks)
    if len(points) > MOST_POINTS:  # evenly over the logarithm of the leaves, as the plot is
        places = np.unique(np.geomspace(1, len(points), MOST_POINTS).astype(int)) - 1
        points = [points[-1 - i] for i in places[::-1]]
    power = 0.5 if nodes.losses.squares else 1.0  # the root of a mean square, or a share, or another mean loss
    return [
        [leaves, error(own / total, power), error(more[0] / given.n, power) if more and given else None]
        for leaves, own, *more in points
    ]


def error(risk: float, power: float) -> float | int | None:
    return short(max(0.0, risk) ** power, 4)


def training_risk(nodes: Nodes) -> Floats:
    """What each node would get wrong as a leaf: weight of other classes, or squared distance from its mean."""
    wrong: Floats = nodes.total_weights.copy()
    if nodes.classes is None:
        return wrong * nodes.impurities
    places, codes = np.arange(len(nodes)), codes_of(nodes)
    for part in parts_of(len(nodes), nodes.tree.n_classes):
        wrong[part] -= np.take_along_axis(nodes.weights_at(places[part]), codes[part, None], 1)[:, 0]
    return wrong


def codes_of(nodes: Nodes) -> npt.NDArray[np.int64]:
    """The number of the class that each node predicts."""
    assert nodes.classes is not None
    place = {c: k for k, c in enumerate(nodes.classes.tolist())}
    return np.array([place[a] for a in nodes.predictions.tolist()])


def given_risk(nodes: Nodes, g: Given) -> Floats | None:
    """The same of the rows of the report, if their targets are known."""
    out = np.zeros(len(nodes))
    if g.classes is not None:
        counts = np.zeros((len(nodes), len(nodes.classes)))  # type: ignore[arg-type]
        np.add.at(counts, (g.leaves, g.classes), 1)
        for i in range(len(nodes) - 1, 0, -1):
            counts[nodes.parents[i]] += counts[i]
        out[:] = counts.sum(axis=1) - counts[np.arange(len(nodes)), codes_of(nodes)]
        return out
    if g.numbers is None:
        return None
    for i, size in enumerate(nodes.sizes):
        rows = g.at(i, size)
        out[i] = nodes.losses.of(g.numbers[rows], predicted(nodes, g, i, rows)).sum()
    return out


def weakest_links(nodes: Nodes, risks: list[Floats]) -> list[tuple[float, ...]]:
    """Leaves and risks of the tree, and after each cut of the node whose subtree gains least for each of its leaves."""
    parents, kinds = nodes.parents, nodes.kinds
    leaves = [0 if k else 1 for k in kinds]
    below = [r.copy() for r in risks]
    for b in below:
        b[[i for i, k in enumerate(kinds) if k]] = 0
    for i in range(len(nodes) - 1, 0, -1):
        leaves[parents[i]] += leaves[i]
        for b in below:
            b[parents[i]] += b[i]
    gain = [(risks[0][i] - below[0][i]) / (leaves[i] - 1) if k else 0.0 for i, k in enumerate(kinds)]
    heap = [(gain[i], -i) for i, k in enumerate(kinds) if k]
    heapq.heapify(heap)
    gone = np.zeros(len(nodes), dtype=bool)
    points = [(leaves[0], *(float(b[0]) for b in below))]
    while heap:
        saving, i = heapq.heappop(heap)
        i = -i
        if gone[i] or saving != gain[i]:
            continue
        gone[i : i + nodes.sizes[i]] = True
        fewer, changes = leaves[i] - 1, [r[i] - b[i] for r, b in zip(risks, below, strict=True)]
        at = i
        while at >= 0:
            leaves[at] -= fewer
            for b, change in zip(below, changes, strict=True):
                b[at] += change
            if leaves[at] > 1:
                gain[at] = (risks[0][at] - below[0][at]) / (leaves[at] - 1)
                heapq.heappush(heap, (gain[at], -at))
            at = parents[at]
        points.append((leaves[0], *(float(b[0]) for b in below)))
    return points
