"""Tables for tests on a cluster."""

import sys

import numpy as np
import pandas as pd


def frame_of(rng, n):
    """Numbers, numbers with ties, gaps and a nominal column; three classes."""
    table = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(0, 5, n),
            "c": rng.choice(list("xyzuv"), n),
            "d": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(1)),
        }
    )
    score = table["a"] + (table["c"] == "x") + 0.3 * table["b"]
    table["y"] = np.where(score > 1.2, "yes", np.where(rng.random(n) < 0.3, "may", "no"))
    return table


def random_frame(rng, most_rows=300):
    """Ties, copies, gaps and nominal columns of up to 1,000 values; classes, and weights whose sums are exact."""
    n = int(rng.integers(20, most_rows))
    columns = {}
    for i in range(int(rng.integers(1, 6))):
        kind = rng.integers(0, 6)
        if kind == 0:
            x = rng.normal(size=n)
        elif kind == 1:
            x = rng.integers(0, 7, n)
        elif kind == 2:
            x = np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n).round(1))
        elif kind == 3:
            x = np.array([f"v{v}" for v in rng.integers(0, int(rng.choice([3, 9, 40, 1000])), n)], dtype=object)
            x[rng.random(n) < 0.1] = None
        elif kind == 4:
            x = rng.random(n) < 0.4
        else:
            x = next((-v for v in columns.values() if v.dtype.kind == "f"), np.zeros(n))
        columns[f"c{i}"] = x
    table = pd.DataFrame(columns)
    table["y"] = rng.integers(0, int(rng.integers(2, 6)), n)
    weights = rng.integers(0, 4, n).astype(float)
    weights[0] = 1
    return table, weights


def piece(i, n=3000):
    """A partition."""
    return frame_of(np.random.default_rng([7, i]), n)


def pieces(n):
    """A frame of n partitions that workers make themselves, though they cannot import this module."""
    import cloudpickle
    import dask.dataframe as dd

    import dask

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    parts = [dask.delayed(piece)(i) for i in range(n)]
    return dd.from_delayed(parts, meta=piece(0, 5).iloc[:0], verify_meta=False)


def few_bins(monkeypatch):
    """Bins that hold many numbers also in a small table, so that they have to be looked into."""
    monkeypatch.setattr("bough.distributed.fit.MOST_BINS", 16)
    monkeypatch.setattr("bough.distributed.fit.MOST_COUNTS", 16)


def bytes_of(estimator):
    return estimator.model_.to_bytes()
