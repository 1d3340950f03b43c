"""Chapters 4 and 5 of the dissertation on nominal splits: figures, data and tables, on small cases."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from experiments.common.data import DataMissing, load
from experiments.nominal import authors, chapter4, chapter5, published, report, sets

import bough


def small(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.choice(list("pqrs"), n), "b": rng.choice(list("uv"), n)})
    y = X["a"].isin(["p", "s"]).to_numpy().astype(int) + (X["b"] == "u").to_numpy()
    return sets.Ready("Cars", X.apply(lambda c: sets.by_first_appearance(c)), y, [], ["a", "b"])


def test_published_tables_have_a_figure_for_every_data_set_and_method():
    for number, table in chapter5.TABLES.items():
        known = published.accuracy(number)
        assert set(known) <= set(sets.FILES)
        assert len(known) == (7 if table.numeric else 14)
        for row in known.values():
            assert set(row) >= set(table.methods)
            assert all(a is None or 10 < a <= 100 for a, _ in row.values())
    assert published.accuracy("5.10")["Poker"]["HcC"] == (52.09, 3)
    assert published.seconds("5.7")["Shelter-15"] == dict(
        zip(published.EIGHT, [3599, None, None, 149.9, 166.3, 14.1, 7968, 3.3], strict=True)
    )
    for known in (published.HITS, published.EXCESS):
        assert {len(known[c]) for c in known} == {12}


def test_values_are_numbered_by_their_first_appearance():
    assert sets.by_first_appearance(pd.Series(["b", "a", "b", "c"])).categories.tolist() == ["b", "a", "c"]


def test_every_cell_is_a_system_of_its_own():
    for number, table in chapter5.TABLES.items():
        for method in table.methods:
            tree = chapter5.tree(method, table)
            assert (tree.depth if table.rule else tree.max_depth) == table.depth
            tree = tree.rule().tree if table.rule else tree
            assert tree.nominal_params["unseen"] == "stop"
            assert tree.selector == ("conditional_inference" if table.inference else "score"), number
            assert tree.selector_params["min_second_value"] == 15


def test_a_small_run_fills_a_table():
    data = small()
    cells = chapter5.run(data, ["5.6", "5.8", "5.9"], 2, lambda t, m: m != "GWSG")
    assert set(cells) == {"5.6", "5.8"}, "there are no numeric columns"
    assert set(cells["5.6"]) == set(published.EIGHT) - {"GWSG"}
    for cell in cells["5.6"].values():
        assert len(cell["accuracy"]) == 2
        assert cell["seconds"] > 0
    assert cells["5.6"]["HcC"]["accuracy"] == [100, 100]
    tables = {t: {"Cars": {m: {**cell, "run": 0} for m, cell in c.items()}} for t, c in cells.items()}
    saturated, runs = {"Cars": list(chapter5.saturated(data))}, [{"seed": 0, "machine": "one"}]
    page = report.page({"tables": tables, "saturated": saturated, "runs": runs})
    assert "Table 5.6: not run: Adult" in page
    assert "methods not run: Cars (GWSG)" in page
    assert "| Cars | 2 | 86.53 | 100.00 (0) | 85.39 | – |" in page
    assert report.counts("5.6", {"Cars": cells["5.6"]}, whole=False) == [7, 0, 7, 0]
    assert report.counts("5.6", {"Cars": cells["5.6"]}, whole=True) == [0, 0, 0, 0]


def test_the_authors_scan_takes_cuts_inside_equal_values():
    values, y = np.array([1.0, 2, 3, 3, 3, 3]), np.array([0, 1, 0, 0, 1, 1])
    score, at = authors.best_of_scan(values, y)
    assert score == pytest.approx(3.0)  # two of the four 3s on the left; between two values 1.2 is the most
    assert at == 2.5
    assert authors.best_of_scan(np.ones(4), np.array([0, 1, 0, 1]))[0] == -np.inf
    X = pd.DataFrame({"a": sets.by_first_appearance(pd.Series(list("uvuvuv"))), "b": values})
    for y, at in ((np.array([0, 1, 0, 1, 1, 1]), 2.5), (np.array([1, 0, 1, 0, 0, 0]), 1.5)):  # by value, then by class
        one = chapter5.tree("GLχ²", chapter5.TABLES["5.5*"])
        one.fit(X, y)
        split = one.splits[0][0]
        assert (split.column, split.at) == ("b", at)
        assert one.predict(X).tolist() == [np.bincount(y[(values > at) == (v > at)]).argmax() for v in values]


def test_the_first_of_the_sure_columns_is_split():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    noisy = {"a": np.where(rng.random(2000) < 0.3, 1 - y, y), "b": np.where(rng.random(2000) < 0.1, 1 - y, y)}
    X = pd.DataFrame({c: sets.by_first_appearance(pd.Series(v.astype(str))) for c, v in noisy.items()})
    ours, his = (chapter5.tree("LCA", chapter5.TABLES[t]) for t in ("5.4", "5.4*"))
    his.fit(X, y)
    assert ours.fit(X, y).tree_.feature[0] == 1
    assert his.splits[0][0].columns == ["a"], "both p-values are 0 as 1 − cdf"


def test_a_tree_grown_split_by_split_is_the_tree():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({c: sets.by_first_appearance(pd.Series(rng.integers(0, 6, 600).astype(str))) for c in "abcd"})
    y = (X["a"].cat.codes + X["b"].cat.codes + rng.integers(0, 4, 600)).to_numpy() // 4
    table = chapter5.TABLES["5.6"]
    whole = chapter5.tree("GLχ²", table).fit(X[:400], y[:400])
    grown = authors.Grown(lambda: authors.Split(chapter5.bough_tree("GLχ²", table, 1)), table.depth)
    grown.fit(X[:400], y[:400])
    assert len(grown.answers) == whole.tree_.node_count > 5
    assert grown.predict(X).tolist() == whole.predict(X).tolist()


def test_hits_and_excess_of_tables_by_hand():
    best = np.array([0.1, 0.2, 0.4])
    found = {"HcC": best, "PC-ext": np.array([0.1, 0.3, 0.4])}
    assert chapter4.hits(found, ("HcC", "PC-ext"), best) == pytest.approx([100, 200 / 3])
    assert chapter4.excess(found["PC-ext"], found["HcC"]) == pytest.approx((50, 50))
    assert chapter4.excess(found["HcC"], found["PC-ext"]) == (None, None)


def test_random_tables_have_no_empty_value_or_class():
    rng = np.random.default_rng(0)
    for _ in range(50):
        table = chapter4.random_table(rng, 3, 2)
        assert table.sum(axis=0).all()
        assert table.sum(axis=1).all()
        assert table.max() <= 7


def test_a_row_of_chapter_4_is_consistent():
    row = chapter4.row("gini", 6, 3, 40)
    assert row["true hits"][0] <= row["hits"][0] <= 100
    assert max(row["hits"]) >= 25
    chapter4.page({"tables": 40, "gini": [], "entropy": [], "seconds": {"PC-ext": 1.0}, "made by": {"seed": 0}})


@pytest.mark.parametrize(("name", "depth", "figure"), [("Cars", "5.6", 86.5), ("Contracep", "5.8", 43.69)])
def test_published_figures_come_out_with_the_authors_folds(name, depth, figure):
    try:
        load(sets.FILES[name])
    except DataMissing as e:
        pytest.skip(f"no data: {e}")
    cells = chapter5.run(sets.ready(name), [depth], 20, lambda t, m: m == "HcC")
    assert np.mean(cells[depth]["HcC"]["accuracy"]) == pytest.approx(figure, abs=0.01)


def test_hypercube_cover_on_other_tables_than_the_rest_gives_what_was_published_from_25_7_on():
    found: dict[str, list[float]] = {name: [] for name in chapter4.FOUR}
    ours, others = np.random.default_rng(1), np.random.default_rng(2)
    for _ in range(1500):
        table, other = chapter4.random_table(ours, 25, 7), chapter4.random_table(others, 25, 7)
        for name in chapter4.FOUR:
            search, params = chapter4.METHODS[name]
            t = other if name == "HcC" else table
            gain = bough.partition(t, search=search, criterion="gini", **params).gain
            found[name].append(chapter4.impurity("gini", t) - gain)
    left = {name: np.array(v) for name, v in found.items()}
    best = np.min(list(left.values()), axis=0)
    assert chapter4.hits(left, chapter4.FOUR, best) == pytest.approx([51.3, 47.1, 1.8, 1.4], abs=2.6)
    assert chapter4.excess(left["HcC"], left["PC-ext"])[0] == pytest.approx(0.32, abs=0.03)
