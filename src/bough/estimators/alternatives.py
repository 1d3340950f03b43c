"""Trees that are nearly as good as the best one."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from .. import _core
from ..errors import ParameterError, shown
from ..registry import is_number
from .data import Floats

MOST_NAMES = 12  # of columns in a line
MOST_TREES = 10_000


class Alternatives(Sequence[Any]):
    """Trees whose objective is nearly that of the best one, the best first: a sequence of fitted estimators.

    Of each choice of columns (which column at which node) there is the tree with the best cuts.

    Attributes
    ----------
    objectives : ndarray of shape (n_trees,)
        What each tree costs on the training rows.
    within : float
        How much larger their objective may be, as a share of the best one.
    complete : bool
        Whether the search for them came to its end; if so, and there are fewer than were asked for, these are all.
    occurs : dict of str to int
        In how many of the trees each column occurs.
    """

    def __init__(self, trees: Sequence[Any], objectives: Floats, within: float, complete: bool) -> None:
        self._trees, self.objectives, self.within, self.complete = tuple(trees), objectives, within, complete
        names = [c.name for c in trees[0].model_.schema.columns]
        used = [columns_of(tree) for tree in trees]
        self.occurs = {name: sum(i in u for u in used) for i, name in enumerate(names)}

    def __len__(self) -> int:
        return len(self._trees)

    @overload
    def __getitem__(self, i: int) -> Any: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, i: Any) -> Any:
        return self._trees[i]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._trees)

    @property
    def in_all(self) -> list[str]:
        """Columns that no tree does without."""
        return [name for name, n in self.occurs.items() if n == len(self)]

    @property
    def in_some(self) -> list[str]:
        """Columns that some trees use, those of most trees first."""
        some = {name: n for name, n in self.occurs.items() if 0 < n < len(self)}
        return sorted(some, key=lambda name: -some[name])

    @property
    def in_none(self) -> list[str]:
        """Columns that no tree uses."""
        return [name for name, n in self.occurs.items() if n == 0]

    def __repr__(self) -> str:
        n, low, high = len(self), self.objectives.min(), self.objectives.max()
        lines = [
            f"{n} tree{'' if n == 1 else 's'} of different columns, objective {low:.6g} to {high:.6g}"
            + ("" if self.complete else "; the search was cut off")
        ]
        for words, names in (("all", self.in_all), ("some", self.in_some), ("none", self.in_none)):
            if names:
                listed = [f"{c} ({self.occurs[c]})" if words == "some" else c for c in names[:MOST_NAMES]]
                more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
                lines.append(f"in {words}: {', '.join(listed)}{more}")
        return "\n".join(lines)


def columns_of(tree: Any) -> set[int]:
    """Columns that a tree of cuts and subsets asks."""
    nodes = tree.tree_
    return {int(c) for c in nodes.feature[nodes.kind != "leaf"]}


def check(within: Any, most: Any) -> None:
    """Refuses what is no share and no number of trees."""
    if not is_number(within) or not 0 <= within < math.inf:
        raise ParameterError(f"within is {shown(within)}; it must be a share of the objective of at least 0.")
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or not 1 <= most <= MOST_TREES:
        raise ParameterError(f"most is {shown(most)}; it must be an integer from 1 to {MOST_TREES:,}.")


def alike(
    tree: Any, found: Sequence[_core.Tree], digits: Sequence[Any], objectives: Floats, within: float, complete: bool
) -> Alternatives:
    """Estimators as ``tree``, with other trees and the digits that each is printed with."""
    out = []
    for other, printed in zip(found, digits, strict=True):
        one = copy.copy(tree)
        nothing = {"refinement": None, "pruning_table": None}
        one.model_ = dataclasses.replace(tree.model_, trees=(other,), printed=printed, **nothing)
        out.append(one)
    return Alternatives(out, objectives, within, complete)
