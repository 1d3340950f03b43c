"""p-values as 1 − cdf gives them: of those that are 0 the first column is split."""

from __future__ import annotations

import numpy as np

from bough import TreeClassifier


def test_of_p_values_that_are_0_by_one_minus_cdf_the_first_column_is_split():
    rng = np.random.default_rng(0)
    n = 2000
    y = rng.integers(0, 2, n)
    sure = np.where(rng.random(n) < 0.25, 1 - y, y)
    surer = np.where(rng.random(n) < 0.02, 1 - y, y)
    X = np.column_stack([sure, surer]).astype(float)
    options = {"selector": "conditional_inference", "max_depth": 1}
    tree = TreeClassifier(**options).fit(X, y)
    assert tree.tree_.feature[0] == 1
    assert (tree.model_.log_p_values[0] < np.log(2.0**-53)).all()
    old = TreeClassifier(**options, selector_params={"p_values": "saturated"}).fit(X, y)
    assert old.tree_.feature[0] == 0
    few = TreeClassifier(**options, selector_params={"p_values": "saturated"}).fit(X[:40], y[:40])
    assert few.tree_.feature[0] == 1  # neither is 0: the surer one
