"""Growth from counts without a cluster: portions in one process, and random tables to try it on."""

from itertools import pairwise

import numpy as np

from bough import TreeClassifier, TreeRegressor, _core
from bough.distributed.look import odd_one
from bough.estimators.data import Target
from bough.estimators.fitting import parameters_of
from bough.estimators.plan import plan_of
from support.data import numeric

CRITERIA = ("gini", "entropy", "twoing", "gain_ratio", "chi2", "squared_gini", "chi2_cut")
# What grows from counts, by the kind of weights.
GROWTHS = [(c, w) for c in CRITERIA for w in (None, "whole", "halves", "any", "balanced")]
GROWTHS += [(c, w) for c in ("squared_error", "poisson") for w in (None, "whole", "halves", "any")]


def estimator_of(criterion, **params):
    kind = TreeRegressor if numeric(criterion) else TreeClassifier
    return kind(criterion=criterion, **params)


class Table:
    """Columns (codes where `n_values` is not 0), classes (k is 0: numbers) and weights."""

    def __init__(self, columns, n_values, y, k, weights=None, offset=7.25):
        self.columns, self.n_values, self.y, self.k, self.weights = columns, n_values, y, k, weights
        self.n_rows = len(y) if weights is None else int((weights > 0).sum())
        self.weight = float(len(y) if weights is None else weights.sum())
        self.target = Target(classes=np.arange(k)) if k else Target(offset=offset)
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


def random_table(rng, most_rows=250, gaps=True, weights=None, numbers=False, counts=False):
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
    if counts:
        y = np.abs(y)
        y[0] += 1
    w = None
    if weights == "whole":
        w = rng.integers(0, 4, n).astype(float)
        w[:k] = 1
    elif weights in ("halves", "any"):
        w = rng.integers(1, 9, n) / 2 if weights == "halves" else rng.random(n) + 0.01
    elif weights == "balanced":
        w = n / np.bincount(y, minlength=k)[y] / k
    return Table(columns, n_values, y, k, w, 0.0 if counts else 7.25)


def driver_of(estimator, table, most_bins, few, most_numbers=60):
    """The driver of a table's growth, its plan and layout."""
    k, w = table.k, table.weights
    numbers = [
        np.empty(0) if n else np.sort(x[~np.isnan(x)]).astype(float) for x, n in zip(table.columns, table.n_values)
    ]
    plan = plan_of(parameters_of(estimator), table, seed=0, threads=1)
    layout = _core.layout(plan, table.n_values, numbers, k, most_bins)
    some = [] if w is None else [w[w > 0].min(), w.max(), *odd_one(w)]
    return _core.Driver(plan, layout, some, table.weight, few, False, most_numbers), plan, layout


def ask(driver, portions):
    """One question to all portions; False: there is none."""
    asked = driver.next()
    if asked is None:
        return False
    _, how, request = asked
    if how == "in turn":
        answer = None
        for p in portions:
            answer = p.answer(request, answer)
    else:
        answer = _core.add_answers([p.answer(request) for p in portions])
    if how != "splits":
        driver.take(answer)
    return True


def grow_in_portions(estimator, table, cuts, most_bins, few, most_numbers=60):
    """The tree that portions of a table give, and that of the table itself; how many bins were looked into."""
    w = table.weights
    driver, plan, layout = driver_of(estimator, table, most_bins, few, most_numbers)
    ends = [0, *sorted(cuts), len(table.y)]
    portions = [_core.Portion(table.data(np.arange(a, b)), layout) for a, b in pairwise(ends) if a < b]
    while ask(driver, portions):
        pass
    for request in driver.batches():
        driver.take(_core.grow_rows(plan, layout, request, [p.answer(request) for p in portions]))
    sample = None if w is None or w.all() else _core.Sample(np.flatnonzero(w).astype(np.uint32))
    return driver.finish(), _core.grow(table.data(np.arange(len(table.y))), sample, plan), driver.n_looked


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


def different(a, b):
    """The arrays in which two trees differ."""
    a, b = a.parts(), b.parts()
    return [name for name in a if a[name].tobytes() != b[name].tobytes()]
