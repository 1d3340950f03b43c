"""The tables that trees are grown on, each with the number of rows, of rounds and of fits in a round."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Data = tuple[Array, Array]


class DataMissing(Exception):
    """A data set is not there; the message says where it was looked for."""


@dataclass(frozen=True)
class Workload:
    """Data of one table, and how often it is measured."""

    name: str
    title: str
    make: Callable[[int], Data]  # rows -> X as float64 in C order, y as class numbers
    rows: int
    quick_rows: int
    required: float  # times faster than scikit-learn
    repeats: int = 5
    burst: int = 1  # fits in a row in each round; the best of them counts

    @property
    def large(self) -> bool:
        return self.burst == 1

    def data(self, quick: bool) -> Data:
        return self.make(self.quick_rows if quick else self.rows)


def folder() -> Path:
    """Where the data sets are: BOUGH_DATA, or shared/data beside the repository."""
    given = os.environ.get("BOUGH_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"


def path_of(name: str) -> Path:
    path = folder() / name
    if not path.exists():
        raise DataMissing(f"{name} is not in the data folder; set BOUGH_DATA to the folder that holds it")
    return path


def synthetic(columns: int, informative: int, classes: int, flip: float) -> Callable[[int], Data]:
    from sklearn.datasets import make_classification

    return lambda rows: make_classification(
        rows,
        columns,
        n_informative=informative,
        n_redundant=0,
        n_classes=classes,
        flip_y=flip,
        random_state=0,
    )


def mnist(rows: int) -> Data:
    with np.load(path_of("mnist.npz")) as arrays:
        return arrays["X"][:rows].astype(np.float64), arrays["y"][:rows].astype(np.int64)


def covertype(rows: int) -> Data:
    import pandas as pd

    table = pd.read_csv(path_of("covertype.csv.gz")).to_numpy(np.float64)
    table = table[np.random.default_rng(0).permutation(len(table))[:rows]]
    return np.ascontiguousarray(table[:, :-1]), np.unique(table[:, -1], return_inverse=True)[1]


def breast_cancer(rows: int) -> Data:
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return X[:rows], y[:rows]


def iris(rows: int) -> Data:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return X[:rows], y[:rows]


WORKLOADS = {
    w.name: w
    for w in (
        Workload("100k_x_20", "100k × 20, 2 classes", synthetic(20, 10, 2, 0.01), 100_000, 10_000, 12),
        Workload("100k_x_50", "100k × 50, 10 classes", synthetic(50, 20, 10, 0.01), 100_000, 10_000, 12),
        Workload("mnist", "MNIST 20k × 784", mnist, 20_000, 2_000, 10),
        Workload("covertype", "covertype 300k × 54", covertype, 300_000, 10_000, 10),
        Workload("1m_x_20", "1M × 20, 2 classes", synthetic(20, 10, 2, 0.01), 1_000_000, 20_000, 15),
        Workload("breast_cancer", "breast cancer 569 × 30", breast_cancer, 569, 569, 4, repeats=20, burst=20),
        Workload("iris", "iris 150 × 4", iris, 150, 150, 2, repeats=20, burst=50),
    )
}
