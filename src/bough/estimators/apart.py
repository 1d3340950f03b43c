"""Rows held out for a pruner, and folds passed to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError, shown
from ..registry import is_number
from .data import Data


def must(name: str, value: Any, what: str) -> ParameterError:
    return ParameterError(f"{name} is {shown(value)}; it must be {what}.")


def folds_of(p: Mapping[str, Any], data: Data) -> tuple[Mapping[str, Any], npt.NDArray[np.uint32] | None]:
    """The parameters with a number of folds, and the fold of each row where one was named for each."""
    params = p["prune_params"]
    if not isinstance(params, Mapping) or p["prune"] != "cost_complexity_cv" or is_number(params.get("folds", 10)):
        return p, None
    given, n = params["folds"], data.columns.n_rows
    what = f"an integer of at least 2, or one integer for each of the {n} rows"
    try:
        numbers = np.asarray(given)
        whole = numbers.ndim == 1 and len(numbers) == n and numbers.dtype.kind in "iu"
    except Exception:  # whatever a foreign object raises
        whole = False
    if not whole:
        raise must("prune 'cost_complexity_cv': folds", given, what)
    kept = numbers if data.weighing is None else numbers[data.weighing]
    names, folds = np.unique(kept, return_inverse=True)
    if len(names) < 2:
        raise must("prune 'cost_complexity_cv': folds", given, "of at least two kinds, so that a part can be held out")
    return {**p, "prune_params": {k: v for k, v in params.items() if k != "folds"}}, folds.astype(np.uint32)


def kept_of(p: Mapping[str, Any], data: Data) -> tuple[Mapping[str, Any], npt.NDArray[np.uint32] | None]:
    """The parameters without the rows that reduced_error is to keep apart, and those rows."""
    params = p["prune_params"]
    if p["prune"] != "reduced_error" or not isinstance(params, Mapping) or "rows" not in params:
        return p, None
    given, n = params["rows"], data.columns.n_rows
    what = f"a flag for each of the {n} rows, or numbers of rows from 0 to {n - 1}; some, and not all"
    try:
        rows = np.asarray(given)
        apart = np.zeros(n, dtype=bool)
        fits = rows.ndim == 1 and (len(rows) == n if rows.dtype.kind == "b" else rows.dtype.kind in "iu")
        if fits and rows.dtype.kind != "b":
            fits = len(rows) > 0 and int(rows.min()) >= 0 and int(rows.max()) < n
        if fits:
            apart[rows] = True
    except Exception:  # whatever a foreign object raises
        fits = False
    if fits and data.weighing is not None:
        apart = apart[data.weighing]
    if not fits or not 0 < apart.sum() < len(apart):
        raise must("prune 'reduced_error': rows", given, what)
    rest = {k: v for k, v in params.items() if k != "rows"}
    return {**p, "prune_params": rest}, np.flatnonzero(apart).astype(np.uint32)
