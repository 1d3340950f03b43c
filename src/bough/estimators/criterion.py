"""``criterion="auto"``: twoing for small trees of many classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ParameterError
from ..registry import find, is_whole
from .plan import check_pair, part_of

AUTO = "auto"
MOST_DEPTH = 6  # up to which a tree is small
MOST_LEAVES = 64


def criterion_for(p: Mapping[str, Any], n_classes: int) -> str:
    """The criterion that ``"auto"`` stands for: twoing where a small tree is to tell three or more classes apart and
    the split and the nominal search allow it, else Gini; of numbers, squared error.

    Gini takes the class that is easiest to part from the others, and then the next one: a tree of few levels never
    comes to the rest. Twoing parts the classes in two halves.
    """
    if n_classes == 0:
        return "squared_error"
    limits = (p["max_depth"], MOST_DEPTH), (p["max_leaf_nodes"], MOST_LEAVES)
    small = any(is_whole(given) and given <= most for given, most in limits)
    if n_classes < 3 or not small or p["selector"] == "average_gain" or p["costs"] is not None:
        return "gini"
    try:
        check_pair(find("criterion", "twoing"), part_of("nominal", p["nominal"]), False, part_of("split", p["split"]))
    except ParameterError:
        return "gini"
    return "twoing"
