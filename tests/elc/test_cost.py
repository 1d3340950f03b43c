"""What an exact search would cost is said before it begins."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pytest

from bough import ForestClassifier, TreeClassifier, TreeRegressor
from bough.estimators.hyperplanes import Cost, spoken

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(2000, 60)), RNG.integers(0, 2, 2000)


@pytest.mark.parametrize(
    "tree",
    [
        TreeClassifier(split="elc", split_params={"r": 4}),
        TreeRegressor(split="elc", split_params={"r": 5}),
        ForestClassifier(2, split="elc", split_params={"r": 6}, max_features=40, n_jobs=2),
    ],
)
def test_a_fit_that_would_hardly_end_says_so_before_it_begins(tree):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        began = time.monotonic()
        with pytest.raises(UserWarning, match=r"sets of columns.*max_seconds.*smaller r.*max_planes.*max_features"):
            tree.fit(X, Y)
        assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "params",
    [
        {"split_params": {"r": 4, "max_planes": 10}},
        {"split_params": {"r": 4, "max_seconds": 0.01}},
        {"split_params": {"r": 4, "max_fit_seconds": 0.01}},
        {"split_params": {"r": 2}},
        {"split_params": {"r": 4}, "max_features": 2},
    ],
)
def test_a_fit_that_is_limited_or_small_is_not_warned_of(params):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        TreeClassifier(split="elc", max_depth=1, **params).fit(X[:200, :30], Y[:200])
    assert not [w for w in caught if "sets of columns" in str(w.message)]


def test_table_1_of_the_paper_counts_the_hyperplanes():
    cost = Cost.of(rows=100, columns=10, r=2)
    assert (cost.sets, cost.planes) == (45, 45 * 4950)
    assert cost.bounds <= cost.brute_force
    assert Cost.of(rows=100, columns=1, r=3).sets == 1
    assert Cost.of(rows=10**6, columns=10**4, r=8).brute_force > 1e30  # no overflow


def test_times_are_spoken():
    assert spoken(30) == "about 30 seconds"
    assert spoken(7300) == "about 2 hours"
    assert spoken(1e300) == "over a billion years"
