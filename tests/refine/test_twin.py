"""axis and linear against their naive twin: the same objective after each pass."""

import numpy as np
import pandas as pd
import pytest
from tests.support.oracle.refining import Refining

from bough import TreeClassifier, TreeRegressor, _core
from bough.estimators.plan import plan_of


def table(seed):
    """A table of numbers and categories with ties, repeated rows and missing values, its target, and weights."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 60)), int(rng.integers(1, 5))
    columns = {}
    for j in range(d):
        kind = rng.integers(4)
        most = rng.random(n) < (0.8 if rng.random() < 0.4 else 0)  # rows of one value
        if kind == 0:
            columns[f"c{j}"] = pd.Categorical.from_codes(np.where(most, 2, rng.integers(0, 6, n)), list("abcdef"))
            continue
        x = np.where(most, 0.5, rng.normal(size=n).round(1 if kind == 1 else 6))
        if rng.random() < 0.3:
            x[rng.random(n) < 0.2] = np.nan
        columns[f"x{j}"] = x if kind < 3 else np.full(n, 3.0)
    frame = pd.DataFrame(columns)
    k = int(rng.integers(2, 4))
    signal = sum(np.nan_to_num(c.cat.codes if hasattr(c, "cat") else c) * rng.normal() for _, c in frame.items())
    noisy = np.asarray(signal) + rng.normal(size=n) * 0.5
    y = np.clip(np.digitize(noisy, np.quantile(noisy, np.arange(1, k) / k)), 0, k - 1)
    if rng.random() < 0.1:
        y[:] = 0
    weights = rng.integers(1, 5, n) / 2 if rng.random() < 0.5 else None
    return frame, y, noisy, weights


def twin_of(tree, frame, y, weights, **settings):
    data = tree._data_of(frame, y, weights)
    plan = plan_of(tree.get_params() | {"smoothing": None}, data, seed=0, threads=1)
    plan = plan._replace(refine=None, max_depth=1)
    core = data.for_core()
    arrays = [
        c.cat.codes.to_numpy().astype(int) if hasattr(c, "cat") else c.to_numpy(dtype=float) for _, c in frame.items()
    ]

    def stump(rows):
        grown = _core.grow(core, _core.Sample(np.array(rows, np.uint32)), plan)
        if grown.n_nodes == 1:
            return None
        s = grown.split(0)
        if s["kind"] == 1:
            return ("axis", s["column"], s["cut"], bool(s["missing_left"]))
        sides = np.full(6, s["other"] == 0)
        sides[s["values"]] = np.array(s["goes_left"], dtype=bool)
        return ("subset", s["column"], sides)

    k = 0 if isinstance(tree, TreeRegressor) else len(set(y))
    target = y if k == 0 else np.unique(y, return_inverse=True)[1]
    return Refining(arrays, target, stump, k=k, weights=weights, **settings)


@pytest.mark.parametrize("kind", ["axis", "linear"])
@pytest.mark.parametrize("seed", range(100))
def test_it_has_the_objective_of_its_naive_twin_after_each_pass(kind, seed):
    frame, y, numbers, weights = table(seed + (1000 if kind == "linear" else 0))
    regression = seed % 4 == 3
    target = numbers if regression else y
    price = (0.5, 1.0, 2.0)[seed % 3]
    params = {"price": price, "grow": "levels", "min_value_rows": 1 + seed % 3}
    if kind == "linear":
        params["terms"] = 2 + seed % 2
    depth = 1 + seed % 5
    cls = TreeRegressor if regression else TreeClassifier
    tree = cls(refine=kind, refine_params=params, max_depth=depth, random_state=0).fit(frame, target, weights)
    twin = twin_of(tree, frame, target, weights, terms=params.get("terms", 1), price=price, min_value_rows=1 + seed % 3)
    told = twin.run(depth)
    found = tree.refinement_["objective"]
    assert len(found) == len(told)
    assert found == pytest.approx([x for _, x in told], rel=1e-7, abs=1e-9)
