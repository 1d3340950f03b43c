"""What is said of ids and of units: once, in words that name the column and the way out."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import bough
from bough import TreeClassifier, TreeRegressor
from bough.registry import plugins
from support.command import run


def with_ids(n=60):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=n), "name": [f"n{i}" for i in range(n)]}), rng.integers(0, 2, n)


def said(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in found if issubclass(w.category, UserWarning)]


def test_a_column_that_looks_like_an_id_is_named_once():
    X, y = with_ids()
    (text,) = said(lambda: TreeClassifier().fit(X, y))
    assert text.startswith("Column 'name' has a different value in more than half of its rows; it looks like an id")
    assert len(said(lambda: TreeRegressor().fit(X, y.astype(float)))) == 1
    assert said(lambda: TreeClassifier().fit(X[["x"]], y)) == []
    few = X.assign(name=[f"n{i % 20}" for i in range(60)])
    assert said(lambda: TreeClassifier().fit(few, y)) == []
    assert said(lambda: TreeClassifier().fit(X[:15], y[:15])) == []  # too few rows to say


def test_a_warning_points_at_the_line_that_fits():
    X, y = with_ids()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        TreeClassifier().fit(X, y)
    assert found[0].filename == __file__


def test_the_command_says_it_once(tmp_path):
    X, y = with_ids()
    X.assign(y=np.where(y, "a", "b")).to_csv(tmp_path / "t.csv", index=False)
    _, out, err = run("fit", tmp_path / "t.csv", "--target", "y", "--out", tmp_path / "m.bough")
    assert (out + err).count("looks like an id") == 1
    assert "note: Column 'name'" in err


def apart(factor, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"narrow": rng.normal(size=80), "wide": rng.normal(size=80) * factor, "same": np.ones(80)})
    return X, (X["narrow"] > 0).astype(int)


def test_units_are_spoken_of_where_they_decide():
    X, y = apart(1000)
    (text,) = said(lambda: TreeClassifier(criterion="max_cut").fit(X, y))
    assert "criterion='max_cut' depends on units" in text
    assert "'wide'" in text
    assert "'narrow'" in text
    assert "standardize=True" in text
    assert len(said(lambda: TreeClassifier(split="node_pca").fit(X, y))) == 1
    assert len(said(lambda: TreeRegressor(split="node_pca").fit(X, y))) == 1
    assert len(said(lambda: bough.system("max-cut").fit(X, y))) == 1
    for quiet in ({"standardize": True}, {"standardize": False}):
        assert said(lambda quiet=quiet: TreeClassifier(criterion="max_cut", **quiet).fit(X, y)) == []
    assert said(lambda: TreeClassifier().fit(X, y)) == []
    assert said(lambda: TreeClassifier(criterion="max_cut").fit(*apart(50))) == []


@pytest.mark.parametrize("split", sorted(p.name for p in plugins()["split"].values() if not p.traits["function"]))
def test_families_that_nobody_is_warned_of_do_not_depend_on_units(split):
    if said(lambda: TreeClassifier(split=split, random_state=0).fit(*apart(1000))):
        return
    X, y = apart(1, seed=3)
    noisy = np.where(np.random.default_rng(1).random(80) < 0.2, 1 - y, y)
    trees = [
        TreeClassifier(split=split, max_depth=3, random_state=0).fit(X * [1.0, f, 1.0], noisy) for f in (1.0, 1024.0)
    ]
    ends = [t.apply(X * [1.0, f, 1.0]) for t, f in zip(trees, (1.0, 1024.0), strict=True)]
    assert (ends[0] == ends[1]).all()
