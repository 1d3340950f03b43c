"""Forests: scikit-learn's conduct, rows drawn by a seed, what trees say of rows that they have not seen."""

from __future__ import annotations

import inspect
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.estimator_checks import check_estimator

import bough
from bough import (
    DataError,
    ForestClassifier,
    ForestRegressor,
    Model,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
    _core,
)
from support.command import run, write
from support.models import bare

# scikit-learn expects these of its own forests: a bootstrap of weighted rows is not one of repeated rows.
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": "a bootstrap draws rows, not weights",
    "check_sample_weight_equivalence_on_sparse_data": "a bootstrap draws rows, not weights",
    "check_sample_weights_invariance": "a bootstrap draws rows, not weights",
}


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("forest", [ForestClassifier(10), ForestRegressor(10)], ids=lambda f: type(f).__name__)
def test_scikit_learns_checks_pass(forest):
    results = check_estimator(forest, on_fail=None, on_skip=None, expected_failed_checks=EXPECTED)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize(("forest", "tree"), [(ForestClassifier, TreeClassifier), (ForestRegressor, TreeRegressor)])
def test_a_forest_has_every_parameter_of_a_tree_and_stands_by_its_defaults(forest, tree):
    ours, theirs = (inspect.signature(e.__init__).parameters for e in (forest, tree))
    assert [n for n in theirs if n not in ours] == []
    assert {n for n in theirs if ours[n].default != theirs[n].default} == {"max_features"}
    params = {n: object() for n in ours if n != "self"}
    assert forest(**params).__dict__ == params


@pytest.mark.parametrize("split", ["axis", "random", "lda", "node_means_pca"])
def test_a_forest_of_one_tree_without_bootstrap_is_the_tree(split, cancer, as_in_forests):
    X, y = cancer
    for seed in (0, 7):
        forest = ForestClassifier(1, bootstrap=False, split=split, max_features=5, random_state=seed).fit(X, y)
        tree = TreeClassifier(split=split, max_features=5, random_state=seed).fit(X, y)
        assert forest.model_ == bare(tree.model_)
    numbers = ForestRegressor(1, bootstrap=False, max_features=0.5, random_state=3).fit(X, X[:, 0])
    assert numbers.model_ == bare(TreeRegressor(max_features=0.5, random_state=3).fit(X, X[:, 0]).model_)


@pytest.mark.parametrize("split", ["axis", "lda"])
def test_the_number_of_threads_changes_no_byte(split, cancer):
    X, y = cancer
    files = {
        ForestClassifier(9, split=split, n_jobs=j, random_state=1).fit(X, y).model_.to_bytes() for j in (1, 2, 4, 16)
    }
    assert len(files) == 1


def test_each_tree_is_the_tree_of_its_rows(cancer, as_in_forests):
    X, y = cancer
    forest = ForestClassifier(4, random_state=0, max_samples=0.5).fit(X, y)
    for view, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        assert len(rows) == round(len(y) / 2)
        tree = TreeClassifier(max_features="sqrt", random_state=view.random_state).fit(X[rows], y[rows])
        assert view.model_.to_bytes() == bare(tree.model_).to_bytes()
        assert view.get_params() == tree.get_params()
        assert view.tree_.node_count == tree.get_n_leaves() * 2 - 1


def test_rows_are_drawn_evenly():
    times = sum(_core.times_drawn(50, 50, seed).astype(int) for seed in range(2000))
    assert times.sum() == 100_000
    assert abs(times / 2000 - 1).max() < 5 * np.sqrt(1 / 2000)  # five standard errors of a Poisson mean


def test_what_a_forest_says_is_the_mean_of_its_trees(cancer):
    X, y = cancer
    forest = ForestClassifier(7, random_state=0, max_depth=3).fit(X, y)
    shares = np.mean([t.predict_proba(X) for t in forest.estimators_], axis=0)
    np.testing.assert_allclose(forest.predict_proba(X), shares, rtol=1e-12)
    assert (forest.predict(X) == forest.classes_[shares.argmax(axis=1)]).all()
    assert (forest.apply(X) == np.column_stack([t.apply(X) for t in forest.estimators_])).all()
    numbers = ForestRegressor(7, random_state=0, max_depth=3).fit(X, X[:, 0])
    means = np.mean([t.predict(X) for t in numbers.estimators_], axis=0)
    np.testing.assert_allclose(numbers.predict(X), means, rtol=1e-12)


@pytest.mark.parametrize(
    "params",
    [
        {"smoothing": "laplace"},
        {"smoothing": 2.0, "split": "lda"},
        {"nominal": "multiway", "nominal_params": {"unseen": "stop"}},
        {"nominal": "multiway", "nominal_params": {"branches": "all"}},
        {"class_weight": "balanced"},
    ],
    ids=str,
)
def test_whatever_the_leaves_say(params):
    X, y = mixed(400)
    forest = ForestClassifier(6, random_state=0, max_depth=4, **params).fit(X[:200], y[:200])
    new = X.assign(b=np.where(np.arange(400) % 5 == 0, "z", X["b"]))
    for table in (X, new):
        shares = np.mean([t.predict_proba(table) for t in forest.estimators_], axis=0)
        np.testing.assert_allclose(forest.predict_proba(table), shares, rtol=1e-13)
        assert (forest.set_params(n_jobs=2).predict_proba(table) == forest.predict_proba(table)).all()


def test_paths_lead_to_the_leaves(cancer):
    X, y = cancer
    forest = ForestClassifier(3, random_state=0).fit(X, y)
    paths, begins = forest.decision_path(X[:20])
    assert paths.shape == (20, begins[-1]) == (20, forest.model_.n_nodes)
    leaves = forest.apply(X[:20]) + begins[:-1]
    assert all(paths[i, leaf] == 1 for i in range(20) for leaf in leaves[i])


def test_importances_are_the_mean_of_the_trees(cancer):
    X, y = cancer
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    mean = np.mean([t.feature_importances_ for t in forest.estimators_], axis=0)
    np.testing.assert_allclose(forest.feature_importances_, mean / mean.sum())


# ---- out of bag -----------------------------------------------------------------------------------------


def naive_out_of_bag(forest, X, answer):
    """What the trees say of each row that is not among their rows, one row after the other."""
    drawn = [set(rows.tolist()) for rows in forest.estimators_samples_]
    said = []
    for i in range(len(X)):
        judges = [t for t, rows in zip(forest.estimators_, drawn) if i not in rows]
        said.append(np.mean([answer(t, X[i : i + 1]) for t in judges], axis=0) if judges else np.nan)
    return said


def test_out_of_bag_answers_are_those_of_trees_that_have_not_seen_the_row():
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(30, oob_score=True, random_state=0).fit(X, y)
    naive = np.array(naive_out_of_bag(forest, X, lambda t, x: t.predict_proba(x)[0]))
    np.testing.assert_allclose(forest.oob_decision_function_, naive, rtol=1e-12)
    assert forest.oob_score_ == np.mean(naive.argmax(axis=1) == y)
    X, y = load_diabetes(return_X_y=True)
    numbers = ForestRegressor(30, oob_score=True, random_state=0).fit(X[:100], y[:100])
    naive = np.array(naive_out_of_bag(numbers, X[:100], lambda t, x: t.predict(x)[0]))
    np.testing.assert_allclose(numbers.oob_prediction_, naive, rtol=1e-12)


@pytest.mark.parametrize("missing", ["shared", "surrogate"])
def test_out_of_bag_rows_without_a_value_are_answered_as_each_tree_does(missing):
    X, y = load_iris(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    forest = ForestClassifier(20, oob_score=True, missing=missing, random_state=0).fit(X, y)
    naive = np.array(naive_out_of_bag(forest, X, lambda t, x: t.predict_proba(x)[0]))
    np.testing.assert_allclose(forest.oob_decision_function_, naive, rtol=1e-12)


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e150, 1e200, 1e308, 1.79e308])
@pytest.mark.parametrize("missing", ["either", "shared"])
def test_numbers_of_any_size_are_judged_out_of_bag(size, missing):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:100], np.round(y[:100] / y[:100].max(), 3)
    X[::7, 2] = np.nan
    plain, other = (
        ForestRegressor(30, oob_score=True, missing=missing, random_state=0).fit(X, z) for z in (y, y * size)
    )
    assert np.isfinite(other.oob_prediction_).all()
    assert not np.isnan(other.oob_feature_importances_).any()
    if size > 5e-324:
        assert other.oob_score_ == pytest.approx(plain.oob_score_, abs=0.02)
        np.testing.assert_allclose(other.oob_prediction_ / size, plain.oob_prediction_, rtol=0.2)


def test_out_of_bag_with_many_classes_takes_one_table_of_rows_by_classes(monkeypatch):
    """All else is made for some rows at a time; the numbers are those of whole tables, class by class."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 300, 400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest = ForestClassifier(3, oob_score=True, smoothing="laplace", random_state=0)
        forest.fit(X, y)
        for module in (bough.model.nodes, bough.estimators.importances):
            monkeypatch.setattr(module, "MOST_PART", 700)  # two rows
        again = clone(forest).fit(X, y)
    for name in ("oob_decision_function_", "oob_feature_importances_", "oob_score_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(forest, name))
    naive = np.array(
        [
            np.full(len(forest.classes_), np.nan) if np.ndim(p) == 0 else p
            for p in naive_out_of_bag(forest, X, lambda t, x: t.predict_proba(x)[0])
        ]
    )
    np.testing.assert_allclose(forest.oob_decision_function_, naive, rtol=1e-12)


@pytest.mark.parametrize("depth", [None, 60])
def test_steps_by_rows_and_by_counts_of_classes_are_the_same(depth, monkeypatch):
    X, y = make_classification(400, 6, n_informative=4, n_classes=4, random_state=0)
    if depth:  # a chain, where rows pass more nodes than there are classes
        X = np.arange(400.0)[:, np.newaxis]
        y = np.arange(400) % 4
    found = []
    for cheap in (True, False):
        with monkeypatch.context() as m:
            m.setattr(bough.estimators.importances, "by_counts", lambda cells, rows, cheap=cheap: cheap)
            forest = ForestClassifier(5, oob_score=True, random_state=0, max_features=None)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append(forest.fit(X, y).oob_feature_importances_)
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_a_forest_has_no_pruning_path(kind):
    X, y = load_iris(return_X_y=True)
    for forest in (kind(2), kind(2).fit(X, y)):
        assert not hasattr(forest, "cost_complexity_pruning_path")
    with pytest.raises(AttributeError, match=r"estimators_\[i\]"):
        _ = forest.cost_complexity_pruning_path
    assert len(forest.estimators_[0].cost_complexity_pruning_path(X, y).ccp_alphas) > 1


def test_a_row_in_every_bootstrap_sample_is_named():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="in every bootstrap sample"):
        forest = ForestClassifier(2, oob_score=True, random_state=0).fit(X, y)
    unseen = np.isnan(forest.oob_decision_function_).any(axis=1)
    assert 0 < unseen.sum() < len(y)
    assert 0.8 < forest.oob_score_ <= 1


def test_another_score_can_be_given_and_is_forgotten_by_a_fit_without():
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(50, oob_score=balanced_accuracy_score, random_state=0).fit(X, y)
    said = forest.oob_decision_function_.argmax(axis=1)
    assert forest.oob_score_ == balanced_accuracy_score(y, said)
    forest.set_params(oob_score=False).fit(X, y)
    assert not hasattr(forest, "oob_score_")
    assert not hasattr(forest, "oob_decision_function_")


# ---- weights, more trees, files -----------------------------------------------------------------------------


def test_balanced_subsample_weighs_what_each_tree_has_drawn(as_in_forests):
    X, y = make_classification(200, 5, weights=[0.8], random_state=0)
    forest = ForestClassifier(3, class_weight="balanced_subsample", random_state=0).fit(X, y)
    for view, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        tree = TreeClassifier(max_features="sqrt", random_state=view.random_state)
        tree.fit(X[rows], y[rows], compute_sample_weight("balanced", y[rows]))
        assert view.model_ == bare(tree.model_)


def test_rows_of_no_weight_are_never_drawn():
    X, y = make_classification(100, 5, random_state=0)
    w = (np.arange(100) % 3 > 0).astype(float)
    forest = ForestClassifier(5, random_state=0).fit(X, y, w)
    assert all((w[rows] > 0).all() and len(rows) == w.sum() for rows in forest.estimators_samples_)


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_trees_that_are_added_are_those_of_a_larger_forest(kind, cancer):
    X, y = cancer
    grown = kind(4, warm_start=True, random_state=5, max_depth=4).fit(X, y)
    first = grown.estimators_
    grown.set_params(n_estimators=9).fit(X, y)
    assert grown.model_ == kind(9, random_state=5, max_depth=4).fit(X, y).model_
    assert [t.model_.trees[0] for t in first] == list(grown.model_.trees[:4])
    with pytest.warns(UserWarning, match="does not fit new trees"):
        grown.fit(X, y)
    with pytest.raises(ParameterError, match="n_estimators=3 must be larger or equal"):
        grown.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(DataError, match="other columns or classes"):
        grown.set_params(n_estimators=20).fit(X[:, :3], y)


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
@pytest.mark.parametrize(
    "changed", [{"max_samples": 0.3}, {"max_samples": 40}, {"bootstrap": True}, {"max_samples": 0.9, "random_state": 3}]
)
def test_trees_that_are_kept_keep_the_rows_that_they_have_drawn(kind, changed):
    """Coin tosses cannot be predicted: out of bag, a forest is no better than a coin whatever was changed between."""
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(300, 5)), rng.integers(0, 2, 300), rng.integers(0, 2, 300) + 0.0
    forest = kind(30, warm_start=True, bootstrap="bootstrap" not in changed, random_state=0).fit(X, y, w)
    before = forest.estimators_samples_
    forest.set_params(n_estimators=60, oob_score=True, **changed).fit(X, y, w)
    after = forest.estimators_samples_
    assert all((a == b).all() for a, b in zip(before, after))
    share = changed.get("max_samples", 1.0)
    assert len(after[30]) == (share if isinstance(share, int) else round(share * w.sum()))
    assert forest.oob_score_ < (0.7 if kind is ForestClassifier else 0.3)
    if kind is ForestClassifier:
        naive = np.array(naive_out_of_bag(forest, X, lambda t, x: t.predict_proba(x)[0]))
        np.testing.assert_allclose(forest.oob_decision_function_, naive, rtol=1e-12)
    unseen = forest.oob_permutation_importances(X, y, random_state=1)
    assert unseen.importances.shape == (5, 60)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"missing": "shared"}, "missing is 'shared' and warm_start=True, but .* grown with missing='either'"),
        ({"missing": "surrogate"}, "missing is 'surrogate' and warm_start=True"),
        ({"criterion": "entropy"}, "criterion is 'entropy' and warm_start=True"),
        ({"criterion": "bogus"}, "criterion='bogus' is not known"),
        ({"max_depth": -1}, "max_depth is -1"),
        ({"standardize": True}, "standardize is True and warm_start=True"),
        ({"costs": {("no", "yes"): 3}}, "costs are not those of the trees"),
        ({"cost_splits": "altered_priors"}, "cost_splits is 'altered_priors' and warm_start=True"),
        ({"priors": [0.5, 0.5]}, "priors, or .* are not those of the trees"),
    ],
)
def test_parameters_that_all_trees_of_a_model_share_cannot_change_between_them(changed, words):
    X, y = mixed()
    forest = ForestClassifier(3, warm_start=True, random_state=0).fit(X, y)
    before = forest.model_.to_bytes()
    for number in (3, 5):
        with pytest.raises(ParameterError, match=words):
            clone_of(forest).set_params(n_estimators=number, **changed).fit(X, y)
    assert forest.model_.to_bytes() == before
    again = clone_of(forest).set_params(n_estimators=5, warm_start=False)
    if "bogus" not in words and "max_depth" not in words:
        assert len(again.set_params(**changed).fit(X, y).model_.trees) == 5


def clone_of(forest):
    return pickle.loads(pickle.dumps(forest))


@pytest.mark.parametrize(
    "changed",
    [
        {"split": "lda"},
        {"selector": "conditional_inference"},
        {"nominal": "multiway", "nominal_params": {"unseen": "stop"}},
        {"smoothing": "laplace"},
        {"class_weight": "balanced_subsample", "max_features": None, "max_leaf_nodes": 4},
        {"prune": "cost_complexity_cv", "n_jobs": 2, "simplify": True},
    ],
    ids=str,
)
def test_parameters_of_growing_may_change_between_trees(changed, tmp_path):
    X, y = mixed()
    forest = ForestClassifier(3, warm_start=True, oob_score=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows that all three have drawn
        forest.fit(X, y)
        first = forest.model_.trees
        forest.set_params(n_estimators=9, **changed).fit(X, y)
    assert forest.model_.trees[:3] == first
    forest.save(tmp_path / "forest.bough")
    assert (bough.load(tmp_path / "forest.bough").predict_proba(X) == forest.predict_proba(X)).all()
    assert bough.load(tmp_path / "forest.bough").to_bytes() == forest.model_.to_bytes()


def test_trees_are_added_to_those_of_the_same_rows_only(cancer):
    X, y = cancer
    forest = ForestClassifier(3, warm_start=True, random_state=0, max_depth=2).fit(X, y)
    w = (np.arange(len(y)) % 3 > 0).astype(float)
    for table in ((X[:500], y[:500]), (X, y, w)):
        with pytest.raises(DataError, match="the trees there are come from a table of 569 rows"):
            forest.set_params(n_estimators=5).fit(*table)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"n_estimators": 0}, "n_estimators is 0"),
        ({"bootstrap": "yes"}, "bootstrap is 'yes'"),
        ({"bootstrap": False, "oob_score": True}, "only available if bootstrap=True"),
        ({"bootstrap": False, "max_samples": 5}, "every tree takes all rows"),
        ({"max_samples": 1.5}, "max_samples is 1.5"),
        ({"max_samples": 151}, "at most 150"),
        ({"oob_score": 3}, "oob_score is 3"),
    ],
)
def test_wrong_values_are_named(params, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match=words):
        ForestClassifier(**{"n_estimators": 2, **params}).fit(X, y)


def mixed(n=150):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.choice(list("pqrs"), n), "c": rng.integers(0, 4, n)})
    X.loc[::7, "a"] = np.nan
    return X, (np.nan_to_num(X["a"]) + (X["b"] == "p") > 0.3).map({True: "yes", False: "no"})


@pytest.mark.parametrize(
    "forest",
    [
        ForestClassifier(5),
        ForestClassifier(5, split="lda", standardize=True, smoothing="laplace"),
        ForestClassifier(5, nominal="multiway", selector="conditional_inference", max_depth=3),
        ForestClassifier(5, class_weight="balanced_subsample"),
        ForestClassifier(5, max_depth=1),
        ForestRegressor(5),
        ForestRegressor(5, split="pca", max_features="sqrt"),
    ],
    ids=lambda f: f"{type(f).__name__} {f.split} {f.nominal}",
)
def test_a_forest_is_saved_and_read_whole(forest, tmp_path):
    X, y = mixed()
    forest = clone(forest).set_params(random_state=0)
    forest.fit(X, y if isinstance(forest, ForestClassifier) else X["c"] * 1.25 - 0.1)
    forest.save(tmp_path / "forest.bough")
    model = bough.load(tmp_path / "forest.bough")
    assert model.to_bytes() == forest.model_.to_bytes() == (tmp_path / "forest.bough").read_bytes()
    assert (model.predict(X) == forest.predict(X)).all()
    for a, b in zip(model.trees, forest.model_.trees, strict=True):
        assert all(np.array_equal(x, z, equal_nan=True) for x, z in zip(a.parts().values(), b.parts().values()))


def test_a_forest_is_as_good_as_scikit_learns(cancer):
    X, y = cancer
    ours, theirs = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(5):
            ours.append(ForestClassifier(100, oob_score=True, random_state=seed).fit(X, y).oob_score_)
            theirs.append(RandomForestClassifier(100, oob_score=True, random_state=seed).fit(X, y).oob_score_)
    assert abs(np.mean(ours) - np.mean(theirs)) < 0.01


def test_the_command_grows_forests(tmp_path):
    X, y = mixed()
    path = write(tmp_path / "mixed.csv", X.assign(label=y).to_csv(index=False))
    how = ("--system", "random-forest", "--set", "n_estimators=7", "--out", tmp_path / "f.bough")
    code, out, _ = run("fit", path, "--target", "label", *how)
    assert code == 0
    assert "7 trees" in out
    assert len(bough.load(tmp_path / "f.bough").trees) == 7


def test_systems_of_forests_are_forests():
    for name in ("random-forest", "extra-trees", "max-cut-forest", "lda-forest"):
        forest = bough.system(name, n_estimators=3, random_state=0)
        assert isinstance(forest, ForestClassifier)
        X, y = load_iris(return_X_y=True)
        assert forest.fit(X, y).score(X, y) > 0.9
        assert isinstance(forest.model_, Model)


def test_numbers_near_the_largest_have_a_mean_that_is_a_number():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.where(rng.random(60) < 0.5, 1.7e308, 1.5e308)
    forest = ForestRegressor(n_estimators=7, max_depth=2, random_state=0).fit(X, y)
    told = forest.predict(X)
    assert ((told >= 1.49e308) & (told <= 1.71e308)).all()
