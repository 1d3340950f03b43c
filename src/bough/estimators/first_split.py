"""``first_split``: what a tree has to ask first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import ParameterError, shown
from ..registry import find
from ..tables.asked import EXAMPLES, asked, place_of
from ..tables.schema import Schema

NOTHING = 2**32 - 1
MOST = 1_000  # splits
KEYS = ("condition", "left", "right")


class First(NamedTuple):
    """One of the splits, as the core takes it; without weights: any cut of the column."""

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    cut: float
    codes: tuple[int, ...] | None  # 1 for each category that goes left
    missing: int  # the child of categories that are not known
    left: int  # the number of the split at the left child, or NOTHING
    right: int
    text: str


def splits_of(given: Any, schema: Schema, max_depth: int | None) -> tuple[First, ...]:
    """The splits, the root's first."""
    found: list[First] = []
    waiting: list[tuple[Any, int, int, int]] = [(given, -1, 0, 1)]  # what, above it, which child, its level
    while waiting:
        what, above, side, level = waiting.pop()
        if max_depth is not None and level > max_depth:
            raise ParameterError(f"first_split has {level} levels and max_depth is {max_depth}; allow more depth.")
        if len(found) == MOST:
            raise ParameterError(f"first_split has more than {MOST} splits.")
        below: Mapping[str, Any] = {}
        if isinstance(what, Mapping) and "condition" in what:
            if not set(what) <= set(KEYS):
                unknown = next(k for k in what if k not in KEYS)
                raise ParameterError(f"first_split has {shown(unknown)}; a dict takes 'condition', 'left' and 'right'.")
            below, what = what, what["condition"]
        elif isinstance(what, Mapping):
            raise ParameterError(
                f"first_split is {shown(what)}; pass {{'condition': ('age', '<=', 18), 'left': 'income'}}."
            )
        one, holds_left = first_of(what, schema)
        number = len(found)
        if above >= 0:
            one_above = found[above]
            found[above] = one_above._replace(right=number) if side else one_above._replace(left=number)
        found.append(one)
        for key, child in (("right", 1), ("left", 0)):
            if below.get(key) is not None:
                waiting.append((below[key], number, child if holds_left else 1 - child, level + 1))
    return tuple(found)


def first_of(what: Any, schema: Schema) -> tuple[First, bool]:
    """One split, and whether rows of which its condition holds go to the left."""
    text = shown(what)
    if isinstance(what, str) or (isinstance(what, int) and not schema.named):
        place = place_of(what, schema, "first_split")
        return First((place,), (), 0.0, None, 0, NOTHING, NOTHING, text), True
    if isinstance(what, (str, bytes)) or not hasattr(what, "__len__") or len(what) != 3:
        raise ParameterError(f"first_split is {text}; it must be a column's name, or a condition such as {EXAMPLES}.")
    a = asked(what, schema, "first_split")
    if a.codes is None:
        order = sorted(range(len(a.columns)), key=a.columns.__getitem__)
        columns, weights = tuple(a.columns[i] for i in order), tuple(a.weights[i] for i in order)
        return First(columns, weights, a.cut, None, 0, NOTHING, NOTHING, text), a.first
    values = schema.columns[a.columns[0]].values
    left = tuple(int(code in a.codes) for code in range(len(values)))
    return First(a.columns, (1.0,), 0.0, left, 1, NOTHING, NOTHING, text), a.first


def check(splits: tuple[First, ...], schema: Schema, groups: tuple[tuple[int, ...], ...], p: Mapping[str, Any]) -> None:
    """Refuses what contradicts the other rules whatever the rows are."""
    if p.get("refine") is not None:
        raise ParameterError(f"first_split does not go with refine={p['refine']!r}, which moves every split.")
    if find("nominal", getattr(p["nominal"], "plugin", p["nominal"])).traits["multiway"]:
        for s in splits:
            if not s.weights and schema.columns[s.columns[0]].nominal and (s.left, s.right) != (NOTHING, NOTHING):
                raise ParameterError(
                    f"first_split: below {s.text} there is one child for each category (nominal={p['nominal']!r}), and "
                    "no left and right; write a condition."
                )
    paths: list[set[int]] = [set() for _ in splits]
    for number, s in enumerate(splits):
        paths[number] |= set(s.columns)
        if groups and not any(paths[number] <= set(g) for g in groups):
            names = ", ".join(schema.columns[c].name for c in sorted(paths[number]))
            raise ParameterError(
                f"first_split contradicts interaction_cst: no group has the columns {names} together, which meet at "
                f"{s.text}."
            )
        for child in (s.left, s.right):
            if child != NOTHING:
                paths[child] |= paths[number]
