"""Growth where numbers are predicted, from sums that were added up: what is about numbers alone."""

import numpy as np
import pytest

from support.pooled import Table, different, grow_in_portions

pytest.importorskip("distributed", reason="bough[dask] is not installed")
from bough import TreeRegressor
from bough.dask import offset


def test_few_bins_are_looked_into_where_one_column_tells_the_target():
    rng = np.random.default_rng(3)
    columns = [rng.normal(size=4000) for _ in range(5)]
    table = Table(columns, [0] * 5, 3.0 * (columns[2] > 0.3) + 0.1 * rng.normal(size=4000), 0)
    _, whole, bins = grow_in_portions(TreeRegressor(max_depth=1), table, [1000, 2500], 64, 0)
    assert whole.n_nodes == 3
    assert bins <= 3


def test_the_mean_of_partitions_is_that_of_one_array():
    rng = np.random.default_rng(0)
    for _ in range(60):
        sizes = [int(rng.integers(1, rng.choice([3, 50, 300, 5000]))) for _ in range(int(rng.integers(1, 9)))]
        y = rng.normal(size=sum(sizes)) * 10.0 ** rng.integers(-3, 4) + 100 * rng.normal()
        parts = np.split(y, np.cumsum(sizes)[:-1])
        stretches = offset.stretches_of(sizes)
        told = [offset.told(parts[p.partition], y[0], [p])[0] for p in stretches]
        assert offset.mean_of(sizes, stretches, told) == np.mean(y - y[0])
        assert sum(p.end - p.begin for p in stretches if not p.summed) <= 128 * len(sizes)


def test_two_rows_take_the_first_column_that_parts_them():
    for seed in range(40):  # whose numbers differ in the last bit, so that rounding tells gains of columns apart
        rng = np.random.default_rng([seed, 13])
        y = np.repeat(rng.permutation(6) + 1.1, 2)
        y = np.where(rng.random(12) < 0.5, y, np.nextafter(y, 9))
        columns = [np.arange(12.0).round(-1), np.arange(12.0), -np.arange(12.0), rng.normal(size=12)]
        order = rng.permutation(4)
        table = Table([columns[i] for i in order], [0] * 4, y, 0, rng.random(12) + 0.1 if seed % 2 else None)
        pooled, whole, _ = grow_in_portions(TreeRegressor(), table, [5], int(rng.integers(2, 9)), 0)
        assert different(pooled, whole) == [], f"seed {seed}"
