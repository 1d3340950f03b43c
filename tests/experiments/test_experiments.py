"""What the experiments share, on cases small enough to work out by hand."""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from experiments.cart_elc import published
from experiments.cart_elc.run import at_depths
from experiments.cart_elc.ties import accuracy_and_leaves
from experiments.common import data, table
from experiments.common.folds import SEEDS, blocks, cart_elc_folds, nominal_folds
from experiments.common.statistics import (
    Summary,
    cohens_d,
    holm_bonferroni,
    labels,
    paired_greater,
    welch,
    win_counts,
)

from bough import TreeClassifier


def test_the_paired_test_is_that_of_scipy():
    rng = np.random.default_rng(0)
    for n in (2, 5, 30):
        a, b = rng.normal(size=n), rng.normal(size=n)
        assert paired_greater(a, b) == pytest.approx(stats.ttest_rel(a, b, alternative="greater").pvalue)
        assert paired_greater(a, b) + paired_greater(b, a) == pytest.approx(1)


def test_a_paired_test_without_variance_answers_by_the_sign():
    assert paired_greater([1, 1], [1, 1]) == 0.5
    assert paired_greater([2, 2], [1, 1]) == 0
    assert paired_greater([1, 1], [2, 2]) == 1
    with pytest.raises(ValueError, match="at least 2"):
        paired_greater([1], [2])


def test_welchs_test_is_that_of_scipy():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=10), rng.normal(1, 3, size=7)
    want = stats.ttest_ind(a, b, equal_var=False).pvalue
    assert welch(Summary.of(a), Summary.of(b)) == pytest.approx(want)
    assert welch(Summary(1, 0, 5), Summary(1, 0, 5)) == 1
    assert welch(Summary(1, 0, 5), Summary(2, 0, 5)) == 0


@pytest.mark.parametrize(
    ("other", "p", "d"),
    # Tables 3 and 4 of the CART-ELC paper, cancer: 96.3 ± 0.4 against the others, ten trials each
    [
        (Summary(96.9, 0.3, 10), 0.001, -1.697),
        (Summary(94.5, 0.5, 10), 0.000, 3.976),
        (Summary(95.0, 1.6, 10), 0.032, 1.115),
    ],
)
def test_published_p_values_and_effect_sizes_come_out_of_published_means(other, p, d):
    own = Summary(96.3, 0.4, 10)
    assert welch(own, other) == pytest.approx(p, abs=6e-4)
    assert cohens_d(own, other) == pytest.approx(d, abs=6e-4)


def test_effect_size_without_spread():
    assert cohens_d(Summary(1, 0, 3), Summary(1, 0, 3)) == 0
    assert cohens_d(Summary(2, 0, 3), Summary(1, 0, 3)) == math.inf


def test_holm_bonferroni_stops_at_the_first_that_fails():
    # 0.01 <= 0.05/4, 0.015 <= 0.05/3, 0.03 > 0.05/2: stop, although 0.04 <= 0.05/1
    assert holm_bonferroni([0.04, 0.01, 0.03, 0.015]) == [False, True, False, True]
    assert holm_bonferroni([]) == []
    assert holm_bonferroni([0.05]) == [True]


def test_labels_of_a_clear_order_and_of_a_draw():
    rng = np.random.default_rng(2)
    base = rng.normal(size=30)
    noise = [rng.normal(scale=0.1, size=30) for _ in range(3)]
    clear = {"a": base + 2 + noise[0], "b": base + 1 + noise[1], "c": base + noise[2]}
    assert labels(clear) == {"a": "Best", "b": "Not best", "c": "Not best"}
    assert win_counts(clear) == {"a": 2, "b": 1, "c": 0}
    draw = {"a": base + 1 + noise[0], "b": base + 1 + noise[1], "c": base + noise[2]}
    assert labels(draw) == {"a": "Undecidable", "b": "Undecidable", "c": "Not best"}


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


def test_published_tables_have_a_figure_for_every_data_set():
    for text in (published.ACCURACY, published.LEAVES):
        assert all(set(row) == set(published.DATA) for row in published.summaries(text).values())
    assert published.summaries(published.CRITERIA, skip=6)["gini"]["iris"].mean == 3.0
    for criterion, chosen in published.CHOSEN.items():
        for name, (r, depth) in chosen.items():
            accuracy = published.summaries(published.CRITERIA)[criterion][name].mean
            assert published.grids()[name, criterion, r, depth][0] == accuracy
