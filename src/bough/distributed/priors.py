"""Priors and altered costs of a table in parts: what rows of each class weigh where splits are chosen. Sums of that are
rounded, so that they go row by row along the partitions, as one machine adds them (see cpp/grow/grow.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..estimators.data import Floats, Target
from . import portions
from .engine import Engine, Part


def weights_of_classes(engine: Engine, classes: npt.NDArray[Any], per_class: list[Floats]) -> Floats:
    """What all rows of each class weigh."""
    found: Floats = engine.together("in turn", weigh, sum, classes, per_class, np.ones(len(classes)))[0][:-2]
    return found


def weights_in_splits(engine: Engine, target: Target, per_class: list[Floats]) -> Floats | None:
    """What rows of a class weigh more where splits are chosen, by priors and altered costs (see cpp/data/stakes.hpp);
    all rows weigh what they do. None: nothing."""
    alter = target.stakes.in_splits
    if alter is None:
        return None
    if not alter.any():
        alter = np.ones_like(alter)
    alter = np.maximum(alter, 2.0**-40 * alter.max())
    *_, before, after = engine.together("in turn", weigh, sum, target.classes, per_class, alter)[0]
    return np.asarray(alter * (before / after))


def weigh(
    parts: list[Part], classes: npt.NDArray[Any], per_class: list[Floats], alter: Floats, before: Floats | None
) -> Floats:
    """Goes on with what the rows of each class weigh, and all rows, and what these weigh in splits."""
    k = len(classes)
    state = np.zeros(k + 2) if before is None else np.array(before)
    for part in parts:
        rows = part.rows()
        codes = portions.codes_of(rows, classes)
        weights = portions.weights_in(rows, codes, per_class)
        for at, more in ((codes, weights), (k, weights), (k + 1, weights * alter[codes])):
            np.add.at(state, np.broadcast_to(at, codes.shape), more)  # one after the other
    return state


def own_weights(tree: _core.Tree, alter: Floats, counted: bool) -> _core.Tree:
    """The tree with leaves that know the rows' own weights, which are whole numbers if rows weigh 1."""
    parts = tree.parts()
    listed = parts.get("leaf_classes", np.empty(0))
    found = parts["leaf_weights"]
    found = found / (alter[listed] if len(listed) else np.tile(alter, len(found) // len(alter)))
    near = np.round(found)
    parts["leaf_weights"] = np.where(counted & (np.abs(found - near) < 1e-9 * (1 + found)), near, found)
    return _core.Tree.from_parts(tree.n_columns, tree.n_classes, parts)
