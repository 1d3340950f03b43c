"""Growth from counts that were added up, without a cluster: the tree is that of the rows, byte for byte."""

import numpy as np
import pytest

from bough import TreeClassifier, _core
from bough.distributed.look import odd_one
from support.data import numeric
from support.distributed import (
    GROWTHS,
    Table,
    ask,
    different,
    driver_of,
    estimator_of,
    grow_by_chance,
    grow_in_portions,
    random_table,
)


@pytest.mark.parametrize(("criterion", "weights"), GROWTHS)
def test_the_tree_is_that_of_one_table_whatever_the_portions(criterion, weights):
    looked = 0
    for seed in range(10):
        rng = np.random.default_rng([seed, GROWTHS.index((criterion, weights))])
        table = random_table(rng, weights=weights, numbers=numeric(criterion), counts=criterion == "poisson")
        pooled, whole, bins = grow_by_chance(estimator_of(criterion), table, rng, seed)
        # A cut in a graph of values is no sum over its sides: what rounding left in it is stored.
        rounded = ["gains"] if criterion == "chi2_cut" and weights in ("any", "balanced") else []
        assert [name for name in different(pooled, whole) if name not in rounded] == [], f"seed {seed}"
        assert np.allclose(pooled.parts()["gains"], whole.parts()["gains"], rtol=1e-9, atol=1e-12)
        looked += bins
    assert looked > 0


@pytest.mark.parametrize("criterion", ["gini", "squared_error", "poisson"])
@pytest.mark.parametrize(
    "params", [{"max_leaf_nodes": 9}, {"max_features": 1}, {"max_features": 2, "count_constant": False}]
)
def test_columns_that_are_drawn_and_trees_that_grow_best_first(params, criterion):
    numbers = numeric(criterion)
    for seed in range(25):
        rng = np.random.default_rng([seed, 11])
        weights = [None, "whole", "any"][seed % 3]
        table = random_table(rng, weights=weights, numbers=numbers, counts=criterion == "poisson")
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
    _, plan, layout = driver_of(TreeClassifier(), table, 8, 0)
    driver = _core.Driver(plan, layout, weights, sum(weights[:2]) or 4.0, 0)
    assert driver.next()[:2] == ("measure", "in turn" if waits else "added")


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
        rounded = ["log_p"] if criterion == "squared_error" else []  # made of sums that are rounded
        assert [name for name in different(pooled, whole) if name not in rounded] == [], f"seed {seed}"
        tests = [t.parts().get("log_p", np.empty(0)) for t in (pooled, whole)]
        assert np.allclose(*tests, rtol=1e-12, equal_nan=True)
        tested += len(whole.parts().get("log_p", [])) > 3
    assert tested > 3


@pytest.mark.parametrize("numbers", [False, True])
def test_counts_that_do_not_add_up_are_noticed(numbers):
    table = random_table(np.random.default_rng(3), numbers=numbers)
    driver, _, layout = driver_of(estimator_of("squared_error" if numbers else "gini"), table, 8, 0)
    n = len(table.y)
    portions = [_core.Portion(table.data(np.arange(a, b)), layout) for a, b in ((0, n // 2), (n // 2, n))]
    while driver.n_asked == 0:
        ask(driver, portions)
    with pytest.raises(RuntimeError, match="do not add up"):
        ask(driver, portions[:1])


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
