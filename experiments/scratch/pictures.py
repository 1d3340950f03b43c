"""Figures 2–9: a measure against the least rows to split; above what was seen, below lines with 95 % bands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import t as student

from .measures import curves
from .published import CASES, TABLES
from .run import MODELS, name_of

COLOURS = ("#e07b00", "#0aa5b8")  # the report's orange and cyan


def band(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The regression line, and half the width of the 95 % band of its mean."""
    slope, intercept = np.polyfit(x, y, 1)
    line = slope * x + intercept
    spread = np.sqrt(np.sum((y - line) ** 2) / (len(x) - 2))
    leverage = 1 / len(x) + (x - x.mean()) ** 2 / np.sum((x - x.mean()) ** 2)
    return line, student.ppf(0.975, len(x) - 2) * spread * np.sqrt(leverage)


def figure(found: dict[str, Any], measure: str, path: Path) -> None:
    _, _, title, unit, _ = TABLES[measure]
    picture, places = plt.subplots(2, 4, figsize=(13, 5), sharex=True, sharey="row", layout="constrained")
    for column, (criterion, kind) in enumerate(CASES):
        case = found[name_of(criterion, kind)]
        x = np.array(sorted(map(int, case)), float)
        for y, colour, model in zip(curves(case, measure), COLOURS, MODELS, strict=True):
            places[0, column].plot(x, y, color=colour, lw=1, label=model)
            line, half = band(x, y)
            places[1, column].fill_between(x, line - half, line + half, color="#999999", alpha=0.4, lw=0)
            places[1, column].plot(x, line, color=colour, lw=1.4)
        places[0, column].set_title(f"({'abcd'[column]}) {criterion}, {kind} splits", fontsize=9)
    places[0, 0].legend(fontsize=8)
    picture.supxlabel("least rows to split", fontsize=9)
    picture.supylabel(f"{title}, {unit}" if unit else title, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.savefig(path, dpi=60, metadata={"Software": None})
    plt.close(picture)


def figures(found: dict[str, Any], folder: Path) -> None:
    for measure, (_, number, *_) in TABLES.items():
        figure(found, measure, folder / f"figure-{number}.png")
