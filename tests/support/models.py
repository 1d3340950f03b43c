"""Models of every sort, small; for tests of files and for `python -m fuzz`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from bough import Model, TreeClassifier, _core
from bough.model.file import PARTS
from bough.tables.schema import Schema


def mixed_table(n=120, seed=0):
    """Numbers with gaps, words with gaps, whole numbers and flags; three classes that depend on two of them."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "x": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "größe": rng.choice(["s", "m", "l", None], n),
            "id": rng.integers(0, 4, n),
            "flag": rng.random(n) < 0.5,
        }
    )
    y = (table["x"].fillna(0) > 0).astype(int) + table["größe"].isin(["s", "l"]).astype(int)
    return table, y.to_numpy()


def model_with_p_values():
    """A tree that keeps the p-values of its columns."""
    table, y = mixed_table()
    return TreeClassifier(selector="conditional_inference", selector_params={"alpha": 0.3}).fit(table, y).model_


def linear_model():
    """A tree with a linear node, put together by hand."""
    parts = {name: np.array([], kind) for name, kind in PARTS.items()} | {
        "n_values": np.array([0, 0], np.uint32),
        "centers": np.array([1.0, -2.0]),
        "kinds": np.array([2, 0, 0], np.uint8),
        "gains": np.array([0.25]),
        "columns": np.array([], np.uint32),
        "cuts": np.array([0.5]),
        "missing": np.array([1], np.uint8),
        "term_counts": np.array([2], np.uint32),
        "term_columns": np.array([0, 1], np.uint32),
        "term_weights": np.array([2.0, -1.0]),
        "value_counts": np.array([], np.uint32),
        "values": np.array([], np.uint32),
        "value_left": np.array([], np.uint8),
        "others": np.array([], np.uint32),
        "leaf_rows": np.array([3, 4], np.uint32),
        "leaf_weights": np.array([3.0, 0, 0, 4]),
        "leaf_means": np.array([]),
        "leaf_spreads": np.array([]),
        "spreads": np.array([]),
        "log_p": np.array([]),
    }
    return Model((_core.Tree.from_parts(2, 2, parts),), Schema.of_matrix(2), np.array([0, 1]), "gini")


def bare(model):
    """A model without the digits that its texts are printed with, which forests do not keep."""
    return replace(model, printed=None)
