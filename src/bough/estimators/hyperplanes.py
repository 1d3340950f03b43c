"""What the exact search for hyperplanes (``split="elc"``) costs, said before a fit that would hardly end."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .data import Data
from .plan import Plan

# Seconds of one set of r columns by bounds are FACTORS[r]·rows^(r/2): measured on two classes without any signal, where
# bounds help least (rows from 250 to 32,000 for r = 2, to 4,000 for 3, to 1,000 for 4, to 80 for 5; beyond, a guess).
FACTORS = {1: 1e-7, 2: 1e-5, 3: 2e-6, 4: 2e-6, 5: 1e-4, 6: 1e-3, 7: 1e-2, 8: 1e-1}
SECONDS_OF_A_ROW = 2e-9  # to say on which side of a hyperplane it is
HOPELESS = 600.0  # seconds of the first node from which on a fit is warned of
LIMITS = ("max_seconds", "max_fit_seconds", "max_planes")
UNITS = ((365.25 * 86400, "years"), (86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"))


@dataclass(frozen=True)
class Cost:
    """Of the first node: sets of columns, hyperplanes, and seconds on one core."""

    sets: int
    planes: int
    brute_force: float
    bounds: float

    @classmethod
    def of(cls, rows: int, columns: int, r: int) -> Cost:
        r = max(1, min(r, columns))
        sets, of_rows = math.comb(columns, r), math.comb(rows, r)
        brute = float(min(sets * of_rows * rows, 10**300)) * SECONDS_OF_A_ROW
        return cls(sets, sets * of_rows, brute, min(brute, sets * FACTORS[r] * rows ** (r / 2)))


def hopeless(plan: Plan, data: Data) -> str | None:
    """A warning where the first node alone may take longer than anybody waits."""
    given = plan.split.params
    if plan.split.name != "elc" or any(given.get(name) for name in LIMITS):
        return None
    spread = data.columns.spreads()
    columns = sum(s > 0 for s, c in zip(spread, data.schema.columns, strict=True) if not c.nominal)
    if columns == 0:
        return None
    r = int(given.get("r", 2))
    cost = Cost.of(data.n_rows, min(columns, plan.max_features or columns), r)
    seconds = cost.bounds / plan.threads
    if seconds < HOPELESS:
        return None
    return (
        f"split='elc' with r={r} searches {cost.sets:,} sets of columns at the first node, {cost.planes:.1e} "
        f"hyperplanes. Where classes are hard to separate that may take {spoken(seconds)} (by brute force "
        f"{spoken(cost.brute_force / plan.threads)}). Pass split_params={{'r': {r}, 'max_seconds': 1}}, a smaller r, "
        "max_planes, or max_features."
    )


def spoken(seconds: float) -> str:
    """A length of time, roughly."""
    for unit, word in UNITS:
        if seconds >= 2 * unit:
            return (
                f"about {float(f'{seconds / unit:.1g}'):,.0f} {word}"
                if seconds < 1e9 * unit
                else "over a billion years"
            )
    return f"about {seconds:,.0f} seconds"


# Seconds of one core for each cell of a node, measured on 20,000 to 40,000 rows of 10 and 20 columns; oc1: a restart.
SECONDS_OF_A_CELL = {"cart_lc": 4e-7, "hhcart_a": 2e-7, "oc1": 2e-7}
LONG = 60.0  # seconds of a level from which on a fit is announced


def long_fit(split: Any, given: Mapping[str, Any], rows: int, columns: int) -> str | None:
    """A warning of a fit whose every level takes minutes, for tables that one look cannot measure."""
    if split == "elc" and not any(given.get(name) for name in LIMITS):
        seconds, way_out = Cost.of(rows, columns, int(given.get("r", 2))).bounds, "'max_seconds': 1"
    elif split in SECONDS_OF_A_CELL:
        times = given.get("restarts", 20) if split == "oc1" else 1
        seconds, way_out = times * SECONDS_OF_A_CELL[split] * rows * columns, "'restarts': 2" if split == "oc1" else ""
    else:
        return None
    if seconds < LONG:
        return None
    less = f"split_params={{{way_out}}}, " if way_out else ""
    return (
        f"split={split!r} over {rows:,} rows and {columns:,} columns takes {spoken(seconds)} of one core per level of "
        f"a tree, and needs the rows in one place. Pass {less}a small max_depth, or a split that grows from counts, "
        "such as split='axis'."
    )
