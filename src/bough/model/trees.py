"""Several trees in one file: each array holds those of all trees, one behind the other, and ``tree_nodes`` tells how
many nodes each tree has. All other lengths follow from the kinds of the nodes. A model of one tree is written without
all this.

Of classes a leaf of a large tree has few, so their weights may be listed instead: ``leaf_counts`` tells how many
classes a leaf has, ``leaf_classes`` which, ``leaf_weights`` what they weigh. Trees of many classes always do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import ModelFileError
from .file import MANY_CLASSES, NUMBER, PARTS, smallest, tree_of

MOST_TREES = 1_000_000

Arrays = Mapping[str, npt.NDArray[Any]]
AXIS, LINEAR, SUBSET, MULTIWAY = range(1, 5)
SHARED, SURROGATE = 1, 2
STOP = 2**32 - 1  # among ``others``: rows with another value end at the node

# Which kinds of nodes have an entry in an array.
OF_KINDS = {
    "gains": (AXIS, LINEAR, SUBSET, MULTIWAY),
    "columns": (AXIS, SUBSET, MULTIWAY),
    "cuts": (AXIS, LINEAR),
    "missing": (AXIS, LINEAR),
    "term_counts": (LINEAR,),
    "value_counts": (SUBSET, MULTIWAY),
    "others": (SUBSET, MULTIWAY),
}
# What a tree may have as a whole or not at all, and the bit of ``tree_parts`` that says so.
WHOLE = {"centers": 1, "spreads": 2, "log_p": 4, "inner_means": 8}


def arrays_of(trees: Sequence[_core.Tree]) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a file, in its order, each in its smallest form."""
    parts = [t.parts() for t in trees]
    has = np.array([sum(bit for name, bit in WHOLE.items() if p[name].size) for p in parts], dtype=np.uint8)
    found: dict[str, npt.NDArray[Any]] = {"tree_nodes": np.array([len(p["kinds"]) for p in parts], dtype=np.uint32)}
    if has.any():
        found["tree_parts"] = has
    if any(p["term_values"].size for p in parts):
        for p in parts:
            if not p["term_values"].size:
                p["term_values"] = np.full(len(p["term_columns"]), NUMBER, np.uint32)
    for name in PARTS:
        joined = np.concatenate([p.pop(name) for p in parts])
        if name == "leaf_weights" and 1 < trees[0].n_classes <= MANY_CLASSES:
            found |= shorter_leaves(joined, trees[0].n_classes)
        elif name not in found:
            found[name] = shortest(joined)
    return found


def shortest(a: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same numbers in the smallest type that holds them, a float32 too."""
    a = smallest(a)
    if a.dtype != np.float64:
        return a
    with np.errstate(over="ignore"):
        half = a.astype(np.float32)
    return half if np.array_equal(half, a, equal_nan=True) else a


def shorter_leaves(weights: npt.NDArray[np.float64], n_classes: int) -> dict[str, npt.NDArray[Any]]:
    """The class weights of leaves, all of them or those above 0, whichever takes less."""
    weights = weights + 0.0  # a stranger's −0.0 is 0 and takes no more room than that
    dense = shortest(weights)
    each = weights.reshape(-1, n_classes)
    here = each != 0
    lists = {
        "leaf_weights": each[here],
        "leaf_counts": here.sum(axis=1, dtype=np.uint32),
        "leaf_classes": np.nonzero(here)[1].astype(np.uint32),
    }
    listed = {name: shortest(a) for name, a in lists.items()}
    return listed if sum(a.nbytes for a in listed.values()) < dense.nbytes else {"leaf_weights": dense}


def trees_of(arrays: Arrays, n_classes: int, n_values: npt.NDArray[np.uint32]) -> tuple[_core.Tree, ...]:
    """The trees of a file, each of which keeps every rule."""
    nodes = arrays["tree_nodes"].astype(np.int64)
    if not 2 <= len(nodes) <= MOST_TREES:
        raise ModelFileError(f"the file has {len(nodes):,} trees")
    if not nodes.all() or nodes.sum() != len(arrays["kinds"]):
        raise ModelFileError("the nodes of the trees are not those of the file")
    listed = arrays["leaf_counts"].size > 0
    if listed and n_classes < 2:
        raise ModelFileError(f"leaves of {n_classes:,} classes cannot list theirs")
    trees = []
    for part in parted(arrays, nodes, n_classes, n_values, listed):
        if listed and n_classes <= MANY_CLASSES:
            part["leaf_weights"] = listed_weights(part, n_classes)
            part["leaf_counts"] = part["leaf_classes"] = np.empty(0, np.uint32)
        trees.append(tree_of(part, n_classes, n_values))
    return tuple(trees)


def parted(
    arrays: Arrays, nodes: npt.NDArray[np.int64], n_classes: int, n_values: npt.NDArray[np.uint32], listed: bool
) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """The arrays of each tree, as they lie in the file."""
    ends = np.cumsum(nodes)
    kinds = arrays["kinds"]

    n_columns = len(n_values)
    bounds = {"kinds": ends}
    for name, of in OF_KINDS.items():
        bounds[name] = up_to(np.isin(kinds, of), ends)
    check_length(arrays, "term_counts", bounds)
    check_length(arrays, "value_counts", bounds)
    bounds["term_columns"] = bounds["term_weights"] = up_to(arrays["term_counts"], bounds["term_counts"])
    bounds["term_values"] = bounds["term_columns"] * (len(arrays["term_values"]) > 0)
    bounds["values"] = up_to(arrays["value_counts"], bounds["value_counts"])
    two = np.isin(kinds[np.isin(kinds, OF_KINDS["value_counts"])], SUBSET)
    bounds["value_left"] = up_to(np.where(two, arrays["value_counts"], 0), bounds["value_counts"])
    has = arrays["tree_parts"] if arrays["tree_parts"].size else np.zeros(len(nodes), dtype=np.uint8)
    if len(has) != len(nodes) or (has > 15).any():
        raise ModelFileError("tree_parts does not tell what each tree has")
    for name, bit in WHOLE.items():
        sizes = {"log_p": nodes * n_columns, "inner_means": np.diff(bounds["gains"], prepend=0)}.get(name)
        sizes = np.full(len(nodes), n_columns) if sizes is None else sizes
        bounds[name] = np.cumsum(np.where(has & bit, sizes, 0), dtype=np.int64)
    bounds["inner_spreads"] = bounds["inner_means"]
    for name in ("missing", "others"):
        check_length(arrays, name, bounds)
    bounds |= bounds_of_missing(arrays, bounds["gains"], n_values)
    leaves = ends - bounds["gains"] + up_to(arrays["missing"] & 8, bounds["missing"]) // 8
    by_value = np.diff(up_to(arrays["others"] == STOP, bounds["others"]), prepend=0)
    if len(arrays["routing"]):  # of as many trees, or bounds_of_missing had refused it
        leaves = leaves + np.cumsum(np.where(arrays["routing"] == SURROGATE, by_value, 0))
    bounds |= {"leaf_rows": leaves, "leaf_counts": leaves * listed}
    check_length(arrays, "leaf_counts", bounds)
    own = up_to(arrays["leaf_counts"], bounds["leaf_counts"])
    bounds |= {"leaf_weights": own if listed else leaves * max(1, n_classes), "leaf_classes": own}
    bounds |= dict.fromkeys(("leaf_means", "leaf_spreads"), leaves * (n_classes == 0))  # no class has a mean
    bounds |= dict.fromkeys((n for n in PARTS if n.startswith("line_")), np.zeros_like(ends))  # of one tree only
    for name in bounds:
        check_length(arrays, name, bounds)
    for i in range(len(nodes)):
        yield {name: arrays[name][(end[i - 1] if i else 0) : end[i]] for name, end in bounds.items()}


def up_to(counts: npt.NDArray[Any], at: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Sums of the counts before each end."""
    sums = np.cumsum(counts, dtype=np.int64)
    return np.where(at > 0, sums[at - 1], 0) if len(sums) else np.zeros(len(at), dtype=np.int64)


def bounds_of_missing(
    arrays: Arrays, inner: npt.NDArray[np.int64], n_values: npt.NDArray[np.uint32]
) -> dict[str, npt.NDArray[np.int64]]:
    """Where the arrays of shared rows and of surrogates end for each tree; ``inner``: its inner nodes end."""
    n, sizes = len(inner), np.diff(inner, prepend=0)
    routing = arrays["routing"]
    if len(routing) not in (0, n):
        raise ModelFileError(f"array routing has {len(routing):,} entries, not {n:,}")
    mode = routing if len(routing) else np.zeros(n, dtype=np.uint8)
    bounds = {"routing": np.arange(1, n + 1) if len(routing) else np.zeros(n, dtype=np.int64)}
    bounds["inner_rows"] = np.cumsum(np.where(mode == SHARED, sizes, 0))
    bounds["surrogate_counts"] = np.cumsum(np.where(mode == SURROGATE, sizes, 0))
    check_length(arrays, "surrogate_counts", bounds)
    own = up_to(arrays["surrogate_counts"], bounds["surrogate_counts"])
    bounds |= dict.fromkeys(("surrogate_columns", "surrogate_agreements", "surrogate_adjusted"), own)
    check_length(arrays, "surrogate_columns", bounds)
    columns = arrays["surrogate_columns"].astype(np.int64)
    nominal = n_values[np.minimum(columns, len(n_values) - 1)] > 0  # a wrong column is reported later
    bounds["surrogate_cuts"] = bounds["surrogate_low_left"] = up_to(~nominal, own)
    bounds["surrogate_value_counts"] = up_to(nominal, own)
    check_length(arrays, "surrogate_value_counts", bounds)
    values = up_to(arrays["surrogate_value_counts"], bounds["surrogate_value_counts"])
    return bounds | dict.fromkeys(("surrogate_values", "surrogate_value_left"), values)


def check_length(arrays: Arrays, name: str, bounds: Mapping[str, npt.NDArray[np.int64]]) -> None:
    if len(arrays[name]) != bounds[name][-1]:
        raise ModelFileError(f"array {name} has {len(arrays[name]):,} entries, not {int(bounds[name][-1]):,}")


def listed_weights(part: Arrays, n_classes: int) -> npt.NDArray[np.float64]:
    """The weights of all classes in the leaves of a tree that lists those it has."""
    counts, classes = part["leaf_counts"].astype(np.int64), part["leaf_classes"]
    if (classes >= n_classes).any():
        raise ModelFileError("a leaf lists a class that the model does not have")
    weights = np.zeros((len(counts), n_classes))
    weights[np.repeat(np.arange(len(counts)), counts), classes] = part["leaf_weights"]
    return weights.ravel()
