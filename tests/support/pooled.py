"""Growth from counts without a cluster: portions in one process, and random tables to try it on."""

from itertools import pairwise

import numpy as np

from bough import TreeClassifier, TreeRegressor, _core
from bough.dask.directions import add
from bough.dask.growth import batches, pieces_of
from bough.dask.look import edges_of, odd_one
from bough.dask.worker import beside
from bough.estimators._base import parameters_of
from bough.estimators.data import Target
from bough.estimators.plan import plan_of

CRITERIA = ("gini", "entropy", "twoing", "gain_ratio", "chi2", "squared_gini", "chi2_cut")
# What grows from counts, by the kind of weights.
GROWTHS = [(c, w) for c in CRITERIA for w in (None, "whole", "halves", "any", "balanced")]
GROWTHS += [("squared_error", w) for w in (None, "whole", "halves", "any")]


def estimator_of(criterion, **params):
    kind = TreeRegressor if criterion == "squared_error" else TreeClassifier
    return kind(criterion=criterion, **params)


class Table:
    """Columns (codes where `n_values` is not 0), classes (k is 0: numbers) and weights."""

    def __init__(self, columns, n_values, y, k, weights=None):
        self.columns, self.n_values, self.y, self.k, self.weights = columns, n_values, y, k, weights
        self.n_rows = len(y) if weights is None else int((weights > 0).sum())
        self.weight = float(len(y) if weights is None else weights.sum())
        self.target = Target(classes=np.arange(k)) if k else Target(offset=7.25)
        self.schema = columns  # a plan asks for its length

    def data(self, rows):
        columns = _core.Columns()
        for x, n in zip(self.columns, self.n_values):
            if n:
                columns.add_nominal(np.ascontiguousarray(x[rows], np.int32), n)
            else:
                columns.add_numeric(np.ascontiguousarray(x[rows], np.float64))
        weights = None if self.weights is None else np.ascontiguousarray(self.weights[rows])
        if not self.k:
            return _core.Data(columns, None, 0, np.ascontiguousarray(self.y[rows], np.float64), weights)
        return _core.Data(columns, self.y[rows].astype(np.uint32), self.k, None, weights)


def random_table(rng, most_rows=250, gaps=True, weights=None, numbers=False):
    """Numbers with ties, copies and gaps, nominal columns, classes or numbers that hardly depend on them."""
    n, k = int(rng.integers(5, most_rows)), int(rng.integers(2, 6))
    columns, n_values = [], []
    for _ in range(int(rng.integers(1, 5))):
        kind, n_here = rng.integers(0, 5), 0
        if kind == 0:
            x = rng.normal(size=n)
        elif kind == 1:
            x = rng.integers(0, 6, n).astype(float)
        elif kind == 2:
            x = rng.normal(size=n).round(1)
            if gaps:
                x[rng.random(n) < 0.3] = np.nan
        elif kind == 3:
            n_here = int(rng.integers(2, 30))
            x = rng.integers(0, n_here, n)
        else:
            x = -columns[-1] if columns and n_values[-1] == 0 else np.zeros(n)
        columns.append(x)
        n_values.append(n_here)
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)[: len(y[:k])]
    if numbers:
        kind = rng.integers(0, 4)
        y = y.astype(float) if kind == 0 else (rng.normal(size=n) + y) * [1, 1e-9, 1e6][kind - 1]
        k = 0
    w = None
    if weights == "whole":
        w = rng.integers(0, 4, n).astype(float)
        w[:k] = 1
    elif weights in ("halves", "any"):
        w = rng.integers(1, 9, n) / 2 if weights == "halves" else rng.random(n) + 0.01
    elif weights == "balanced":
        w = n / np.bincount(y, minlength=k)[y] / k
    return Table(columns, n_values, y, k, w)


def grow_in_portions(estimator, table, cuts, most_bins, few, most_numbers=60):
    """The tree that portions of a table give, and that of the table itself; how many bins were looked into."""
    k, w = table.k, table.weights
    edges = [
        np.empty(0) if n else edges_of(np.sort(x[~np.isnan(x)]), most_bins)
        for x, n in zip(table.columns, table.n_values)
    ]
    ends = [0, *sorted(cuts), len(table.y)]
    plan = plan_of(parameters_of(estimator), table, seed=0, threads=1)
    most = _core.most_directions(plan.split.name, k, table.n_values.count(0))
    along = (most, most_bins) if most else (0, 0)
    portions = [
        _core.Portion(table.data(np.arange(a, b)), table.n_values, edges, along) for a, b in pairwise(ends) if a < b
    ]
    moments = None
    if most:
        origins = [0.0 if n else float(np.nanmean(x[:9])) for x, n in zip(table.columns, table.n_values)]
        moments = _core.moments_of_sums(origins, *add([p.column_sums(origins) for p in portions]))
    y = table.y if k else np.zeros(len(table.y), int)
    rows = np.bincount(y if w is None else y[w > 0], minlength=k).astype(float)
    weights = rows if w is None else np.bincount(y, w, minlength=k)
    some = [] if w is None else [w[w > 0].min(), w.max(), *odd_one(w)]
    size = sum(n or (0 if most else len(e) + 2) for n, e in zip(table.n_values, edges)) + most * (most_bins + 1)
    size *= max(1, k)
    grower = _core.PooledGrower(plan, table.n_values, edges, rows.tolist(), weights.tolist(), some, few, along, moments)
    looked = 0
    below = plan._replace(target_offset=0.0)
    while not grower.done:
        if nodes := grower.unmeasured():
            state, spreads = np.zeros((k or 6) * len(nodes)), None if k else np.zeros(len(nodes))
            for p in portions:
                p.measure(nodes, state)
            for p in portions if spreads is not None else []:
                p.add_spreads(nodes, state, spreads)
            grower.measured(state, spreads)
            continue
        asked = grower.asked()
        counts = np.zeros(len(asked) * size, np.uint32)
        sums = np.zeros(len(asked) * grower.n_sums) if grower.n_sums else None
        ends_along = np.full(len(asked) * grower.n_ends, -np.inf) if most else None
        if most:
            aim(grower, portions, moments)
        for p in portions:
            p.count(asked, grower.centers(), counts, sums)
            if most:
                p.raise_ends(asked, ends_along)
        grower.counted(counts, sums, size, ends_along)
        bins = grower.wanted()
        looked += len(bins[0])
        for some in pieces_of(bins, most_numbers):
            grower.found(beside([p.find(some) for p in portions]))
        steps = grower.settle()
        for p in portions:
            p.divide(steps)
    for nodes in batches(grower.take_moved(), max(1, few)):
        for node, depth, path, _ in nodes:
            data = moved([p.take(node) for p in portions], table)
            grower.graft(node, _core.grow_below(data, below, depth, path, grower.weight, moments))
    sample = None if w is None or w.all() else _core.Sample(np.flatnonzero(w).astype(np.uint32))
    return grower.finish(), _core.grow(table.data(np.arange(len(table.y))), sample, plan), looked


def aim(grower, portions, moments):
    """Gives the nodes asked for their directions."""
    nodes, means, centers = grower.asked(), grower.centers(), moments[3]
    told = [p.sums(nodes, means, centers, grower.steps()) for p in portions]
    sums, ends, *some = add([(s, e, *rows) for s, e, rows in told])
    grower.summed(sums, ends, some)
    products = None
    if grower.n_products:
        about = grower.about()
        (products,) = add([(p.scatter(nodes, means, centers, *about, grower.of_each_group),) for p in portions])
    grower.scattered(products)
    for p in portions:
        p.aim(nodes, grower.along())


def grow_by_chance(estimator, table, rng, seed):
    """The same with limits, portions and bins that are drawn."""
    estimator.set_params(
        max_depth=None if seed % 2 else int(rng.integers(1, 6)),
        min_samples_leaf=int(rng.integers(1, 5)),
        min_weight_fraction_leaf=0.0 if seed % 3 else 0.05,
        min_impurity_decrease=0.0 if seed % 4 else 0.001,
    )
    cuts = rng.integers(0, len(table.y), int(rng.integers(0, 9))).tolist()
    few = 0 if seed % 3 else int(rng.integers(1, 60))
    return grow_in_portions(estimator, table, cuts, int(rng.integers(2, 40)), few)


def moved(pieces, table):
    numeric = [i for i, n in enumerate(table.n_values) if not n]
    nominal = [i for i, n in enumerate(table.n_values) if n]
    numbers = np.concatenate([p[0].reshape(len(numeric), len(p[2])) for p in pieces], axis=1)
    codes = np.concatenate([p[1].reshape(len(nominal), len(p[2])) for p in pieces], axis=1)
    columns = [codes[nominal.index(i)] if n else numbers[numeric.index(i)] for i, n in enumerate(table.n_values)]
    y = np.concatenate([p[2] for p in pieces])
    weights = None if table.weights is None else np.concatenate([p[3] for p in pieces])
    return Table(columns, table.n_values, y, table.k, weights).data(np.arange(len(y)))


def different(a, b):
    """The arrays in which two trees differ."""
    a, b = a.parts(), b.parts()
    return [name for name in a if a[name].tobytes() != b[name].tobytes()]
