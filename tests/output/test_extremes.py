"""Reports, pictures and files of numbers as small or as large as a float64 can be, and of odd names."""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import root_mean_squared_error

import bough
from bough import TreeClassifier, TreeRegressor
from bough.model.conditions import Sum, Term
from bough.output import words
from bough.output.html.numbers import short

SIZES = [5e-324, 1e-320, 1e-310, 1e300, 8e307, 1.79e308]


def table(n=80):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, np.clip((np.nan_to_num(X[:, 0]) + rng.normal(size=n) * 0.2) / 2, -1, 1)


def data_of(report):
    return json.loads(re.search(r'id="data">(.*?)</script>', report.page, flags=re.S).group(1))


@pytest.mark.parametrize("missing", ["either", "shared", "surrogate"])
@pytest.mark.parametrize("size", SIZES)
def test_a_report_shows_columns_of_any_size(size, missing):
    X, y = table()
    for split in ("axis", "pca", "lda", "oc1"):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            tree = TreeClassifier(split=split, missing=missing, max_depth=4, random_state=0).fit(X * size, y > 0.1)
            assert data_of(tree.report(X * size, y > 0.1))["data"]["n"] == 80


@pytest.mark.parametrize("missing", ["either", "shared", "surrogate"])
@pytest.mark.parametrize("size", SIZES)
def test_a_report_shows_numbers_of_any_size(size, missing):
    X, y = table()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        tree = TreeRegressor(missing=missing, max_depth=4).fit(X, y * size)
        found = data_of(tree.report(X, y * size))["data"]["score"]
    exponent = int(np.log2(size)) if size > 1 else -900
    said, truth = np.ldexp(tree.predict(X), -exponent), np.ldexp(y * size, -exponent)
    assert found["rmse"] == pytest.approx(np.ldexp(root_mean_squared_error(truth, said), exponent), rel=1e-5)
    assert 0 <= found["r2"] <= 1


@pytest.mark.parametrize("size", [8e307, 1.79e308])
@pytest.mark.parametrize("missing", ["either", "shared", "surrogate"])
@pytest.mark.parametrize("split", ["axis", "random", "lda", "pca", "hhcart_a"])
def test_distances_between_the_largest_numbers_are_a_gain_that_a_file_can_hold(split, missing, size):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, size=(12, 2)) * size
        X[rng.random(X.shape) < 0.3] = np.nan
        tree = TreeClassifier(criterion="max_cut", split=split, missing=missing, random_state=0)
        tree.fit(X, rng.integers(0, 3, 12))
        assert not np.isinf(tree.tree_.gain).any()
        assert bough.Model.from_bytes(tree.model_.to_bytes()) == tree.model_


@pytest.mark.parametrize("name", ["", " ", "\t", "\x00", "$", "\u200b"])
@pytest.mark.parametrize("nominal", ["auto", "multiway"])
def test_a_category_a_class_and_a_column_of_any_name_can_be_drawn(name, nominal):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"c": rng.choice([name, "b", "q"], 60), name: rng.normal(size=60)})
    y = (X["c"] == name).map({True: name, False: "no"})
    for tree in (
        TreeClassifier(nominal=nominal).fit(X, y),
        TreeRegressor(nominal=nominal, max_depth=2).fit(X, rng.normal(size=60) + (y == "no")),
    ):
        tree.plot().figure.canvas.draw()
        plt.close("all")


def test_where_rows_are_shared_a_tree_prints_what_it_predicts():
    """What a node weighs is a sum of parts, and equal up to rounding: both take the first class."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(20, 2))
    X[rng.random(X.shape) < 0.3] = np.nan
    model = bough.TreeClassifier(missing="shared", ccp_alpha=1.0).fit(X, np.repeat([0, 1], 10)).model_
    below, above = model.nodes().weights[0]
    assert below < above < below * (1 + 1e-12)
    assert model.predict(X).tolist() == [0] * 20 == [model.nodes()[0].prediction] * 20
    assert model.show().startswith("class 0: 50 %")


def test_a_pruning_path_of_numbers_whose_squares_are_beyond_float64_is_refused():
    with pytest.raises(bough.DataError, match="beyond float64; multiply the target"):
        TreeRegressor().cost_complexity_pruning_path([[0.0], [1.0]], [-1e160, 1e160])


def test_a_gain_near_the_largest_number_is_reported():
    """Rounded to five digits it is more than a float64 holds."""
    largest = np.finfo(float).max
    assert [short(x, 5) for x in (largest, -largest, 1.79766e308)] == [largest, -largest, 1.79766e308]
    rng = np.random.default_rng(3)
    X = rng.choice([-1e307, 1e307, 0, 5e306], size=(50, 3))
    tree = TreeClassifier(criterion="max_cut").fit(X, rng.integers(0, 3, 50))
    assert "bytes" in repr(tree.report(X, rng.integers(0, 3, 50)))


def test_sums_of_a_file_whose_cuts_are_beyond_all_numbers_are_printed():
    terms = (Term(0, "a", 1e308, -1e308), Term(1, "b", 1.0))
    wide = Sum(terms, high=1.7e308, digits=3, room=np.inf)
    assert words.condition_text(wide).startswith("1e+308·a")
    assert words.reached_text(Sum(terms), [0.0, 0.0]).startswith("1e+308·")
