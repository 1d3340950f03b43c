"""`bough.read`: trees of other libraries predict as models what they predict at home."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

import bough
from bough.readers.build import below32

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True, as_frame=True)
DIABETES = load_diabetes(return_X_y=True)


def with_missing(seed=0):
    X = DIABETES[0].copy()
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    return X, DIABETES[1]


def with_categories():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(DIABETES[0][:, :3], columns=["age", "sex", "bmi"])
    X["town"] = pd.Categorical(rng.choice(list("abcdefg"), len(X)))
    return X, DIABETES[1] + 80 * X["town"].isin(["a", "c", "f"]).to_numpy()


@pytest.mark.parametrize(
    ("estimator", "data"),
    [
        (DecisionTreeClassifier(random_state=0), IRIS),
        (DecisionTreeClassifier(criterion="log_loss", class_weight="balanced", random_state=0), CANCER),
        (ExtraTreeClassifier(random_state=0), IRIS),
        (DecisionTreeRegressor(random_state=0), DIABETES),
        (DecisionTreeRegressor(random_state=0), with_missing()),
        (DecisionTreeRegressor(criterion="absolute_error", random_state=0), DIABETES),
        (RandomForestClassifier(20, random_state=0), CANCER),
        (ExtraTreesRegressor(10, random_state=0), DIABETES),
        (HistGradientBoostingClassifier(max_iter=1), CANCER),
        (HistGradientBoostingRegressor(max_iter=1), with_missing()),
        (HistGradientBoostingRegressor(max_iter=1, loss="poisson"), DIABETES),
    ],
    ids=lambda v: type(v).__name__ if hasattr(v, "fit") else "",
)
def test_scikit_learns_trees_predict_the_same(estimator, data, tmp_path):
    X, y = data
    model = bough.read(estimator.fit(X, y))
    assert model.predict(X).tolist() == pytest.approx(estimator.predict(X).tolist(), rel=1e-12)
    if model.classes is not None:
        np.testing.assert_allclose(model.predict_proba(X), estimator.predict_proba(X), rtol=0, atol=1e-12)
    model.save(tmp_path / "m.bough")
    assert bough.load(tmp_path / "m.bough") == model
    assert model.to_json()
    assert model.schema.named == hasattr(estimator, "feature_names_in_")


def test_what_is_printed_parts_rows_of_float32_as_scikit_learn_does():
    X, y = CANCER
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert bough.read(tree).show().startswith("worst radius <= 16.795")
    assert bough.read(tree, X).show().splitlines()[0] == "worst radius <= 16.795"


def test_a_tree_of_many_is_read_by_its_number():
    X, y = DIABETES
    forest = ExtraTreesRegressor(5, random_state=0).fit(X, y)
    assert bough.read(forest, tree=3).predict(X).tolist() == forest.estimators_[3].predict(X).tolist()
    boosted = HistGradientBoostingClassifier(max_iter=3).fit(*IRIS)
    assert bough.read(boosted, tree=8).regression


@pytest.mark.parametrize("threshold", [2.45, 0.1, -0.1, 1e-40, 3.4e38, 1.0, 16777217.0, -5e-324, 0.0])
def test_a_cut_parts_numbers_as_their_rounding_to_float32(threshold):
    cut, _ = below32(threshold)
    for x in (cut, math.nextafter(cut, math.inf), math.nextafter(cut, -math.inf), threshold, -threshold):
        assert (x <= cut) == (float(np.float32(x)) <= threshold)


def test_lightgbms_trees_predict_the_same():
    lightgbm = pytest.importorskip("lightgbm")
    one = {"n_estimators": 1, "verbose": -1, "min_data_per_group": 5}
    for estimator, (X, y) in [
        (lightgbm.LGBMClassifier(**one), CANCER),
        (lightgbm.LGBMRegressor(**one), with_missing()),
        (lightgbm.LGBMRegressor(**one), DIABETES),
        (lightgbm.LGBMRegressor(**one), with_categories()),
        (lightgbm.LGBMRegressor(objective="poisson", **one), DIABETES),
    ]:
        model = bough.read(estimator.fit(X, y), X)
        assert model.predict(X).tolist() == pytest.approx(estimator.predict(X).tolist(), rel=1e-9)
    assert [c.kind for c in bough.read(lightgbm.LGBMRegressor(**one).fit(*with_categories())).schema.columns][
        3
    ] == "nominal"
    assert bough.read(estimator.booster_.dump_model()).regression
    several = lightgbm.LGBMClassifier(n_estimators=3, verbose=-1).fit(*IRIS)
    assert bough.read(several, tree=7).regression
    with pytest.raises(bough.ParameterError, match="9 trees whose sum it predicts; name one, tree=0 to tree=8"):
        bough.read(several)
    with pytest.raises(bough.ParameterError, match="linear leaves"):
        bough.read(lightgbm.LGBMRegressor(linear_tree=True, **one).fit(*DIABETES))


def test_xgboosts_trees_predict_the_same(tmp_path):
    xgboost = pytest.importorskip("xgboost")
    for estimator, (X, y) in [
        (xgboost.XGBClassifier(n_estimators=1), CANCER),
        (xgboost.XGBRegressor(n_estimators=1), with_missing()),
        (xgboost.XGBRegressor(n_estimators=1, objective="count:poisson"), DIABETES),
    ]:
        model = bough.read(estimator.fit(X, y))
        assert model.predict(X).tolist() == pytest.approx(estimator.predict(X).tolist(), rel=1e-5)
    estimator.save_model(tmp_path / "x.json")
    assert bough.read(tmp_path / "x.json") == model
    several = xgboost.XGBRegressor(n_estimators=5).fit(*DIABETES)
    assert bough.read(several, tree=3).regression
    with pytest.raises(bough.ParameterError, match="5 trees"):
        bough.read(several)


PMML = """<?xml version="1.0"?>
<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4">
 <DataDictionary numberOfFields="3">
  <DataField name="buys" optype="categorical" dataType="string"><Value value="no"/><Value value="yes"/></DataField>
  <DataField name="age" optype="continuous" dataType="double"/>
  <DataField name="town" optype="categorical" dataType="string">
   <Value value="Bern"/><Value value="Sankt Gallen"/><Value value="Zug"/></DataField>
 </DataDictionary>
 <TreeModel modelName="rpart" functionName="classification" splitCharacteristic="binarySplit"
   missingValueStrategy="defaultChild">
  <MiningSchema><MiningField name="buys" usageType="predicted"/><MiningField name="age"/><MiningField name="town"/>
  </MiningSchema>
  <Node id="1" score="no" recordCount="10" defaultChild="3"><True/>
   <Node id="2" score="no" recordCount="4">
    <SimplePredicate field="age" operator="greaterOrEqual" value="40.5"/>
    <ScoreDistribution value="no" recordCount="4"/><ScoreDistribution value="yes" recordCount="0"/></Node>
   <Node id="3" score="yes" recordCount="6" defaultChild="4">
    <SimplePredicate field="age" operator="lessThan" value="40.5"/>
    <Node id="4" score="yes" recordCount="4">
     <SimpleSetPredicate field="town" booleanOperator="isIn"><Array n="2" type="string">"Sankt Gallen" Zug</Array>
     </SimpleSetPredicate>
     <ScoreDistribution value="no" recordCount="1"/><ScoreDistribution value="yes" recordCount="3"/></Node>
    <Node id="5" score="no" recordCount="2">
     <SimpleSetPredicate field="town" booleanOperator="isIn"><Array n="1" type="string">Bern</Array>
     </SimpleSetPredicate>
     <ScoreDistribution value="no" recordCount="2"/><ScoreDistribution value="yes" recordCount="0"/></Node>
   </Node>
  </Node>
 </TreeModel>
</PMML>
"""


def test_a_tree_of_rpart_in_pmml(tmp_path):
    path = tmp_path / "tree.pmml"
    path.write_text(PMML)
    model = bough.read(path)
    rows = pd.DataFrame({"age": [50, 30, 30, 40.5, np.nan, 30], "town": ["Zug", "Zug", "Bern", "Zug", "Zug", None]})
    assert model.predict(rows).tolist() == ["no", "yes", "no", "no", "yes", "yes"]
    assert "age < 40.5" in model.show()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("<PMML", "<!DOCTYPE x><PMML", "document type"),
        ("</PMML>", "", "not an XML file"),
        ("TreeModel", "Tree", "no TreeModel"),
        ('"defaultChild"', '"weightedConfidence"', "weightedConfidence"),
        ('operator="lessThan"', 'operator="lessOrEqual"', "not each other's opposite"),
        ('value="40.5"', 'value="many"', "'many' is not a number"),
        ("SimpleSetPredicate", "CompoundPredicate", "surrogates"),
        ('score="no" recordCount="2"', 'score="yes" recordCount="2"', "not its most frequent class"),
    ],
)
def test_pmml_that_cannot_be_read_is_refused_in_one_sentence(old, new, says, tmp_path):
    path = tmp_path / "tree.pmml"
    path.write_text(PMML.replace(old, new))
    with pytest.raises(bough.DataError, match=says):
        bough.read(path)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (lambda: 3, "knows no int; it reads trees of scikit-learn, LightGBM, XGBoost and PMML"),
        (lambda: DecisionTreeClassifier(), "not fitted; call fit first"),
        (lambda: DecisionTreeClassifier().fit(IRIS[0], np.column_stack([IRIS[1]] * 2)), "predicts 2 targets"),
        (lambda: bough.TreeClassifier().fit(*IRIS), "its model is estimator.model_"),
        (lambda: HistGradientBoostingRegressor(max_iter=2).fit(*DIABETES), "fit it with max_iter=1"),
        (lambda: HistGradientBoostingRegressor(max_iter=1, categorical_features=[1]).fit(*DIABETES), "categorical"),
    ],
)
def test_what_is_no_tree_is_refused_in_one_sentence(given, says):
    with pytest.raises(bough.ParameterError, match=says):
        bough.read(given())


def test_a_tree_that_is_not_there_is_refused():
    forest = RandomForestClassifier(2).fit(*IRIS)
    with pytest.raises(bough.ParameterError, match="tree is 2; it must be an integer from 0 to 1"):
        bough.read(forest, tree=2)
    with pytest.raises(bough.ParameterError, match="tree is 'first'"):
        bough.read(forest, tree="first")


def test_a_model_that_predicts_otherwise_is_refused(monkeypatch):
    tree = DecisionTreeRegressor(max_depth=2).fit(*DIABETES)
    monkeypatch.setattr(tree, "predict", lambda X: np.zeros(len(X)))
    with pytest.raises(bough.DataError, match="10,000 of 10,000 rows differ"):
        bough.read(tree)


def test_what_is_read_has_a_report_and_reasons():
    X, y = CANCER
    model = bough.read(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y), X)
    assert "DecisionTreeClassifier" in model.report(X, y).page
    assert "worst radius" in model.why(X.iloc[0])
    assert json.loads(model.to_json())["classes"] == [0, 1]
