"""A sample: the rows that a tree is grown from, how often, and with what weight."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bough import TreeClassifier, TreeRegressor, _core
from bough.estimators.plan import plan_of
from bough.registry import plugins

SPLITS = sorted(name for name, p in plugins()["split"].items() if not p.traits["function"])
LAYOUTS = {"by rows": np.ascontiguousarray, "by columns": np.asfortranarray}


def table(rng, n=200, d=3):
    X = rng.normal(size=(n, d))
    X[:, 0] = np.round(X[:, 0])
    return X, (X[:, 0] + X[:, 1] > 0).astype(int) + (rng.random(n) < 0.2)


def grown(tree, X, y, sample=None, weights=None):
    data = tree._data_of(X, y, weights)
    plan = plan_of(tree.get_params(), data, seed=0, threads=1)
    return _core.grow(data.for_core(), sample, plan)


def same(a, b):
    return all(np.array_equal(x, y, equal_nan=True) for x, y in zip(a.parts().values(), b.parts().values()))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("split", SPLITS)
def test_rows_that_repeat_are_grown_as_if_the_table_had_them(split, layout):
    rng = np.random.default_rng([1, SPLITS.index(split)])
    for kind in [TreeClassifier, TreeRegressor] if split in ("axis", "random", "node_pca") else [TreeClassifier]:
        X, y = table(rng, 60 if split == "elc" else 200)
        X = LAYOUTS[layout](X)
        tree = kind(split=split, max_depth=4, random_state=0)
        rows = np.sort(rng.integers(0, len(y), len(y))).astype(np.uint32)
        # The offset of a regression target is that of all rows, so growth is compared on numbers without one.
        target = y - y.mean() if kind is TreeRegressor else y
        drawn = grown(tree, X, target, _core.Sample(rows))
        assert drawn.rows()[0] == len(rows)
        if kind is TreeClassifier:
            assert same(drawn, grown(tree, LAYOUTS[layout](X[rows]), target[rows]))


def test_a_wide_matrix_by_rows_stays_one():
    rng = np.random.default_rng(2)
    X, y = table(rng, 300, 80)
    rows = np.sort(rng.integers(0, 300, 200)).astype(np.uint32)
    tree = TreeClassifier(split="node_means_pca", max_depth=3)
    assert same(grown(tree, X, y, _core.Sample(rows)), grown(tree, X[rows], y[rows]))


def test_the_weights_of_a_sample_take_the_place_of_those_of_the_data():
    rng = np.random.default_rng(3)
    X, y = table(rng)
    rows = np.flatnonzero(rng.random(len(y)) < 0.6).astype(np.uint32)
    w = rng.uniform(0.5, 2, len(rows))
    tree = TreeClassifier()
    ours = grown(tree, X, y, _core.Sample(rows, w), weights=rng.uniform(1, 2, len(y)))
    assert same(ours, grown(tree, X[rows], y[rows], weights=w))


def test_a_row_drawn_twice_is_a_row_of_weight_two():
    rng = np.random.default_rng(4)
    X, y = table(rng)
    rows = np.sort(rng.integers(0, len(y), len(y))).astype(np.uint32)
    drawn = grown(TreeClassifier(), X, y, _core.Sample(rows))
    present, counts = np.unique(rows, return_counts=True)
    weighted = grown(TreeClassifier(), X, y, _core.Sample(present.astype(np.uint32), counts.astype(float)))
    a, b = drawn.parts(), weighted.parts()
    for name in ("kinds", "columns", "cuts", "leaf_weights"):
        assert np.array_equal(a[name], b[name]), name


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
def test_rows_of_no_weight_are_left_out_and_the_table_is_read_once(kind, monkeypatch):
    from bough.tables import frame

    rng = np.random.default_rng(5)
    X, y = table(rng)
    X = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "s": pd.Categorical(rng.choice(list("pqr"), len(y)))})
    y = y if kind is TreeClassifier else y - y.mean()
    w = rng.integers(0, 3, len(y)).astype(float)
    reads = []
    read = frame.read
    monkeypatch.setattr(frame, "read", lambda *a: reads.append(1) or read(*a))
    ours = kind().fit(X, y, w).model_
    assert len(reads) == 1
    if kind is TreeClassifier:
        assert ours.to_bytes() == kind().fit(X[w > 0], y[w > 0], w[w > 0]).model_.to_bytes()
    assert ours.tree.rows()[0] == (w > 0).sum()


@pytest.mark.parametrize(
    ("rows", "weights", "words"),
    [
        ([], None, "at least one row"),
        ([0, 5], None, "row 5 of a table of 3 rows"),
        ([0, 1], [1.0], "one weight for each"),
        ([0, 1], [1.0, 0.0], "above 0"),
        ([0, 1], [1.0, np.inf], "finite"),
    ],
)
def test_a_sample_that_is_none_is_refused(rows, weights, words):
    def attempt():
        sample = _core.Sample(np.array(rows, np.uint32), None if weights is None else np.array(weights))
        grown(TreeClassifier(), np.arange(3.0).reshape(3, 1), [0, 1, 0], sample)

    with pytest.raises(ValueError, match=words):
        attempt()
