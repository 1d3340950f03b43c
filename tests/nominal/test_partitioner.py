"""`bough.partitioner`: a function of the user's own as a nominal search."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bough
from bough import ParameterError, TreeClassifier, TreeRegressor


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"s": rng.choice(list("abcdefgh"), n), "t": rng.choice(list("xyz"), n), "u": rng.normal(size=n)})
    y = X["s"].isin(list("aceg")).astype(int) + 2 * (X["t"] == "x") + (rng.random(n) < 0.1)
    return X, y.to_numpy()


def test_a_search_written_in_python_grows_the_tree_of_the_built_in_one():
    X, y = table()

    def exact(counts):
        return bough.partition(counts, search="exact", criterion="entropy").left

    own = TreeClassifier(criterion="entropy", nominal=bough.partitioner(exact), random_state=0).fit(X, y)
    ours = TreeClassifier(criterion="entropy", nominal="exact", random_state=0).fit(X, y)
    assert own.show() == ours.show()


def test_it_sees_the_values_and_classes_of_the_node():
    X, y = table()
    seen = []

    def first_alone(counts):
        seen.append(counts.copy())
        return np.arange(len(counts)) == 0

    TreeClassifier(nominal=bough.partitioner(first_alone), max_depth=1).fit(X[["s"]], y)
    assert (seen[0] == pd.crosstab(X["s"], y).to_numpy()).all()


def test_a_mask_of_one_side_makes_no_split():
    X, y = table()
    everything = bough.partitioner(lambda counts: np.ones(len(counts), dtype=bool))
    assert TreeClassifier(nominal=everything).fit(X[["s"]], y).get_n_leaves() == 1


@pytest.mark.parametrize("answer", [None, 3, [True], "left", [0.5] * 8, [2] * 8])
def test_what_is_no_mask_is_refused(answer):
    X, y = table()
    with pytest.raises(ParameterError, match="a mask of 8 flags"):
        TreeClassifier(nominal=bough.partitioner(lambda counts: answer)).fit(X[["s"]], y)


def test_errors_of_the_function_come_through():
    X, y = table()

    def broken(counts):
        raise KeyError("mine")

    for jobs in (1, 2):
        with pytest.raises(KeyError, match="mine"):
            TreeClassifier(nominal=bough.partitioner(broken), n_jobs=jobs).fit(X, y)


def test_it_is_for_classes_and_needs_a_function():
    X, y = table()
    with pytest.raises(ParameterError, match="is for classes"):
        TreeRegressor(nominal=bough.partitioner(lambda t: t[:, 0] > 1)).fit(X, y)
    with pytest.raises(ParameterError, match="needs a function"):
        TreeClassifier(nominal="partitioner").fit(X, y)
    with pytest.raises(ParameterError, match="must be a function"):
        bough.partitioner("pc")
