"""Trees that cut along directions, which are made from sums over partitions: those of one machine up to rounding, and
the same bytes for the same partitions, whatever the workers."""

import warnings

import numpy as np
import pytest

from support.dask import bytes_of
from support.distributed import Table, grow_in_portions

pytest.importorskip("distributed", reason="bough-trees[dask] is not installed")
import bough
import bough.dask
from bough import TreeClassifier, TreeRegressor
from bough.errors import ParameterError

SPLITS = ("node_pca", "node_means_pca")
ROUNDED = ("gains", "cuts", "term_weights", "centers", "spreads", "leaf_weights", "leaf_means", "leaf_spreads")


def assert_same_up_to_rounding(a, b, seed):
    a, b = a.parts(), b.parts()
    assert a.keys() == b.keys()
    for name in a:
        if name in ROUNDED:
            assert a[name].shape == b[name].shape, f"{name} of seed {seed}"
            assert np.allclose(a[name], b[name], rtol=1e-7, atol=1e-9), f"{name} of seed {seed}"
        else:
            assert a[name].tobytes() == b[name].tobytes(), f"{name} of seed {seed}"


def table_of(rng, kind, numbers=False):
    """Numbers in general position, some with gaps and one far from 0, perhaps a nominal column; rows that lean on a
    direction."""
    n, k, d = int(rng.integers(60, 200)), int(rng.integers(2, 5)), int(rng.integers(1, 5))
    x = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) * 10.0 ** rng.integers(-2, 3, d)
    score = (x / x.std(axis=0)) @ rng.normal(size=d) + 0.5 * rng.normal(size=n)
    y = np.searchsorted(np.quantile(score, np.arange(1, k) / k), score)
    if kind == "far":
        x[:, 0] += 1e4 * x[:, 0].std()
    if kind == "gaps":
        x[rng.random(x.shape) < 0.1] = np.nan
    columns, n_values = list(x.T), [0] * d
    if kind == "nominal":
        columns.insert(int(rng.integers(0, d + 1)), (y + rng.integers(0, 3, n)) % 5)
        n_values.insert(next(i for i, c in enumerate(columns) if c.dtype.kind == "i"), 5)
    weights = rng.random(n) + 0.2 if kind == "weights" else None
    return Table(columns, n_values, score if numbers else y, 0 if numbers else k, weights)


@pytest.mark.parametrize("kind", ["plain", "far", "gaps", "nominal", "weights"])
@pytest.mark.parametrize("split", SPLITS)
def test_the_tree_is_that_of_one_table_up_to_rounding(split, kind):
    looked = 0
    for seed in range(6):
        rng = np.random.default_rng([seed, SPLITS.index(split), len(kind)])
        numbers = seed % 3 == 2
        table = table_of(rng, kind, numbers)
        params = {"split": split, "standardize": bool(seed % 2), "max_depth": 4, "min_samples_leaf": 1 + seed % 4}
        estimator = TreeRegressor(**params) if numbers else TreeClassifier(**params)
        if seed == 4:
            estimator.set_params(max_depth=None, max_leaf_nodes=6)
        few = 0 if seed % 2 else 50
        cuts = rng.integers(0, len(table.y), 4).tolist()
        pooled, whole, bins = grow_in_portions(estimator, table, cuts, int(rng.integers(4, 40)), few)
        assert_same_up_to_rounding(pooled, whole, seed)
        looked += bins
    assert looked > 0


@pytest.mark.parametrize("split", SPLITS)
def test_positions_that_are_one_are_not_parted(split):
    for seed in range(4):
        rng = np.random.default_rng([seed, 77])
        x = rng.integers(0, 4, (120, 3)).astype(float)  # along most directions rows lie upon each other
        y = ((x[:, 0] + x[:, 1] > 3) ^ (rng.random(120) < 0.05)).astype(int)
        table = Table(list(x.T), [0] * 3, y, 2)
        pooled, whole, _ = grow_in_portions(TreeClassifier(split=split, max_depth=2), table, [30, 80], 8, 0)
        assert_same_up_to_rounding(pooled, whole, seed)


def test_bytes_depend_on_the_partitions_only():
    import dask.dataframe as dd
    import pandas as pd

    import distributed

    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 4)) @ rng.normal(size=(4, 4))
    table = pd.DataFrame(x, columns=list("abcd")).assign(kind=rng.choice(list("uvw"), 400))
    table["y"] = np.where(x[:, 0] + 0.3 * rng.normal(size=400) > 0, "p", "q")
    table["w"] = rng.random(400) + 0.1
    params = {"split": "node_pca", "max_depth": 5}
    local = bough.TreeClassifier(**params).fit(table.drop(columns=["y", "w"]), table["y"], table["w"])
    found = set()
    for workers in (1, 2, 4):
        options = {"processes": False, "n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0"}
        with distributed.Client(**options) as client:
            tree = bough.dask.TreeClassifier(**params, client=client, move_rows=30)
            tree.fit(dd.from_pandas(table, npartitions=5), "y", "w")
            assert len(tree.exchanged_["levels"]) > 1
            assert tree.exchanged_["moved"] > 0
            assert_same_up_to_rounding(tree.model_.tree, local.model_.tree, workers)
            found.add(bytes_of(tree))
    assert len(found) == 1


def test_units_that_differ_are_told_of_as_on_one_machine(client):
    import dask.array as da

    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 2)) * [1.0, 1000.0], rng.integers(0, 2, 60)
    parts = da.from_array(x, chunks=(20, 2)), da.from_array(y, chunks=20)
    for standardize in (None, False):
        tree = bough.dask.TreeClassifier(split="node_pca", standardize=standardize, client=client, move_rows=5)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            tree.fit(*parts)
        assert any("depends on units" in str(w.message) for w in told) == (standardize is None)


@pytest.mark.parametrize(
    ("params", "what"),
    [
        ({"split": "node_pca", "max_features": 1}, "max_features with split='node_pca'"),
        ({"split": "node_pca", "simplify": True}, "simplify=True"),
        ({"split": "lda"}, "split='lda'"),
        ({"split": "hhcart_d"}, "split='hhcart_d'"),
        ({"split": "cart_lc"}, "split='cart_lc'"),
        ({"split": "pca"}, "split='pca'"),
    ],
)
def test_what_needs_rows_is_refused_by_name(client, params, what):
    import dask.array as da

    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    tree = bough.dask.TreeClassifier(**params, client=client, move_rows=5)
    with pytest.raises(ParameterError, match=what):
        tree.fit(da.from_array(x, chunks=(20, 3)), da.from_array(y, chunks=20))
