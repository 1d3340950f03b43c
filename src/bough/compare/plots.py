"""Plots of a comparison, with matplotlib: dots with intervals, ranks, size against measure, a measure along a
parameter. Each draws on the axes that it is given, or on new ones, and returns them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from ..errors import ParameterError
from .extra import needs
from .ranks import Ranks

if TYPE_CHECKING:
    from .result import Comparison

COLOURS = ("#3d79c4", "#d9780c", "#2fa187", "#b0508c", "#8a6a3c", "#7b6fd0", "#b8a11f", "#8c929b")
MARKS = "osD^vP*X"


def colour(i: int) -> str:
    return COLOURS[i % len(COLOURS)]


def axes(ax: Any, width: float, height: float) -> Any:
    if ax is not None:
        return ax
    return needs("matplotlib.figure", "a plot").Figure(figsize=(width, height), layout="constrained").subplots()


def plain(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def half_width(values: np.ndarray, test_share: float = 0.0) -> float:
    """Half of the 95 % interval of a mean; folds that share training rows widen it (Nadeau and Bengio)."""
    n = len(values)
    if n < 2:
        return 0.0
    return float(stats.t.ppf(0.975, n - 1) * values.std(ddof=1) * np.sqrt(1 / n + test_share))


def dots(found: Comparison, data: str | None = None, measure: str | None = None, ax: Any = None) -> Any:
    """Each system's mean with its 95 % interval, every fold as a small dot beside it."""
    name, by = found.data_of(data), found.measure_of(measure)
    values = {s: v[~np.isnan(v)] for s, v in found.values(name, by.name).items()}
    ax = axes(ax, 6.4, 0.9 + 0.42 * len(values))
    share = found.test_share(name)
    rng = np.random.default_rng(0)
    for i, v in enumerate(values.values()):
        if not len(v):
            continue
        ax.scatter(v, i + 0.22 + rng.uniform(-0.08, 0.08, len(v)), s=9, color=colour(i), alpha=0.45, linewidths=0)
        ax.errorbar(v.mean(), i, xerr=half_width(v, share), fmt="o", color=colour(i), capsize=3, markersize=6)
    ax.set_yticks(range(len(values)), list(values))
    ax.set_ylim(len(values) - 0.5, -0.6)
    ax.set_xlabel(by.title)
    ax.set_title(f"{name}: mean and 95 % interval", loc="left")
    plain(ax)
    return ax


def critical_difference_diagram(ranks: Ranks, ax: Any = None) -> Any:
    """Average ranks on a line, the best to the left; bars join systems that Nemenyi's test cannot part."""
    order = sorted(ranks.systems, key=lambda s: ranks.average[s])
    groups = ranks.groups()
    rows = (len(order) + 1) // 2
    ax = axes(ax, 6.8, 1.5 + 0.26 * rows + 0.14 * len(groups))
    k = len(order)
    below = -0.35 * len(groups) - 0.5
    for i, s in enumerate(order):
        left = i < rows
        level = below - (i if left else k - 1 - i)
        x, end = ranks.average[s], (1 - 0.12 * (k - 1) if left else k + 0.12 * (k - 1))
        ax.plot([x, x, end], [0, level, level], color=colour(i), linewidth=1.2)
        text = f"{s}  {x:.2f}" if left else f"{x:.2f}  {s}"
        ax.text(end, level, f"{text} " if left else f" {text}", ha="right" if left else "left", va="center")
    for j, group in enumerate(groups):
        ends = ranks.average[group[0]] - 0.03, ranks.average[group[-1]] + 0.03
        ax.plot(ends, [-0.35 * (j + 1)] * 2, linewidth=4, color="#8c929b", solid_capstyle="round")
    ink = needs("matplotlib", "a plot").rcParams["text.color"]
    ax.plot([1, k], [0, 0], color=ink, linewidth=1)
    for r in range(1, k + 1):
        ax.plot([r, r], [0, 0.18], color=ink, linewidth=1)
        ax.text(r, 0.3, str(r), ha="center", va="bottom")
    cd = ranks.critical_difference
    ax.plot([1, 1 + cd], [1.5, 1.5], color=ink, linewidth=1.4, marker="|")
    ax.text(1, 1.75, f"critical difference {cd:.2f} at {ranks.alpha:g}", ha="left", va="bottom")
    room = 0.55 * (k - 1) + 0.5
    ax.set_xlim(1 - room, max(k, 1 + cd) + room)
    ax.set_ylim(below - rows, 2.6)
    ax.axis("off")
    return ax


def front(
    found: Comparison, data: str | None = None, measure: str | None = None, size: str = "leaves", ax: Any = None
) -> Any:
    """The measure against the size, with the Pareto front: systems that no other one beats in both."""
    name, by, along_x = found.data_of(data), found.measure_of(measure), found.measure_of(size)
    scores, sizes = found.values(name, by.name), found.values(name, along_x.name)
    points = {
        s: (float(np.nanmean(sizes[s])), float(np.nanmean(scores[s])))
        for s in found.systems
        if not (np.isnan(scores[s]).all() or np.isnan(sizes[s]).all())
    }
    if not points:
        raise ParameterError(f"no system has {along_x.title} and {by.title} on {name!r}.")
    ax = axes(ax, 6.4, 4.0)
    on_front = [points[s] for s in pareto(points, by.sign)]
    ax.step(*zip(*sorted(on_front), strict=True), where="post", color="#8c929b", linewidth=1, zorder=1)
    for i, (s, (x, y)) in enumerate(points.items()):
        full = (x, y) in on_front
        ax.scatter(x, y, s=46, color=colour(i), marker=MARKS[i % len(MARKS)], alpha=1.0 if full else 0.55, zorder=2)
        ax.annotate(s, (x, y), xytext=(7, 4), textcoords="offset points", fontsize="small")
    if min(x for x, _ in points.values()) > 0:
        ax.set_xscale("log")
        tick = needs("matplotlib.ticker", "a plot")
        ax.xaxis.set_major_formatter(tick.StrMethodFormatter("{x:g}"))
        ax.xaxis.set_minor_formatter(tick.LogFormatter(minor_thresholds=(2, 0.7)))
    ax.margins(x=0.16, y=0.12)
    ax.set_xlabel(along_x.title)
    ax.set_ylabel(by.title)
    ax.set_title(f"{name}: {by.title} against {along_x.title}; the line is the Pareto front", loc="left")
    plain(ax)
    return ax


def pareto(points: dict[str, tuple[float, float]], sign: float = 1.0) -> list[str]:
    """Systems that no other one equals or beats in both size and measure, and beats in one."""
    out = []
    for s, (x, y) in points.items():
        beaten = any(
            u <= x and sign * v >= sign * y and (u < x or sign * v > sign * y)
            for other, (u, v) in points.items()
            if other != s
        )
        if not beaten:
            out.append(s)
    return out


def along(
    found: Comparison, parameter: str, data: str | None = None, measure: str | None = None, ax: Any = None
) -> Any:
    """The measure along a parameter, a line with its 95 % band for all systems that differ in nothing else."""
    name, by = found.data_of(data), found.measure_of(measure)
    lines = found.lines(parameter)
    ax = axes(ax, 6.4, 4.0)
    values, share = found.values(name, by.name), found.test_share(name)
    numeric = all(isinstance(v, (int, float)) for line in lines.values() for v, _ in line)
    for i, (key, line) in enumerate(lines.items()):
        if numeric:
            line = sorted(line)
        x = [v if numeric else str(v) for v, _ in line]
        own = [values[s][~np.isnan(values[s])] for _, s in line]
        mean = np.array([v.mean() if len(v) else np.nan for v in own])
        half = np.array([half_width(v, share) for v in own])
        ax.plot(x, mean, marker="o", markersize=4, color=colour(i), label=key.partition("|")[0])
        ax.fill_between(x, mean - half, mean + half, color=colour(i), alpha=0.18, linewidth=0)
    ax.set_xlabel(parameter)
    ax.set_ylabel(by.title)
    ax.set_title(f"{name}: {by.title} along {parameter}, with 95 % bands", loc="left")
    ax.legend(frameon=False)
    plain(ax)
    return ax
