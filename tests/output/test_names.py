"""Whatever columns, values and classes are called, a model in every form is valid and predicts as `predict` does."""

from __future__ import annotations

import json
import keyword

import numpy as np
import pandas as pd
import pytest

import bough
from support.elsewhere import differing, onnx_answers, python_answers
from support.hostile import NAMES

OF_ONNX = [
    "prediction",
    "prediction_",
    "probabilities",
    "v1",
    "c1",
    "zero",
    "table",
    "tree0_at",
    "tree0_cut",
    "answers0",
]
OF_PYTHON = [
    *keyword.kwlist[:12],
    "COLUMNS",
    "TREES",
    "predict",
    "row",
    '"""',
    "'''",
    "\\",
    "{columns}",
    "%s",
    "\\N{DASH}",
]
LOOK_ALIKE = ["a", "а", "ａ", "a\u0301", "á", "K", "\u212a", "ﬁ", "fi", "x\u00a0", "x ", "\u200b", "\ufeff", "İ"]


def named(names, n=150, seed=0):
    """Columns of numbers and of texts by turns, the texts hostile too, and classes that depend on both."""
    rng = np.random.default_rng(seed)
    names = list(dict.fromkeys(names))
    X = pd.DataFrame({i: rng.normal(size=n).round(1) for i in range(len(names))})
    for i in range(1, len(names), 3):
        X[i] = pd.Series(rng.choice([names[0], names[-1], names[i], None], n), dtype=object)
    X.columns = names
    y = (X[names[0]] > 0).astype(int) + (X[names[1]] == names[1]) + (rng.random(n) < 0.2)
    return X, y.to_numpy()


def test_columns_of_onnx_may_be_called_as_its_own_values_are():
    pytest.importorskip("onnx")
    X, y = named(OF_ONNX)
    for make in (bough.TreeClassifier(), bough.TreeClassifier(missing="shared", split="lda"), bough.TreeRegressor()):
        model = make.fit(X, y).model_
        outputs = [o.name for o in model.to_onnx().graph.output]
        assert outputs == ["prediction__", "probabilities_"][: len(outputs)]
        assert np.allclose(onnx_answers(model, X), model.predict(X), rtol=0, atol=1e-12)
    X = X.rename(columns={"v1": "bough_v1", "zero": "bough__zero"})
    model = bough.TreeClassifier().fit(X, y).model_
    assert onnx_answers(model, X).tolist() == model.predict(X).tolist()


def test_an_empty_name_is_refused_by_onnx():
    pytest.importorskip("onnx")
    model = bough.TreeClassifier().fit(pd.DataFrame({"": ["a", "b"]}), [0, 1]).model_
    with pytest.raises(bough.DataError, match="a column has an empty name"):
        model.to_onnx()


def test_classes_beyond_int64_are_numbers_in_onnx():
    pytest.importorskip("onnx")
    y = np.array([2**64 - 1, 0, 2**64 - 1, 0], dtype=np.uint64)
    X = pd.DataFrame({"a": [0.0, 1.0, 0.0, 1.0]})
    model = bough.TreeClassifier().fit(X, y).model_
    assert onnx_answers(model, X).tolist() == y.tolist()
    with pytest.raises(bough.DataError, match="beyond 64 bits"):
        model.to_sql(dialect="sqlite")


@pytest.mark.parametrize("names", [OF_PYTHON, LOOK_ALIKE, [n for n in NAMES if n]], ids=["python", "alike", "hostile"])
def test_names_values_and_classes_may_be_anything_in_every_export(names):
    X, y = named(names)
    classes = np.array([list(X)[k] for k in range(4)], dtype=object)[y]
    for make in (bough.TreeClassifier(max_depth=6), bough.ForestClassifier(2, max_depth=4, random_state=0)):
        model = make.fit(X, classes).model_
        assert differing(model, X) == []
        assert json.loads(model.to_json())["classes"] == model.classes.tolist()


def test_an_empty_name_and_a_name_in_braces_are_python_all_the_same():
    X = pd.DataFrame({"": [0.0, 1.0, 0.0], "{tie}": ["{", "}", ""]})
    model = bough.TreeClassifier().fit(X, ["", "{}", ""]).model_
    assert python_answers(model, X)[0] == ["", "{}", ""]


@pytest.mark.parametrize("missing", ["either", "shared", "surrogate"])
def test_a_sum_that_overflows_goes_the_same_way_everywhere(missing):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    X.iloc[:80, 0] = np.nan
    rows = pd.DataFrame({"a": [1.7e308, -1.7e308, 1.7e308, 0.0], "b": [1.7e308, 1.7e308, -1.7e308, 0.0]})
    for slope in (1, -1):
        y = (9 * X["a"].fillna(3) + 7 * slope * X["b"] > 0).astype(int)
        model = bough.TreeClassifier(split="lda", missing=missing, max_depth=3).fit(X, y).model_
        assert differing(model, rows, skip=["postgresql"]) == []  # which refuses such sums
