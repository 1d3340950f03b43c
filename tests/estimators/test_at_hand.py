"""What people look for on an estimator or a model, and find there."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import cross_val_score

import bough
from bough import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor

IRIS = load_iris(return_X_y=True, as_frame=True)
DIABETES = load_diabetes(return_X_y=True, as_frame=True)
KINDS = [(TreeClassifier, IRIS), (TreeRegressor, DIABETES), (ForestClassifier, IRIS), (ForestRegressor, DIABETES)]


@pytest.mark.parametrize(("kind", "data"), KINDS, ids=lambda v: getattr(v, "__name__", ""))
def test_a_file_comes_back_as_the_estimator_it_was(kind, data, tmp_path):
    X, y = data
    params = {"n_estimators": 4} if "Forest" in kind.__name__ else {}
    fitted = kind(max_depth=3, random_state=5, **params).fit(X, y)
    fitted.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough", as_estimator=True)
    assert type(again) is kind
    assert again.get_params() == fitted.get_params()
    assert again.predict(X).tolist() == fitted.predict(X).tolist()
    assert again.score(X, y) == fitted.score(X, y)
    assert again.feature_names_in_.tolist() == list(X.columns)
    assert again.model_.to_bytes() == fitted.model_.to_bytes()
    assert clone(again).fit(X, y).model_.to_bytes() == fitted.model_.to_bytes()
    if params:
        assert len(again.estimators_) == 4


def test_parameters_that_a_file_has_in_words_are_named(tmp_path):
    X, y = IRIS
    TreeClassifier(costs={(0, 1): 3.0}).fit(X, y).save(tmp_path / "m.bough")
    with pytest.warns(UserWarning, match="describes costs in words only"):
        again = bough.load(tmp_path / "m.bough", as_estimator=True)
    assert again.costs is None
    assert again.model_.costs is not None


@pytest.mark.parametrize(("kind", "data"), KINDS, ids=lambda v: getattr(v, "__name__", ""))
def test_a_model_scores_and_weighs_columns_as_its_estimator(kind, data):
    X, y = data
    fitted = kind(max_depth=3, random_state=0).fit(X, y)
    assert fitted.model_.score(X, y) == pytest.approx(fitted.score(X, y), rel=1e-12)
    assert fitted.model_.feature_importances_.tolist() == fitted.feature_importances_.tolist()
    with pytest.raises(bough.DataError, match="one entry for each of the"):
        fitted.model_.score(X, y[:3])


def test_every_export_is_a_method_of_the_estimator():
    tree = TreeClassifier(max_depth=1).fit(*IRIS)
    for name in ("to_sql", "to_json", "to_python", "to_javascript", "to_c", "to_dot"):
        assert getattr(tree, name)() == getattr(tree.model_, name)()
    with pytest.raises(Exception, match="not fitted"):
        TreeClassifier().to_sql()


def test_a_row_may_be_a_dict():
    X, y = IRIS
    tree = TreeClassifier().fit(X, y)
    row = X.iloc[70].to_dict()
    assert tree.predict(row).tolist() == tree.predict(X.iloc[[70]]).tolist()
    assert tree.predict_proba(row).tolist() == tree.predict_proba(X.iloc[[70]]).tolist()
    assert tree.model_.predict(row).tolist() == [1]
    with pytest.raises(bough.DataError, match="has no value for 'sepal length \\(cm\\)'"):
        tree.predict({"petal length (cm)": 3})


def test_intervals_of_pandas_are_ordered_texts(tmp_path):
    rng = np.random.default_rng(0)
    age = pd.Series(rng.integers(18, 80, 200))
    X = pd.DataFrame({"band": pd.cut(age, [0, 30, 50, 99])})
    tree = TreeClassifier(max_depth=1).fit(X, age > 50)
    assert tree.show().splitlines()[0] == "band <= '(30, 50]'"
    assert tree.predict(X).tolist() == (age > 50).tolist()
    assert tree.predict({"band": pd.Interval(50, 99)}).tolist() == tree.predict({"band": "(50, 99]"}).tolist() == [True]
    tree.save(tmp_path / "m.bough")
    assert bough.load(tmp_path / "m.bough").predict(X).tolist() == tree.predict(X).tolist()


def test_a_warning_of_an_id_is_shown_once_and_points_at_the_caller():
    X = pd.DataFrame({"id": [f"r{i}" for i in range(100)], "x": np.arange(100.0)})
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        cross_val_score(TreeClassifier(), X, X["x"] > 40, cv=5)
    assert [w.filename for w in shown] == [__file__]
