"""Boosted trees: equal to a loop over single trees, with scikit-learn's conduct."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.utils.estimator_checks import check_estimator

import bough
from bough import BoostedClassifier, BoostedRegressor, DataError, Model, ParameterError
from support.interrupt import hearing_ctrl_c, interrupted
from support.oracle.boosting import boosted

LOSSES = [("squared_error", 0.5), ("absolute_error", 0.5), ("quantile", 0.8), ("poisson", 0.5)]


def numbers(rng, n):
    X = np.round(rng.normal(size=(n, 4)), 1)  # ties
    X[:, 3] = rng.integers(0, 3, n)
    y = np.round(np.exp(X[:, 0] / 2) * 3 + X[:, 1] + rng.gamma(2.0, 1.0, n), 2)
    return X, np.maximum(y, 0.0)


def mixed(rng, n=300):
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(list("uvwx"), n)})
    X.loc[rng.random(n) < 0.1, "a"] = np.nan
    score = np.nan_to_num(X["a"].to_numpy()) + X["c"].isin(["u", "w"]).to_numpy() * 1.5 + X["b"].to_numpy()
    return X, score, np.array(["low", "mid", "top"])[np.digitize(score, [0, 1.5])]


# ---- the trees ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("loss", "alpha"), LOSSES)
def test_numbers_are_those_of_a_loop_over_single_trees(loss, alpha, weighted):
    rng = np.random.default_rng(0)
    for seed, rows in enumerate((30, 200)):
        X, y = numbers(np.random.default_rng(seed), rows)
        w = rng.integers(1, 4, rows).astype(float) if weighted else None
        how = {"max_leaf_nodes": 6, "min_samples_leaf": 3}
        more = {"quantile": alpha} if loss == "quantile" else {}
        made = BoostedRegressor(loss, max_iter=8, l2_regularization=0.5, max_bins=None, **how, **more).fit(X, y, w)
        raw, _ = boosted(X, y, loss, rounds=8, alpha=alpha, l2=0.5, weights=w, **how)
        assert np.allclose(made._outputs(X).raw(), raw, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("data", [load_breast_cancer, load_iris])
def test_classes_are_those_of_a_loop_over_single_trees(data, weighted):
    X, y = data(return_X_y=True)
    w = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else None
    how = {"max_depth": 3, "min_samples_leaf": 5}
    made = BoostedClassifier(max_iter=6, max_leaf_nodes=None, max_bins=None, **how).fit(X, y, w)
    raw, _ = boosted(X, y, "log_loss", rounds=6, k=len(set(y)), weights=w, **how)
    assert np.allclose(made._outputs(X).raw(), raw, rtol=1e-9, atol=1e-9)


def test_exact_trees_are_as_good_as_scikit_learns():
    X, y = load_breast_cancer(return_X_y=True)
    ours, theirs = BoostedClassifier(max_iter=30), HistGradientBoostingClassifier(max_iter=30)
    assert ours.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > theirs.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) - 0.02
    X, y = load_diabetes(return_X_y=True)
    of_ours, of_theirs = BoostedRegressor(max_iter=30), HistGradientBoostingRegressor(max_iter=30)
    assert abs(of_ours.fit(X, y).score(X, y) - of_theirs.fit(X, y).score(X, y)) < 0.01


@pytest.mark.parametrize("split", ["elc", "lda", "node_pca", "cart_lc", "random"])
def test_trees_of_every_split_are_boosted(split):
    X, y = load_iris(return_X_y=True)
    made = BoostedClassifier(max_iter=5, split=split, max_leaf_nodes=4, random_state=0).fit(X[:, 2:], y)
    assert made.score(X[:, 2:], y) > 0.9
    assert made.train_score_[-1] > made.train_score_[0]


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_bins_of_single_numbers_give_the_exact_trees(weighted, gaps):
    """Where no column has more numbers than bins; rounding of sums aside, both tell the same cuts apart."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = np.round(rng.normal(size=(rng.integers(40, 400), 5)), 1)
        y = X[:, 0] - X[:, 1] * X[:, 2] + rng.normal(size=len(X))
        if gaps:
            X[rng.random(X.shape) < 0.2] = np.nan
        w = rng.uniform(0.5, 2, len(y)) if weighted else None
        for leaves in (None, 9):
            how = {"max_iter": 4, "min_samples_leaf": 4, "max_depth": 5, "max_leaf_nodes": leaves}
            exact, binned = (BoostedRegressor(max_bins=b, **how).fit(X, y, w) for b in (None, 255))
            assert binned.origin_["engine"] == "bins: at most 255 of each column"
            for one, two in zip(exact.model_.trees, binned.model_.trees, strict=True):
                a, b = one.parts(), two.parts()
                assert all((a[name] == b[name]).all() for name in ("kinds", "columns", "cuts", "missing", "leaf_rows"))
                assert all(np.allclose(a[n], b[n], rtol=1e-9) for n in ("leaf_means", "leaf_weights", "gains"))
                assert np.allclose(a["leaf_spreads"], b["leaf_spreads"], rtol=1e-6, atol=1e-9)


def test_few_bins_cut_into_parts_of_about_as_many_rows():
    X = np.random.default_rng(0).exponential(size=(1000, 1))
    tree = BoostedRegressor(max_iter=1, max_bins=4, min_samples_leaf=1, max_leaf_nodes=None).fit(X, X[:, 0])
    assert tree.model_.trees[0].n_leaves == 4
    assert sorted(tree.model_.trees[0].parts()["leaf_rows"]) == [250] * 4
    heavy = np.r_[np.zeros(900), np.arange(1, 101)].reshape(-1, 1)
    rows = BoostedRegressor(max_iter=1, max_bins=3, min_samples_leaf=1).fit(heavy, heavy[:, 0]).model_.trees[0].parts()
    assert sorted(rows["leaf_rows"]) == [50, 50, 900]


def test_trees_that_bins_are_not_for_grow_from_the_numbers():
    X, y = load_iris(return_X_y=True)
    for how in ({"split": "lda"}, {"missing": "surrogate"}, {"max_bins": None}):
        assert not BoostedClassifier(max_iter=1, **how).fit(X, y).origin_["engine"].startswith("bins")


# ---- conduct ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [BoostedClassifier(max_iter=20), BoostedRegressor()])
def test_it_passes_scikit_learns_checks(estimator):
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("missing", ["either", "shared", "surrogate"])
def test_files_pickles_stages_and_contributions_agree_with_predictions(missing):
    X, score, names = mixed(np.random.default_rng(2))
    cases = [(BoostedClassifier, names), (BoostedClassifier, score > 0), (BoostedRegressor, score)]
    for kind, y in cases:
        made = kind(max_iter=4, missing=missing).fit(X, y)
        model = made.model_
        again = Model.from_bytes(model.to_bytes())
        assert again == model
        assert (again.predict(X) == made.predict(X)).all()
        assert (pickle.loads(pickle.dumps(made)).predict(X) == made.predict(X)).all()
        *_, last = made.staged_predict(X)
        assert (last == made.predict(X)).all()
        found = made.contributions(X.iloc[:20])
        raw = made._outputs(X.iloc[:20]).raw()
        assert np.allclose(found.base_values + found.values.sum(axis=1), raw if raw.shape[1] > 1 else raw[:, 0])


def test_decision_function_has_one_number_for_two_classes_and_one_for_each_of_more():
    X, y = load_iris(return_X_y=True)
    assert BoostedClassifier(max_iter=2).fit(X, y).decision_function(X).shape == (150, 3)
    two = BoostedClassifier(max_iter=2).fit(X, y > 0)
    raw = two.decision_function(X)
    assert raw.shape == (150,)
    assert np.allclose(two.predict_proba(X)[:, 1], 1 / (1 + np.exp(-raw)))


@pytest.mark.parametrize("bins", [None, 255])
def test_a_warm_start_gives_the_file_of_one_long_fit(bins):
    X, _, y = mixed(np.random.default_rng(3))
    how = {"random_state": 1, "subsample": 0.7, "max_features": 0.7, "max_bins": bins, "early_stopping": True}
    at_once = BoostedClassifier(max_iter=6, **how).fit(X, y)
    for jobs in (1, 4):
        in_two = BoostedClassifier(max_iter=3, warm_start=True, n_jobs=jobs, **how).fit(X, y)
        in_two.set_params(max_iter=6).fit(X, y)
        assert in_two.model_ == at_once.model_
        assert (in_two.validation_score_ == at_once.validation_score_).all()
    with pytest.raises(ParameterError, match="larger than or equal to n_iter_=6"):
        in_two.set_params(max_iter=5).fit(X, y)
    with pytest.raises(DataError, match="another table"):
        in_two.set_params(max_iter=7).fit(X.iloc[:50], y[:50])


@pytest.mark.parametrize("bins", [None, 255])
def test_threads_do_not_change_a_byte(bins):
    X, score, y = mixed(np.random.default_rng(4), 6000)
    for kind, target in ((BoostedClassifier, y), (BoostedRegressor, score)):
        files = {
            kind(max_iter=3, n_jobs=jobs, max_bins=bins, random_state=0).fit(X, target).model_.to_bytes()
            for jobs in (1, 2, 4)
        }
        assert len(files) == 1


@pytest.mark.parametrize("scoring", ["loss", "accuracy", None])
@pytest.mark.parametrize("share", [0.2, None])
def test_it_stops_early_where_scores_no_longer_improve(scoring, share):
    X, _, y = mixed(np.random.default_rng(5))
    y = np.random.default_rng(0).permutation(y)  # nothing to learn
    how = {"early_stopping": True, "scoring": scoring, "validation_fraction": share, "n_iter_no_change": 3}
    made = BoostedClassifier(max_iter=200, learning_rate=0.5, random_state=0, **how).fit(X, y)
    assert made.do_early_stopping_
    assert len(made.train_score_) == made.n_iter_ + 1
    assert len(made.validation_score_) == (0 if share is None else made.n_iter_ + 1)
    if share is not None:
        assert made.n_iter_ < 30
        assert made.validation_score_[-3:].max() <= made.validation_score_[-4] + 1e-7


def test_a_scorer_judges_what_is_predicted_after_each_round():
    X, y = load_breast_cancer(return_X_y=True)
    how = {"early_stopping": True, "validation_fraction": None, "n_iter_no_change": 100}
    made = BoostedClassifier(max_iter=5, scoring="accuracy", **how).fit(X, y)
    staged = [float((p == y).mean()) for p in made.staged_predict(X)]
    assert np.allclose(made.train_score_[1:], staged)


def test_monotone_constraints_hold_for_the_sum():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(400, 2))
    y = X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=400)
    for bins in (None, 255):
        made = BoostedRegressor(max_iter=20, monotonic_cst=[1, 0], max_bins=bins).fit(X, y)
        grid = np.column_stack([np.linspace(-3, 3, 200), np.full(200, 0.3)])
        assert (np.diff(made.predict(grid)) >= 0).all()
    with pytest.raises(ParameterError, match="3 classes"):
        BoostedClassifier(monotonic_cst=[1, 0]).fit(X, np.arange(400) % 3)


def test_systems_and_saved_files_give_boosted_estimators(tmp_path):
    X, y = load_iris(return_X_y=True)
    for name in ("boosted-axis", "boosted-elc", "boosted-nominal"):
        for task, target in (("classification", y), ("regression", y.astype(float))):
            made = bough.system(name, task=task, max_iter=2).fit(X[:, :2], target)
            assert isinstance(made, BoostedClassifier if task == "classification" else BoostedRegressor)
            made.save(tmp_path / "b.bough")
            again = bough.load(tmp_path / "b.bough", as_estimator=True)
            assert type(again) is type(made)
            assert again.n_iter_ == 2
            assert (again.predict(X[:, :2]) == made.predict(X[:, :2])).all()
            (tmp_path / "b.bough").unlink()


def test_shares_of_rows_are_drawn_anew_in_every_round():
    X, y = load_diabetes(return_X_y=True)
    made = BoostedRegressor(max_iter=3, subsample=0.5, random_state=0).fit(X, y)
    assert [tree.rows()[0] for tree in made.model_.trees] == [221] * 3
    assert len({tree.parts()["leaf_means"].tobytes() for tree in made.model_.trees}) == 3
    other = clone(made).set_params(random_state=1).fit(X, y)
    assert other.model_ != made.model_


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"loss": "log_loss"}, "is for classes"),
        ({"loss": "square"}, "did you mean 'squared_error'"),
        ({"loss": "quantile"}, "needs quantile"),
        ({"loss": "quantile", "quantile": 2}, "a share from 0 to 1"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"subsample": 1.5}, "subsample is 1.5"),
        ({"l2_regularization": -1}, "l2_regularization is -1"),
        ({"early_stopping": "yes"}, "'auto', True or False"),
        ({"validation_fraction": 1.5, "early_stopping": True}, "validation_fraction is 1.5"),
        ({"n_iter_no_change": 0}, "n_iter_no_change is 0"),
        ({"max_bins": 1}, "max_bins is 1"),
        ({"max_bins": 256}, "max_bins is 256"),
    ],
)
def test_wrong_parameters_are_named(params, words):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ParameterError, match=words):
        BoostedRegressor(**params).fit(X, y)


def test_counts_are_not_negative():
    with pytest.raises(DataError, match="nowhere negative"):
        BoostedRegressor("poisson").fit([[0.0], [1.0]], [1.0, -1.0])


@pytest.mark.parametrize("bins", [None, 255])
def test_odd_tables(bins):
    for X, y in (([[1.0]], [2.0]), ([[1.0], [1.0]], [1.0, 2.0]), ([[np.nan], [np.nan]], [1.0, 2.0])):
        made = BoostedRegressor(max_iter=2, min_samples_leaf=1, max_bins=bins).fit(X, y)
        assert np.allclose(made.predict(X), np.mean(y))
    one = BoostedClassifier(max_iter=2, max_bins=bins).fit([[1.0], [2.0]], ["a", "a"])
    assert one.predict_proba([[3.0]]).tolist() == [[1.0]]
    far = BoostedRegressor(max_iter=2, min_samples_leaf=1, max_bins=bins).fit([[0.0], [1.0]], [-1e300, 1e300])
    assert np.isfinite(far.predict([[0.0]])).all()


@pytest.mark.parametrize("bins", [None, 255])
def test_ctrl_c_is_heard_and_leaves_the_estimator_as_it_was(bins):
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(20_000, 20)), rng.integers(0, 3, 20_000)
    made = BoostedClassifier(max_iter=2000, max_bins=bins, early_stopping=False)
    with hearing_ctrl_c():
        waited = interrupted(lambda: made.fit(X, y), 0.5)
    assert waited is not None
    assert waited < 0.25
    assert not hasattr(made, "model_")


# ---- words and damaged files ------------------------------------------------------------------------------


def test_show_why_report_and_importances():
    X, _, y = mixed(np.random.default_rng(8))
    made = BoostedClassifier(max_iter=3).fit(X, y)
    assert made.show(tree=4).startswith("(tree 4 of 9, counted from 0, round 1: 0.1 of what a leaf says is added")
    assert "softmax of the sum" in made.why(X.iloc[0].to_dict())
    assert "<!DOCTYPE html>" in made.report(X, y).page[:20]
    assert made.feature_importances_.sum() == pytest.approx(1)
    assert len(list(made.rules(tree=2))) == made.model_.trees[2].n_leaves
    assert made.model_.stage(0).regression
    with pytest.raises(ParameterError, match="a model of 9 trees is not changed"):
        bough.model.edits.one_tree(made.model_)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"loss": "none"}, "the loss"),
        ({"loss": "squared_error"}, "does not fit the task"),
        ({"learning_rate": 0}, "learning rate"),
        ({"start": [0.0]}, "one number for each output"),
        ({"start": "x"}, "not one of numbers"),
        ({"more": 1}, "not described"),
    ],
)
def test_a_file_whose_boosting_is_broken_is_refused(change, words):
    from bough.model import file, trees

    X, y = load_iris(return_X_y=True)
    model = BoostedClassifier(max_iter=2).fit(X, y).model_
    meta = model.metadata()
    meta["boosting"] |= change
    with pytest.raises(bough.ModelFileError, match=words):
        Model.from_bytes(file.to_bytes(trees.arrays_of(model.trees), meta))
    meta = model.metadata()
    with pytest.raises(bough.ModelFileError, match="a round has 3"):
        Model.from_bytes(file.to_bytes(trees.arrays_of(model.trees[:4]), meta))


@pytest.mark.parametrize(
    "wrong",
    [{"validation_fraction": 2.0}, {"validation_fraction": 0}, {"scoring": "acuracy"}, {"scoring": 3}],
)
def test_parameters_of_early_stopping_are_checked_also_where_no_round_is_judged(wrong):
    X, y = load_iris(return_X_y=True)
    ((name, value),) = wrong.items()
    with pytest.raises(bough.ParameterError, match=f"{name} is {value!r}; it must be"):
        BoostedClassifier(max_iter=2, early_stopping=False, **wrong).fit(X, y)


def test_numbers_whose_sums_are_beyond_float64_are_refused_by_name():
    X = np.arange(120.0)[:, None]
    y = np.sin(X[:, 0])
    assert np.isfinite(BoostedRegressor(max_iter=3).fit(X, y * 1e305).predict(X)).all()
    with pytest.raises(bough.DataError, match="divide y by a constant"):
        BoostedRegressor(max_iter=3).fit(X, y * 1e307)
    far = BoostedRegressor(loss="absolute_error", max_iter=3).fit(X, y * 1e307)
    assert np.isfinite(far.predict(X)).all()
