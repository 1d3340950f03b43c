"""Growth from counts that were added up, without a cluster: the tree is that of the rows, byte for byte."""

from itertools import pairwise

import numpy as np
import pytest

from support.pooled import GROWTHS, Table, different, estimator_of, grow_by_chance, grow_in_portions, random_table

pytest.importorskip("distributed", reason="bough[dask] is not installed")
from bough import TreeClassifier, _core
from bough.dask.growth import pieces_of
from bough.dask.look import odd_one
from bough.estimators._base import parameters_of
from bough.estimators.plan import plan_of


@pytest.mark.parametrize(("criterion", "weights"), GROWTHS)
def test_the_tree_is_that_of_one_table_whatever_the_portions(criterion, weights):
    looked = 0
    for seed in range(10):
        rng = np.random.default_rng([seed, GROWTHS.index((criterion, weights))])
        table = random_table(rng, weights=weights, numbers=criterion == "squared_error")
        pooled, whole, bins = grow_by_chance(estimator_of(criterion), table, rng, seed)
        # A cut in a graph of values is no sum over its sides: what rounding left in it is stored.
        rounded = ["gains"] if criterion == "chi2_cut" and weights in ("any", "balanced") else []
        assert [name for name in different(pooled, whole) if name not in rounded] == [], f"seed {seed}"
        assert np.allclose(pooled.parts()["gains"], whole.parts()["gains"], rtol=1e-9, atol=1e-12)
        looked += bins
    assert looked > 0


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@pytest.mark.parametrize(
    "params", [{"max_leaf_nodes": 9}, {"max_features": 1}, {"max_features": 2, "count_constant": False}]
)
def test_columns_that_are_drawn_and_trees_that_grow_best_first(params, criterion):
    numbers = criterion == "squared_error"
    for seed in range(25):
        rng = np.random.default_rng([seed, 11])
        weights = [None, "whole", "any"][seed % 3]
        table = random_table(rng, weights=weights, numbers=numbers)
        if seed % 5 == 0:  # columns that are nearly constant: more have to be drawn
            table.columns[0] = np.where(np.arange(len(table.y)) < 2, np.arange(len(table.y)), 0.5).astype(float)
            table.n_values[0] = 0
        estimator = estimator_of(criterion, **params, min_samples_leaf=1 + seed % 3, random_state=seed)
        few = 0 if seed % 3 else 40
        cuts = rng.integers(0, len(table.y), 3).tolist()
        pooled, whole, _ = grow_in_portions(estimator, table, cuts, int(rng.integers(2, 20)), few)
        assert different(pooled, whole) == [], f"seed {seed}"


@pytest.mark.parametrize(
    ("weights", "waits"),
    [
        ([], False),
        ([3.0, 8.0], False),
        ([0.5, 2.0, 0.5], False),
        ([0.25, 2.0, 0.0625], False),
        ([0.1, 2.0, 0.1], True),
        ([2.0**52, 2.0**53], True),
        ([2.0**30, 2.0**40, 2.0**30 + 0.5], True),
    ],
)
def test_nodes_wait_for_their_class_weights_only_where_sums_are_rounded(weights, waits):
    table = Table([np.arange(4.0)], [0], np.arange(4) % 2, 2)
    plan = plan_of(parameters_of(TreeClassifier()), table, seed=0, threads=1)
    total = weights[:2] or [2.0, 2.0]
    grower = _core.PooledGrower(plan, [0], [np.array([1.5])], [2.0, 2.0], total, weights, 0)
    assert grower.unmeasured() == ([0] if waits else [])


def test_the_weight_that_tells_most_about_sums():
    assert odd_one(np.array([1.0, 4.0])) == []
    assert odd_one(np.array([1.0, 0.5, 0.1, 0.2])) == [0.1]
    assert odd_one(np.array([0.5, 1 / 1024, 3.0])) == [0.5]


@pytest.mark.parametrize("nominal", ["multiway", "one_vs_rest", "pc_ext", "superclass"])
def test_nominal_searches_see_the_table_of_all_portions(nominal):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 300)
    columns = [rng.integers(0, 12, 300), (y + rng.integers(0, 2, 300)) % 4, rng.normal(size=300)]
    table = Table(columns, [12, 4, 0], y, 3)
    criterion = "twoing" if nominal == "superclass" else "gini"
    estimator = TreeClassifier(nominal=nominal, criterion=criterion, max_depth=5)
    pooled, whole, _ = grow_in_portions(estimator, table, [40, 41, 200], 8, 0)
    assert different(pooled, whole) == []


def test_columns_of_many_values_are_filtered_as_on_one_machine():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 1500)
    columns = [rng.integers(0, 1000, 1500), y * 500 + rng.integers(0, 600, 1500), rng.normal(size=1500).round(1)]
    table = Table(columns, [1000, 1100, 0], y, 2)
    estimator = TreeClassifier(selector_params={"chi2_filter": 0.2}, max_depth=6)
    pooled, whole, _ = grow_in_portions(estimator, table, [100, 900], 16, 0)
    assert whole.n_nodes > 3
    assert different(pooled, whole) == []


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@pytest.mark.parametrize("params", [{}, {"max_features": 2}, {"max_leaf_nodes": 5}], ids=lambda p: "-".join(p))
def test_nominal_columns_are_tested_by_their_tables(params, criterion):
    tested = 0
    for seed in range(10):
        rng = np.random.default_rng([seed, 21])
        table = random_table(rng, weights=[None, "whole"][seed % 2], numbers=criterion == "squared_error")
        n, k = len(table.y), len(np.unique(table.y))
        signal = (np.argsort(np.argsort(table.y, kind="stable")) * 6 // n + rng.integers(0, 2, n)) % 6
        table.columns, table.n_values = [rng.integers(0, 4, n), signal, rng.integers(0, k + 1, n)], [4, 6, k + 1]
        estimator = estimator_of(criterion, selector="conditional_inference", random_state=seed, **params)
        few = 0 if seed % 3 or params else 40
        pooled, whole, _ = grow_in_portions(estimator, table, [n // 3, n // 2], 8, few)
        assert different(pooled, whole) == [], f"seed {seed}"
        tested += len(whole.parts().get("log_p", [])) > 3
    assert tested > 3


def test_counts_that_do_not_add_up_are_noticed():
    table = random_table(np.random.default_rng(3))
    rows = np.bincount(table.y, minlength=table.k).astype(float).tolist()
    plan = plan_of(parameters_of(TreeClassifier()), table, seed=0, threads=1)
    edges = [np.empty(0)] * len(table.columns)
    grower = _core.PooledGrower(plan, table.n_values, edges, rows, rows, [], 0)
    size = sum(n or 2 for n in table.n_values) * table.k
    with pytest.raises(RuntimeError, match="do not add up"):
        grower.counted(np.zeros(size, np.uint32), None, size)


def test_what_needs_rows_is_refused_by_the_core_too():
    table = random_table(np.random.default_rng(4))
    for params in (
        {"split": "cart_lc"},
        {"criterion": "max_cut"},
        {"selector": "conditional_inference"},
        {"selector": "average_gain", "criterion": "gain_ratio"},
        {"missing": "surrogate"},
    ):
        with pytest.raises(ValueError, match="one by one|in one place"):
            grow_in_portions(
                TreeClassifier(**params), Table([np.arange(9.0)] * 2, [0, 0], table.y[:9] % 2, 2), [4], 4, 0
            )


def test_numbers_of_many_nodes_are_looked_at_in_pieces():
    rng = np.random.default_rng(5)
    nodes = np.repeat(np.arange(40, dtype=np.uint32), rng.integers(1, 5, 40))
    rows = rng.integers(2, 30, len(nodes)).astype(np.uint32)
    found = list(pieces_of((nodes, rows), 100))
    assert np.concatenate([p[0] for p in found]).tolist() == nodes.tolist()
    assert all(not set(a[0]) & set(b[0]) for a, b in pairwise(found))
    assert all(p[1][p[0] != p[0][-1]].sum() < 100 for p in found)  # full with its last node, not before
    assert all(p[1].sum() >= 100 for p in found[:-1])
    assert list(pieces_of((nodes[:0], rows[:0]), 100)) == []
