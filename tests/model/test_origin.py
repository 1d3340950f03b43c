"""How a model was grown, as its file tells it."""

from __future__ import annotations

import functools
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bough
from bough import ForestClassifier, Model, TreeClassifier, TreeRegressor
from bough.estimators.systems import SYSTEMS
from bough.model.origin import MOST_CHARACTERS, MOST_PARAMETERS, Origin
from support.models import mixed_table

TABLE, Y = mixed_table(60)
X = np.random.default_rng(0).normal(size=(60, 3))


def told(estimator, table=X):
    """What the file of a fitted clone tells; the file goes through the reader."""
    model = clone(estimator).fit(table, Y).model_
    again = Model.from_bytes(model.to_bytes())
    assert again.origin == model.origin
    assert again.to_bytes() == model.to_bytes()
    return again.origin


def test_a_file_tells_the_estimator_and_what_was_not_a_default():
    assert told(TreeClassifier()) == Origin("TreeClassifier", {})
    assert told(TreeClassifier(max_depth=3, random_state=7)).parameters == {"max_depth": 3, "random_state": 7}
    forest = told(ForestClassifier(3, max_features=1, random_state=0, n_jobs=2, oob_score=True))
    assert forest == Origin("ForestClassifier", {"max_features": 1, "n_estimators": 3, "random_state": 0})
    one = told(bough.ForestRegressor(2, max_features=1, random_state=0))  # one column; the default 1.0 is all of them
    assert one.parameters["max_features"] == 1


def test_the_search_is_told_of_nominal_tables_and_alpha_of_tests():
    assert told(TreeClassifier(), TABLE).search == "auto"
    assert told(TreeClassifier(nominal="pc"), TABLE).search == "pc"
    assert told(TreeClassifier(nominal="pc")).search is None
    tests = {"selector": "conditional_inference"}
    assert told(TreeClassifier(**tests)).alpha == 0.05
    assert told(TreeClassifier(**tests, selector_params={"alpha": 0.5})).alpha == 0.5
    assert told(TreeClassifier()).alpha is None


def test_every_system_tells_its_parameters_as_they_were_given():
    for name in SYSTEMS:
        estimator = bough.system(name, random_state=1)
        if hasattr(estimator, "n_estimators"):
            estimator.set_params(n_estimators=2)
        given, usual = estimator.get_params(), type(estimator)().get_params()
        found = told(estimator, TABLE).parameters
        assert found == {n: v for n, v in given.items() if v != usual[n]}
        assert type(estimator)(**found).get_params() == given


def test_only_a_seed_that_was_given_is_told_and_it_grows_the_same_tree():
    tree = TreeClassifier(split="random", random_state=np.random.RandomState(3)).fit(X, Y)
    seed = tree.model_.origin.parameters["random_state"]
    assert TreeClassifier(split="random", random_state=seed).fit(X, Y).model_.to_bytes() == tree.model_.to_bytes()
    assert "random_state" not in TreeClassifier(split="random").fit(X, Y).model_.origin.parameters
    assert TreeClassifier().fit(X, Y).model_.to_bytes() == TreeClassifier().fit(X, Y).model_.to_bytes()


def fn(*node):
    return np.eye(3)


@pytest.mark.parametrize(
    ("params", "name", "expected"),
    [
        ({"split": bough.directions(fn)}, "split", "directions(fn)"),
        ({"split": bough.directions(functools.partial(fn))}, "split", "directions(partial)"),
        ({"class_weight": {0: 1.0, 1: 2.0, 2: 1.0}}, "class_weight", {"0": 1.0, "1": 2.0, "2": 1.0}),
        ({"costs": 1 - np.eye(3)}, "costs", "ndarray of shape (3, 3)"),
        ({"costs": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]}, "costs", "[[0, 1, 2], [1, 0, 1], [2, 1, 0]]"),
        ({"min_samples_leaf": np.int64(2)}, "min_samples_leaf", 2),
        ({"min_info_gain": -np.inf}, "min_info_gain", "-inf"),
        (
            {"prune": "cost_complexity_cv", "prune_params": {"folds": np.arange(60) % 3, "rule": "minimum"}},
            "prune_params",
            {"folds": "ndarray of shape (60,)", "rule": "minimum"},
        ),
    ],
)
def test_what_json_cannot_hold_is_told_in_words_and_never_by_its_address(params, name, expected):
    assert told(TreeClassifier(**params)).parameters[name] == expected


def test_long_and_strange_values_are_cut_to_what_a_file_may_have():
    wide = pd.DataFrame({f"column é{i}": X[:, 0] for i in range(300)})
    many = told(TreeClassifier(categorical_features=list(wide.columns)), wide).parameters["categorical_features"]
    assert many == "list of 300"
    few = told(TreeClassifier(categorical_features=list(wide.columns[:90])), wide).parameters["categorical_features"]
    assert len(few) == MOST_CHARACTERS
    weights = {f"k{i}": 1.0 for i in range(MOST_PARAMETERS + 1)}
    names = np.array(sorted(weights))
    y = names[np.arange(len(names) * 2) % len(names)]
    model = TreeClassifier(class_weight=weights).fit(np.arange(len(y)).reshape(-1, 1), y).model_
    assert Model.from_bytes(model.to_bytes()).origin.parameters["class_weight"] == f"dict of {MOST_PARAMETERS + 1}"


def test_parameters_that_change_later_change_no_model():
    given = {"candidates": 2}
    tree = TreeRegressor(split="random", split_params=given, random_state=0).fit(X, X[:, 0])
    before = tree.model_.to_bytes()
    given["candidates"] = 3
    tree.set_params(max_depth=1)
    assert tree.model_.to_bytes() == before


def test_models_that_differ_only_in_how_they_were_asked_for_are_equal():
    one, two = TreeClassifier().fit(X, Y).model_, TreeClassifier(max_depth=50).fit(X, Y).model_
    assert one == two
    assert one.to_bytes() != two.to_bytes()
    assert one != TreeClassifier(max_depth=1).fit(X, Y).model_


def test_the_origin_reads_as_a_call():
    origin = told(TreeClassifier(split="lda", max_depth=3, selector_params={"min_ratio": 0}))
    assert str(origin) == "TreeClassifier(max_depth=3, selector_params={'min_ratio': 0}, split='lda')"


def test_a_golden_file_without_an_origin_loads_and_says_nothing_of_it(request):
    path = request.config.rootpath / "tests" / "golden" / "v1-classes.bough"
    model = bough.load(path)
    assert model.origin is None
    assert bough.Model.from_bytes(model.to_bytes()) == model  # the new file says which version wrote it
    assert json.loads(path.with_suffix(".json").read_text())["show"] == model.show()
