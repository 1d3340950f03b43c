"""Running comparisons: what is measured, on which folds, and what is refused before anything runs."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import bough
from bough import DataError, ParameterError
from bough.compare.measures import class_scores, number_scores
from bough.compare.systems import MOST_COLUMNS


class Refuses(ClassifierMixin, BaseEstimator):
    """Fits no table with an odd number of rows."""

    def fit(self, X, y):
        if len(X) % 2:
            raise ValueError("an odd number of rows\nand a second line")
        self.classes_, self.answer_ = np.unique(y), y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer_)


def mixed(n=120):
    rng = np.random.default_rng(0)
    colour, size = rng.choice(["red", "green", "blue"], n), rng.normal(size=n)
    size[::9] = np.nan
    y = np.where((colour == "red") | (np.nan_to_num(size) > 0.8), "yes", "no")
    return pd.DataFrame({"colour": colour, "size": size, "y": y})


def numbers_of(found):
    """All that does not depend on the clock."""
    return [{k: v for k, v in r["measures"].items() if "seconds" not in k and "wall" not in k} for r in found.folds]


# ---- the name --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("first", ["import bough.compare.statistics", "import bough.compare", "pass"])
def test_compare_can_be_called_whatever_was_imported_before(first):
    code = f"{first}\nimport bough\nprint(bough.compare(['cart'], 'iris', repeats=1, folds=2).systems)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['cart']\n"


def test_compare_has_the_signature_of_the_function_and_can_be_pickled():
    assert "inner_folds" in inspect.signature(bough.compare).parameters
    assert pickle.loads(pickle.dumps(bough.compare)) is bough.compare


def test_importing_bough_brings_no_scikit_learn():
    code = "import sys, bough; bough.load; print('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


# ---- systems ---------------------------------------------------------------------------------------------------------


def test_names_estimators_and_dicts_of_either_can_be_compared():
    peers = {"tree": DecisionTreeClassifier(), "forest": RandomForestClassifier(5), "bayes": GaussianNB()}
    found = bough.compare({"c": "cart", "own": bough.TreeClassifier(max_depth=2), **peers}, "iris", repeats=1, folds=3)
    assert found.systems == ["c", "own", "tree", "forest", "bayes"]
    assert found.failures() == {}
    assert bough.compare(["cart", DecisionTreeClassifier()], "iris", repeats=1, folds=2).systems == [
        "cart",
        "DecisionTreeClassifier",
    ]
    assert np.isnan(found.values(measure="leaves")["bayes"]).all()
    assert (found.values(measure="leaves")["forest"] > found.values(measure="leaves")["tree"]).all()
    assert (found.values(measure="depth")["own"] <= 2).all()
    assert (found.values(measure="terms")["tree"] == 1).all()
    assert (found.values(measure="bytes")["bayes"] > 0).all()


def test_terms_per_split_count_the_columns_of_a_hyperplane():
    found = bough.compare(["fact", "cart"], "iris", repeats=1, folds=2)
    assert (found.values(measure="terms")["fact"] == 4).all()
    assert (found.values(measure="terms")["cart"] == 1).all()


def test_peers_get_text_encoded_and_gaps_filled():
    peers = {"tree": DecisionTreeClassifier(), "bayes": GaussianNB(), "cart": "cart"}
    for table in (mixed(), pl.from_pandas(mixed())):
        found = bough.compare(peers, table, target="y", repeats=1, folds=3)
        assert found.failures() == {}
        assert found.means()["tree"][0] > 0.9


def test_a_nominal_column_of_many_values_becomes_few_columns():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"name": rng.integers(0, 80, 300).astype(str), "x": rng.normal(size=300)})
    seen = []

    class Looks(GaussianNB):
        def fit(self, X, y):
            seen.append(X.shape[1])
            return super().fit(X, y)

    bough.compare(Looks(), (table, rng.integers(0, 2, 300)), repeats=1, folds=2)
    assert max(seen) <= MOST_COLUMNS + 1


def test_a_system_that_fails_is_a_result_with_its_message():
    found = bough.compare({"refuses": Refuses(), "cart": "cart"}, load_iris(return_X_y=True), repeats=1, folds=4)
    (messages,) = found.failures().values()
    assert set(messages) == {"ValueError: an odd number of rows and a second line"}
    assert 0 < len(messages) < 4
    assert found.best() == "cart"
    assert "failed on" in str(found)
    everywhere = bough.compare({"refuses": Refuses()}, (np.zeros((6, 1)), [0, 1] * 3), repeats=1, folds=2)
    assert "failed on 2" in str(everywhere)
    with pytest.raises(DataError, match="no system"):
        everywhere.best()


def test_a_grid_is_searched_within_the_training_rows_only():
    seen = []

    class Counts(DecisionTreeClassifier):
        def fit(self, X, y):
            seen.append(len(X))
            return super().fit(X, y)

    grid = {"tree": {"max_depth": [1, 5]}}
    found = bough.compare({"tree": Counts()}, "wine", repeats=1, folds=2, grid=grid, inner_folds=3)
    assert max(seen) <= 178 / 2
    assert len(seen) == 2 * (2 * 3 + 1)
    assert {r["chosen"]["max_depth"] for r in found.folds} <= {1, 5}
    assert found.frame()["chosen"].notna().all()


def test_systems_along_a_parameter_take_part_once_for_each_value():
    found = bough.compare("cart", "iris", repeats=1, folds=2, along={"max_depth": [1, 2]})
    assert found.systems == ["cart max_depth=1", "cart max_depth=2"]


# ---- data ------------------------------------------------------------------------------------------------------------


def test_data_come_as_names_files_folders_frames_and_pairs(tmp_path):
    mixed().to_csv(tmp_path / "one.csv", index=False)
    mixed(90).to_parquet(tmp_path / "two.parquet")
    assert bough.compare("cart", tmp_path, target="y", repeats=1, folds=2).data == ["one", "two"]
    assert bough.compare("cart", [tmp_path / "one.csv"], target="y", repeats=1, folds=2).data == ["one"]
    assert bough.compare("cart", mixed(), target="y", repeats=1, folds=2).data == ["data"]
    assert bough.compare("cart", {"w": load_wine(return_X_y=True), "i": "iris"}, repeats=1, folds=2).data == ["w", "i"]


def test_columns_can_be_left_aside_or_made_nominal():
    table = mixed()
    table["code"] = np.arange(len(table)) % 3
    found = bough.compare("cart", table, target="y", repeats=1, folds=2, categorical=["code"], drop=["size"])
    (facts,) = found.of_kind("data")
    assert (facts["columns"], facts["nominal"]) == (2, 2)


def test_numbers_are_compared_by_r2():
    X, y = load_diabetes(return_X_y=True)
    systems = {"bough": bough.TreeRegressor(max_depth=3), "tree": DecisionTreeRegressor(max_depth=3), "ridge": Ridge()}
    found = bough.compare(systems, (X, y), repeats=1, folds=3)
    assert (found.task, found.measure, found.best()) == ("regression", "r2", "ridge")
    assert found.means()["bough"] == pytest.approx(found.means()["tree"], abs=0.05)
    assert found.best(measure="rmse") == "ridge"


# ---- measures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 4])
def test_scores_of_classes_are_those_of_scikit_learn(k):
    rng = np.random.default_rng(k)
    truth = np.concatenate([np.arange(k), rng.integers(0, k, 60)])
    proba = rng.dirichlet(np.ones(k), len(truth))
    predicted = proba.argmax(axis=1)
    own = class_scores(truth, predicted, proba, k)
    macro = {"average": "macro", "zero_division": 0}
    assert own["accuracy"] == pytest.approx(metrics.accuracy_score(truth, predicted))
    assert own["balanced_accuracy"] == pytest.approx(metrics.balanced_accuracy_score(truth, predicted))
    assert own["precision"] == pytest.approx(metrics.precision_score(truth, predicted, **macro))
    assert own["recall"] == pytest.approx(metrics.recall_score(truth, predicted, **macro))
    assert own["f1"] == pytest.approx(metrics.f1_score(truth, predicted, **macro))
    assert own["log_loss"] == pytest.approx(metrics.log_loss(truth, proba))
    shares = proba[:, 1] if k == 2 else proba
    assert own["auc"] == pytest.approx(metrics.roc_auc_score(truth, shares, multi_class="ovr"))
    if k == 2:
        assert own["brier"] == pytest.approx(metrics.brier_score_loss(truth, proba[:, 1]))
    else:
        assert own["brier"] == pytest.approx(((proba - np.eye(k)[truth]) ** 2).sum(axis=1).mean())


def test_a_class_that_a_fold_lacks_does_not_break_its_scores():
    own = class_scores(np.array([0, 0, 1]), np.array([0, 2, -1]), None, 3)
    assert own["accuracy"] == pytest.approx(1 / 3)
    assert own["balanced_accuracy"] == pytest.approx(0.25)
    assert np.isnan(class_scores(np.array([0, 0]), np.array([0, 0]), np.full((2, 2), 0.5), 2)["auc"])


def test_scores_of_numbers_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    truth, said = rng.normal(size=30), rng.normal(size=30)
    own = number_scores(truth, said)
    assert own["r2"] == pytest.approx(metrics.r2_score(truth, said))
    assert own["rmse"] == pytest.approx(metrics.root_mean_squared_error(truth, said))
    assert own["mae"] == pytest.approx(metrics.mean_absolute_error(truth, said))


# ---- folds -----------------------------------------------------------------------------------------------------------


def test_every_row_is_tested_once_in_each_repeat_and_all_systems_see_the_same_folds():
    found = bough.compare(["cart", "fact"], "iris", repeats=2, folds=5)
    frame = found.frame()
    assert frame.groupby(["system", "repeat"])["test"].sum().tolist() == [150] * 4
    assert len(frame) == 2 * 2 * 5
    assert found.right("cart", "fact")[0].shape == (150,)


def test_folds_can_be_given_as_a_share_a_splitter_or_rows():
    X, y = load_iris(return_X_y=True)
    share = bough.compare("cart", (X, y), repeats=3, folds=0.2)
    assert [r["test"] for r in share.folds] == [30] * 3
    splitter = bough.compare("cart", (X, y), folds=StratifiedKFold(3))
    rows = bough.compare("cart", (X, y), folds=list(StratifiedKFold(3).split(X, y)))
    assert numbers_of(splitter) == numbers_of(rows)
    assert len(bough.compare("cart", {"i": (X, y)}, folds={"i": [(range(0, 150, 2), range(1, 150, 2))]}).folds) == 1


@pytest.mark.slow
def test_the_numbers_depend_on_the_seed_but_not_on_the_number_of_processes():
    systems = {"random": bough.TreeClassifier(split="random"), "cart": "cart"}
    one, two = (bough.compare(systems, ["iris", "wine"], repeats=2, folds=3, n_jobs=n) for n in (1, 2))
    assert numbers_of(one) == numbers_of(two)
    other = bough.compare(systems, ["iris", "wine"], repeats=2, folds=3, seed=1)
    assert numbers_of(one) != numbers_of(other)


# ---- refused before anything runs ------------------------------------------------------------------------------------

IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    ("systems", "data", "options", "words"),
    [
        ("carrt", "iris", {}, "did you mean 'cart'"),
        (["cart", "cart"], "iris", {}, "two systems are called 'cart'"),
        ([], "iris", {}, "no system to compare"),
        (3, "iris", {}, "systems is 3"),
        ({"a": object()}, "iris", {}, "is no system"),
        ("cart", "irris", {}, "did you mean 'iris'"),
        ("cart", [], {}, "no data"),
        ("cart", 3, {}, "is of type int"),
        ("cart", mixed(), {}, "needs a target"),
        ("cart", mixed(), {"target": "z"}, "has no column 'z'"),
        ("cart", mixed().assign(y="a"), {"target": "y"}, "one value only"),
        ("cart", "iris", {"folds": 51}, "has 50 rows of class setosa, fewer than the 51 folds"),
        ("cart", "iris", {"folds": 1}, "folds is 1"),
        ("cart", "iris", {"folds": 2.5}, "folds is 2.5"),
        ("cart", "iris", {"folds": [([0, 1], [1, 2])]}, "trains on rows that it tests on"),
        ("cart", "iris", {"folds": [([0, 1], [200])]}, "from 0 to 149"),
        ("cart", "iris", {"folds": [([0, 1], [2])]}, "one class only"),
        ("cart", "iris", {"folds": "many"}, "folds is"),
        ("cart", "iris", {"repeats": 0}, "repeats is 0"),
        ("cart", "iris", {"seed": -1}, "seed is -1"),
        ("cart", "iris", {"n_jobs": 0}, "n_jobs is 0"),
        ("cart", "iris", {"task": "classes"}, "task is 'classes'"),
        ("cart", "iris", {"measure": "acuracy"}, "did you mean 'accuracy'"),
        ("cart", "iris", {"measure": "r2"}, "no measure 'r2' for classification"),
        ("cart", "iris", {"grid": {"card": {}}}, "did you mean 'cart'"),
        ("cart", "iris", {"grid": {"cart": {"max_deth": [1]}}}, "did you mean 'max_depth'"),
        ("cart", "iris", {"grid": {"cart": {"max_depth": 3}}}, "must be a list"),
        ("cart", "iris", {"grid": {"cart": {"max_depth": [3]}}, "measure": "leaves"}, "cannot be searched by"),
        ("cart", "iris", {"inner_folds": 1}, "inner_folds is 1"),
        ("cart", {"a": IRIS, "b": (IRIS[0], IRIS[0][:, 0])}, {}, "a comparison has one task"),
        ("id3", (IRIS[0], IRIS[0][:, 0]), {}, "is for classes; for numbers there are"),
        (bough.TreeRegressor(), "iris", {}, "predicts numbers and the data asks for classes"),
        ("cart", (IRIS[0], IRIS[1][:5]), {}, "each row needs one"),
        ("cart", [IRIS, IRIS], {}, "two data sets are called 'data'"),
        ("cart", mixed(), {"target": "y", "drop": ["z"]}, "no data set has a column 'z'"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_sentence_before_anything_runs(
    systems, data, options, words, monkeypatch, tmp_path
):
    def never(*_):
        raise AssertionError("a fold was run")

    monkeypatch.setattr("bough.compare.run.judged", never)
    with pytest.raises((ParameterError, DataError), match=words) as e:
        bough.compare(systems, data, results=tmp_path / "r.jsonl", **options)
    assert "\n" not in str(e.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_tables_is_refused(tmp_path):
    with pytest.raises(DataError, match="holds no table"):
        bough.compare("cart", tmp_path)
