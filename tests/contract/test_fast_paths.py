"""What is fast equals what is plain: for every registered criterion and every set of kernels that this machine has,
the winner of a sweep over long columns has the gain of its definition, and no other cut has a larger one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bough import TreeClassifier, TreeRegressor, _core
from bough.registry import plugins
from support.combinations import named
from support.oracle import criteria as oracle

ROWS = 1500  # several blocks of a sweep
WEIGHTS = ("none", "whole", "fractions", "wild")


@pytest.fixture
def every_kernel():
    """The sets of kernels in turn; afterwards the best one is in use again."""

    def in_turn():
        for name in _core.kernel_names():
            _core.use_kernels(name)
            yield name

    yield in_turn
    _core.use_kernels(_core.kernel_names()[-1])


def column(rng, style):
    """Few levels, so that a definition that looks at all pairs stays affordable; with gaps, or one level frequent."""
    x = rng.integers(0, 24, ROWS) / 4
    if style == "frequent":
        x[rng.random(ROWS) < 0.7] = 3.25
    elif style == "gaps":
        x[rng.random(ROWS) < 0.1] = np.nan
    elif style == "far":
        x += 1e6
    return x


def row_weights(rng, kind):
    if kind == "whole":
        return rng.integers(1, 4, ROWS).astype(float)
    if kind == "fractions":
        return rng.choice([0.1, 0.25, 0.7, 3.3], ROWS)
    if kind == "wild":
        return 10.0 ** rng.choice([-9, 0, 6], ROWS)
    return np.ones(ROWS)


def target(rng, x, k):
    """Classes that lean on x, or numbers where k is 0."""
    z = np.nan_to_num(x - np.nanmean(x)) / np.nanstd(x) + rng.normal(size=ROWS)
    return np.round(z, 1) if k == 0 else np.clip(np.floor((z + 2) * k / 4), 0, k - 1).astype(int)


class Cells:
    """Rows of equal value and target as one row: the definition gives the same, in less time."""

    def __init__(self, x, y, w):
        kinds, place = np.unique(np.column_stack([x, y]), axis=0, return_inverse=True)
        self.x, y = kinds.T
        self.w = [math.fsum(w[place.ravel() == i]) for i in range(len(kinds))]
        self.k = 0 if y.dtype == float and (y % 1).any() else int(y.max()) + 1
        self.y = y.astype(int).tolist() if self.k else y.tolist()
        known = ~np.isnan(self.x)
        mean = np.average(self.x[known], weights=np.array(self.w)[known])
        self.position = np.where(known, self.x - mean, 0.0).tolist()

    def gain(self, name, left):
        children = [np.flatnonzero(left).tolist(), np.flatnonzero(~left).tolist()]
        return oracle.gain(name, children, self.y, self.w, self.k, self.position)

    def cuts(self):
        known = ~np.isnan(self.x)
        for level in np.unique(self.x[known])[:-1]:
            yield self.x <= level
            if not known.all():
                yield (self.x <= level) | ~known
        if not known.all():
            yield known


@pytest.mark.parametrize("style", ["plain", "frequent", "gaps", "far"])
@pytest.mark.parametrize("name", named("criterion"))
def test_the_winner_of_a_sweep_has_the_best_gain_by_definition(name, style, every_kernel):
    regression = plugins()["criterion"][name].traits["regression"]
    for seed, k in enumerate([0] if regression else [2, 3, 9]):
        for kind in WEIGHTS:
            rng = np.random.default_rng([seed, len(style), WEIGHTS.index(kind)])
            x, w = column(rng, style), row_weights(rng, kind)
            y = np.abs(target(rng, x, k))  # criteria of counts need it
            cells = Cells(x, np.unique(y, return_inverse=True)[1] if k else y, w)
            best = max(cells.gain(name, left) for left in cells.cuts())
            scale = max(abs(best), oracle.unit(name, range(len(cells.y)), cells.y, cells.w, cells.k))
            for kernel in every_kernel():
                tree = stump(name).fit(x[:, None], y, None if kind == "none" else w)
                assert abs(tree.tree_.gain[0] - best) <= 1e-11 * scale, (k, kind, kernel)
                left = tree.apply(cells.x[:, None]) == 1
                assert abs(cells.gain(name, left) - best) <= 1e-11 * scale, (k, kind, kernel)


CLASSES = [n for n, p in named("criterion").items() if not (p.traits["projection"] or p.traits["regression"])]


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("rows", [127, 128, 400, 1600])
def test_blocks_that_are_passed_over_hold_no_better_cut(name, rows, every_kernel):
    """One column parts the classes anywhere, at its ends too; one before it nearly does, so that few blocks can win."""
    for k, low in ((3, 5), (10, rows // 2), (20, rows - 20), (10, rows // 5)):
        rng = np.random.default_rng([rows, k])
        place = rng.permutation(rows)  # of each row along the column
        y = np.where(place < low, rng.integers(0, k // 2, rows), rng.integers(k // 2, k, rows))
        nearly = np.where(rng.random(rows) < 0.05, rng.permutation(rows), place)
        X = np.column_stack([nearly + rng.random(rows) / 2, rng.normal(size=rows), place + 0.5])
        seen = np.eye(k)[y]
        best = max(
            oracle.gain_of(name, oracle.of_sides([left, seen.sum(axis=0) - left]))
            for column in X.T
            for left in np.cumsum(seen[np.argsort(column)], axis=0)[:-1]
        )
        for kernel in every_kernel():
            found = stump(name).fit(X, y).tree_.gain[0]
            assert abs(found - best) <= 1e-11 * max(1, best), (k, low, kernel)


def stump(name):
    if plugins()["criterion"][name].traits["regression"]:
        return TreeRegressor(criterion=name, max_depth=1)
    return TreeClassifier(criterion=name, max_depth=1, min_info_gain=-1)


@pytest.mark.parametrize("name", named("criterion"))
def test_kernels_change_no_bit_of_a_tree(name, every_kernel):
    rng = np.random.default_rng(7)
    X = np.column_stack([column(rng, s) for s in ("plain", "frequent", "gaps")] + [rng.normal(size=ROWS)])
    y = np.abs(target(rng, X[:, 0], 0 if plugins()["criterion"][name].traits["regression"] else 4))
    files = {stump(name).set_params(max_depth=None).fit(X, y).model_.to_bytes() for _ in every_kernel()}
    assert len(files) == 1
