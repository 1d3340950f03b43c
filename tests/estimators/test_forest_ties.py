"""Ties between columns in forests: the seed decides, not the order of the table."""

from __future__ import annotations

import numpy as np

from bough import ForestRegressor


def test_the_order_of_columns_does_not_shift_the_score_of_a_forest_of_single_rows():
    shifts = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(900, 12))
        y = 3 * X[:, 0] + 2 * X[:, 1] * X[:, 0] + X[:, 2] + rng.normal(size=900)
        score = [
            ForestRegressor(20, max_features=None, random_state=seed).fit(Z[:500], y[:500]).score(Z[500:], y[500:])
            for Z in (X, X[:, ::-1])
        ]
        shifts.append(score[0] - score[1])
    error = np.std(shifts, ddof=1) / np.sqrt(len(shifts))
    assert abs(np.mean(shifts)) < 3 * error


def test_trees_of_a_forest_split_pairs_of_rows_at_different_columns():
    X = np.tile(np.array([[0.0], [1.0]]), (1, 8))
    forest = ForestRegressor(200, bootstrap=False, max_features=None, random_state=0).fit(X, [0.0, 1.0])
    used = {int(tree.parts()["columns"][0]) for tree in forest.model_.trees}
    assert used == set(range(8))
