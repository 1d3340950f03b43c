"""Vectors and bins of refinement change nothing; test_twin.py has sums over rows of rare values."""

import numpy as np
import pandas as pd
import pytest

from bough import TreeClassifier, _core


def sparse(seed, n=400):
    """Columns of which most rows have one value, and one of numbers that all differ."""
    rng = np.random.default_rng(seed)
    columns = {"all": rng.normal(size=n)}
    for j in range(6):
        x = np.where(rng.random(n) < 0.1 + 0.1 * j, rng.normal(size=n).round(1), 0.5 * (j % 2))
        x[rng.random(n) < 0.05 * (j % 3)] = np.nan
        columns[f"x{j}"] = x
        columns[f"c{j}"] = pd.Categorical.from_codes(
            (rng.random(n) < 0.15).astype(int) * rng.integers(0, 4, n), list("abcd")
        )
    frame = pd.DataFrame(columns)
    score = frame["all"] + sum(np.nan_to_num(frame[f"x{j}"]) for j in range(6)) + frame["c1"].cat.codes
    return frame, np.digitize(score + rng.normal(size=n), [-0.5, 1.5])


def objective(frame, y, kind="linear", **params):
    tree = TreeClassifier(refine=kind, max_depth=5, refine_params=params, random_state=0).fit(frame, y)
    return list(tree.refinement_["objective"]), tree


@pytest.mark.parametrize("kind", ["axis", "linear"])
@pytest.mark.parametrize("seed", range(10))
def test_every_kernel_set_makes_the_same_file(kind, seed):
    frame, y = sparse(seed)
    before, files = _core.kernels_in_use(), set()
    try:
        for name in _core.kernel_names():
            _core.use_kernels(name)
            files.add(objective(frame, y, kind)[1].model_.to_bytes())
    finally:
        _core.use_kernels(before)
    assert len(files) == 1


@pytest.mark.parametrize("seed", range(10))
def test_bins_leave_out_no_split_that_is_better(seed):
    """Six terms are too many for bins to decide; a table of three columns has no more than three."""
    frame, y = sparse(seed)
    three = frame[["all", "x4", "c1"]]
    (found, tree), (plain, other) = objective(three, y, terms=3), objective(three, y, terms=6)
    assert found == plain
    assert (tree.apply(three) == other.apply(three)).all()
