"""Random splits in forests, from ranks that all trees share: the trees that are grown from the numbers themselves."""

from __future__ import annotations

import numpy as np
import pytest

from bough import ForestClassifier, _core
from bough.estimators.plan import plan_of
from support.drawn import assert_same, table


def trees(forest, X, y, engine, size, threads):
    data = forest._data_of(X, y)
    plan = plan_of(forest.get_params(), data, seed=0, threads=threads)
    return _core.grow_forest(data.for_core(), None, plan._replace(engine=engine), list(range(5)), size, False)


@pytest.mark.parametrize("candidates", [0, 1, 2])
@pytest.mark.parametrize("classes", [2, 3, 9])
def test_the_trees_are_those_of_the_numbers(candidates, classes):
    for seed in range(6):
        rng = np.random.default_rng([seed, classes, candidates])
        n = int(rng.choice([12, 60, 300, 2500]))
        X, y = table(rng, n, int(rng.choice([4, 9, 30])), classes)
        forest = ForestClassifier(
            split="random",
            split_params={"candidates": candidates},
            criterion=str(rng.choice(["gini", "entropy", "twoing"])),
            min_samples_leaf=int(rng.choice([1, 1, 3])),
            min_weight_fraction_leaf=0.0 if seed % 3 else 0.04,
            count_constant=bool(seed % 2),
        )
        size = n if seed % 2 else 0
        for ours, plain in zip(
            trees(forest, X, y, "", size, 1 + seed % 3), trees(forest, X, y, "row_ids", size, 1), strict=True
        ):
            assert_same(ours.parts(), plain.parts())


def test_nominal_columns_do_no_harm():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    X, y = table(rng, 400, 8, 3)
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(8)]).assign(c3=rng.choice(list("abcd"), 400))
    forest = ForestClassifier(split="random", max_features=3)
    for ours, plain in zip(
        trees(forest, frame, y, "", 400, 1), trees(forest, frame, y, "row_ids", 400, 1), strict=True
    ):
        assert_same(ours.parts(), plain.parts())
