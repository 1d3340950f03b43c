"""A line of the table in experiments/README.md, and how it says what a study found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parents[1]


class Line(NamedTuple):
    """A table or figure: what it is, what came of it, and the page that has it."""

    what: str
    title: str
    found: str
    page: str = ""


def result_of(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / path).read_text())
    return found


def apart(pairs: list[tuple[float, float]], unit: str = "points") -> str:
    """How far ours are from the published figures."""
    return f"{len(pairs)} figures: {gap(pairs, unit)}"


def gap(pairs: list[tuple[float, float]], unit: str) -> str:
    far = [abs(a - b) for a, b in pairs]
    return f"{np.mean(far):.2g} {unit} apart on average, {max(far):.2g} at most"
