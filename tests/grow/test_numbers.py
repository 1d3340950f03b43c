"""Numbers that break float32, midpoints or sums: the exact tree is expected every time."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from bough import TreeClassifier, TreeRegressor


def column(*values):
    return np.array(values, dtype=float).reshape(-1, 1)


def cut_of(tree):
    return float(tree.tree_.threshold[0])


def test_unix_timestamps_one_second_apart_are_separated():
    x = column(*(1_700_000_000 + np.arange(10)))
    tree = TreeClassifier().fit(x, [0] * 5 + [1] * 5)
    assert tree.tree_.node_count == 3
    assert cut_of(tree) == 1_700_000_004.5
    assert tree.score(x, [0] * 5 + [1] * 5) == 1


def test_fourteen_digit_ids_are_separated():
    x = column(*(12_345_678_901_230 + np.arange(6)))
    tree = TreeClassifier().fit(x, [0, 0, 0, 1, 1, 1])
    assert cut_of(tree) == 12_345_678_901_232.5


def test_gaps_of_a_billionth_are_separated():
    x = column(1, 1 + 1e-9, 1 + 2e-9, 1 + 3e-9)
    y = [0, 1, 0, 1]
    assert TreeClassifier().fit(x, y).score(x, y) == 1


def test_neighbouring_doubles_are_separated():
    a = 0.1
    b = math.nextafter(a, 1)
    tree = TreeClassifier().fit(column(a, b), [0, 1])
    assert cut_of(tree) == a
    assert tree.predict(column(a, b)).tolist() == [0, 1]


def test_minus_zero_is_zero():
    tree = TreeClassifier().fit(column(-0.0, 0.0, 1, -0.0), [0, 0, 1, 0])
    assert tree.tree_.node_count == 3
    assert cut_of(tree) == 0.5
    mixed = TreeClassifier().fit(column(-0.0, 0.0), [0, 1])
    assert mixed.tree_.node_count == 1


def test_denormal_numbers_are_separated():
    tiny = 5e-324
    tree = TreeClassifier().fit(column(0, tiny, 2 * tiny, 3 * tiny), [0, 1, 0, 1])
    assert tree.predict(column(0, tiny, 2 * tiny, 3 * tiny)).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing", "squared_gini", "gain_ratio"])
def test_numbers_of_1e300_are_separated_in_the_middle(criterion):
    x = column(-1.5e308, -1e300, 1e300, 1.5e308)
    tree = TreeClassifier(criterion=criterion).fit(x, [0, 0, 1, 1])
    assert cut_of(tree) == 0
    wide = TreeClassifier(criterion=criterion).fit(column(1.5e308, 1.7e308), [0, 1])
    assert cut_of(wide) == 1.6e308


def test_a_mixture_of_all_magnitudes_is_sorted_right():
    rng = np.random.default_rng(0)
    x = rng.normal(size=3000) * 10.0 ** rng.integers(-300, 300, 3000)
    y = rng.integers(0, 2, 3000)
    assert TreeClassifier().fit(x.reshape(-1, 1), y).score(x.reshape(-1, 1), y) == 1


def test_a_target_offset_of_1e12_changes_no_split():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    y = np.round(4 * X[:, 0]) + (X[:, 1] > 0)
    plain, offset = TreeRegressor(max_depth=5).fit(X, y), TreeRegressor(max_depth=5).fit(X, y + 1e12)
    assert plain.tree_.feature.tolist() == offset.tree_.feature.tolist()
    assert plain.tree_.threshold.tolist() == offset.tree_.threshold.tolist()
    assert np.abs(offset.predict(X) - 1e12 - plain.predict(X)).max() < 1e-3


def test_a_small_step_on_a_large_offset_is_found():
    x = column(*range(6))
    y = [1e12, 1e12, 1e12, 1e12 + 1, 1e12 + 1, 1e12 + 1]
    tree = TreeRegressor().fit(x, y)
    assert cut_of(tree) == 2.5
    assert tree.predict(x).tolist() == y


# ---- weights ------------------------------------------------------------------------------------------


def exact_tree(x, y, w):
    """The gini tree of one column in rational arithmetic, with the one tie rule."""
    w = [Fraction(v) for v in w]
    tie = Fraction(1, 10**12)

    def impurity(rows):
        total = sum(w[i] for i in rows)
        return 1 - sum((sum(w[i] for i in rows if y[i] == c) / total) ** 2 for c in set(y))

    out, stack = [], [list(range(len(x)))]
    while stack:
        rows = stack.pop()
        total = sum(w[i] for i in rows)
        levels = sorted({x[i] for i in rows})
        found = []
        for low, high in itertools.pairwise(levels):
            left, right = [i for i in rows if x[i] <= low], [i for i in rows if x[i] > low]
            wl, wr = sum(w[i] for i in left), sum(w[i] for i in right)
            gain = impurity(rows) - wl / total * impurity(left) - wr / total * impurity(right)
            found.append((gain, min(wl, wr), -low, (low + high) / 2, left, right))
        if len({y[i] for i in rows}) == 1 or not found or max(found)[0] <= 0:
            out.append(None)
            continue
        best = max(found)[0]
        found = [f for f in found if f[0] >= best - tie * impurity(rows)]
        even = max(f[1] for f in found)
        top = max((f for f in found if f[1] >= even - tie * total), key=lambda f: f[2])
        out.append(top[3])
        stack += [top[5], top[4]]
    return out


def tree_cuts(tree):
    return [None if k == "leaf" else float(t) for k, t in zip(tree.tree_.kind, tree.tree_.threshold)]


@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e150, 1e300])
def test_weights_of_any_size_give_the_tree_of_equal_weights(factor):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    for criterion in ["gini", "entropy", "twoing", "squared_gini", "gain_ratio"]:
        plain = TreeClassifier(criterion=criterion).fit(X, y)
        scaled = TreeClassifier(criterion=criterion).fit(X, y, np.full(60, factor))
        assert tree_cuts(plain) == tree_cuts(scaled)


@pytest.mark.parametrize("seed", range(30))
def test_weights_from_1e_minus_300_to_1e300_give_the_exact_tree(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    y = rng.integers(0, 2, n).tolist()
    w = 10.0 ** rng.choice([-300, -299, -2, 0, 1, 299, 300], n) * rng.integers(1, 4, n)
    x = list(range(n))
    tree = TreeClassifier().fit(column(*x), y, w)
    assert tree_cuts(tree) == exact_tree(x, y, w.tolist())


def test_light_rows_beside_heavy_ones_are_still_separated():
    tree = TreeClassifier().fit(column(0, 1, 2, 3), [0, 1, 0, 1], [1e300, 1e-300, 1e300, 1e-300])
    assert tree.predict(column(0, 1, 2, 3)).tolist() == [0, 1, 0, 1]


def test_a_regression_with_wild_weights_keeps_its_light_rows():
    x = column(0, 1, 2, 3, 4, 5)
    y = [0, 0, 1, 5, 5, 6]
    tree = TreeRegressor().fit(x, y, [1e12, 1, 1e-9, 1e12, 1, 1e-9])
    assert tree.predict(x).tolist() == pytest.approx(y)
