"""Small tables for tests: ties, duplicates, gaps, nominal columns, weights, one row, one class."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from bough import directions, partitioner
from bough.registry import plugins

NAN = math.nan


class Small:
    """A small table in the oracle's form, and the same as estimators take it."""

    def __init__(self, table, y, w, k):
        self.table, self.y, self.w, self.k = table, y, w, k

    @property
    def frame(self):
        columns = {}
        for i, (kind, values) in enumerate(self.table):
            if kind == "numeric":
                columns[f"c{i}"] = np.array(values, dtype=float)
            else:
                columns[f"c{i}"] = pd.Categorical.from_codes(
                    values, categories=[f"v{v:02d}" for v in range(max(values) + 1)]
                )
        return pd.DataFrame(columns)

    @property
    def weights(self):
        return None if all(x == 1 for x in self.w) else np.array(self.w)

    def __repr__(self):
        return f"Small(table={self.table!r}, y={self.y!r}, w={self.w!r}, k={self.k})"


def numeric_column(rng, n, missing):
    style = rng.integers(6)
    if style == 0:
        v = rng.integers(0, 3, n).astype(float)  # many ties
    elif style == 1:
        v = rng.permutation(n).astype(float)
    elif style == 2:
        v = np.round(rng.normal(size=n), 1)
    elif style == 3:
        v = rng.normal(size=n) * 10.0 ** rng.integers(-8, 9)
    elif style == 4:
        v = np.full(n, 7.0)
        v[rng.random(n) < 0.3] = rng.choice([-0.0, 0.0, 7.5])
    else:
        v = np.where(rng.random(n) < 0.6, 0.0, rng.integers(-3, 4, n)).astype(float)  # one value is frequent
    if missing and rng.random() < 0.5:
        v[rng.random(n) < rng.choice([0.1, 0.4, 1.0], p=[0.5, 0.45, 0.05])] = np.nan
    return v.tolist()


def numeric(criterion):
    """Is a criterion for numbers?"""
    return plugins()["criterion"][criterion].traits["regression"]


def target_for(criterion):
    """What `random_small` is told of a criterion."""
    return {"regression": numeric(criterion), "counts": criterion == "poisson"}


def random_small(
    rng, *, most_rows=12, most_columns=3, regression=False, nominal=True, missing=True, weighted=None, counts=False
):
    """A random small table."""
    n = int(rng.integers(1, most_rows + 1))
    table = []
    for _ in range(int(rng.integers(1, most_columns + 1))):
        if nominal and rng.random() < 0.35:
            table.append(("nominal", rng.integers(0, rng.integers(1, 6), n).tolist()))
        else:
            table.append(("numeric", numeric_column(rng, n, missing)))
    k = int(rng.integers(1, 5))
    if regression:
        y = rng.choice([rng.integers(0, 4, n).astype(float), rng.normal(size=n)])
        if counts:
            y = np.abs(y)
            y[0] += not y.any()
        y = y.tolist()
        k = 0
    else:
        y = rng.integers(0, k, n).tolist()
        y[: min(k, n)] = range(min(k, n))
        k = max(y) + 1
    style = rng.integers(4) if weighted is None else (1 + rng.integers(3) if weighted else 0)
    if style <= 1 and weighted is not True:
        w = [1.0] * n
    elif style == 2:
        w = rng.integers(1, 4, n).astype(float).tolist()
    else:
        w = rng.choice([0.1, 0.25, 0.7, 1.0, 3.3], n).tolist()
    return Small(table, y, w, k)


def tree_of(estimator):
    """A fitted tree in the oracle's form."""
    model = estimator.model_
    out = []
    for node in range(model.n_nodes):
        s = model.tree.split(node)
        kind = ("leaf", "axis", "linear", "subset", "multiway")[s["kind"]]
        if kind == "leaf":
            rows = int(model.nodes().rows[node])
            tail = [model.nodes()[node].mean] if model.regression else model.nodes().weights[node].tolist()
            out.append(("leaf", rows, *tail))
        elif kind == "axis":
            out.append(("axis", s["column"], s["cut"], s["missing_left"]))
        elif kind == "subset":
            left = tuple(v for v, is_left in zip(s["values"], s["goes_left"]) if is_left)
            right = tuple(v for v, is_left in zip(s["values"], s["goes_left"]) if not is_left)
            out.append(("subset", s["column"], left, right))
        elif kind == "multiway":
            out.append(("multiway", s["column"], tuple(s["values"])))
    return out


def same_trees(a, b, tolerance=1e-9):
    """Equal shapes and splits; thresholds to the bit, leaf weights up to rounding."""
    if len(a) != len(b):
        return False
    for p, q in zip(a, b):
        if p[0] == "leaf" and q[0] == "leaf":
            if len(p) != len(q) or not np.allclose(p[1:], q[1:], rtol=tolerance, atol=tolerance):
                return False
        elif p != q:
            return False
    return True


def means_apart(X, y, w):
    """Directions of a function of the user's own: between class means, and along the axes."""
    X = np.nan_to_num(X)
    if len(np.unique(y)) > 8:
        y = y > y.mean()
    means = np.array([np.average(X[y == c], axis=0, weights=w[y == c]) for c in np.unique(y)])
    return np.vstack([means[1:] - means[:-1], np.eye(X.shape[1])])


def every_split():
    """Every family of numeric splits as an estimator takes it."""
    own = {"directions": directions(means_apart)}
    return [own.get(name, name) for name in sorted(plugins()["split"])]


def above_average(table):
    """The partition of a nominal column for tests of functions: values with more of the first class than most."""
    share = table[:, 0] / table.sum(axis=1)
    return share > share.mean()


def every_nominal():
    """Every nominal search as an estimator takes it."""
    own = {"partitioner": partitioner(above_average)}
    return [own.get(name, name) for name in sorted(plugins()["nominal"])]
