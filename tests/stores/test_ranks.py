"""Axis splits where nodes draw few columns: the tree of the presorted lists, from ranks."""

from __future__ import annotations

import numpy as np
import pytest

from bough import TreeClassifier, _core
from bough.estimators.plan import plan_of
from support.combinations import named
from support.drawn import assert_same, table

CRITERIA = sorted(n for n, p in named("criterion").items() if not p.traits["regression"] and not p.traits["projection"])


def grown(tree, X, y, rows, engine, threads=1):
    data = tree._data_of(X, y)
    plan = plan_of(tree.get_params(), data, seed=tree.random_state, threads=threads)
    sample = None if rows is None else _core.Sample(rows.astype(np.uint32))
    return _core.grow(data.for_core(), sample, plan._replace(engine=engine)).parts()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("classes", [2, 3, 9])
def test_the_tree_is_that_of_presorted_lists(criterion, classes):
    for seed in range(12):
        rng = np.random.default_rng([seed, classes])
        n = int(rng.choice([12, 60, 300, 1500]))
        X, y = table(rng, n, int(rng.choice([4, 9, 30])), classes)
        rows = np.sort(rng.integers(0, n, n)) if seed % 3 else None
        tree = TreeClassifier(
            criterion=criterion,
            max_features=rng.choice(["sqrt", "log2"]),
            min_samples_leaf=int(rng.choice([1, 1, 3])),
            max_leaf_nodes=None if seed % 4 else 9,
            max_depth=None if seed % 5 else 4,
            min_weight_fraction_leaf=0.0 if seed % 6 else 0.04,
            min_impurity_decrease=0.0 if seed % 7 else 0.01,
            count_constant=bool(seed % 2),
            random_state=seed,
        )
        assert_same(grown(tree, X, y, rows, ""), grown(tree, X, y, rows, "row_ids"))


@pytest.mark.parametrize("classes", [2, 5])
def test_large_nodes_too_whatever_the_number_of_threads(classes):
    rng = np.random.default_rng(classes)
    X, y = table(rng, 20_000, 16, classes)
    rows = np.sort(rng.integers(0, len(y), len(y)))
    tree = TreeClassifier(max_features="sqrt", random_state=3)
    lists = grown(tree, X, y, rows, "row_ids")
    for threads in (1, 2, 5):
        assert_same(grown(tree, X, y, rows, "", threads), lists)


def test_nodes_of_two_rows_that_no_column_but_one_can_part():
    rng = np.random.default_rng(5)
    X = np.repeat(rng.integers(0, 3, (40, 9)), 2, axis=0).astype(float)
    X[::2, 8] = rng.normal(size=40)
    y = np.arange(80) % 2
    for count_constant in (True, False):
        tree = TreeClassifier(max_features=2, count_constant=count_constant, random_state=1)
        lists = grown(tree, X, y, None, "row_ids")
        assert_same(grown(tree, X, y, None, ""), lists)
        assert len(lists["kinds"]) > 40


def test_rows_that_are_drawn_very_often_are_counted_right():
    rng = np.random.default_rng(0)
    X, y = table(rng, 40, 9, 3)
    rows = np.sort(np.concatenate([np.repeat(5, 100), np.repeat(7, 16), np.repeat(9, 15), rng.integers(0, 40, 60)]))
    tree = TreeClassifier(max_features=2, random_state=0)
    assert_same(grown(tree, X, y, rows, ""), grown(tree, X, y, rows, "row_ids"))


@pytest.mark.parametrize("what", ["gaps", "text"])
def test_gaps_and_nominal_columns_do_no_harm(what):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    X, y = table(rng, 400, 8, 3)
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(8)])
    if what == "gaps":
        frame.loc[::5, "c3"] = np.nan
    else:
        frame["c3"] = rng.choice(list("abcd"), 400)
    rows = np.sort(rng.integers(0, 400, 400))
    for nominal in ("auto", "multiway"):
        tree = TreeClassifier(max_features=3, nominal=nominal, random_state=0)
        assert_same(grown(tree, frame, y, rows, ""), grown(tree, frame, y, rows, "row_ids"))
