"""A forest seen from outside: exports answer as it does, words and pages tell the forest from its trees."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import bough
from bough.output import sql
from support.command import run
from support.elsewhere import check, table

FORESTS = {
    "classes": lambda X, y, s: bough.ForestClassifier(n_estimators=6, random_state=0).fit(X, y),
    "names": lambda X, y, s: bough.ForestClassifier(n_estimators=3, max_depth=3).fit(X, np.array(["ä", "b", "c"])[y]),
    "numbers": lambda X, y, s: bough.ForestRegressor(n_estimators=5, max_depth=6, random_state=0).fit(X, s),
    "sums": lambda X, y, s: bough.system("lda-forest", n_estimators=4, max_depth=4).fit(X, y),
}

BOOSTED = {
    "classes": lambda X, y, s: bough.BoostedClassifier(max_iter=3).fit(X, y),
    "two classes": lambda X, y, s: bough.BoostedClassifier(max_iter=3, nominal="exact").fit(X, y > 0),
    "one tree": lambda X, y, s: bough.BoostedClassifier(max_iter=1, missing="surrogate").fit(X, y > 0),
    "numbers": lambda X, y, s: bough.BoostedRegressor("absolute_error", max_iter=3).fit(X, s),
    "counts": lambda X, y, s: bough.BoostedRegressor("poisson", max_iter=3).fit(X, y),
    "sums": lambda X, y, s: bough.BoostedClassifier(max_iter=2, split="lda", max_leaf_nodes=5).fit(X, y),
    "shared": lambda X, y, s: bough.BoostedClassifier(max_iter=3, missing="shared").fit(X, y),
    "two classes, shared": lambda X, y, s: bough.BoostedClassifier(max_iter=2, missing="shared").fit(X, y > 0),
    "numbers, shared": lambda X, y, s: bough.BoostedRegressor(
        "quantile", quantile=0.8, max_iter=2, missing="shared"
    ).fit(X, s),
    "counts, shared": lambda X, y, s: bough.BoostedRegressor("poisson", max_iter=2, missing="shared").fit(X, y),
}


@pytest.mark.parametrize("name", BOOSTED)
def test_boosted_trees_answer_elsewhere_as_they_do_here(name):
    check(BOOSTED[name](*table(250, 1)).model_, table(200, 2, unseen=True)[0])


def test_trees_that_share_rows_are_walked_in_turn_where_all_at_once_are_too_wide(monkeypatch):
    X, _, s = table(250, 1)
    boosted = bough.BoostedRegressor(max_iter=9, missing="shared", random_state=0).fit(X, s)
    at_once = boosted.model_.to_sql()
    monkeypatch.setattr("bough.output.sql_shared.MOST_WIDE", 30)
    in_turn = boosted.model_.to_sql()
    assert in_turn.count(" AS (") > 2 * at_once.count(" AS (")
    check(boosted.model_, table(100, 2, unseen=True)[0])


@pytest.fixture(scope="module")
def forests():
    rows = table(250, 1)
    return {name: make(*rows) for name, make in FORESTS.items()}


@pytest.mark.parametrize("name", FORESTS)
def test_a_forest_answers_elsewhere_as_it_does_here(forests, name):
    check(forests[name].model_, table(200, 2, unseen=True)[0])


def test_a_tree_of_a_forest_is_exported_by_itself(forests):
    tree = forests["classes"].estimators_[2]
    check(tree.model_, table(100, 3, unseen=True)[0])
    assert tree.model_.to_sql() != forests["classes"].model_.to_sql()


def test_more_trees_than_databases_take_are_refused_with_the_way_out():
    forest = bough.ForestClassifier(n_estimators=sql.MOST_TREES + 1, max_depth=1).fit([[0.0], [1.0]] * 4, [0, 1] * 4)
    with pytest.raises(bough.DataError, match="the forest has 501 trees.*to_onnx"):
        forest.model_.to_sql()


def test_show_says_which_tree_it_is_and_how_to_see_others(forests):
    model = forests["classes"].model_
    first, second = model.show(), model.show(tree=1)
    assert first.startswith("(tree 0 of 6, counted from 0; ")
    assert second.startswith("(tree 1 of 6")
    assert second.split("\n", 1)[1] == forests["classes"].estimators_[1].show()
    assert list(model.rules(tree=1)) == list(forests["classes"].estimators_[1].rules())
    with pytest.raises(bough.ParameterError, match="tree is 6"):
        model.show(tree=6)


def test_why_tells_what_the_trees_say_and_what_follows(forests):
    X, _, _ = table(20, 4)
    for name, forest in forests.items():
        for i in range(len(X)):
            *lines, last = forest.why(X.iloc[i]).split("\n")
            assert len(lines) == len(forest)
            answer = forest.predict(X[i : i + 1])[0]
            if name == "numbers":
                assert float(last.split()[1]) == pytest.approx(answer, rel=1e-4)
                continue
            said = [tree.predict(X[i : i + 1])[0] for tree in forest.estimators_]
            assert re.search(rf"→ (class )?{answer}: ", last)
            assert f"{sum(np.array(said) == answer)} of which say so" in last
    many = bough.ForestClassifier(n_estimators=30, max_depth=1).fit([[0.0], [1.0]] * 4, [0, 1] * 4)
    assert "… 20 more trees" in many.why([0.0])


@pytest.mark.parametrize("name", FORESTS)
def test_the_page_judges_the_forest_and_shows_the_tree(forests, name):
    X, y, s = table(120, 5)
    truth = {"numbers": s, "names": np.array(["ä", "b", "c"])[y]}.get(name, y)
    forest = forests[name]
    page = forest.report(X, truth, tree=2).page
    found = json.loads(re.search(r'id="data">(.*?)</script>', page, flags=re.S).group(1))
    assert found["of"] == [2, len(forest)]
    assert len(found["tree"]["k"]) == forest.model_.trees[2].n_nodes
    assert "prune" not in found
    if name == "numbers":
        assert found["data"]["score"]["r2"] == pytest.approx(forest.score(X, truth), rel=1e-4)
    else:
        assert found["data"]["score"]["acc"] == pytest.approx(forest.score(X, truth))
        assert np.trace(found["data"]["conf"]) == pytest.approx(forest.score(X, truth) * len(X))
    if name != "sums":
        assert found["imp"] == pytest.approx(forest.feature_importances_.tolist(), rel=1e-3, abs=1e-8)
    assert page.count("<li>") == forest.model_.trees[2].n_leaves


def test_the_command_line_shows_and_draws_any_tree(forests, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    forests["classes"].save("f.bough")
    told = run("show", "f.bough", "--tree", "2")[1]
    assert told.startswith("(tree 2 of 6, counted from 0; --tree N shows another)")
    assert run("show", "f.bough", "--tree", "2", "--dot")[1].startswith("digraph tree2")
    assert "tree is 9" in run("show", "f.bough", "--tree", "9")[2]
    assert run("report", "f.bough", "--tree", "3", "-o", "f.html")[0] == 0
    assert '"of":[3,6]' in (tmp_path / "f.html").read_text(encoding="utf-8")
