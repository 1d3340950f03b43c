"""Figures 2–4: accuracy and leaves of every r against depth, one column for each data set; dashed: published."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from . import published
from .report import CRITERIA, TITLES, Result, cell, elc_run

COLOURS = {1: "#1f539b", 2: "#d9780c", 3: "#2fa187", 4: "#73305a"}
DEPTHS = (1, 2, 3, 4, 5)
FILES = dict(zip(CRITERIA, ("figure-2.png", "figure-3.png", "figure-4.png"), strict=True))


def figure(result: Result, criterion: str, path: Path) -> None:
    names, known = [d for d in published.DATA if d in result["data"]], published.grids()
    size = (3.1 * len(names), 5)
    picture, places = plt.subplots(2, len(names), figsize=size, sharex=True, squeeze=False, layout="constrained")
    for column, data in enumerate(names):
        for r, colour in COLOURS.items():
            run = elc_run(result, data, criterion, r)
            if run is None:
                continue
            for what in (0, 1):
                place = places[what, column]
                theirs = [known[data, criterion, r, d][what] for d in DEPTHS]
                place.plot(DEPTHS, [cell(run, d, what).mean for d in DEPTHS], color=colour, lw=1.4, label=f"r = {r}")
                place.plot(DEPTHS, theirs, color=colour, lw=1, ls="--")
        places[0, column].set_title(TITLES[data], fontsize=9)
        places[0, column].legend(fontsize=7)
        places[1, column].set_xticks(DEPTHS)
    places[0, 0].set_ylabel("accuracy, %", fontsize=9)
    places[1, 0].set_ylabel("leaves", fontsize=9)
    picture.supxlabel("depth", fontsize=9)
    picture.savefig(path, dpi=60, metadata={"Software": None})
    plt.close(picture)


def figures(result: Result, folder: Path) -> None:
    for criterion, name in FILES.items():
        figure(result, criterion, folder / name)
