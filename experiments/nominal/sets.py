"""The data sets of chapter 5 as the author had them: rows with gaps dropped, values and classes numbered by
their first appearance in the file (GreedyCut goes through values in that order)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..common.data import DataSet, load
from ..common.folds import Folds, nominal_folds

FILES = {
    "Adult": "adult",
    "Mushroom": "mushroom",
    "Nursery": "nursery",
    "Nursery-Ext": "nursery_ext",
    "Cars": "car",
    "Cars-Ext": "car_ext",
    "Contracep": "contraceptive",
    "Contracep-Ext": "contraceptive_ext",
    "CoverType": "covertype",
    "CoverType-Ext": "covertype",
    "Poker": "poker",
    "Shelter-15": "shelter_15",
    "S.F. Crime-15": "sf_crime",
    "Phonemes": "phonemes",
}
SMALL = ("Mushroom", "Nursery", "Cars", "Cars-Ext", "Contracep", "Contracep-Ext")
CRIME_CLASSES = 14  # the most frequent ones; the others are joined


@dataclass(frozen=True)
class Ready:
    """A data set that can be fitted: nominal columns are categorical, classes are numbers."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    numeric: list[str]
    nominal: list[str]

    def folds(self, trial: int) -> Folds:
        return nominal_folds(self.y.tolist(), trial)


def by_first_appearance(values: pd.Series) -> pd.Categorical:
    return pd.Categorical(values, categories=pd.unique(values))


def ready(name: str) -> Ready:
    data = load(FILES[name])
    if name == "CoverType-Ext":
        more = load("covertype_cat")
        X = pd.concat([data.X, more.X[more.nominal]], axis=1)
        data = DataSet(name, X, data.y, data.numeric, [*data.nominal, *more.nominal])
    if name == "S.F. Crime-15":
        frequent = pd.Series(data.y).value_counts().index[:CRIME_CLASSES]
        data = DataSet(name, data.X, np.where(np.isin(data.y, frequent), data.y, "others"), data.numeric, data.nominal)
    return prepared(name, data)


def prepared(name: str, data: DataSet) -> Ready:
    """Rows with gaps dropped, values and classes numbered."""
    if name.startswith("Shelter"):  # its one empty cell stayed, as a value of its own
        data.X[data.nominal] = data.X[data.nominal].fillna("")
    data = data.without_missing()
    columns = {c: by_first_appearance(data.X[c]) if c in data.nominal else data.X[c] for c in data.X.columns}
    y, _ = pd.factorize(data.y)
    return Ready(name, pd.DataFrame(columns), y, data.numeric, data.nominal)
