"""An estimate of the memory that trees can take, before they take it."""

from __future__ import annotations

import os
import warnings

from ..model.file import MANY_CLASSES
from .plan import Plan

NODE, CLASS = 65, 12  # bytes of a node of a tree in memory, and of each class there


def most_bytes(plan: Plan, n_rows: int, n_classes: int, n_trees: int) -> int:
    """Of trees that are as large as the plan lets them be: a leaf for each row, if nothing limits them."""
    leaves = max(n_rows // max(plan.min_samples_leaf, 1), 1)
    if plan.max_leaf_nodes > 0:
        leaves = min(leaves, plan.max_leaf_nodes)
    if plan.max_depth < 60:
        leaves = min(leaves, 1 << plan.max_depth)
    of_classes = (2 * leaves - 1) * max(n_classes, 1)
    if n_classes > MANY_CLASSES:  # only those that are there are kept
        of_classes = min(of_classes, n_rows)
    return n_trees * ((2 * leaves - 1) * NODE + of_classes * CLASS)


def physical_bytes() -> int | None:
    """What the machine has; None where it does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def warn_of_memory(plan: Plan, n_rows: int, n_classes: int, n_trees: int) -> None:
    """Warns if the trees could be more than the machine has room for."""
    most, there = most_bytes(plan, n_rows, n_classes, n_trees), physical_bytes()
    if there is not None and most > there:
        warnings.warn(
            f"{n_trees:,} trees of {n_rows:,} rows can take up to {most / 2**30:.3g} GiB if nothing stops them early, "
            f"and this machine has {there / 2**30:.3g}. Limit them by max_leaf_nodes, max_depth, min_samples_leaf or "
            "max_samples, or grow fewer.",
            UserWarning,
            stacklevel=2,
        )
