"""Sparse matrices are the tables that they stand for; several targets are refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from bough import DataError, TreeClassifier, TreeRegressor


@pytest.fixture(scope="module")
def numbers():
    X = np.random.default_rng(0).normal(size=(300, 4))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix, sparse.dok_array])
def test_a_sparse_matrix_is_the_table_that_it_stands_for(numbers, kind):
    X, y = numbers
    X = np.where(X > 0, X, 0.0)
    X[1, 0] = np.nan  # a stored missing value
    dense, given = TreeClassifier().fit(X, y), TreeClassifier().fit(kind(X), y)
    assert given.model_.to_bytes() == dense.model_.to_bytes()
    assert np.array_equal(given.predict(kind(X)), dense.predict(X))
    assert np.array_equal(given.apply(kind(X)), dense.apply(X))


def test_a_sparse_matrix_that_would_fill_the_memory_is_refused_with_its_size():
    X = sparse.csr_matrix((1_000_000, 100_000))
    with pytest.raises(DataError, match=r"1,000,000 × 100,000, which takes 745 GiB.*at most 2 GiB.*SelectKBest"):
        TreeClassifier().fit(X, [0, 1] * 500_000)


@pytest.mark.parametrize(
    "y", [np.zeros((4, 2)), [[0, 1], [1, 0], [0, 0], [1, 1]], pd.DataFrame({"a": [0] * 4, "b": 1})]
)
def test_several_targets_are_refused_with_the_way_out(y):
    X = np.arange(4.0).reshape(-1, 1)
    for estimator, name in ((TreeClassifier(), "MultiOutputClassifier"), (TreeRegressor(), "MultiOutputRegressor")):
        with pytest.raises(DataError, match=rf"sklearn.multioutput.{name}\(estimator\)"):
            estimator.fit(X, y)
    from sklearn.multioutput import MultiOutputClassifier

    y = np.array([[0, 1], [1, 0], [0, 0], [1, 1]])
    assert np.array_equal(MultiOutputClassifier(TreeClassifier()).fit(X, y).predict(X), y)
