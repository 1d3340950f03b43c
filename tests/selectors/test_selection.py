"""Selection of columns: tests by conditional inference, filters, and what is kept of them."""

from __future__ import annotations

import itertools
import math
import os
import pickle
import re
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import check_estimator

from bough import Model, ModelFileError, ParameterError, TreeClassifier, TreeRegressor, _core, load
from support.data import random_small, same_trees, tree_of
from support.interrupt import LIMIT, interrupted
from support.mutants import signed
from support.oracle import selection as oracle_selection

CASES = int(os.environ.get("BOUGH_CASES", "1"))
TESTING = "conditional_inference"


def ctree(**selector_params):
    return TreeClassifier(selector=TESTING, selector_params=selector_params)


# ---- the tail of χ² -----------------------------------------------------------------------------------------


@given(st.floats(0, 1e4), st.integers(1, 3000))
def test_the_tail_is_scipys_where_scipy_has_one(x, df):
    expected = chi2.logsf(x, df)
    if expected > -700:
        assert _core.chi2_log_tail(x, df) == pytest.approx(expected, rel=2e-12, abs=1e-300)


@pytest.mark.parametrize("df", [2, 4, 10, 60, 400, 4000])
@pytest.mark.parametrize("far", [1.01, 2, 10, 1e3, 1e6])
def test_far_tails_of_even_df_are_the_finite_sum(df, far):
    """P(χ² > x) = e^(−x/2)·Σ_{j < df/2} (x/2)^j/j!, here with 60 digits."""
    x = df * far
    with localcontext() as context:
        context.prec = 60
        t, term, total = Decimal(x) / 2, Decimal(1), Decimal(0)
        for j in range(df // 2):
            total += term
            term *= t / (j + 1)
        expected = float(total.ln() - t)
    assert _core.chi2_log_tail(x, df) == pytest.approx(expected, rel=1e-13)


def test_the_tail_falls_with_x_and_grows_with_df():
    x = np.concatenate([np.linspace(0, 50, 200), np.geomspace(51, 1e12, 200)])
    for df in (1, 2, 3, 7, 1000, 399_999):
        tails = [_core.chi2_log_tail(v, df) for v in x]
        assert tails[0] == 0
        assert all(a >= b for a, b in itertools.pairwise(tails))
        assert all(math.isfinite(t) for t in tails)
        assert all(a <= b for a, b in zip(tails, (_core.chi2_log_tail(v, df + 1) for v in x)))


# ---- closed forms -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("regression", [False, True])
def test_closed_forms_are_the_general_form(regression):
    rng = np.random.default_rng([5, regression])
    kind = TreeRegressor if regression else TreeClassifier
    compared = 0
    for _ in range(400 * CASES):
        s = random_small(rng, most_rows=14, regression=regression)
        tree = kind(selector=TESTING, selector_params={"alpha": 0.0}, max_depth=1).fit(s.frame, s.y, s.weights)
        found = tree.model_.log_p_values
        if found is None:
            assert len(set(s.y)) == 1
            continue
        assert len(found) == 1, "alpha=0 never splits"
        for p, (sort, values) in zip(found[0], s.table):
            expected = oracle_selection.log_p(sort, values, s.y, s.w, s.k, range(len(s.y)))
            if expected is None:
                assert math.isnan(p), s
            else:
                assert p == pytest.approx(expected, rel=1e-6, abs=1e-9), s
                compared += 1
    assert compared > 400 * CASES


@pytest.mark.parametrize("selector", ["score", TESTING])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_whole_trees_are_those_of_the_naive_grower(selector, criterion):
    rng = np.random.default_rng([6, len(selector), len(criterion)])
    kind = TreeRegressor if criterion == "squared_error" else TreeClassifier
    grown = 0
    for _ in range(150 * CASES):
        s = random_small(rng, most_rows=14, regression=criterion == "squared_error")
        selection = {
            "chi2_filter": float(rng.choice([1.0, 0.9, 0.4])),
            "min_second_value": int(rng.choice([0, 0, 1, 2, 3])),
        }
        if selector == TESTING:
            selection |= {"alpha": float(rng.choice([0.2, 0.6, 1.0])), "bonferroni": bool(rng.integers(2))}
        nominal = str(rng.choice(["exact", "one_vs_rest", "multiway"]))
        limit = {"min_samples_leaf": int(rng.choice([1, 1, 2, 4]))}  # so that the surest column may have no cut
        tree = kind(criterion=criterion, nominal=nominal, selector=selector, selector_params=selection, **limit)
        tree.fit(s.frame, s.y, s.weights)
        plan = {"selector": selector, **selection, **limit}
        expected = oracle_selection.grow(s.table, s.y, s.w, s.k, criterion, nominal, **plan)
        assert same_trees(tree_of(tree), expected), (plan, nominal, s)
        grown += len(expected) > 1
    assert grown > 50 * CASES


def test_ctrees_first_split_of_iris_is_the_published_one():
    X, y = load_iris(return_X_y=True)
    root = ctree(bonferroni=False).fit(X, y).model_
    # party::ctree(Species ~ ., iris): statistic 140.264 on 2 degrees of freedom for the petal's length
    assert root.log_p_values[0, 2] == pytest.approx(chi2.logsf(140.264, 2), abs=1e-3)
    assert root.split(0).column == 2


# ---- what makes it sound ------------------------------------------------------------------------------------


def saturated(n=6000, seed=0):
    """Two columns whose p-values are both 0 as doubles; the second one is the better."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    worse = np.where(rng.random(n) < 0.08, 1 - y, y)
    better = np.where(rng.random(n) < 0.02, 1 - y, y)
    return pd.DataFrame({"worse": worse.astype(str), "better": better.astype(str)}), y


def test_columns_whose_p_values_are_zero_are_still_told_apart():
    X, y = saturated()
    model = ctree().fit(X, y).model_
    assert model.p_values(0) == {"better": 0.0, "worse": 0.0}
    assert model.log_p_values[0, 1] < model.log_p_values[0, 0] < -745
    assert model.split(0).name == "better"
    head, shown = model.show(max_depth=1, p_values=True).splitlines()[:2]
    assert head.split() == ["p-values", "better", "worse"]
    assert re.search(r"  \d\.\de-1\d\d\d +\d\.\de-\d{3,}$", shown)


def test_where_the_surest_column_has_no_allowed_cut_the_next_ones_that_pass_are_tried():
    y = np.repeat([0, 1], 200)
    few = (np.arange(400) >= 370).astype(float)  # the surest, but with thirty rows on one side
    useless = np.tile([0.0, 1.0], 200)
    good = np.where(np.arange(400) % 5 < 3, y, 1 - y)
    X = np.column_stack([useless, few * 1e6, -few, good])
    p = ctree().fit(X, y).model_.log_p_values[0]
    assert max(p[1:3]) < p[3] < math.log(0.05 / 4) < p[0]
    tree = ctree().set_params(min_samples_leaf=40).fit(X, y)
    assert tree.model_.split(0).column == 3
    # one that does not pass is never split
    assert ctree().set_params(min_samples_leaf=40).fit(X[:, :3], y).model_.n_nodes == 1


def test_of_equal_columns_the_first_is_split():
    X, y = saturated()
    twice = pd.DataFrame({"a": X["better"], "b": X["better"].map({"0": "y", "1": "x"}), "c": X["worse"]})
    assert ctree().fit(twice, y).model_.split(0).name == "a"


@pytest.mark.parametrize("numbers", [False, True])
def test_noise_is_rarely_split_whatever_the_number_of_values(numbers):
    """That is what the tests are for: gains favour columns with many values, p-values do not."""
    rng = np.random.default_rng(3)
    split = 0
    for _ in range(200):
        y = rng.normal(size=150) if numbers else rng.integers(0, 3, 150)
        X = pd.DataFrame({"many": rng.integers(0, 12, 150).astype(str), "two": rng.integers(0, 2, 150).astype(str)})
        kind = TreeRegressor if numbers else TreeClassifier
        split += kind(selector=TESTING, max_depth=1).fit(X, y).get_n_leaves() > 1
    assert split <= 200 * 0.05 + 3 * math.sqrt(200 * 0.05 * 0.95)


def test_the_number_of_columns_counts():
    rng = np.random.default_rng(1)
    y = np.arange(200) % 2
    x = rng.normal(size=200)
    x += (0.35 + x[y == 0].mean() - x[y == 1].mean()) * y
    p = ctree(bonferroni=False).fit(x[:, None], y).model_.p_values(0, adjusted=False)["x0"]
    assert 1e-4 < p < 0.05
    few = np.column_stack([x, rng.normal(size=200)])
    many = np.column_stack([x, rng.normal(size=(200, int(0.05 / p) + 2))])
    for X, adjusting, splits in [(few, True, 2 * p < 0.05), (many, True, False), (many, False, True)]:
        assert (ctree(bonferroni=adjusting).fit(X, y).get_n_leaves() > 1) == splits
    tested = ctree().fit(few, y).model_
    assert tested.p_values(0)["x0"] == pytest.approx(2 * p)
    assert tested.p_values(0, adjusted=False)["x0"] == pytest.approx(p)


def test_constant_columns_are_not_tested_and_do_not_count():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    X = pd.DataFrame({"x": y + rng.normal(size=60), "one": 1.0, "same": "a", "gone": np.nan})
    assert list(ctree().fit(X, y).model_.p_values(0)) == ["x"]


def test_missingness_that_tells_the_class_is_found():
    rng = np.random.default_rng(2)
    x = rng.normal(size=100)
    y = rng.integers(0, 2, 100)
    x[(y == 1) & (rng.random(100) < 0.6)] = np.nan
    tree = ctree().fit(x[:, None], y)
    assert tree.model_.p_values(0)["x0"] < 1e-6
    assert tree.score(x[:, None], y) > 0.7


def test_numbers_of_any_size_are_tested_alike():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=80), rng.integers(0, 3, 80)
    scaled = [x, x * 1e-300, x * 1e300, x + 1e6, -x * 3e7]
    p = [ctree(alpha=0.0).fit(v[:, None], y).model_.log_p_values[0, 0] for v in scaled]
    np.testing.assert_allclose(p, p[0], rtol=1e-8)
    extreme = np.where(x > 0, 1.7e308, -1.7e308)
    assert math.isfinite(ctree(alpha=0.0).fit(extreme[:, None], y).model_.log_p_values[0, 0])


# ---- weights ------------------------------------------------------------------------------------------------


def weighted_table(seed=0, n=90):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    x = y + rng.normal(size=n) * 2
    x[::11] = np.nan
    return pd.DataFrame({"x": x, "s": rng.choice(list("abcd"), n)}), y, rng


def test_whole_weights_count_rows():
    X, y, rng = weighted_table()
    w = rng.integers(1, 4, len(y))
    again = np.repeat(np.arange(len(y)), w)
    weighted = ctree(alpha=0.6).fit(X, y, w).model_
    repeated = ctree(alpha=0.6).fit(X.iloc[again], y[again]).model_
    np.testing.assert_allclose(weighted.log_p_values[0], repeated.log_p_values[0], rtol=1e-10)


def test_other_weights_matter_only_by_their_ratios():
    X, y, rng = weighted_table(1)
    w = rng.uniform(0.2, 2, len(y))
    p = [ctree(alpha=0.0).fit(X, y, w * f).model_.log_p_values[0] for f in (1, 0.37, 1.3e-200, 1.1e250)]
    for q in p[1:]:
        np.testing.assert_allclose(q, p[0], rtol=1e-9)
    halves = ctree(alpha=0.0).fit(X, y, np.full(len(y), 0.5)).model_.log_p_values[0]
    np.testing.assert_allclose(halves, ctree(alpha=0.0).fit(X, y).model_.log_p_values[0], rtol=1e-10)


# ---- filters ------------------------------------------------------------------------------------------------


def interaction():
    """'b' tells nothing at the root, and all below it where 'a' is 'l'."""
    rows = [("l", "u", 0), ("l", "v", 1), ("r", "u", 1), ("r", "v", 0), ("r", "u", 1), ("r", "v", 1)]
    X = pd.DataFrame([r[:2] for r in rows] * 40, columns=["a", "b"])
    return X, np.array([r[2] for r in rows] * 40)


@pytest.mark.parametrize("selector", ["score", TESTING])
def test_the_chi2_filter_holds_at_its_node_only(selector):
    X, y = interaction()
    b = ("nominal", (X["b"] == "v").tolist())
    assert not oracle_selection.passes(b, y, [1.0] * 240, 2, range(240), 0.1, 0)
    tree = TreeClassifier(selector=selector, selector_params={"chi2_filter": 0.1}).fit(X, y)
    assert tree.model_.split(0).name == "a"
    assert {tree.model_.split(i).name for i in range(1, tree.model_.n_nodes) if tree.model_.split(i)} == {"b"}


@pytest.mark.parametrize("selector", ["score", TESTING])
def test_a_column_with_a_rare_second_value_is_dropped(selector):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = pd.DataFrame({"rare": np.where(np.arange(120) >= 106, "b", "a"), "s": rng.choice(list("ab"), 120)})
    splits = {}
    for least in (14, 15):
        params = {"min_second_value": least} | ({"alpha": 1.0} if selector == TESTING else {})
        model = TreeClassifier(selector=selector, selector_params=params).fit(X, y).model_
        splits[least] = [model.split(i).name for i in range(model.n_nodes) if model.split(i)]
    assert splits[14][0] == "rare"
    assert "rare" not in splits[15]


@pytest.mark.parametrize("selector", ["score", TESTING])
def test_numeric_columns_are_never_filtered(selector):
    y = np.repeat([0, 1], 20)
    x = np.arange(40.0)
    x[x < 39] = 0.0  # one row with another value, which tells next to nothing
    params = {"chi2_filter": 1e-9, "min_second_value": 100} | ({"alpha": 1.0} if selector == TESTING else {})
    tree = TreeClassifier(selector=selector, selector_params=params, max_depth=1).fit(x[:, None], y)
    assert tree.get_n_leaves() == 2
    as_text = TreeClassifier(selector=selector, selector_params=params).fit(x.astype(str)[:, None], y)
    assert as_text.get_n_leaves() == 1


def test_filters_that_are_off_change_nothing():
    X, y, _ = weighted_table(3)
    plain = TreeClassifier().fit(X, y).model_
    assert TreeClassifier(selector_params={"chi2_filter": 1.0, "min_second_value": 0}).fit(X, y).model_ == plain
    assert plain.log_p_values is None
    assert plain.p_values(0) == {}


def test_filters_and_alpha_have_limits():
    X, y, _ = weighted_table(3)
    for params, said in [
        ({"alpha": 1.5}, "alpha is 1.5; it must be a number from 0 to 1"),
        ({"chi2_filter": -0.1}, "chi2_filter is -0.1"),
        ({"min_second_value": 2.5}, "must be an integer"),
        ({"alfa": 0.1}, "did you mean 'alpha'"),
    ]:
        with pytest.raises(ParameterError, match=said):
            ctree(**params).fit(X, y)


# ---- what is kept -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    X, y, _ = weighted_table(5, 400)
    return ctree(alpha=0.5).fit(X, y).model_


def test_p_values_survive_file_pickle_and_pruning(model, tmp_path):
    model.save(tmp_path / "m.bough")
    for again in (load(tmp_path / "m.bough"), pickle.loads(pickle.dumps(model))):
        assert again == model
        assert again.show(p_values=True) == model.show(p_values=True)
    X, y, _ = weighted_table(5, 400)
    cut = TreeClassifier(selector=TESTING, selector_params={"alpha": 0.5}, ccp_alpha=0.02).fit(X, y).model_
    assert 1 < cut.n_nodes < model.n_nodes
    np.testing.assert_array_equal(cut.log_p_values[0], model.log_p_values[0])
    kept = [i for i in range(cut.n_nodes) if cut.nodes().rows[i] == cut.nodes().rows.min()]
    same = [i for i in range(model.n_nodes) if (model.nodes().weights[i] == cut.nodes().weights[kept[0]]).all()]
    assert any(np.array_equal(model.log_p_values[i], cut.log_p_values[kept[0]], equal_nan=True) for i in same)


def test_a_file_with_p_values_that_are_none_is_refused(model):
    parts = {k: v.copy() for k, v in model.tree.parts().items()}

    def made(**changed):
        return _core.Tree.from_parts(model.tree.n_columns, model.tree.n_classes, parts | changed)

    made(log_p=np.array([]))
    for wrong, said in [
        (parts["log_p"][:-1], "log_p has"),
        (np.full_like(parts["log_p"], 0.1), "is not the log of a p-value"),
        (np.full_like(parts["log_p"], -np.inf), "is not the log of a p-value"),
    ]:
        with pytest.raises(ValueError, match=said):
            made(log_p=wrong)
    damaged = bytearray(model.to_bytes())
    damaged[-8:] = np.float64(0.5).tobytes()
    with pytest.raises(ModelFileError, match="is not the log of a p-value"):
        Model.from_bytes(signed(bytes(damaged)))


def test_show_writes_them_behind_nodes_and_leaves(model):
    head, *lines = model.show(p_values=True, max_nodes=None).splitlines()
    assert len(lines) == model.n_nodes
    assert head.split()[:2] == ["p-values", "x"]
    plain = model.show(max_nodes=None).splitlines()
    room = max(map(len, plain))
    assert plain == [line[:room].rstrip() for line in lines]
    cell = lines[0][room:].split()[0]
    assert float(cell) == pytest.approx(model.p_values(0)["x"], rel=0.05)
    assert head.index("x", room) + 1 == lines[0].index(cell, room) + len(cell)  # one under the other
    assert head.endswith("x") or "more columns" in model.show(p_values=True, max_values=1).splitlines()[0]
    with pytest.raises(ParameterError, match="selector='conditional_inference'"):
        TreeClassifier().fit([[1.0], [2.0]], [0, 1]).show(p_values=True)
    with pytest.raises(IndexError, match="node 9999"):
        model.p_values(9999)


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40_000, 4)), columns=list("abcd")).assign(s=rng.choice(list("pqrst"), 40_000))
    y = (X[list("abcd")].sum(axis=1) + rng.normal(size=40_000) > 0).astype(int) + X["s"].isin(["p", "q"])
    for params in ({}, {"max_leaf_nodes": 9}, {"max_features": 2, "random_state": 0}):
        trees = [TreeClassifier(selector=TESTING, max_depth=5, n_jobs=j, **params).fit(X, y).model_ for j in (1, 2, 3)]
        assert trees[0].to_bytes() == trees[1].to_bytes() == trees[2].to_bytes()
        assert trees[0].n_nodes > 5


def test_a_fit_can_be_interrupted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400_000, 20)), rng.integers(0, 3, 400_000)
    waited = interrupted(lambda: ctree(alpha=1.0).fit(X, y), 0.3)
    assert waited is not None, "the fit was over before the signal"
    assert waited < LIMIT


def test_max_features_draws_the_columns_that_are_tested():
    X, y = load_iris(return_X_y=True)
    model = TreeClassifier(selector=TESTING, max_features=2, random_state=1).fit(X, y).model_
    assert (~np.isnan(model.log_p_values[0])).sum() == 2


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
def test_scikit_learns_checks_pass(kind):
    results = check_estimator(kind(selector=TESTING), on_fail=None, on_skip=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


def test_the_golden_file_with_p_values_keeps_them():
    model = load(Path(__file__).parents[1] / "golden" / "v1-tested.bough")
    assert model.split(0).name == "größe"
    assert model.p_values(0)["größe"] == pytest.approx(3.4e-11, rel=0.05)
    assert load(Path(__file__).parents[1] / "golden" / "v1-classes.bough").log_p_values is None
