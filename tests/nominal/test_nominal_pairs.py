"""Nominal searches and criteria: which go together, what is refused in which words, large tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bough
from bough import DataError, ParameterError, TreeClassifier, TreeRegressor, partition
from bough.estimators.plan import misfit
from bough.registry import plugins
from support.combinations import named

CRITERIA = named("criterion")
SEARCHES = plugins()["nominal"]


def test_pairs_that_make_no_sense_are_refused_with_what_fits():
    X = np.array([["a", "b", "c", "a"]], dtype=object).T
    for c, s in itertools.product(CRITERIA.values(), SEARCHES.values()):
        regression = c.traits["regression"]
        kind = TreeRegressor if regression else TreeClassifier
        nominal = bough.partitioner(lambda table: np.arange(len(table)) == 0) if s.traits["function"] else s.name
        tree = kind(criterion=c.name, nominal=nominal, random_state=0)
        y = [0.5, 1.0, 2.0, 1.0] if regression else [0, 1, 1, 0]
        if misfit(c, s) is None:
            assert tree.fit(X, y).predict(X).shape == (4,)
            continue
        with pytest.raises(ParameterError, match="does not go with") as caught:
            tree.fit(X, y)
        fitting = [n for n in SEARCHES if misfit(c, SEARCHES[n]) is None]
        assert all(name in str(caught.value) for name in fitting)


def test_what_goes_with_what():
    fits = {s: [c for c in CRITERIA if misfit(CRITERIA[c], SEARCHES[s]) is None] for s in SEARCHES}
    assert fits["greedy"] == fits["gw"] == ["max_cut", "squared_gini", "chi2_cut", "gini_cut", "entropy_cut"]
    assert fits["k_means"] == ["gini", "entropy"]
    assert set(fits["pc_ext"]) == {"gini", "entropy", "gain_ratio", "twoing", "squared_gini", "max_cut", "chi2"}
    assert set(fits["auto"]) == set(CRITERIA)
    assert set(fits["exact"]) == set(CRITERIA) - {"absolute_error", "quantile"}
    assert set(fits["partitioner"]) == {c for c, p in CRITERIA.items() if not p.traits["regression"]}
    assert "twoing" not in fits["multiway"]
    assert "chi2" in fits["multiway"]


@pytest.mark.parametrize(
    ("table", "params", "says"),
    [
        ([[1, -2], [3, 4]], {}, r"table\[0, 1\] is -2.0"),
        ([[1, np.nan], [3, 4]], {}, r"table\[0, 1\] is nan"),
        ([1, 2, 3], {}, "shape"),
        ([["a", "b"]], {}, "does not consist of numbers"),
        ([[1, 2], [3, 4]], {"search": "pcext"}, "did you mean 'pc_ext'"),
        ([[1, 2], [3, 4]], {"search": "multiway"}, "two groups"),
        ([[1, 2], [3, 4]], {"search": "greedy"}, "squared_gini, chi2_cut, gini_cut, entropy_cut"),
        ([[1, 2], [3, 4]], {"criterion": "squared_error"}, "is for numbers"),
        ([[1, 2], [3, 4]], {"search": "pc", "projection": "shares"}, "'probabilities', 'counts'"),
        ([[1, 2], [3, 4]], {"search": "pc", "unseen": "stop"}, "unseen"),
        (np.ones((30, 3)), {"search": "exact"}, "at most 20 values.*the table has 30"),
        (np.ones((30, 25)), {"search": "superclass"}, "at most 20 classes; there are 25.*pc_ext"),
        (np.ones((3000, 20)), {"search": "hypercube_cover"}, "more than 2\\^30 cuts"),
        (np.ones((2500, 3)), {"search": "gw", "criterion": "max_cut"}, "greedy"),
    ],
)
def test_bad_input_is_refused_in_words(table, params, says):
    with pytest.raises((DataError, ParameterError), match=says):
        partition(table, **params)


@pytest.mark.parametrize("search", ["auto", "pc_ext", "largest_class_alone", "list_scheduling", "flip_flop", "k_means"])
def test_ten_thousand_values_and_forty_classes(search):
    table = np.random.default_rng(0).poisson(2.5, (10_000, 40))
    p = partition(table, search=search)
    assert p.gain > 0


def test_a_large_cut_of_ten_thousand_values():
    table = np.random.default_rng(0).poisson(2.5, (10_000, 40))
    p = partition(table, search="greedy", criterion="squared_gini")
    assert p.gain > 0.99 * (1 - ((table.sum(0) / table.sum()) ** 2).sum()) / 2


def test_a_partition_says_what_it_is():
    p = bough.partition([[3, 1], [1, 3], [2, 2]])
    assert "against" in repr(p)
    assert (p.right == ~p.left).all()


def test_of_three_classes_list_scheduling_leaves_the_largest_alone():
    rng = np.random.default_rng(0)
    for _ in range(300):
        table = rng.integers(0, 8, (6, 3)).astype(float)
        table[0] += 1
        table[0, 1] += max(0, table[:, 0].sum() - table[:, 1].sum())  # often the two largest tie
        alone, balanced = (
            bough.partition(table, search=search, criterion="gini").gain
            for search in ("largest_class_alone", "list_scheduling")
        )
        assert alone == pytest.approx(balanced, abs=1e-12)
