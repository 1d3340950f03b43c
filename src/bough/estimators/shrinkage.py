"""How strongly ``smoothing="hierarchical"`` shrinks: the strength that predicts rows best which a tree has not seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import ParameterError
from ..model.losses import Losses
from ..model.nodes import Nodes
from ..model.smoothing import HIERARCHICAL, STRENGTHS
from ..registry import is_number
from .data import Data, Floats
from .functions import plugin_name

FOLDS = 5
LEAST = 1e-15  # probability that a wrong prediction is charged for


def folds_of(data: Data, rows: npt.NDArray[np.uint32], seed: int) -> npt.NDArray[np.intp]:
    """The part of each row: every part has its share of each class."""
    rng = np.random.default_rng(seed)
    keys: list[npt.NDArray[Any]] = [rng.permutation(len(rows))]
    if data.target.codes is not None:
        keys.append(data.target.codes[rows])
    parts = np.empty(len(rows), np.intp)
    parts[np.lexsort(keys)] = np.arange(len(rows)) % min(FOLDS, len(rows))
    return parts


def chosen_strength(params: Mapping[str, Any], data: Data, grow: Any, seed: int) -> float:
    """The strength of least log-loss, or least squared error, on rows held out; ``grow`` makes a tree of a sample."""
    given = params["prune_params"] or {}
    if "rows" in given or not is_number(given.get("folds", 10)):
        raise ParameterError(
            "smoothing='hierarchical' grows trees from parts of the rows, and prune_params names rows; give the "
            "strength, as smoothing={'hierarchical': 10}."
        )
    rows = np.arange(data.columns.n_rows, dtype=np.uint32) if data.weighing is None else data.weighing
    parts, losses = folds_of(data, rows, seed), np.zeros(len(STRENGTHS))
    for part in range(int(parts.max()) + 1):
        train, test = rows[parts != part], rows[parts == part]
        if len(train):
            losses += losses_of(grow(_core.Sample(train)), params, data, test)
    return STRENGTHS[int(np.argmin(losses))]


def losses_of(tree: _core.Tree, params: Mapping[str, Any], data: Data, test: npt.NDArray[np.uint32]) -> Floats:
    """What each strength costs on some rows."""
    target, weights = data.target, 1.0 if data.weights is None else data.weights[test]
    by = Losses(plugin_name(params["criterion"]), params["criterion_params"] or {})
    leaves, out = tree.apply(data.columns)[test].astype(np.int64), []
    for strength in STRENGTHS:
        nodes = Nodes(tree, data.schema, target.classes, by, target.stakes, {HIERARCHICAL: strength})
        if target.codes is None:
            assert target.numbers is not None
            errors = by.of(target.numbers[test] + target.offset, nodes.means[leaves])
        else:
            shares = nodes.shares_at(leaves)[np.arange(len(test)), target.codes[test]]
            errors = -np.log(np.maximum(shares, LEAST))
        out.append(float((weights * errors).sum()))
    return np.array(out)
