"""Published systems by name."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor

import bough
from bough.estimators.combination import NESTED, System
from bough.estimators.systems import SYSTEMS
from support.command import failing, rows, run, write

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_fits_mixed_data_with_gaps_and_beats_the_majority(name):
    rng = np.random.default_rng(0)
    n = 240
    x, a, b = rng.normal(size=n), rng.choice(list("abcdef"), n).astype(object), rng.choice(["u", "v"], n)
    y = (x > 0).astype(int) + np.isin(a.astype(str), ["a", "c", "d"])
    x[::19], a[::17] = np.nan, None
    X = pd.DataFrame({"x": x, "a": a, "b": b})
    tree = bough.system(name, random_state=0).fit(X, y)
    assert tree.score(X, y) > 0.65
    assert clone(tree).get_params() == tree.get_params()


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda s: s.name)
def test_every_system_says_what_it_is_and_cannot_be_changed(system):
    assert system.doc
    assert "\n" not in system.doc
    assert system.source
    assert SYSTEMS[system.name] is system
    with pytest.raises(FrozenInstanceError):
        system.name = "other"
    for nested, part in NESTED.items():
        if nested in system.params:
            assert part in system.params, "its parameters belong to a part that the system names"


def test_overrides_win():
    assert bough.system("cart", criterion="twoing", ccp_alpha=0.1).criterion == "twoing"
    assert bough.system("scc461").max_depth == 50
    assert bough.system("scc461", max_depth=None).max_depth is None


def test_the_report_asks_for_twice_as_many_rows_to_split_as_in_a_leaf():
    assert bough.system("scc461", min_samples_split=6, min_samples_leaf=3).min_samples_split == 6
    with pytest.raises(
        bough.ParameterError,
        match="'scc461': min_samples_split is 5 and min_samples_leaf is 3; .* at least twice as large, here 6",
    ):
        bough.system("scc461", min_samples_split=5, min_samples_leaf=3)
    with pytest.raises(bough.ParameterError, match="min_samples_split is 2 and min_samples_leaf is 2"):
        bough.system("scc461", min_samples_leaf=2)
    assert bough.system("cart", min_samples_leaf=2).min_samples_leaf == 2
    failed = failing("fit", "iris", "--force", "--system", "scc461", "--set", "min_samples_leaf=4")
    assert "min_samples_split is 2 and min_samples_leaf is 4" in failed[1]


DISSERTATION = ["twoing", "glsg", "glchi2", "gwsg", "gwchi2", "pc-ext", "hcc", "lca", "list-scheduling", "sliq"]


@pytest.mark.parametrize("name", [*DISSERTATION, *(f"{n}-ctree" for n in DISSERTATION)])
def test_the_systems_of_the_dissertation_have_both_of_its_filters(name):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    rare = np.where(np.arange(400) < 14, "b", "a")  # 14 rows of its second most frequent value
    y[:14] = 1  # … which tells much
    noise = rng.permutation(np.where(np.arange(400) < 200, "a", "b"))
    X = pd.DataFrame({"rare": rare, "noise": noise})
    assert bough.system(name, random_state=0).fit(X, y).get_n_leaves() == 1
    X["good"] = np.where(y + (rng.random(400) < 0.2) > 0, "a", "b")
    assert bough.system(name, random_state=0, max_depth=1).fit(X, y).tree_.feature[0] == 2


def test_conditional_inference_of_the_dissertation_splits_the_first_of_the_sure_columns_and_never_stops():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    sure = np.where(rng.random(2000) < 0.02, 1 - y, y).astype(str)
    less = np.where(rng.random(2000) < 0.15, 1 - y, y).astype(str)  # its p-value, too, is 0 by 1 − cdf
    X = pd.DataFrame({"less": less, "sure": sure})
    assert bough.system("glchi2-ctree", max_depth=1).fit(X, y).tree_.feature[0] == 0
    given = {"p_values": "logarithms"}
    tree = bough.system("glchi2-ctree", max_depth=1, selector_params=given).fit(X, y)
    assert tree.tree_.feature[0] == 1
    # 520 of 1,000: p is between 0.05 and 0.1
    weak, y = np.repeat(["a", "b", "a", "b"], [520, 480, 480, 520]), np.repeat([0, 1], 1000)
    weak = weak[:, None].astype(object)
    log_p = bough.system("ctree", selector_params={"alpha": 1.0}).fit(weak, y).model_.log_p_values[0][0]
    assert np.log(0.05) < log_p < np.log(0.1)
    assert bough.system("ctree").fit(weak, y).get_n_leaves() == 1
    assert bough.system("hcc-ctree").fit(weak, y).get_n_leaves() == 2


def test_dicts_of_parameters_are_merged_unless_their_part_is_replaced():
    s = System("x", "x", "x", {"nominal": "exact", "nominal_params": {"unseen": "stop", "most": 3}})
    merged = s.with_overrides({"nominal_params": {"most": 5}})["nominal_params"]
    assert merged == {"unseen": "stop", "most": 5}
    assert s.with_overrides({"nominal": "exact"})["nominal_params"] == {"unseen": "stop", "most": 3}
    assert "nominal_params" not in s.with_overrides({"nominal": "auto"})
    assert s.with_overrides({"nominal": "auto", "nominal_params": {"a": 1}})["nominal_params"] == {"a": 1}
    assert s.with_overrides({"nominal_params": None})["nominal_params"] is None
    s.with_overrides({})["nominal_params"]["most"] = 7
    assert s.params["nominal_params"]["most"] == 3, "a preset is not changed through what it returned"


def test_an_unknown_name_gets_the_nearest_one():
    with pytest.raises(bough.ParameterError, match="no system is called 'crat'; did you mean 'cart'"):
        bough.system("crat")
    with pytest.raises(bough.ParameterError, match="no system is called 3"):
        bough.system(3)
    with pytest.raises(bough.ParameterError, match="no parameter 'max_dept'; did you mean 'max_depth'"):
        bough.system("cart", max_dept=3)


def test_the_command_line_lists_them():
    code, out, _ = run("list", "systems")
    assert code == 0
    for s in SYSTEMS.values():
        assert f"{s.doc} [{s.source}]" in " ".join(out.split())
    assert run("list", "systems", "--quiet")[1].split() == list(SYSTEMS)
    facts = json.loads(run("list", "systems", "--json")[1])
    assert [f["name"] for f in facts] == list(SYSTEMS)
    assert facts[0]["params"] == dict(SYSTEMS["cart"].params)


def test_the_command_line_fits_them_and_other_options_win(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("fit", "iris", "--system", "id3", "--max-depth", 2, "--json")
    assert code == 0
    assert json.loads(out)["criterion"] == "entropy"
    assert json.loads(out)["size"]["depth"] == 2
    assert (
        json.loads(run("fit", "iris", "--force", "--system", "id3", "--criterion", "gini", "--json")[1])["criterion"]
        == "gini"
    )
    assert "did you mean 'id3'" in failing("fit", "iris", "--force", "--system", "id4")[1]
    write("t.csv", rows("a,y", 40, lambda i: f"{i},{i / 4}"))
    fit = ("fit", "t.csv", "--target", "y", "--json", "--system")
    assert json.loads(run(*fit, "cart")[1])["criterion"] == "squared_error"
    assert json.loads(run(*fit, "random-forest", "--force", "--set", "n_estimators=3")[1])["size"]["trees"] == 3
    assert "'id3' is for classes; for numbers there are 'cart'" in failing(*fit, "id3", "--force")[1]


FOR_NUMBERS = [s.name for s in SYSTEMS.values() if s.numbers is not None]


@pytest.mark.parametrize("name", FOR_NUMBERS)
def test_a_system_that_has_a_meaning_for_numbers_is_a_regressor(name):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300), "a": rng.choice(list("abcd"), 300)})
    y = X["x"] + 2.0 * X["a"].isin(["a", "c"]) + rng.normal(size=300) / 10
    tree = bough.system(name, task="regression", random_state=0).fit(X, y)
    assert is_regressor(tree)
    assert (
        getattr(tree, "criterion", "squared_error") == "squared_error"
    )  # of boosted trees it is the loss that decides
    assert tree.score(X, y) > 0.8
    assert clone(tree).get_params() == tree.get_params()


def test_the_systems_for_numbers_are_those_that_were_published_for_them():
    assert {"cart", "ctree", "random-forest", "extra-trees"} <= set(FOR_NUMBERS)
    assert bough.system("random-forest", task="regression").max_features == pytest.approx(1 / 3)
    assert bough.system("extra-trees", task="regression").max_features == 1.0
    assert bough.system("ctree", task="regression").selector == "conditional_inference"


def test_what_is_for_classes_is_refused_with_what_fits_numbers():
    with pytest.raises(
        bough.ParameterError, match=r"'c4\.5' is for classes; for numbers there are 'cart', .*'extra-trees'"
    ):
        bough.system("c4.5", task="regression")
    with pytest.raises(bough.ParameterError, match="task='numbers'; it must be 'classification' or 'regression'"):
        bough.system("cart", task="numbers")
    with pytest.raises(bough.ParameterError, match="'gini' is for classes .*; for numbers there are: squared_error"):
        bough.system("cart", task="regression", criterion="gini").fit([[0.0], [1.0]], [0.5, 1.5])


@pytest.mark.parametrize("name", ["cart", "rpart"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_cart_follows_surrogates_where_a_value_is_missing(name, task):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    X = np.column_stack([x, x + rng.normal(size=300) * 0.1, rng.normal(size=300)])
    X[::7, 0] = np.nan
    y = (x > 0).astype(int) if task == "classification" else np.where(x > 0, 5.0, -5.0) + rng.normal(size=300)
    tree = bough.system(name, task=task, random_state=0).fit(X, y)
    assert tree.model_.missing == "surrogate"
    found = tree.model_.nodes()[0].surrogates
    assert found[0].column + tree.tree_.feature[0] == 1
    assert found[0].agreement > 0.8  # rows that lack its value, too, count as not alike
    assert tree.score(X, y) > 0.8


def test_pc_ext_projects_class_weights_as_the_published_runs_did():
    for name in ("pc-ext", "pc-ext-ctree"):
        assert bough.system(name).nominal_params == {"projection": "counts"}
    assert bough.system("hcc").nominal_params is None
