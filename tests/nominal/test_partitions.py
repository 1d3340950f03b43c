"""Nominal searches on tables: against naive references, with their guarantees and bounds."""

from __future__ import annotations

import contextlib
import itertools
import math
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bough
from bough import partition
from bough.estimators.plan import misfit
from support.combinations import named
from support.oracle import criteria
from support.oracle import partitions as naive

CASES = int(os.environ.get("BOUGH_CASES", "300"))  # 5000 for the long run
CRITERIA = named("criterion")
SEARCHES = named("nominal")
IMPURITIES = ["gini", "entropy"]
BY_SUMS = ["gini", "entropy", "gain_ratio", "twoing", "squared_gini", "max_cut", "chi2"]
CUTS = ["max_cut", "squared_gini", *naive.OF_PAIRS]
TWO_SIDED = [s for s in SEARCHES if not SEARCHES[s].traits["multiway"]]
PAIRS = [
    (c, s)
    for c in CRITERIA
    for s in TWO_SIDED
    if not CRITERIA[c].traits["regression"] and misfit(CRITERIA[c], SEARCHES[s]) is None
]


def random_table(rng, most_values=12, most_classes=9, least_classes=1):
    """Entries 0..7, or of 1e6, or fractions; with zero rows, equal rows, one class."""
    n, k = int(rng.integers(2, most_values + 1)), int(rng.integers(least_classes, most_classes + 1))
    table = rng.integers(0, 8, (n, k)).astype(float)
    style = rng.integers(6)
    if style == 1:
        table[rng.random(n) < 0.3] = 0
    elif style == 2:
        table = table[rng.integers(0, n, n)] * rng.integers(1, 4, (n, 1))
    elif style == 3:
        table *= 1e6
    elif style == 4:
        table = np.where(table > 0, np.round(rng.random((n, k)) * 7, 2), 0.0)
    elif style == 5:
        table[:, : rng.integers(k)] = 0
    return table


def proper(table):
    """The table without empty rows and columns, and the places of its rows."""
    rows = np.flatnonzero(table.sum(1) > 0)
    return [list(r) for r in table[rows][:, table.sum(0) > 0]], rows


def left_of(p, rows):
    return {i for i, v in enumerate(rows) if p.left[v]}


def close(a, b, scale=1.0):
    return abs(a - b) <= 1e-11 * max(abs(a), abs(b), scale)


def checked(p, table, criterion):
    """The partition of a proper table: its gain is what the definition says of its mask."""
    small, rows = proper(table)
    if len(small) < 2 or len(small[0]) < 2:
        assert math.isnan(p.gain)
        assert not p.left.any()
        return None
    left = left_of(p, rows)
    assert 0 in left
    assert len(left) < len(small)
    assert close(p.gain, naive.value(criterion, small, left), scale_of(criterion, small)), (criterion, small)
    return small


def scale_of(criterion, small):
    weight = math.fsum(map(math.fsum, small))
    return weight ** CRITERIA[criterion].traits["degree"]


# ---- exact ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", [*BY_SUMS, *naive.OF_PAIRS])
def test_exact_is_the_best_of_all_partitions(criterion):
    rng = np.random.default_rng([3, len(criterion)])
    for _ in range(max(20, CASES // 8)):
        table = random_table(rng, most_values=8, most_classes=5)
        p = partition(table, search="exact", criterion=criterion)
        small = checked(p, table, criterion)
        if small:
            assert close(p.gain, naive.best(criterion, small, naive.every(small)), scale_of(criterion, small))
            assert p.bound == p.gain


def best_of_all(table, criterion):
    """The best gain of all partitions of a table; NumPy only adds the values of each side."""
    masks = np.array(list(itertools.product([0.0, 1.0], repeat=len(table) - 1)))
    left = np.hstack([np.ones((len(masks), 1)), masks])[:-1] @ table
    sides = zip(left.tolist(), (table.sum(0) - left).tolist())
    return max(criteria.gain_of(criterion, criteria.of_sides(both)) for both in sides)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", IMPURITIES)
def test_exact_is_optimal_on_tables_of_up_to_12_values_and_9_classes(criterion):
    rng = np.random.default_rng([4, len(criterion)])
    for _ in range(CASES // 2):
        table = random_table(rng)
        p = partition(table, search="exact", criterion=criterion)
        small, _ = proper(table)
        if len(small) > 1 and len(small[0]) > 1:
            assert abs(p.gain - best_of_all(np.array(small), criterion)) <= 1e-12


# ---- each search against its definition --------------------------------------------------------------------


SCANS = {
    "hypercube_cover": naive.hypercube_cover,
    "largest_class_alone": naive.largest_class_alone,
    "list_scheduling": naive.list_scheduling,
}


@pytest.mark.parametrize("search", SCANS)
@pytest.mark.parametrize("criterion", BY_SUMS)
def test_orders_of_superclasses_are_those_of_the_definition(search, criterion):
    rng = np.random.default_rng([5, len(criterion), len(search)])
    for _ in range(max(10, CASES // 20)):
        table = random_table(rng, most_values=8, most_classes=5)
        p = partition(table, search=search, criterion=criterion)
        small = checked(p, table, criterion)
        if small:
            expected = naive.best(criterion, small, SCANS[search](small))
            assert close(p.gain, expected, scale_of(criterion, small)), small


@pytest.mark.parametrize("criterion", BY_SUMS)
def test_superclass_takes_the_best_partition_for_two_superclasses(criterion):
    rng = np.random.default_rng([6, len(criterion)])
    for _ in range(max(10, CASES // 20)):
        table = random_table(rng, most_values=7, most_classes=5)
        p = partition(table, search="superclass", criterion=criterion)
        small = checked(p, table, criterion)
        if small:
            expected = naive.best(criterion, small, naive.superclass(small))
            assert close(p.gain, expected, scale_of(criterion, small)), small


@pytest.mark.parametrize("factor", [1.0, 0.1, 1 / 3])
def test_equal_shares_keep_the_order_of_the_values(factor):
    # every value has a third of the largest class: only noise could tell them apart
    table = factor * np.array([[45, 80, 10, 0], [45, 80, 10, 0], [45, 10, 80, 0], [1125, 1050, 1050, 150.0]])
    expected = naive.best("gini", table.tolist(), naive.prefixes([0, 1, 2, 3]))
    assert partition(table, "largest_class_alone").gain == pytest.approx(expected, rel=1e-12)


def test_superclass_is_optimal_for_twoing():
    rng = np.random.default_rng(7)
    for _ in range(CASES):
        table = random_table(rng, most_values=10, most_classes=7)
        p, q = (partition(table, search=s, criterion="twoing") for s in ("superclass", "exact"))
        if not math.isnan(q.gain):
            assert close(p.gain, q.gain)
            assert p.bound == pytest.approx(q.gain, rel=1e-11)


@pytest.mark.parametrize("search", ["pc", "pc_ext"])
@pytest.mark.parametrize("projection", ["probabilities", "counts"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing", "squared_gini"])
def test_pc_cuts_the_order_of_the_first_component(search, projection, criterion):
    rng = np.random.default_rng([8, len(criterion)])
    for _ in range(max(10, CASES // 20)):
        table = random_table(rng, most_values=9, most_classes=6, least_classes=2)
        p = partition(table, search=search, criterion=criterion, projection=projection)
        small = checked(p, table, criterion)
        if small and len(naive.supervalues(small)) > 1:
            gains = [naive.value(criterion, small, left) for left in getattr(naive, search)(small, projection)]
            assert close(p.gain, max(gains), scale_of(criterion, small)), small


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_gini"])
@pytest.mark.parametrize("shape", [(6, 4), (14, 4), (24, 4), (13, 13)])
def test_guide_is_exact_or_groups_majorities_or_follows_the_discriminant(criterion, shape):
    rng = np.random.default_rng([12, *shape])
    for _ in range(6):
        table = rng.integers(0, 8, shape) + (rng.random(shape) < 0.05)
        table[:, 0] += 1
        p = partition(table, search="guide", criterion=criterion)
        small = checked(p, table, criterion)
        expected = naive.best(criterion, small, naive.guide(small))
        assert close(p.gain, expected, scale_of(criterion, small)), small


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing", "gain_ratio", "chi2", "squared_gini"])
def test_auto_is_near_the_best_of_all_searches(criterion):
    """On average 0.99 of the best gain that any search finds, and never below 0.9."""
    rng = np.random.default_rng([13, len(criterion)])
    others = [s.name for s in named("nominal").values() if s.name not in ("multiway", "gw")]
    ratios = []
    for i in range(60):
        n, k = int(rng.choice([12, 16, 25, 50, 100])), int(rng.choice([3, 5, 9, 14]))
        shares = rng.dirichlet(np.full(k, 0.5), n)
        table = rng.integers(0, 8, (n, k)) if i % 2 else rng.poisson(shares * rng.pareto(1, (n, 1)) * 10)
        table[0, 0] = table[1, 1] = 5
        gains = {}
        for search in others:
            if (search == "exact" and n > 12) or (search in ("superclass", "hypercube_cover") and k > 5):
                continue
            with contextlib.suppress(bough.ParameterError):
                gains[search] = partition(table, search=search, criterion=criterion).gain
        ratios.append(gains["auto"] / max(gains.values()))
    assert min(ratios) >= 0.9
    assert np.mean(ratios) >= 0.99


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing"])
def test_sliq_moves_the_value_that_gains_most(criterion):
    rng = np.random.default_rng([9, len(criterion)])
    for _ in range(max(10, CASES // 20)):
        table = random_table(rng, most_values=8, most_classes=5)
        p, q = (partition(table, search=s, criterion=criterion) for s in ("sliq", "sliq_ext"))
        small = checked(p, table, criterion)
        checked(q, table, criterion)
        if small:
            way = naive.sliq(small, criterion)
            assert close(p.gain, naive.best(criterion, small, way)), small
            assert close(q.gain, naive.best(criterion, small, naive.sliq(small, criterion, to_the_end=True))), small
            assert q.gain >= p.gain - 1e-11


@pytest.mark.parametrize("criterion", CUTS)
def test_greedy_is_greedy_cut_and_local_search_as_printed(criterion):
    rng = np.random.default_rng([10, len(criterion)])
    for _ in range(max(10, CASES // 20)):
        table = random_table(rng, most_values=9, most_classes=5)
        p = partition(table, search="greedy", criterion=criterion)
        small = checked(p, table, criterion)
        if small:
            found = naive.greedy(criterion, small)
            if 0 < len(found) < len(small):
                assert close(p.gain, naive.value(criterion, small, found), scale_of(criterion, small)), small


@pytest.mark.parametrize("search", ["greedy", "gw", "exact", "one_vs_rest"])
@pytest.mark.parametrize("criterion", CUTS)
def test_values_that_are_all_alike_are_parted_somehow(criterion, search):
    p = partition([[1, 2]] * 3, search, criterion)
    assert 0 < p.left.sum() < 3
    if criterion in naive.OF_PAIRS:
        assert p.gain == 0


def test_flip_flop_goes_on_until_the_partition_is_stable():
    # the gain for two superclasses stays level for a step, then rises
    p = partition([[3, 0, 3], [3, 1, 1], [0, 1, 3], [0, 0, 1]], "flip_flop", "twoing")
    assert p.left.tolist() == [True, True, False, False]
    assert p.gain == pytest.approx(0.06392045454545454)


@pytest.mark.parametrize("criterion", ["max_cut", "chi2_cut"])
def test_exact_says_why_a_cut_of_many_values_is_refused(criterion):
    with pytest.raises(ValueError, match="no order of the values holds the best one.*'greedy'") as e:
        partition(np.random.default_rng(0).integers(1, 9, (30, 2)), "exact", criterion)
    assert "two classes" not in str(e.value)


def test_flip_flop_ends_where_neither_step_helps():
    rng = np.random.default_rng(11)
    for _ in range(max(20, CASES // 10)):
        table = random_table(rng, most_values=9, most_classes=6, least_classes=2)
        p = partition(table, search="flip_flop", criterion="twoing")
        small = checked(p, table, "twoing")
        if not small:
            continue
        start = {naive.largest_class(small)}
        two = [[math.fsum(r[c] for c in start), math.fsum(r) - math.fsum(r[c] for c in start)] for r in small]
        first = max(naive.value("twoing", two, left) for left in naive.every(small))
        assert p.gain >= first - 1e-11  # never worse than where it started
        assert p.gain <= partition(table, search="exact", criterion="twoing").gain + 1e-11


@pytest.mark.parametrize("criterion", IMPURITIES)
def test_k_means_ends_where_every_value_is_at_its_nearer_side(criterion):
    rng = np.random.default_rng([12, len(criterion)])
    for _ in range(max(20, CASES // 10)):
        table = random_table(rng, most_values=10, most_classes=6, least_classes=2)
        p = partition(table, search="k_means", criterion=criterion)
        small = checked(p, table, criterion)
        if not small:
            continue
        start = partition(table, search="largest_class_alone", criterion=criterion)
        assert p.gain >= start.gain - 1e-11
        left = left_of(p, proper(table)[1])
        a = np.array(small)
        sides = [a[[v in left for v in range(len(a))]].sum(0), a[[v not in left for v in range(len(a))]].sum(0)]
        if p.gain > start.gain + 1e-9:  # otherwise the start itself may be what is left
            for v, row in enumerate(a):
                own, other = (divergence(row, s, criterion) for s in (sides if v in left else sides[::-1]))
                assert own <= other + 1e-9


def divergence(row, side, criterion):
    p, q = row / row.sum(), side / side.sum()
    if criterion == "gini":
        return ((p - q) ** 2).sum()
    return math.inf if (q[p > 0] == 0).any() else (p[p > 0] * np.log2(p[p > 0] / q[p > 0])).sum()


def test_one_vs_rest_puts_one_value_alone():
    rng = np.random.default_rng(13)
    for criterion in [*BY_SUMS, *naive.OF_PAIRS]:
        for _ in range(max(5, CASES // 60)):
            table = random_table(rng, most_values=9, most_classes=5)
            p = partition(table, search="one_vs_rest", criterion=criterion)
            small = checked(p, table, criterion)
            if small:
                expected = naive.best(criterion, small, [{v} for v in range(len(small))])
                assert close(p.gain, expected, scale_of(criterion, small)), (criterion, small)


# ---- guarantees -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("criterion", "search"), PAIRS)
def test_no_search_beats_exact_and_no_bound_is_broken(criterion, search):
    rng = np.random.default_rng([14, len(criterion), len(search)])
    for _ in range(max(5, CASES // 30)):
        table = random_table(rng, most_values=10, most_classes=6)
        top, p = (partition(table, search=s, criterion=criterion) for s in ("exact", search))
        if math.isnan(top.gain):
            assert math.isnan(p.gain)
            continue
        scale = scale_of(criterion, proper(table)[0])
        assert p.gain <= top.gain + 1e-11 * scale
        if p.bound is not None:
            assert p.bound >= top.gain - 1e-11 * scale


@pytest.mark.parametrize("search", naive.RATIO)
@pytest.mark.parametrize("criterion", IMPURITIES)
def test_the_impurity_found_is_within_the_proven_ratio(criterion, search):
    rng = np.random.default_rng([15, len(criterion), len(search)])
    ratio = naive.RATIO[search][criterion]
    for _ in range(CASES // 3):
        table = random_table(rng, most_values=10, most_classes=7)
        p, top = (partition(table, search=s, criterion=criterion) for s in (search, "exact"))
        if math.isnan(top.gain):
            continue
        whole = criteria.CRITERIA[criterion].impurity(table.sum(0).tolist())
        assert whole - p.gain <= ratio * (whole - top.gain) + 1e-11
        assert p.bound == pytest.approx(whole - (whole - p.gain) / ratio, abs=1e-11)


@pytest.mark.parametrize("criterion", CUTS)
def test_greedy_ends_in_a_local_optimum_of_at_least_half_the_largest_cut(criterion):
    rng = np.random.default_rng([16, len(criterion)])
    for _ in range(CASES // 6):
        table = random_table(rng, most_values=10, most_classes=6)
        p, top = (partition(table, search=s, criterion=criterion) for s in ("greedy", "exact"))
        small, rows = proper(table)
        if math.isnan(top.gain):
            continue
        assert p.gain >= top.gain / 2
        left = left_of(p, rows)
        scale = scale_of(criterion, small)
        for v in range(len(small)):
            moved = left ^ {v}
            if 0 < len(moved) < len(small):
                assert naive.value(criterion, small, moved) <= p.gain + 1e-9 * scale
        for i, j in itertools.product(left, set(range(len(small))) - left):
            assert naive.value(criterion, small, left ^ {i, j}) <= p.gain + 1e-9 * scale


@pytest.mark.parametrize("criterion", CUTS)
def test_the_bound_of_gw_is_above_the_largest_cut_and_within_1e_5_of_the_relaxation(criterion):
    rng = np.random.default_rng([17, len(criterion)])
    for _ in range(max(10, CASES // 15)):
        table = random_table(rng, most_values=11, most_classes=6)
        p, top = (partition(table, search=s, criterion=criterion) for s in ("gw", "exact"))
        small, _ = proper(table)
        if math.isnan(top.gain) or not top.gain > 0:
            continue
        assert p.bound >= top.gain * (1 - 1e-12)
        relaxed = relaxation(criterion, small)
        assert abs(p.bound - relaxed) <= 1e-5 * relaxed, small


def relaxation(criterion, small):
    """The value of the semidefinite relaxation, by many plain ascents in full rank."""
    n = len(small)
    w = np.array([[0.0 if i == j else naive.edge(criterion, small[i], small[j]) for j in range(n)] for i in range(n)])
    v = np.random.default_rng(0).normal(size=(n, n))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    for _ in range(3000):
        before = v.copy()
        for i in range(n):
            g = w[i] @ v
            if np.linalg.norm(g) > 0:
                v[i] = -g / np.linalg.norm(g)
        if np.abs(v - before).max() < 1e-10:
            break
    return (w * (1 - v @ v.T)).sum() / 4 * naive.cut_scale(criterion, small)


@given(st.integers(0, 2**32 - 1), st.sampled_from(PAIRS))
def test_values_and_classes_can_be_renamed(seed, pair):
    """Searches that depend on no order find the same gain whatever the numbering."""
    criterion, search = pair
    if search in ("greedy", "gw", "sliq", "sliq_ext", "flip_flop", "k_means", "auto"):
        search = "exact"
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 60, (7, 4)) * rng.random((7, 4))  # no ties
    p = partition(table, search=search, criterion=criterion)
    q = partition(table[rng.permutation(7)][:, rng.permutation(4)], search=search, criterion=criterion)
    assert p.gain == pytest.approx(q.gain, rel=1e-9)


@given(st.integers(0, 2**32 - 1), st.sampled_from(PAIRS), st.sampled_from([2.0**-300, 2.0**-20, 2.0**300]))
def test_a_common_factor_changes_nothing_but_the_scale(seed, pair, factor):
    criterion, search = pair
    degree = CRITERIA[criterion].traits["degree"]
    table = random_table(np.random.default_rng(seed), most_values=8, most_classes=4)
    p, q = (partition(t, search=search, criterion=criterion) for t in (table, table * factor))
    assert p.left.tolist() == q.left.tolist()
    if degree == 0 and not math.isnan(p.gain):
        assert p.gain == pytest.approx(q.gain, rel=1e-9, abs=1e-12)


def test_weights_of_wildly_different_size_are_no_obstacle():
    table = [[1e-12, 0, 1e12], [0, 1e12, 0], [1e-12, 1e-12, 0], [0, 0, 5.0]]
    for criterion, search in PAIRS:
        p = partition(table, search=search, criterion=criterion)
        assert p.gain >= 0
