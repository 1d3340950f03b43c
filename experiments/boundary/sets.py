"""The data sets that the proposal names: Covertype, MNIST, Iris, and the passengers of the Titanic."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris

from experiments.common.data import load

# Dawson 1995: class (0: crew), sex (1: female), age (1: child), died, survived.
TITANIC = (
    (0, 0, 0, 670, 192), (0, 1, 0, 3, 20),
    (1, 0, 0, 118, 57), (1, 1, 0, 4, 140), (1, 0, 1, 0, 5), (1, 1, 1, 0, 1),
    (2, 0, 0, 154, 14), (2, 1, 0, 13, 80), (2, 0, 1, 0, 11), (2, 1, 1, 0, 13),
    (3, 0, 0, 387, 75), (3, 1, 0, 89, 76), (3, 0, 1, 35, 13), (3, 1, 1, 17, 14),
)  # fmt: skip
NAMES = ("iris", "titanic", "mnist", "covertype")


def titanic() -> tuple[np.ndarray, np.ndarray]:
    """2,201 people: class, sex and age as numbers, and whether they survived."""
    X, y = [], []
    for *who, died, survived in TITANIC:
        X += [who] * (died + survived)
        y += [0] * died + [1] * survived
    return np.array(X, float), np.array(y)


def table(name: str, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns as numbers and classes as 0, 1, …; of larger sets a random sample of ``most`` rows."""
    if name == "iris":
        X, y = load_iris(return_X_y=True)
    elif name == "titanic":
        X, y = titanic()
    else:
        data = load(name)
        X = data.X.to_numpy(np.float64)
        y = np.unique(data.y, return_inverse=True)[1]
    rows = np.random.default_rng(884).permutation(len(y))[:most]
    return X[rows], y[rows]
