"""Which rows are for training and which for testing: the same for every system, whatever the number of processes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, ParameterError, shown
from ..registry import is_number, is_whole
from .data import DataSet

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Split:
    """One division of the rows; ``seed`` is for what is random in a system."""

    repeat: int
    fold: int
    train: Rows
    test: Rows
    seed: int


def seed_at(*path: int) -> int:
    """A seed for one place of the plan, independent of all others."""
    return int(np.random.SeedSequence(list(path)).generate_state(1)[0])


def check_plan(folds: Any, repeats: Any, seed: Any) -> None:
    """Refuses what cannot be a plan, whatever the data."""
    if not is_whole(repeats) or repeats < 1:
        raise ParameterError(f"repeats is {shown(repeats)}; it must be a positive integer.")
    if not is_whole(seed) or seed < 0:
        raise ParameterError(f"seed is {shown(seed)}; it must be a non-negative integer.")
    share = isinstance(folds, float) and 0 < folds < 1
    if is_number(folds) and not share and (not is_whole(folds) or folds < 2):
        raise ParameterError(
            f"folds is {shown(folds)}; it must be an integer of at least 2, the share of rows to test on, "
            "a splitter, or a list of (training rows, test rows)."
        )


def splits_of(data: DataSet, folds: Any, repeats: int, seed: int) -> list[Split]:
    """The splits of a data set: ``repeats`` times ``folds`` parts, or a share held out, or those that were given."""
    if isinstance(folds, Mapping):
        if data.name not in folds:
            raise ParameterError(f"folds has no entry for the data set {data.name!r}; it has {', '.join(folds)}.")
        folds = folds[data.name]
    if not is_number(folds):
        return given_splits(data, folds, seed)
    out = []
    for repeat in range(repeats):
        splitter = splitter_of(data, folds, seed_at(seed, 0, repeat))
        for fold, (train, test) in enumerate(splitter.split(np.empty((data.n_rows, 0)), data.truth)):
            out.append(Split(repeat, fold, train, test, seed_at(seed, 1, repeat, fold)))
    return out


def splitter_of(data: DataSet, folds: int | float, seed: int) -> Any:
    from sklearn import model_selection as ms

    whole = is_whole(folds)
    least = int(folds) if whole else 2
    if data.regression:
        if data.n_rows < least:
            raise DataError(f"{data.name!r} has {data.n_rows} rows, too few for {least} folds.")
        cut: Any = ms.KFold if whole else ms.ShuffleSplit
    else:
        counts = np.bincount(data.truth)
        rare = int(np.argmin(counts))
        few = int(counts[rare])
        if few < least:
            way_out = f"use folds={few} or fewer" if few > 1 and whole else "join the class to another, or leave it out"
            raise DataError(
                f"{data.name!r} has {few} row{'s' * (few != 1)} of class {data.classes[rare]!s}, fewer than the "
                f"{least} folds: {way_out}."
            )
        cut = ms.StratifiedKFold if whole else ms.StratifiedShuffleSplit
    if whole:
        return cut(int(folds), shuffle=True, random_state=seed)
    return cut(1, test_size=float(folds), random_state=seed)


def given_splits(data: DataSet, folds: Any, seed: int) -> list[Split]:
    """Splits that a user gives: pairs of row numbers, or a splitter of scikit-learn's kind."""
    if hasattr(folds, "split") and not isinstance(folds, str):
        folds = folds.split(np.empty((data.n_rows, 0)), data.truth)
    try:
        pairs = [(np.asarray(train), np.asarray(test)) for train, test in folds]
    except (TypeError, ValueError):
        raise ParameterError(f"folds is {shown(folds)}; a list of (training rows, test rows) is needed.") from None
    out = []
    for i, (train, test) in enumerate(pairs):
        for what, rows in (("training", train), ("test", test)):
            bad = rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows)
            if bad or rows.min() < 0 or rows.max() >= data.n_rows:
                raise ParameterError(
                    f"the {what} rows of fold {i} of {data.name!r} must be integers from 0 to {data.n_rows - 1}."
                )
        if len(np.intersect1d(train, test)):
            raise ParameterError(f"fold {i} of {data.name!r} trains on rows that it tests on.")
        if not data.regression and len(np.unique(data.truth[train])) < 2:
            raise DataError(f"fold {i} of {data.name!r} has one class only among its training rows.")
        out.append(Split(0, i, train.astype(np.int64), test.astype(np.int64), seed_at(seed, 1, 0, i)))
    if not out:
        raise ParameterError(f"there are no folds for {data.name!r}.")
    return out


def describe(splits: list[Split]) -> str:
    """A hash of all rows of all splits."""
    digest = hashlib.sha256()
    for s in splits:
        digest.update(s.train.tobytes() + b"|" + s.test.tobytes() + b";")
    return digest.hexdigest()[:16]
