"""The report on the landing page of the site, live: docs/live/penguins.html, which `make docs` makes anew."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pandas as pd

import bough

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "live"


def main() -> None:
    penguins = pd.read_csv(str(files("bough") / "tables/data/penguins.csv"))
    X, y = penguins.drop(columns="species"), penguins["species"]
    tree = bough.TreeClassifier(prune="cost_complexity_cv", random_state=0).fit(X, y)
    FOLDER.mkdir(exist_ok=True)
    tree.report(X, y, target="species", include_rows=True).save(FOLDER / "penguins.html")


if __name__ == "__main__":
    main()
