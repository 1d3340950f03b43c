"""The choice by evidence: the rule, the tree, and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

import bough
from bough import ParameterError
from bough.compare import race
from bough.compare.choose import chosen_by, default_systems, runners_of
from bough.compare.data import data_sets
from bough.compare.folds import given_splits
from bough.compare.measures import find_measure
from bough.compare.race import Gap, between
from support.command import failing, run
from support.comparisons import made


def test_the_smallest_tree_within_one_standard_error_of_the_best_wins():
    rng = np.random.default_rng(0)
    best = rng.normal(0.9, 0.02, 20)
    near = best - 0.0001 + rng.normal(0, 0.01, 20)
    near -= near.mean() - best.mean() + 0.001  # a difference of 0.001, standard error about 0.002
    far = best - 0.05 + rng.normal(0, 0.01, 20)
    found = made({"best": best, "near": near, "far": far}, {"best": 9.0, "near": 4.0, "far": 2.0})
    assert chosen_by(found, "one_se") == "near"
    assert chosen_by(found, "best") == "best"
    larger = made({"best": best, "near": near, "far": far}, {"best": 3.0, "near": 4.0, "far": 2.0})
    assert chosen_by(larger, "one_se") == "best"


def test_the_choice_is_fitted_on_all_rows_and_keeps_the_comparison():
    X, y = load_iris(return_X_y=True)
    tree = bough.choose(X, y, repeats=1)
    assert isinstance(tree, bough.TreeClassifier)
    assert tree.system_ in tree.comparison_.systems
    assert tree.comparison_.systems == ["pruned axis", "lda", "sparse-oblique", "sparse-oblique, depth 4", "ctree"]
    assert tree.model_.nodes()[0].rows == 150
    assert (bough.choose(X, y, repeats=1).predict(X) == tree.predict(X)).all()


def test_systems_of_ones_own_can_be_chosen_from():
    X, y = load_iris(return_X_y=True)
    tree = bough.choose(X, y, {"stump": bough.TreeClassifier(max_depth=1), "tree": DecisionTreeClassifier()}, repeats=1)
    assert tree.system_ == "tree"
    with pytest.raises(ParameterError, match="rule is 'two_se'"):
        bough.choose(X, y, rule="two_se")


@pytest.mark.slow
def test_numbers_text_and_a_class_of_few_rows_can_be_chosen_for():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"colour": rng.choice(["red", "green"], 90), "x": rng.normal(size=90)})
    y = np.where(table["colour"] == "red", "a", "b")
    y[:2] = "c"
    assert bough.choose(table, y, repeats=1).classes_.tolist() == ["a", "b", "c"]
    number = bough.choose(table, 10.0 * (table["colour"] == "red") + rng.normal(size=90), repeats=1)
    assert isinstance(number, bough.TreeRegressor)
    assert number.comparison_.measure == "r2"


def table(n=600, seed=0):
    """Two classes with signal in numbers and text, a fifth of them wrong."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(list("uvwxyz"), n)})
    y = ((X["a"] > 0) & (X["c"].isin(["u", "v", "w"]))) ^ (rng.random(n) < 0.2)
    return X, y.to_numpy()


def test_the_price_of_a_leaf_comes_from_the_same_folds_and_cuts_noise_away():
    X, y = table()
    tree = bough.choose(X, y, seed=1)
    assert tree.get_n_leaves() < bough.TreeClassifier().fit(X, y).get_n_leaves() / 5
    assert set(tree.smoothing) == {"hierarchical"}
    again = bough.TreeClassifier(**tree.get_params()).fit(X, y)  # the choice is an estimator like any other
    assert again.model_ == tree.model_


def test_a_fold_is_judged_by_the_price_that_the_other_folds_choose():
    """By hand, from fits of the estimator with each price on each fold."""
    X, y = table(240)
    (data,) = data_sets((X, y))
    rng = np.random.default_rng(3)
    parts = np.array_split(rng.permutation(240), 4)
    splits = given_splits(data, [(np.setdiff1d(np.arange(240), p), p) for p in parts], 0)
    for runner in runners_of(data, None, False, find_measure("accuracy", data.task), 0):
        for split in splits:
            runner.run(split)
        estimator = runner.contestant.estimator
        wrong = np.array([
            [
                (clone(estimator).set_params(ccp_alpha=a).fit(X.iloc[s.train], y[s.train]).predict(X.iloc[s.test])
                 != y[s.test]).sum()
                for a in runner.prices.tolist()
            ]
            for s in splits
        ])  # fmt: skip
        for fold in range(4):
            others = np.delete(wrong, fold, axis=0).sum(axis=0)
            best = np.flatnonzero(others == others.min())[-1]
            assert runner.losses()[fold].sum() == wrong[fold, best]
        total = wrong.sum(axis=0)
        best = float(runner.prices[np.flatnonzero(total == total.min())[-1]])
        assert runner.fitted().ccp_alpha == best
        (record, *_) = runner.records()
        assert record["measures"]["leaves"] >= 1


def test_a_system_that_is_clearly_worse_is_left_out_and_the_others_do_not_notice():
    X, y = load_wine(return_X_y=True)
    found = bough.choose(X, y)
    tried = {t.system: t for t in found.choice_.tried}
    assert tried["ctree"].folds == 3
    assert tried["ctree"].verdict.startswith("dropped after 3 folds: worse by ")
    assert tried[found.system_].folds == 10
    assert found.choice_.why in found.choice_.text()
    assert found.choice_.frame().loc[found.system_, "folds"] == 10
    by_hand = {n: v[~np.isnan(v)] for n, v in found.comparison_.values().items()}
    assert {n: len(v) for n, v in by_hand.items()} == {n: t.folds for n, t in tried.items()}


def test_the_race_does_not_change_the_choice(monkeypatch):
    """Where nothing is left out the same system wins, on tables with and without much to choose."""
    for X, y in (load_iris(return_X_y=True), load_wine(return_X_y=True), table(), table(300, 5)):
        names = []
        for clearly in (race.CLEARLY, np.inf):
            monkeypatch.setattr(race, "CLEARLY", clearly)
            names.append(bough.choose(X, y, seed=2).system_)
            monkeypatch.undo()
        assert names[0] == names[1]


def test_the_choice_depends_on_the_seed_only():
    X, y = table()
    one, two, threads = (bough.choose(X, y, seed=4, n_jobs=n) for n in (None, 1, 3))
    assert one.model_.to_bytes() == two.model_.to_bytes() == threads.model_.to_bytes()
    assert [vars(t) | {"seconds": 0} for t in one.choice_.tried] == [
        vars(t) | {"seconds": 0} for t in threads.choice_.tried
    ]


@pytest.mark.parametrize("regression", [False, True])
def test_a_readable_tree_has_few_leaves_and_few_columns_in_a_split(regression):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 6))
    signal = np.sin(3 * X[:, 0]) + np.sin(3 * X[:, 1]) + X[:, 2:].sum(axis=1) / 3
    tree = bough.choose(X, signal if regression else np.digitize(signal, [-1, 0, 1]), readable=True, repeats=1)
    assert tree.get_n_leaves() <= 16
    splits = [tree.model_.split(i) for i in range(tree.model_.n_nodes)]
    assert max(len(getattr(s, "terms", ["one"])) for s in splits if s is not None) <= 3
    (data,) = data_sets((X, signal))
    assert list(default_systems(data)) == ["pruned axis", "ridge", "pilot"]
    assert "pilot" not in default_systems(data, readable=True)
    with pytest.raises(ParameterError, match="leave out systems"):
        bough.choose(X, signal, ["cart"], readable=True)


def test_a_row_of_several_divisions_counts_once_in_a_standard_error():
    rng = np.random.default_rng(0)
    a, b = ((rng.random((10, 20)) < p).astype(float) for p in (0.3, 0.2))
    once, twice = Gap.of(list(a[:5]), list(b[:5]), 100), Gap.of([*a[:5], *a[:5]], [*b[:5], *b[:5]], 100)
    assert twice.error == pytest.approx(once.error)
    assert once.error == pytest.approx((a[:5] - b[:5]).std() / 10)


def test_prices_lie_between_those_of_the_path():
    assert between(np.array([0.0, 0.01, 0.04])).tolist() == pytest.approx([0.0, 0.02, 0.4])
    assert len(between(np.linspace(0, 1, 500))) <= 25


# ---- the command line ------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_fit_with_the_best_system_says_which_and_why():
    code, out, _ = run("fit", "iris", "--system", "best")
    assert code == 0
    assert "system     " in out
    assert "taken" in out
    assert "columns of a split" in out
    assert "pruned axis" in out
    assert "written    iris.bough" in out
    facts = json.loads(run("fit", "iris", "--system", "best", "--json", "--force")[1])
    assert facts["system"] in facts["comparison"]["data"]["data"]["systems"]
    assert facts["tried"][facts["system"]] == {"folds": 10, "verdict": "taken"}
    assert "leave out max_depth" in failing("fit", "iris", "--system", "best", "--max-depth", "2", "--force")[1]


@pytest.mark.slow
def test_compare_prints_a_table_and_writes_results_and_a_page():
    command = [
        "compare",
        "iris",
        "wine",
        "--systems",
        "cart",
        "fact",
        "--repeats",
        "1",
        "--folds",
        "3",
        "--n-jobs",
        "1",
    ]
    code, out, _ = run(*command, "--results", "r.jsonl", "--report", "r.html")
    assert code == 0
    assert "iris: 150 rows" in out
    assert "Friedman" in out or "Nemenyi" in out
    assert Path("r.html").stat().st_size > 1000
    again = json.loads(run(*command, "--results", "r.jsonl", "--json")[1])
    assert again["data"]["wine"]["best"] == "fact"
    assert again["ranks"]["average"]["fact"] == 1.0
    assert "exists; add --force" in failing(*command, "--results", "r.jsonl", "--report", "r.html")[1]


def test_compare_searches_grids_and_goes_along_parameters():
    base = ["compare", "iris", "--systems", "cart", "--repeats", "1", "--folds", "2", "--n-jobs", "1"]
    assert run(*base, "--grid", "cart.max_depth=[1,3]")[0] == 0
    assert "cart max_depth=3" in run(*base, "--along", "max_depth=[1,3]")[1]
    assert "--grid cart" in failing(*base, "--grid", "cart=3")[1]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["iris", "--systems", "carrt"], 2, "did you mean 'cart'"),
        (["iris", "--systems", "cart", "--target", "x"], 1, "has no column 'x'"),
        (["iris", "--systems", "cart", "--folds", "60"], 1, "fewer than the 60 folds"),
        (["iris", "--systems", "cart", "--measure", "speed"], 2, "no measure 'speed'"),
        (["nowhere.csv", "--systems", "cart"], 1, "there is no file"),
        (["iris"], 2, "--systems"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(arguments, code, words):
    found = failing("compare", *arguments)
    assert found[0] == code
    assert words in found[1]
