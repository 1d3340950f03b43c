"""Growth where numbers are predicted, from sums that were added up: what is about numbers alone."""

import numpy as np

from bough import TreeRegressor
from support.distributed import Table, different, grow_in_portions


def test_few_bins_are_looked_into_where_one_column_tells_the_target():
    rng = np.random.default_rng(3)
    columns = [rng.normal(size=4000) for _ in range(5)]
    table = Table(columns, [0] * 5, 3.0 * (columns[2] > 0.3) + 0.1 * rng.normal(size=4000), 0)
    _, whole, bins = grow_in_portions(TreeRegressor(max_depth=1), table, [1000, 2500], 64, 0)
    assert whole.n_nodes == 3
    assert bins <= 3


def test_two_rows_take_the_first_column_that_parts_them():
    for seed in range(40):  # whose numbers differ in the last bit, so that rounding tells gains of columns apart
        rng = np.random.default_rng([seed, 13])
        y = np.repeat(rng.permutation(6) + 1.1, 2)
        y = np.where(rng.random(12) < 0.5, y, np.nextafter(y, 9))
        columns = [np.arange(12.0).round(-1), np.arange(12.0), -np.arange(12.0), rng.normal(size=12)]
        order = rng.permutation(4)
        table = Table([columns[i] for i in order], [0] * 4, y, 0, rng.random(12) + 0.1 if seed % 2 else None)
        pooled, whole, _ = grow_in_portions(TreeRegressor(), table, [5], int(rng.integers(2, 9)), 0)
        assert set(different(pooled, whole)) <= {"gains"}, f"seed {seed}"  # of sums of doubles in the bins
