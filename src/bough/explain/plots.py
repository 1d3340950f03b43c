"""Contributions as pictures: bars, a waterfall for one row, a swarm of all rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import printable, whole_number
from ..output.plot import COLOURS, INK, REST, SOFT, pyplot
from ..output.words import number, value_text
from .contributions import Contributions

UP, DOWN = COLOURS[1], COLOURS[0]
LONGEST = 34  # characters of a label
DIGITS = 3
MOST_DOTS = 2000  # rows of a swarm that are drawn


def cut(text: str, most: int = LONGEST) -> str:
    """A text for a label: one line, no mark of matplotlib's own."""
    text = printable(text)
    text = text if len(text) <= most else f"{text[: most - 1]}…"
    return text.replace("\\", "\\\\").replace("$", r"\$") if "$" in text else text


def signed(x: float) -> str:
    return f"{'+' if x >= 0 else '−'}{number(abs(x), DIGITS)}"


def axes_of(ax: Any, bars: int, width: float = 6.0) -> Any:
    plt = pyplot(ax)
    if ax is None:
        _, ax = plt.subplots(figsize=(width, 0.34 * bars + 0.9), layout="constrained")
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(REST)
    ax.tick_params(axis="both", length=0, labelsize=8, labelcolor=INK)
    return ax


def what(c: Contributions) -> str:
    """What contributions are about."""
    return "the prediction" if c.chosen is None else f"the share of {cut(str(c.chosen))}"


def largest(sizes: npt.NDArray[Any], most: int) -> tuple[list[int], list[int]]:
    """The columns of the largest sizes, largest first, and the others; none is left over by itself."""
    order = np.argsort(-sizes, kind="stable").tolist()
    order = [i for i in order if sizes[i] > 0] or order[:1]
    n = len(order) if len(order) <= most else most - 1
    return order[:n], order[n:]


def bar(c: Contributions, most: int, ax: Any) -> Any:
    sizes = c.importances
    own, rest = largest(sizes, whole_number("most", most, 1))
    names, lengths = [cut(c.feature_names[i]) for i in own], [float(sizes[i]) for i in own]
    if rest:
        names.append(f"{len(rest)} other columns")
        lengths.append(float(sizes[rest].sum()))
    ax = axes_of(ax, len(names))
    at = np.arange(len(names))
    ax.barh(at, lengths, height=0.62, color=[DOWN] * len(own) + [REST] * bool(rest))
    for i, x in enumerate(lengths):
        ax.text(x, i, f" {number(x, DIGITS)}", va="center", fontsize=8, color=SOFT)
    ax.set_yticks(at, names)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.15 * max(lengths) or 1)
    ax.set_xlabel(f"mean |contribution| to {what(c)}", fontsize=8, color=SOFT)
    return ax


def waterfall(c: Contributions, most: int, ax: Any) -> Any:
    values, base = c.values[0], float(c.base_values[0])
    own, rest = largest(np.abs(values), whole_number("most", most, 1))
    steps = [(label(c, i), float(values[i])) for i in own]
    if rest:
        steps.append((f"{len(rest)} other columns", float(values[rest].sum())))
    ax = axes_of(ax, len(steps) + 2)
    reached = base
    ends = [base, base + float(values.sum())]
    for i, (_, step) in enumerate(steps, start=1):
        ax.barh(
            i,
            step,
            left=reached,
            height=0.62,
            color=UP if step >= 0 else DOWN,
            hatch=None if step >= 0 else "///",
            ec="white",
        )
        ax.plot([reached, reached], [i - 1.31 + 0.62, i + 0.31], color=REST, lw=0.7, zorder=0)
        reached += step
        ends.append(reached)
    low, high = min(ends), max(ends)
    room = (high - low) * 0.16 or 1.0
    place = base
    for i, (_, step) in enumerate(steps, start=1):
        right = max(place, place + step)
        place += step
        ax.text(right, i, f" {signed(step)}", va="center", fontsize=8, color=INK)
    for i, x in ((0, base), (len(steps) + 1, base + float(values.sum()))):
        ax.plot([x], [i], marker="o", ms=5, color=INK)
        ax.text(x, i, f"  {number(x, DIGITS)}", va="center", fontsize=8, color=INK, weight="bold")
    ax.plot([reached, reached], [len(steps) - 0.31, len(steps) + 1], color=REST, lw=0.7, zorder=0)
    names = ["mean prediction" if c.chosen is None else "mean share", *(name for name, _ in steps)]
    ax.set_yticks(range(len(steps) + 2), [*names, "this row"])
    ax.invert_yaxis()
    ax.set_xlim(low - room / 2, high + room)
    ax.set_xlabel(what(c), fontsize=8, color=SOFT)
    return ax


def label(c: Contributions, column: int) -> str:
    """A column with the value of the row."""
    value = c.data[0, column]
    if value is None or value != value:
        text = "missing"
    else:
        text = number(float(value), 6) if isinstance(value, (float, np.floating)) else value_text(value)
    return f"{cut(c.feature_names[column], 24)} = {cut(text, 14)}"


def beeswarm(c: Contributions, most: int, ax: Any) -> Any:
    own, _ = largest(c.importances, whole_number("most", most, 1))
    own = own[:most]
    ax = axes_of(ax, len(own) + 1)
    rows = np.arange(len(c)) if len(c) <= MOST_DOTS else np.linspace(0, len(c) - 1, MOST_DOTS).astype(int)
    values = c.values[rows]
    span = float(np.ptp(values)) or 1.0
    ax.axvline(0, color=REST, lw=0.7, zorder=0)
    painted = None
    for i, column in enumerate(own):
        x = values[:, column]
        height = spread_out(x, span)
        shade, known = shades(c.data[rows, column])
        ax.scatter(x[~known], i + height[~known], s=7, color=REST, lw=0)
        painted = ax.scatter(x[known], i + height[known], c=shade[known], cmap="viridis", vmin=0, vmax=1, s=7, lw=0)
    if painted is not None:
        bar = ax.figure.colorbar(painted, ax=ax, shrink=0.8, pad=0.02, aspect=30)
        bar.set_ticks([0, 1], labels=["low", "high"])
        bar.ax.tick_params(length=0, labelsize=8)
        bar.outline.set_visible(False)
        bar.set_label("value of the column (grey: categories, missing)", fontsize=7, color=SOFT)
    ax.set_yticks(range(len(own)), [cut(c.feature_names[i]) for i in own])
    ax.set_ylim(len(own) - 0.4, -0.6)
    ax.set_xlabel(f"contribution to {what(c)}", fontsize=8, color=SOFT)
    return ax


def spread_out(x: npt.NDArray[Any], span: float) -> npt.NDArray[np.float64]:
    """How far dots lie beside their line, so that those of one place lie beside each other."""
    place = np.round(x / span * 100).astype(int)
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=place[order][:1] - 1))
    counts = np.diff([*starts, len(x)])
    within = np.arange(len(x)) - np.repeat(starts, counts)
    side = np.where(within % 2 == 0, 1, -1) * ((within + 1) // 2)
    out = np.empty(len(x))
    out[order] = side * min(0.03, 0.8 / max(1, int(counts.max())))
    return out


def shades(cells: npt.NDArray[Any]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Numbers between the 5th and the 95th percentile as 0 to 1, and which of them are numbers."""
    numbers = np.full(len(cells), np.nan)
    for i, v in enumerate(cells.tolist()):
        if isinstance(v, (int, float)) and math.isfinite(v):
            numbers[i] = v
    known = ~np.isnan(numbers)
    if not known.any():
        return numbers, known
    low, high = np.percentile(numbers[known], [5, 95])
    if low == high:
        low, high = float(numbers[known].min()), float(numbers[known].max())
    return np.clip((numbers - low) / ((high - low) or 1.0), 0, 1), known
