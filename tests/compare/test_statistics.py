"""The statistics of comparisons, against SciPy, published examples and cases small enough to work out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_moons
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.svm import SVC

from bough.compare.bayes import signed_rank
from bough.compare.ranks import critical_difference, ranks_of, wins_ties_losses
from bough.compare.statistics import (
    Summary,
    cohens_d,
    holm,
    holm_bonferroni,
    labels,
    mcnemar,
    paired,
    paired_greater,
    welch,
    wilcoxon,
    win_counts,
)
from bough.errors import ParameterError


def test_the_paired_test_is_that_of_scipy():
    rng = np.random.default_rng(0)
    for n in (2, 5, 30):
        a, b = rng.normal(size=n), rng.normal(size=n)
        assert paired_greater(a, b) == pytest.approx(stats.ttest_rel(a, b, alternative="greater").pvalue)
        assert paired_greater(a, b) + paired_greater(b, a) == pytest.approx(1)


def test_a_paired_test_without_variance_answers_by_the_sign():
    assert paired_greater([1, 1], [1, 1]) == 0.5
    assert paired_greater([2, 2], [1, 1]) == 0
    assert paired_greater([1, 1], [2, 2]) == 1
    with pytest.raises(ParameterError, match="at least 2"):
        paired_greater([1], [2])


def test_welchs_test_is_that_of_scipy():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=10), rng.normal(1, 3, size=7)
    want = stats.ttest_ind(a, b, equal_var=False).pvalue
    assert welch(Summary.of(a), Summary.of(b)) == pytest.approx(want)
    assert welch(Summary(1, 0, 5), Summary(1, 0, 5)) == 1
    assert welch(Summary(1, 0, 5), Summary(2, 0, 5)) == 0


@pytest.mark.parametrize(
    ("other", "p", "d"),
    # Tables 3 and 4 of the CART-ELC paper, cancer: 96.3 ± 0.4 against the others, ten trials each
    [
        (Summary(96.9, 0.3, 10), 0.001, -1.697),
        (Summary(94.5, 0.5, 10), 0.000, 3.976),
        (Summary(95.0, 1.6, 10), 0.032, 1.115),
    ],
)
def test_published_p_values_and_effect_sizes_come_out_of_published_means(other, p, d):
    own = Summary(96.3, 0.4, 10)
    assert welch(own, other) == pytest.approx(p, abs=6e-4)
    assert cohens_d(own, other) == pytest.approx(d, abs=6e-4)


def test_effect_size_without_spread():
    assert cohens_d(Summary(1, 0, 3), Summary(1, 0, 3)) == 0
    assert cohens_d(Summary(2, 0, 3), Summary(1, 0, 3)) == math.inf


def test_holm_bonferroni_stops_at_the_first_that_fails():
    # 0.01 <= 0.05/4, 0.015 <= 0.05/3, 0.03 > 0.05/2: stop, although 0.04 <= 0.05/1
    assert holm_bonferroni([0.04, 0.01, 0.03, 0.015]) == [False, True, False, True]
    assert holm_bonferroni([]) == []
    assert holm_bonferroni([0.05]) == [True]


def test_labels_of_a_clear_order_and_of_a_draw():
    rng = np.random.default_rng(2)
    base = rng.normal(size=30)
    noise = [rng.normal(scale=0.1, size=30) for _ in range(3)]
    clear = {"a": base + 2 + noise[0], "b": base + 1 + noise[1], "c": base + noise[2]}
    assert labels(clear) == {"a": "Best", "b": "Not best", "c": "Not best"}
    assert win_counts(clear) == {"a": 2, "b": 1, "c": 0}
    draw = {"a": base + 1 + noise[0], "b": base + 1 + noise[1], "c": base + noise[2]}
    assert labels(draw) == {"a": "Undecidable", "b": "Undecidable", "c": "Not best"}


# ---- the corrected resampled t-test -----------------------------------------------------------------------


def test_the_corrected_test_of_one_split_is_worked_out_by_hand():
    # differences 1, 2, 3: mean 2, variance 1; t = 2 / sqrt((1/3 + 1/4) * 1) = 2.6186, 2 degrees of freedom
    a, b = [2.0, 4.0, 6.0], [1.0, 2.0, 3.0]
    assert paired_greater(a, b, test_share=0.25) == pytest.approx(stats.t.sf(2 / math.sqrt(7 / 12), 2))
    assert paired(a, b, test_share=0.25) == pytest.approx(2 * paired_greater(a, b, test_share=0.25))
    assert paired(b, a, test_share=0.25) == pytest.approx(paired(a, b, test_share=0.25))


@pytest.mark.slow
def test_the_published_example_of_scikit_learn_comes_out():
    # "Statistical comparison of models using grid search" in scikit-learn's documentation
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    kernels = {
        "rbf": SVC(kernel="rbf", random_state=0),
        "linear": SVC(kernel="linear", random_state=0),
        "3_poly": SVC(kernel="poly", degree=3, random_state=0),
        "2_poly": SVC(kernel="poly", degree=2, random_state=0),
    }
    cut = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    found = {k: cross_val_score(m, X, y, scoring="roc_auc", cv=cut) for k, m in kernels.items()}
    assert paired_greater(found["rbf"], found["linear"], 10 / 90) == pytest.approx(0.227, abs=5e-4)
    assert paired_greater(found["rbf"], found["linear"]) == pytest.approx(0.005, abs=5e-4)
    published = {  # p-values times the number of pairs
        ("rbf", "linear"): 1.0,
        ("rbf", "3_poly"): 0.302,
        ("rbf", "2_poly"): 0.0,
        ("linear", "3_poly"): 0.807,
        ("linear", "2_poly"): 0.0,
        ("3_poly", "2_poly"): 0.001,
    }
    for (a, b), p in published.items():
        assert min(1, 6 * paired_greater(found[a], found[b], 10 / 90)) == pytest.approx(p, abs=6e-4)


# ---- other tests ------------------------------------------------------------------------------------------------


def test_wilcoxon_is_that_of_scipy_and_1_where_nothing_differs():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=12), rng.normal(size=12)
    assert wilcoxon(a, b) == pytest.approx(stats.wilcoxon(a, b).pvalue)
    assert wilcoxon([1, 2, 3], [1, 2, 3]) == 1


def test_mcnemar_counts_the_rows_that_only_one_got_right():
    a = np.array([True] * 8 + [False] * 2 + [True] * 50)
    b = np.array([False] * 8 + [True] * 2 + [True] * 50)
    assert mcnemar(a, b) == pytest.approx(2 * stats.binom.cdf(2, 10, 0.5))  # 56/512
    assert mcnemar(a, a) == 1


def test_corrected_p_values_of_holm_agree_with_its_rejections():
    p = [0.04, 0.01, 0.03, 0.015]
    assert holm(p) == pytest.approx([0.06, 0.04, 0.06, 0.045])
    assert [q <= 0.05 for q in holm(p)] == holm_bonferroni(p)
    assert holm([]) == []


# ---- many data sets ---------------------------------------------------------------------------------------------

# Table 6 of Demšar (2006): AUC of C4.5 with m and cf tuned or not, on 14 data sets. Its ranks part the two 0.975 of
# the last but one (2 and 3), so they differ beyond the digits that are printed: hence 0.9751.
DEMSAR = {
    "C4.5": (0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000, 0.940, 0.619, 0.972, 0.957),
    "C4.5+m": (0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000, 0.962, 0.666, 0.981, 0.978),
    "C4.5+cf": (0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.000, 0.965, 0.614, 0.9751, 0.946),
    "C4.5+m+cf": (0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.000, 0.962, 0.669, 0.975, 0.970),
}


def test_demsars_worked_example_comes_out_to_the_digit():
    found = ranks_of(DEMSAR)
    assert {s: round(r, 3) for s, r in found.average.items()} == {
        "C4.5": 3.143,
        "C4.5+m": 2.000,
        "C4.5+cf": 2.893,
        "C4.5+m+cf": 1.964,
    }
    assert round(found.critical_difference, 2) == 1.25
    assert round(ranks_of(DEMSAR, alpha=0.1).critical_difference, 2) == 1.12
    assert found.friedman == pytest.approx(stats.friedmanchisquare(*DEMSAR.values()))
    # 9.28 in the paper, which does not correct for the ties of three data sets
    ranks = np.array(list(found.average.values()))
    assert round(12 * 14 / 20 * ((ranks**2).sum() - 25), 2) == 9.28
    assert found.best == "C4.5+m+cf"
    assert found.groups() == [["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]]
    # at 0.10 the two variants that tune m are parted from C4.5, as figure 1(a) of the paper shows
    assert ranks_of(DEMSAR, alpha=0.1).groups() == [
        ["C4.5+m+cf", "C4.5+m", "C4.5+cf"],
        ["C4.5+cf", "C4.5"],
    ]


@pytest.mark.parametrize(
    ("alpha", "values"),
    # Table 5(a) of Demšar (2006), for 2 to 10 systems
    [
        (0.05, (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)),
        (0.10, (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920)),
    ],
)
def test_critical_values_of_nemenyi_are_those_of_demsars_table(alpha, values):
    for k, q in enumerate(values, 2):
        assert critical_difference(k, 10, alpha) / math.sqrt(k * (k + 1) / 60) == pytest.approx(q, abs=1.1e-3)


def test_a_system_that_failed_on_a_data_set_is_last_there():
    found = ranks_of({"a": [0.5, 0.5], "b": [0.6, math.nan], "c": [0.4, 0.4]})
    assert found.average == {"a": 1.5, "b": 2.0, "c": 2.5}


def test_wins_ties_and_losses_are_counted():
    found = wins_ties_losses({"a": [1.0, 2.0, 3.0], "b": [1.0, 1.0, math.nan]})
    assert found == {("a", "b"): (2, 1, 0), ("b", "a"): (0, 1, 2)}


def test_ranks_need_two_systems_and_two_data_sets():
    with pytest.raises(ParameterError, match="at least 2 systems and 2 data sets"):
        ranks_of({"a": [1.0, 2.0]})


# ---- the Bayesian signed-rank test ------------------------------------------------------------------------------


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.03])
@pytest.mark.parametrize("shift", [0.0, 0.01, -0.02])
def test_the_bayesian_test_is_that_of_baycomp(rope, shift):
    baycomp = pytest.importorskip("baycomp", reason="baycomp is not installed")
    rng = np.random.default_rng(5)
    a = rng.uniform(0.6, 0.9, size=20)
    b = a - shift + rng.normal(scale=0.02, size=20)
    found = signed_rank(a, b, rope, seed=1)
    expected = baycomp.SignedRankTest.probs(a, b, rope, random_state=2)
    if rope > 0:
        assert (found.worse, found.equal, found.better) == pytest.approx(expected[::-1], abs=0.02)
    else:
        assert (found.worse, found.better) == pytest.approx(expected[::-1], abs=0.02)


def test_the_bayesian_test_of_clear_cases():
    a = np.linspace(0.7, 0.9, 12)
    assert signed_rank(a, a - 0.1).better > 0.99
    assert signed_rank(a - 0.1, a).worse > 0.99
    assert signed_rank(a, a + 0.001).equal > 0.99


def test_a_paired_p_value_far_out_is_small_and_not_zero_on_both_sides():
    a = np.linspace(0.5, 0.6, 30)
    b = a - 1 + np.resize([1e-3, -1e-3], 30)
    assert paired(a, b) == pytest.approx(paired(b, a), rel=1e-9)
    assert paired(a, b) == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-6)
    assert 0 < paired(a, b) < 1e-80
