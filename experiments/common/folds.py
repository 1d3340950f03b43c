"""The folds of the papers: the same rows in the same parts as the authors had."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.model_selection import KFold

Folds = list[tuple[np.ndarray, np.ndarray]]  # (training rows, test rows) of each fold

# The seeds of the 20 trials of the dissertation on nominal splits.
SEEDS = (
    65537, 986112772, 580170418, 897083807, 1286664107, 899169460, 1728505703, 423232363, 1576030107, 1102706565,
    756372267, 1041481669, 500571641, 1196189230, 49471178, 827006267, 1581871235, 1249719834, 1281093615, 603059048,
)  # fmt: skip


def cart_elc_folds(n_rows: int, trial: int) -> Folds:
    """The five folds of one of CART-ELC's ten trials (0 … 9)."""
    split = KFold(5, shuffle=True, random_state=71 + trial)
    return [(train, test) for train, test in split.split(np.empty((n_rows, 0)))]


def nominal_folds(y: Sequence[object], trial: int, n_folds: int = 3) -> Folds:
    """The folds of one of the dissertation's trials (0 … 19), as row numbers in file order.

    Rows are shuffled by Python's random module; then the shuffled rows of each class are cut into
    consecutive blocks, the larger ones first. ``y`` holds the rows that have no missing value. Training
    and test rows come in the shuffled order, as the authors' program got them.
    """
    if not 0 <= trial < len(SEEDS):
        raise ValueError(f"trial={trial} is not one of 0 … {len(SEEDS) - 1}")
    order = list(range(len(y)))
    random.Random(SEEDS[trial]).shuffle(order)
    fold_of = np.empty(len(order), int)  # of every place in the shuffled order
    for value in dict.fromkeys(y):
        places = [place for place, row in enumerate(order) if y[row] == value]
        for fold, block in enumerate(blocks(len(places), n_folds)):
            fold_of[[places[i] for i in block]] = fold
    shuffled = np.array(order)
    return [(shuffled[fold_of != fold], shuffled[fold_of == fold]) for fold in range(n_folds)]


def blocks(n: int, parts: int) -> Iterator[range]:
    """0 … n−1 in consecutive parts of nearly equal size, the larger ones first."""
    begin = 0
    for i in range(parts):
        end = begin + n // parts + (i < n % parts)
        yield range(begin, end)
        begin = end
