"""Chapter 4 as curves over the number of classes, chapter 5 as published against ours; dashed: published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from . import published
from .chapter4 import FOUR
from .chapter5 import TABLES
from .report import mean

COLOURS = dict(zip(FOUR, ("#1f539b", "#d9780c", "#2fa187", "#73305a"), strict=True))


def chapter4(result: dict[str, Any], folder: Path) -> None:
    """Tables 4.1 and 4.2: how often each search finds the least impurity."""
    sizes = sorted({row["n"] for row in result["gini"]})
    figure, places = plt.subplots(2, len(sizes), figsize=(3.4 * len(sizes), 5), sharex=True, squeeze=False)
    for line, criterion in zip(places, ("gini", "entropy"), strict=True):
        for place, n in zip(line, sizes, strict=True):
            rows = [row for row in result[criterion] if row["n"] == n]
            classes = [row["k"] for row in rows]
            for i, name in enumerate(FOUR):
                place.plot(classes, [r["hits"][i] for r in rows], color=COLOURS[name], lw=1.4, label=name)
                known = [published.HITS[criterion][n, k][i] for k in classes]
                place.plot(classes, known, color=COLOURS[name], lw=1, ls="--")
            place.set_title(f"{criterion}, {n} values", fontsize=9)
            place.set_xticks(classes)
    places[0, 0].legend(fontsize=7)
    figure.supxlabel("classes", fontsize=9)
    figure.supylabel("least of the four, % of tables", fontsize=9)
    save(figure, folder / "chapter4.png")


def chapter5(result: dict[str, Any], folder: Path) -> None:
    """A point for each figure of a table; on the line where ours is the published one."""
    names = [t for t in TABLES if t in result["tables"]]
    columns = 5
    lines = -(-len(names) // columns)
    figure, places = plt.subplots(lines, columns, figsize=(2.7 * columns, 2.7 * lines), squeeze=False)
    for place in places.flat[len(names) :]:
        place.axis("off")
    for place, number in zip(places.flat, names, strict=False):
        known = published.accuracy(number)
        pairs = [
            (known[name][m][0], mean(cell["accuracy"]))
            for name, cells in result["tables"][number].items()
            for m, cell in cells.items()
            if known[name][m][0] is not None
        ]
        ends = [min(min(p) for p in pairs), max(max(p) for p in pairs)]
        place.plot(ends, ends, color="grey", lw=0.8)
        place.plot(*zip(*pairs, strict=True), "o", ms=3, color="#1f539b", alpha=0.6)
        place.set_title(f"Table {number}", fontsize=9)
        place.tick_params(labelsize=7)
    figure.supxlabel("published accuracy, %", fontsize=9)
    figure.supylabel("ours", fontsize=9)
    save(figure, folder / "chapter5.png")


def save(figure: plt.Figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=60, metadata={"Software": None})
    plt.close(figure)
