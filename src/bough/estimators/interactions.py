"""``interaction_cst``: groups of columns that may meet on a path from the root to a leaf."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from ..errors import ParameterError, shown
from ..tables.asked import place_of
from ..tables.schema import Schema

WORDS = ("pairwise", "no_interactions")
WHAT = "'pairwise', 'no_interactions' or a list of groups of columns, such as [['age', 'income'], ['job']]"


def groups_of(given: Any, schema: Schema) -> tuple[tuple[int, ...], ...]:
    """The groups, by places of columns; () if all columns may meet. Columns that no group names are one more group, as
    in scikit-learn's histogram boosting."""
    n = len(schema)
    if isinstance(given, str):
        if given not in WORDS:
            raise ParameterError(f"interaction_cst is {shown(given)}; it must be {WHAT}.")
        size = 2 if given == "pairwise" else 1
        return () if n <= size else tuple(combinations(range(n), size))
    if isinstance(given, (bytes, Mapping)) or not isinstance(given, Iterable):
        raise ParameterError(f"interaction_cst is {shown(given)}; it must be {WHAT}.")
    groups = {tuple(sorted(group_of(group, schema))) for group in given}
    rest = tuple(sorted(set(range(n)).difference(*groups)))
    if rest:
        groups.add(rest)
    largest = [g for g in groups if not any(set(g) < set(other) for other in groups)]
    return () if len(largest) < 2 else tuple(sorted(largest))


def group_of(given: Any, schema: Schema) -> set[int]:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        what = shown(given)
        raise ParameterError(f"interaction_cst has {what} where a group of columns belongs; pass [{what}].")
    group = {place(column, schema) for column in given}
    if not group:
        raise ParameterError("interaction_cst has a group without columns; leave it out.")
    return group


def place(column: Any, schema: Schema) -> int:
    """Columns may be named by place also where they have names, as in scikit-learn."""
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool) and 0 <= column < len(schema):
        return int(column)
    return place_of(column, schema, "interaction_cst")


def why_not(p: Mapping[str, Any]) -> str | None:
    """What keeps a tree from asking only columns that may meet, or None."""
    if p["missing"] == "surrogate":
        return "missing='surrogate', which asks other columns where a value is missing; take 'either' or 'shared'"
    if p.get("refine") is not None:
        return f"refine={p['refine']!r}, which chooses columns by all rows"
    return None
