"""Tables for tests on a cluster."""

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


def few_bins(monkeypatch):
    """Bins that hold many numbers also in a small table, so that they have to be looked into."""
    monkeypatch.setattr("bough.dask.fit.MOST_BINS", 16)
    monkeypatch.setattr("bough.dask.fit.MOST_COUNTS", 16)


def bytes_of(estimator):
    return estimator.model_.to_bytes()
