"""Forests of very many trees and of very large ones, and the memory that they can take."""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification

import bough
from bough import ForestClassifier, TreeClassifier
from bough.estimators import room
from bough.estimators.plan import plan_of
from support.process import peak_of


def sizes(forest):
    return [tree.n_nodes for tree in forest.model_.trees]


def file_parts(model):
    """Type and bytes of each array of a model's file."""
    data = bytes(model.to_bytes())
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    del header["__metadata__"]
    return {name: (a["dtype"], a["data_offsets"][1] - a["data_offsets"][0]) for name, a in header.items()}


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("rows", [200, 3000])
def test_a_node_takes_twelve_bytes_of_the_file_and_shares_the_smallest_form(rows, classes):
    X, y = make_classification(rows, 20, n_informative=10, n_classes=classes, flip_y=0.1, random_state=0)
    forest = ForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    parts = file_parts(forest.model_)
    shares = {"leaf_weights", "leaf_counts", "leaf_classes"}
    assert sum(size for name, (_, size) in parts.items() if name not in shares) <= 12 * sum(sizes(forest))
    assert parts["leaf_weights"][0] in (("U8",) if rows < 256 else ("U8", "U16"))


@pytest.mark.slow
def test_ten_thousand_stumps_are_grown_saved_read_and_asked(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] > 0).astype(int)
    forest = ForestClassifier(n_estimators=10_000, max_depth=1, random_state=0).fit(X, y)
    assert set(sizes(forest)) == {3}
    path = tmp_path / "stumps.bough"
    forest.save(path)
    assert path.stat().st_size < 3_000_000
    again = bough.load(path)
    assert np.array_equal(again.predict(X), forest.predict(X))
    assert np.mean(forest.predict(X) == y) > 0.95


@pytest.mark.slow
def test_ten_trees_of_a_million_nodes_are_grown_saved_read_and_asked(tmp_path):
    n = 760_000
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    y = rng.integers(0, 5, n)  # nothing to learn: two leaves for every three rows
    forest = ForestClassifier(n_estimators=10, bootstrap=False, max_features=1, random_state=0).fit(X, y)
    assert min(sizes(forest)) > 1_000_000
    path = tmp_path / "large.bough"
    forest.save(path)
    assert path.stat().st_size < 14 * sum(sizes(forest))
    again = bough.load(path)
    assert np.array_equal(again.predict(X[:10_000]), forest.predict(X[:10_000]))
    assert np.array_equal(forest.predict(X[:10_000]), y[:10_000])


def planned(**params):
    X, y = np.arange(20.0).reshape(-1, 1), np.arange(20) % 2
    forest = ForestClassifier(**params)
    return plan_of(forest.get_params(), forest._data_of(X, y), seed=0, threads=1)


def test_the_most_that_trees_can_take_follows_every_limit_on_them():
    full = room.most_bytes(planned(), 1000, 2, 10)
    assert full == 10 * 1999 * (room.NODE + 2 * room.CLASS)
    assert room.most_bytes(planned(max_leaf_nodes=100), 1000, 2, 10) == full * 199 // 1999
    assert room.most_bytes(planned(max_depth=3), 1000, 2, 10) == full * 15 // 1999
    assert room.most_bytes(planned(min_samples_leaf=10), 1000, 2, 10) == full * 199 // 1999


GROWN = """
    import numpy as np
    from bough import ForestClassifier
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 2)), rng.integers(0, 2, 60_000)
    forest = ForestClassifier(n_estimators={trees}, max_features=1, random_state=0).fit(X, y)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the most memory is told as Linux tells it")
def test_a_tree_takes_no_more_than_is_said():
    taken = peak_of(GROWN.format(trees=41)) - peak_of(GROWN.format(trees=1))  # without what the fit itself works in
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60_000, 2)), rng.integers(0, 2, 60_000)
    one = sizes(ForestClassifier(n_estimators=1, max_features=1, random_state=0).fit(X, y))[0]
    said = 40 * one * (room.NODE + 2 * room.CLASS)
    assert 0.2 * said < taken < 1.3 * said


def test_a_forest_that_the_machine_has_no_room_for_is_told_before_it_grows(monkeypatch):
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) % 2
    monkeypatch.setattr(room, "physical_bytes", lambda: 50_000)
    with pytest.warns(UserWarning, match=r"100 trees of 40 rows can take up to .* GiB .* max_leaf_nodes"):
        ForestClassifier().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ForestClassifier(max_leaf_nodes=2).fit(X, y)


def test_a_tree_with_very_many_classes_has_nothing_to_tell(monkeypatch):
    """Its memory follows the rows, not nodes times classes."""
    monkeypatch.setattr(room, "physical_bytes", lambda: 10_000_000)
    X, y = np.arange(2000.0)[:, None], np.arange(2000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TreeClassifier(max_depth=12).fit(X, y)
