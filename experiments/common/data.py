"""Data sets by name, read as their manifest says: numbers as float64, nominal values and classes as text."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "data"


class DataMissing(Exception):
    """A data set is not there; the message says which and where it is looked for."""


@dataclass(frozen=True)
class DataSet:
    """One data set: columns in file order, nominal ones of type str, classes as text (or numbers to predict)."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    numeric: list[str]
    nominal: list[str]

    def without_missing(self) -> DataSet:
        """Only the rows in which nothing is missing, in file order."""
        keep = self.X.notna().to_numpy().all(axis=1)
        return DataSet(self.name, self.X[keep].reset_index(drop=True), self.y[keep], self.numeric, self.nominal)

    def only(self, columns: list[str]) -> DataSet:
        """Only these columns, in file order."""
        keep = [c for c in self.X.columns if c in set(columns)]
        numeric, nominal = ([c for c in kind if c in keep] for kind in (self.numeric, self.nominal))
        return DataSet(self.name, self.X[keep], self.y, numeric, nominal)

    def matrix(self) -> np.ndarray:
        """The numeric columns as one float64 array."""
        return np.ascontiguousarray(self.X[self.numeric].to_numpy(np.float64))


def folder() -> Path:
    """The folder that holds manifest.json: BOUGH_DATA where it is set, else ../shared/data."""
    given = os.environ.get("BOUGH_DATA")
    path = Path(given) if given else BESIDE
    if not (path / "manifest.json").is_file():
        where = "BOUGH_DATA" if given else "../shared/data, beside the repository"
        raise DataMissing(
            f"no manifest.json in {where}: put the data sets there, or set BOUGH_DATA to the folder that holds them"
        )
    return path


@lru_cache(maxsize=1)
def manifest() -> dict[str, dict[str, Any]]:
    """Every entry of the manifest, by name."""
    return {entry["name"]: entry for entry in json.loads((folder() / "manifest.json").read_text())}


def load(name: str, n_rows: int | None = None) -> DataSet:
    """The data set of that name; with ``n_rows`` its first rows only."""
    entries = manifest()
    if name not in entries:
        raise DataMissing(f"the manifest lists no data set {name!r}; it has {', '.join(sorted(entries))}")
    entry = entries[name]
    path = folder() / entry["file"]
    if not path.is_file():
        raise DataMissing(f"{entry['file']} of data set {name!r} is missing: put it beside manifest.json")
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            pixels, y = arrays["X"][:n_rows], arrays["y"][:n_rows]
        names = [f"x{i}" for i in range(pixels.shape[1])]
        return DataSet(name, pd.DataFrame(pixels.astype(np.float64), columns=names), y.astype(str), names, [])
    return read_csv(path, name, entry["nominal"], entry["task"], n_rows)


def read_csv(
    path: Path, name: str, nominal: list[str], task: str = "classification", n_rows: int | None = None
) -> DataSet:
    """A table whose last column is `target`; only empty cells are missing."""
    kinds: dict[str, Any] = dict.fromkeys(nominal, str)
    if task == "classification":
        kinds["target"] = str
    table = pd.read_csv(path, dtype=kinds, keep_default_na=False, na_values=[""], nrows=n_rows)
    if "target" not in table.columns:
        raise DataMissing(f"{path.name} has no column 'target'; its columns are {', '.join(map(str, table.columns))}")
    X = table.drop(columns="target")
    numeric = [c for c in X.columns if c not in set(nominal)]
    X[numeric] = X[numeric].astype(np.float64)
    y = table["target"].to_numpy(str if task == "classification" else np.float64)
    return DataSet(name, X, y, numeric, list(nominal))


def sample_of(found: DataSet, most: int, least: int, seed: int) -> DataSet:
    """At most so many rows, with the shares of the classes, and without classes of fewer than ``least`` rows."""
    keep, classes = np.arange(len(found.y)), None
    if found.y.dtype.kind in "US":
        names, counts = np.unique(found.y, return_counts=True)
        keep = np.flatnonzero(np.isin(found.y, names[counts >= least]))
        classes = found.y[keep]
    if len(keep) > most:
        keep = np.sort(train_test_split(keep, train_size=most, stratify=classes, random_state=seed)[0])
    return DataSet(found.name, found.X.iloc[keep].reset_index(drop=True), found.y[keep], found.numeric, found.nominal)
