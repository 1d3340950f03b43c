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
    monkeypatch.setattr("bough.dask.fit.MOST_BINS", 16)
    monkeypatch.setattr("bough.dask.fit.MOST_COUNTS", 16)


def bytes_of(estimator):
    return estimator.model_.to_bytes()
