"""Numbers where nodes draw few columns: the trees of the presorted lists and of the naive grower, from ranks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bough import ForestRegressor, TreeRegressor, _core
from bough.estimators.plan import plan_of
from support.data import same_trees, tree_of
from support.drawn import assert_same, numbers, table
from support.models import bare
from support.oracle import trees as oracle


@pytest.fixture(params=_core.kernel_names())
def kernels(request):
    _core.use_kernels(request.param)
    yield request.param
    _core.use_kernels(_core.kernel_names()[-1])


def grown(tree, X, y, rows, engine, threads=1):
    """By the engine that is chosen, or from row ids: then from lists, not from ranks."""
    data = tree._data_of(X, y)
    plan = plan_of(tree.get_params(), data, seed=tree.random_state, threads=threads)
    sample = None if rows is None else _core.Sample(rows.astype(np.uint32))
    return _core.grow(data.for_core(), sample, plan._replace(engine=engine)).parts()


def trees(forest, X, y, engine, size, threads):
    data = forest._data_of(X, y)
    plan = plan_of(forest.get_params(), data, seed=0, threads=threads)
    return _core.grow_forest(data.for_core(), None, plan._replace(engine=engine), list(range(5)), size, False)


@pytest.mark.parametrize("largest", [60, 300, 3000])
def test_the_tree_is_that_of_presorted_lists(largest, kernels):
    for seed in range(40 if largest == 60 else 16):
        rng = np.random.default_rng([seed, largest])
        n = int(rng.choice([3, 7, 20, 60])) if largest == 60 else largest
        X, classes = table(rng, n, int(rng.choice([4, 9, 30])), 5)
        if seed % 3 == 0:
            X = np.repeat(X, 2, axis=0)[:n]  # rows that nothing tells apart
        tree = TreeRegressor(
            max_features=rng.choice(["sqrt", "log2"]),
            min_samples_leaf=int(rng.choice([1, 1, 1, 3])),
            max_leaf_nodes=None if seed % 5 else 9,
            max_depth=None if seed % 7 else 4,
            min_weight_fraction_leaf=0.0 if seed % 6 else 0.04,
            min_impurity_decrease=0.0 if seed % 11 else 0.01,
            count_constant=bool(rng.integers(2)),
            random_state=seed,
        )
        rows = np.sort(rng.integers(0, n, n)) if seed % 4 else None
        y = numbers(rng, X, classes)
        assert_same(grown(tree, X, y, rows, ""), grown(tree, X, y, rows, "row_ids"))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_large_nodes_too_whatever_the_number_of_threads(threads):
    rng = np.random.default_rng(0)
    X, y = table(rng, 35_000, 16, 400)
    y = y + rng.normal(size=len(y))
    rows = np.sort(rng.integers(0, len(y), len(y)))
    tree = TreeRegressor(max_features="sqrt", min_samples_leaf=50, random_state=3)
    assert_same(grown(tree, X, y, rows, "", threads), grown(tree, X, y, rows, "row_ids"))


def test_rows_that_are_drawn_very_often_are_summed_right():
    rng = np.random.default_rng(0)
    X, _ = table(rng, 40, 9, 3)
    often = [np.repeat(5, 100), np.repeat(7, 16), np.repeat(9, 15)]
    for seed in range(10):
        rows = np.sort(np.concatenate([*often, rng.integers(0, 40, 60)]))
        tree = TreeRegressor(max_features=2, random_state=seed)
        y = rng.normal(size=40)
        assert_same(grown(tree, X, y, rows, ""), grown(tree, X, y, rows, "row_ids"))


def test_numbers_whose_differences_vanish_beside_them():
    rng = np.random.default_rng(2)
    for n in (8, 30, 400):
        X, _ = table(rng, n, 9, 3)
        for size in (1e8, 1e15):
            y = size + rng.integers(0, 4, n)
            tree = TreeRegressor(max_features="sqrt", random_state=n)
            rows = np.sort(rng.integers(0, n, n))
            assert_same(grown(tree, X, y, rows, ""), grown(tree, X, y, rows, "row_ids"))


@pytest.mark.parametrize("what", ["gaps", "text", "weights"])
def test_gaps_nominal_columns_and_weights_do_no_harm(what):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    X, y = table(rng, 400, 8, 300)
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(8)])
    if what == "gaps":
        frame.loc[::5, "c3"] = np.nan
    if what == "text":
        frame["c3"] = rng.choice(list("abcd"), 400)
    forest = ForestRegressor(5, max_features=3, random_state=0, n_jobs=1)
    weights = rng.random(400) if what == "weights" else None
    one = forest.fit(frame, y, sample_weight=weights).predict(frame)
    two = ForestRegressor(5, max_features=3, random_state=0, n_jobs=2).fit(frame, y, sample_weight=weights)
    assert np.array_equal(one, two.predict(frame))
    rows = np.sort(rng.integers(0, 400, 400))
    tree = TreeRegressor(max_features=3, random_state=0)
    assert_same(grown(tree, frame, y, rows, ""), grown(tree, frame, y, rows, "row_ids"))


@pytest.mark.parametrize("least", [1, 3])
def test_the_tree_is_that_of_the_naive_grower(least, kernels):
    """Columns that are all one: whichever a node draws, there is one best cut."""
    for seed in range(25):
        rng = np.random.default_rng([seed, least])
        n = int(rng.choice([3, 7, 20, 70]))
        x, _ = table(rng, n, 1, 2)
        x = np.where(np.abs(x) > 1e200, -50.0, x)
        y = rng.integers(0, 6, n) * 1.0 if seed % 2 else rng.normal(size=n)
        tree = TreeRegressor(min_samples_leaf=least, max_features=1, random_state=seed).fit(np.repeat(x, 4, axis=1), y)
        rules = oracle.Rules(max_depth=math.inf, min_samples_leaf=least)
        expected = oracle.grow(
            [("numeric", x[:, 0].tolist())], y.tolist(), [1.0] * n, 0, "squared_error", "auto", rules
        )
        found = [("axis", 0, *node[2:]) if node[0] == "axis" else node for node in tree_of(tree)]
        assert same_trees(found, expected), seed


@pytest.mark.parametrize("bootstrap", [True, False])
def test_a_forest_is_that_of_presorted_lists_for_any_number_of_threads(bootstrap):
    rng = np.random.default_rng(7)
    X, classes = table(rng, 700, 12, 300)
    y = numbers(rng, X, classes)
    forest = ForestRegressor(max_features="sqrt")
    plain = trees(forest, X, y, "row_ids", 700 if bootstrap else 0, 1)
    for threads in (1, 2, 7):
        for ours, lists in zip(trees(forest, X, y, "", 700 if bootstrap else 0, threads), plain, strict=True):
            assert_same(ours.parts(), lists.parts())


def test_a_forest_of_one_tree_without_bootstrap_is_the_tree(as_in_forests):
    rng = np.random.default_rng(8)
    X, classes = table(rng, 500, 9, 100)
    y = numbers(rng, X, classes)
    for split in ("axis", "random"):
        given = {"split": split, "max_features": "sqrt", "random_state": 4}
        forest = ForestRegressor(1, bootstrap=False, **given).fit(X, y)
        assert forest.model_ == bare(TreeRegressor(**given).fit(X, y).model_)


@pytest.mark.parametrize("candidates", [0, 1, 2])
def test_random_splits_are_those_of_the_numbers_themselves(candidates):
    for seed in range(8):
        rng = np.random.default_rng([seed, candidates])
        n = int(rng.choice([12, 60, 300, 2500]))
        X, classes = table(rng, n, int(rng.choice([4, 9, 30])), 50)
        forest = ForestRegressor(
            split="random",
            split_params={"candidates": candidates},
            max_features="sqrt",
            min_samples_leaf=int(rng.choice([1, 1, 3])),
            min_weight_fraction_leaf=0.0 if seed % 3 else 0.04,
            count_constant=bool(seed % 2),
        )
        y = numbers(rng, X, classes)
        size = n if seed % 2 else 0
        for ours, plain in zip(
            trees(forest, X, y, "", size, 1 + seed % 3), trees(forest, X, y, "row_ids", size, 1), strict=True
        ):
            assert_same(ours.parts(), plain.parts())
