"""Sparse matrices are the tables that they stand for; several targets are refused."""

from __future__ import annotations

import tracemalloc

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
    with pytest.raises(DataError, match=r"1,000,000 × 100,000, which takes 745 GiB.*limit is 2 GiB.*SelectKBest"):
        TreeClassifier().fit(X, [0, 1] * 500_000)


def test_columns_are_made_dense_one_by_one_and_those_without_entries_share_one_array():
    rng = np.random.default_rng(1)
    X = sparse.random_array((20_000, 400), density=0.001, rng=rng, format="csr")
    X = sparse.hstack([X, sparse.csr_array((20_000, 3_000))]).tocsr()
    y = np.asarray(X[:, [0]].toarray().ravel() > 0)
    tree = TreeClassifier(max_depth=2).fit(X, y)
    tracemalloc.start()
    predicted = tree.predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(predicted, y)
    columns = 20_000 * 400 * 8
    assert columns <= peak < 1.5 * columns  # the dense table takes 544 MB


def test_repeated_entries_add_up_and_the_matrix_stays_as_it_is(numbers):
    X, y = numbers
    twice = sparse.csc_array((np.repeat(X.T.ravel() / 2, 2), np.repeat(np.tile(np.arange(300), 4), 2),
                              np.arange(0, 2 * 1200 + 1, 600)), shape=X.shape)  # fmt: skip
    assert TreeClassifier().fit(twice, y).model_.to_bytes() == TreeClassifier().fit(X, y).model_.to_bytes()
    assert twice.nnz == 2 * X.size


def test_an_infinite_entry_is_refused_with_its_column(numbers):
    X, y = numbers
    X = X.copy()
    X[7, 2] = np.inf
    with pytest.raises(DataError, match="infinity.*'x2'|x2.*infinity"):
        TreeClassifier().fit(sparse.csr_matrix(X), y)


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
