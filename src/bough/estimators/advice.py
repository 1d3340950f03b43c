"""Warnings, given once, about tables on which a tree may go wrong: columns that are ids, and units that differ."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..registry import find
from ..tables.schema import Schema
from .data import Data
from .functions import Own, plugin_name

FEWEST_ROWS = 20  # of fewer, every other column of texts has mostly different values
MOST_DISTINCT = 0.5  # values per row; a column with more of them is hardly more than a list of names
MOST_APART = 100.0  # times that one column's spread may be another's before units decide
# Families of directions that find the same splits whatever the units are.
FREE_OF_UNITS = ("lda", "cart_lc", "elc")


def advise(params: Mapping[str, Any], data: Data) -> None:
    """Warns of columns that look like ids, and of units where a part depends on them and ``standardize`` is open."""
    schema = data.schema
    for name in ids_in(schema, data.n_rows):
        warn(
            f"Column {name!r} has a different value in more than half of its rows; it looks like an id, which says "
            "nothing about new rows. Drop it, or make it numeric if it is a measurement."
        )
    if needs_units(params):
        tell_of_units(params, schema, np.array(data.columns.spreads()))


def needs_units(params: Mapping[str, Any]) -> bool:
    """Does a part depend on units, and ``standardize`` says nothing about them?"""
    by, split = params["criterion"], params["split"]
    known = usual_unit_bound if type(by) is type(split) is str else unit_bound
    return params["standardize"] is None and known(by, split) is not None


def tell_of_units(params: Mapping[str, Any], schema: Schema, spreads: npt.NDArray[np.float64]) -> None:
    """Warns where units decide; ``spreads`` of the columns, 0 where there is none."""
    part = unit_bound(params["criterion"], params["split"])
    known = np.flatnonzero(spreads > 0)
    if len(known) < 2:
        return
    least, most = known[spreads[known].argmin()], known[spreads[known].argmax()]
    if spreads[most] > MOST_APART * spreads[least]:
        wide, narrow = (schema.columns[int(i)].name for i in (most, least))
        warn(
            f"{part} depends on units, and the columns' spreads differ {spreads[most] / spreads[least]:,.0f}-fold "
            f"({wide!r}: {spreads[most]:.3g}, {narrow!r}: {spreads[least]:.3g}). Pass standardize=True to measure "
            "every column in standard deviations, or standardize=False to keep the units."
        )


def ids_in(schema: Schema, n_rows: int) -> list[str]:
    """Nominal columns of which most rows have a value of their own."""
    if schema.numbered or n_rows < FEWEST_ROWS:
        return []
    most = MOST_DISTINCT * n_rows
    # a categorical type may list more values than there are rows: what it lists says nothing of them
    return [c.name for c in schema.columns if c.nominal and most < len(c.values) <= n_rows + 1]


def unit_bound(criterion: Any, split: Any) -> str | None:
    """The part of a plan whose splits change with the units of columns, in words."""
    if find("criterion", plugin_name(criterion)).traits["projection"]:
        return f"criterion={criterion!r}"
    if isinstance(split, Own) or not find("split", split).traits["needs_moments"] or split in FREE_OF_UNITS:
        return None
    return f"split={split!r}"


usual_unit_bound = lru_cache(maxsize=256)(unit_bound)


OTHERS = ("sklearn", "joblib")  # libraries that fit many times, and forget which warnings were shown
said: set[tuple[str, str, int]] = set()  # by way of these: text, file and line


def warn(text: str) -> None:
    """Warns where the user's own code calls; of many fits in a cross-validation or a search, once."""
    level, frame, by_others = 1, sys._getframe(), False
    while frame.f_back is not None:
        library = frame.f_globals.get("__name__", "").partition(".")[0]
        if library != "bough" and library not in OTHERS:
            break
        level, frame, by_others = level + 1, frame.f_back, by_others or library in OTHERS
    place = (text, frame.f_code.co_filename, frame.f_lineno)
    if by_others and place in said:
        return
    if by_others:
        said.add(place)
    warnings.warn(text, UserWarning, stacklevel=level)
