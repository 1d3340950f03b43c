"""What the experiments share, on cases small enough to work out by hand."""

from __future__ import annotations

import random
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from experiments.cart_elc import published, solver, ties
from experiments.cart_elc.run import at_depths
from experiments.cart_elc.ties import accuracy_and_leaves
from experiments.common import data, table
from experiments.common.folds import SEEDS, blocks, cart_elc_folds, nominal_folds

from bough import TreeClassifier


def test_folds_of_cart_elc_cover_every_row_once():
    seen = np.concatenate([test for _, test in cart_elc_folds(150, 3)])
    assert sorted(seen) == list(range(150))
    assert [len(test) for _, test in cart_elc_folds(152, 0)] == [31, 31, 30, 30, 30]
    first = cart_elc_folds(150, 0)[0][1]
    assert first[:5].tolist() == [4, 12, 34, 35, 38]  # KFold(5, shuffle=True, random_state=71)


def test_blocks_are_consecutive_and_the_larger_ones_come_first():
    assert [list(b) for b in blocks(8, 3)] == [[0, 1, 2], [3, 4, 5], [6, 7]]


def test_folds_of_the_dissertation_are_stratified_blocks_of_the_shuffled_rows():
    y = list("aabbbaabbb")
    order = list(range(10))
    random.seed(SEEDS[4])
    random.shuffle(order)
    folds = nominal_folds(y, 4)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(10))
    for value, sizes in (("a", (2, 1, 1)), ("b", (2, 2, 2))):
        rows = [row for row in order if y[row] == value]
        parts = [[row for row in test if y[row] == value] for _, test in folds]
        assert [row for part in parts for row in part] == rows
        assert tuple(map(len, parts)) == sizes
    for train, test in folds:
        assert [row for row in order if row in set(train)] == train.tolist()
        assert not set(train) & set(test)
    with pytest.raises(ValueError, match="trial=20"):
        nominal_folds(y, 20)


def test_absent_data_are_missed_with_a_way_out(tmp_path, monkeypatch):
    monkeypatch.setenv("BOUGH_DATA", str(tmp_path))
    data.manifest.cache_clear()
    with pytest.raises(data.DataMissing, match="BOUGH_DATA"):
        data.load("iris")
    (tmp_path / "manifest.json").write_text(
        '[{"name": "tiny", "file": "tiny.csv", "nominal": ["kind"], "task": "classification"}]'
    )
    with pytest.raises(data.DataMissing, match="has tiny"):
        data.load("iris")
    with pytest.raises(data.DataMissing, match="tiny.csv"):
        data.load("tiny")
    (tmp_path / "tiny.csv").write_text("size,kind,target\n1.5,0,yes\n,NA,no\n2,,no\n")
    tiny = data.load("tiny")
    assert tiny.X["kind"].tolist()[:2] == ["0", "NA"]
    assert tiny.without_missing().y.tolist() == ["yes"]
    assert tiny.only(["size"]).nominal == []
    assert np.isnan(tiny.matrix()[1, 0])
    data.manifest.cache_clear()


def test_tables_show_published_beside_ours():
    text = table.markdown(["set", "accuracy"], [["iris", table.beside("95.1 ± 0.8", table.plus_minus(94.72, 0.81))]])
    assert text.splitlines()[2] == "| iris | 95.1 ± 0.8 / 94.7 ± 0.8 |"
    assert table.beside(None, 1.0) == "– / 1"


def test_provenance_names_versions_and_no_place():
    line = table.provenance_line(table.provenance(seed=71, full=False))
    assert "seed 71" in line
    assert "numpy" in line
    assert "/" not in line


# ---- CART-ELC -------------------------------------------------------------------------------------------


def test_a_tree_cut_off_at_a_depth_is_the_tree_grown_to_it():
    X, y = load_iris(return_X_y=True)
    train, test = cart_elc_folds(len(y), 0)[0]
    deep = TreeClassifier(split="hhcart_d", criterion="twoing", max_depth=5).fit(X[train], y[train])
    for depth, (accuracy, leaves) in at_depths(deep.model_, X[test], y[test], (1, 2, 3, 5)).items():
        tree = TreeClassifier(split="hhcart_d", criterion="twoing", max_depth=depth).fit(X[train], y[train])
        assert accuracy == pytest.approx(100 * tree.score(X[test], y[test]))
        assert leaves == tree.get_n_leaves()


def test_published_iris_figures_come_out_with_the_authors_ties():
    X, y = load_iris(return_X_y=True)
    found = [
        [accuracy_and_leaves(X, y, train, test, 1, (1, 2, 3, 4, 5)) for train, test in cart_elc_folds(len(y), trial)]
        for trial in range(10)
    ]
    for depth in range(1, 6):
        means = np.mean([[f[depth] for f in trial] for trial in found], axis=(0, 1))
        accuracy, leaves = published.grids()["iris", "twoing", 1, depth]
        assert means[0] == pytest.approx(accuracy, abs=0.051)
        assert means[1] == pytest.approx(leaves, abs=0.051)


def naive_best(X, y, r):
    """Of every choice of columns and of rows in the authors' order the last one of the best score, one by one."""
    one_hot = (y[:, None] == np.unique(y)).astype(np.float32)
    best = None
    for rows in combinations(range(len(y)), r):
        for columns in combinations(range(X.shape[1]), r):
            normal, offset = ties.hyperplanes(X[np.ix_(rows, columns)].astype(float)[None])
            above = ties.sides(X[:, columns], normal[0], offset[0])
            score = ties.twoing((above.astype(np.float32) @ one_hot)[None], one_hot.sum(axis=0))[0]
            if best is None or score >= best[0]:
                best = (score, columns, normal[0], offset[0])
    return best


@pytest.mark.parametrize("r", [1, 2, 3, 4])
def test_the_authors_ties_are_those_of_trying_every_hyperplane(r):
    for seed in range(6 if r < 4 else 2):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4 if r < 3 else 7, (11, 4)).astype(np.float32)
        if r < 3:
            X[rng.random(X.shape) < 0.05] = np.nan
        y = rng.integers(0, 3, len(X))
        score, columns, normal, offset = naive_best(X, y, r)
        found = ties.best_split(X, y, r)
        above = ties.sides(X[:, found[0]], found[1], found[2])
        if score == 0 or np.isnan(score):
            continue
        assert found[0] == columns
        assert (above == ties.sides(X[:, columns], normal, offset)).all()


def test_normals_are_eigenvectors_and_two_points_need_no_steps():
    rng = np.random.default_rng(0)
    for r in (2, 3, 4):
        points = rng.normal(size=(200, r, r))
        away = points - points.mean(axis=1, keepdims=True)
        covariance = np.einsum("npi,npj->nij", away, away)
        normals = solver.normals_of(points)
        assert np.allclose(np.einsum("nij,nj->ni", covariance, normals), 0, atol=1e-9)
        assert np.allclose(np.linalg.norm(normals, axis=1), 1)
        if r == 2:
            assert np.allclose(solver.first_eigenvectors(covariance), normals)


def test_published_tables_have_a_figure_for_every_data_set():
    for text in (published.ACCURACY, published.LEAVES):
        assert all(set(row) == set(published.DATA) for row in published.summaries(text).values())
    assert published.summaries(published.CRITERIA, skip=6)["gini"]["iris"].mean == 3.0
    for criterion, chosen in published.CHOSEN.items():
        for name, (r, depth) in chosen.items():
            accuracy = published.summaries(published.CRITERIA)[criterion][name].mean
            assert published.grids()[name, criterion, r, depth][0] == accuracy
