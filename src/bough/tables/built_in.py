"""Data sets that come along: four of scikit-learn's, and the Palmer penguins (Horst, Hill and Gorman 2020, CC0)."""

from __future__ import annotations

import csv
import math
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

LOADERS = {
    "breast_cancer": ("load_breast_cancer", "diagnosis"),
    "digits": ("load_digits", "digit"),
    "iris": ("load_iris", "species"),
    "wine": ("load_wine", "cultivar"),
}
PENGUINS = "penguins"
BUILT_IN = (*LOADERS, PENGUINS)


def cells_of(name: str) -> tuple[list[str], npt.NDArray[Any], str]:
    """Names of the columns, the cells, and the name of the target."""
    return penguins() if name == PENGUINS else from_scikit_learn(name)


def from_scikit_learn(name: str) -> tuple[list[str], npt.NDArray[Any], str]:
    from sklearn import datasets

    loader, target = LOADERS[name]
    found = getattr(datasets, loader)()
    classes = found.target_names[found.target].tolist()
    names = [str(n) for n in found.feature_names]
    cells = np.empty((len(classes), len(names) + 1), dtype=object)
    cells[:, :-1] = found.data
    cells[:, -1] = classes
    return [*names, target], cells, target


def penguins() -> tuple[list[str], npt.NDArray[Any], str]:
    """344 penguins of three species with text, numbers and missing values."""
    text = files(__package__).joinpath("data/penguins.csv").read_text(encoding="utf-8")
    names, *rows = csv.reader(text.splitlines())
    numeric = [all(is_number(r[j]) for r in rows) for j in range(len(names))]
    cells = np.empty((len(rows), len(names)), dtype=object)
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if numeric[j]:
                cells[i, j] = math.nan if cell == "NA" else float(cell)
            else:
                cells[i, j] = None if cell == "NA" else cell
    return [*names[1:], names[0]], np.roll(cells, -1, axis=1), names[0]


def is_number(cell: str) -> bool:
    return cell == "NA" or cell.replace(".", "", 1).isdecimal()
