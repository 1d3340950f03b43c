"""The choice by evidence: the rule, the tree, and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import bough
from bough import ParameterError
from bough.compare.choose import chosen_by
from bough.compare.pruned import CrossPruned, between, pruned_by
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
    assert tree.comparison_.systems == ["pruned axis", "lda", "node-means PCA", "ctree", "cart-elc"]
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


def test_cross_validation_finds_a_price_that_cuts_noise_away():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 0) ^ (rng.random(300) < 0.2)
    full, cut = bough.TreeClassifier().fit(X, y), CrossPruned(bough.TreeClassifier(), random_state=0).fit(X, y)
    assert cut.pruned_.get_n_leaves() < full.get_n_leaves() / 5
    assert cut.alpha_ > 0


def test_cutting_a_tree_back_is_fitting_with_that_price():
    X, y = load_iris(return_X_y=True)
    model = bough.TreeClassifier().fit(X, y).model_
    for price, cut in zip([0.0, 0.01, 0.05], pruned_by(model, np.array([0.0, 0.01, 0.05])), strict=True):
        assert cut.show() == bough.TreeClassifier(ccp_alpha=price).fit(X, y).model_.show()


def test_prices_lie_between_those_of_the_path():
    assert between(np.array([0.0, 0.01, 0.04])).tolist() == pytest.approx([0.0, 0.02, 0.0404])
    assert len(between(np.linspace(0, 1, 500))) <= 40


# ---- the command line ------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_fit_with_the_best_system_says_which_and_why():
    code, out, _ = run("fit", "iris", "--system", "best")
    assert code == 0
    assert "the smallest tree within one standard error of the best" in out
    assert "pruned axis" in out
    assert "written    iris.bough" in out
    facts = json.loads(run("fit", "iris", "--system", "best", "--json", "--force")[1])
    assert facts["system"] in facts["comparison"]["data"]["data"]["systems"]
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
