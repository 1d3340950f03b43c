"""Conduct: whatever a user of scikit-learn does with a tree works here as it does there."""

from __future__ import annotations

import itertools
import os
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, make_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, BaggingRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

from bough import DataError, ParameterError, TreeClassifier, TreeRegressor, _core
from bough.estimators.plan import misfit
from bough.registry import plugins


def by_name(kind):
    """Plug-ins that a name is enough for: not those that need a function."""
    return [p for p in plugins()[kind].values() if not p.traits.get("function")]


def legal_combinations():
    """Every criterion with every family, nominal splits in turn; all of them with BOUGH_COMBINATIONS=all."""
    criteria, splits, nominals = (by_name(k) for k in ("criterion", "split", "nominal"))
    for i, (c, s) in enumerate(itertools.product(criteria, splits)):
        if s.traits["weights_only"] and (c.traits["projection"] or c.traits["ordered"]):
            continue
        if s.traits["bounds"] and not c.traits["box_corners"]:
            continue
        legal = [n for n in nominals if misfit(c, n) is None]
        if os.environ.get("BOUGH_COMBINATIONS") != "all":
            legal = [legal[i % len(legal)]]
        for n in legal:
            kind = TreeRegressor if c.traits["regression"] else TreeClassifier
            yield kind(criterion=c.name, split=s.name, nominal=n.name)


def test_every_part_is_in_some_combination():
    tried = list(legal_combinations())
    for name in ("criterion", "split", "nominal"):
        assert {getattr(e, name) for e in tried} == {p.name for p in by_name(name)}


@pytest.mark.parametrize("estimator", list(legal_combinations()), ids=lambda e: f"{e.criterion}-{e.split}-{e.nominal}")
def test_every_legal_combination_passes_scikit_learns_checks(estimator):
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


# ---- the same trees as scikit-learn's -------------------------------------------------------------------


def boxes(seed, n=2000, d=5):
    """Labels that are constant on boxes: clean nodes, so no two splits tie."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(float)  # what scikit-learn sees
    a, b, c = rng.normal(size=3) / 2
    y = np.where(X[:, 0] > a, np.where(X[:, 1] > b, 0, 1), np.where(X[:, 2] > c, 2, 0))
    return X, y


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(10))
def test_without_ties_the_tree_is_scikit_learns(criterion, seed):
    X, y = boxes(seed)
    ours = TreeClassifier(criterion=criterion).fit(X, y)
    theirs = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(X, y)
    assert ours.tree_.node_count == theirs.tree_.node_count
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert ours.tree_.feature.tolist() == theirs.tree_.feature.tolist()
    np.testing.assert_allclose(ours.tree_.threshold, theirs.tree_.threshold, rtol=1e-6)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(3))
def test_with_ties_no_split_is_worse_than_scikit_learns(criterion, seed):
    X, y = make_classification(1500, 6, n_informative=4, n_classes=3, flip_y=0.1, random_state=seed)
    X = X.astype(np.float32).astype(float)
    ours = TreeClassifier(criterion=criterion).fit(X, y).tree_
    theirs = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(X, y).tree_

    def gain(rows, column, cut):
        left = X[rows, column] <= cut
        sides = [np.bincount(y[rows[m]], minlength=3).astype(float) for m in (left, ~left)]
        return _core.gain(criterion, np.array(sides))

    same = 0
    stack = [(0, 0, np.arange(len(y)))]
    while stack:
        a, b, rows = stack.pop()
        assert (ours.children_left[a] < 0) == (theirs.children_left[b] < 0)
        if ours.children_left[a] < 0:
            continue
        mine = gain(rows, ours.feature[a], ours.threshold[a])
        assert mine >= gain(rows, theirs.feature[b], theirs.threshold[b]) - 1e-12
        left = X[rows, ours.feature[a]] <= ours.threshold[a]
        if (left == (X[rows, theirs.feature[b]] <= theirs.threshold[b])).all():
            same += 1
            stack.append((ours.children_left[a], theirs.children_left[b], rows[left]))
            stack.append((ours.children_right[a], theirs.children_right[b], rows[~left]))
    assert same > 50


@pytest.mark.parametrize("seed", range(5))
def test_a_regression_tree_without_ties_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 5)).astype(np.float32).astype(float)
    y = X[:, 0] * 3 + np.sin(4 * X[:, 1]) + rng.normal(size=500)
    ours = TreeRegressor(min_samples_leaf=3).fit(X, y)
    theirs = DecisionTreeRegressor(min_samples_leaf=3, random_state=0).fit(X, y)
    assert ours.tree_.node_count == theirs.tree_.node_count
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)


def test_arrays_of_the_tree_have_scikit_learns_names_and_values(iris):
    X, y = iris
    ours = TreeClassifier(max_depth=2).fit(X, y).tree_
    theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y).tree_
    for name in ("children_left", "children_right", "n_node_samples", "weighted_n_node_samples"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist(), name
    np.testing.assert_allclose(ours.impurity, theirs.impurity)
    np.testing.assert_allclose(ours.value, theirs.value)
    assert ours.value.shape == theirs.value.shape
    assert (ours.feature[ours.children_left < 0] == -2).all()
    assert (ours.threshold[ours.children_left < 0] == -2).all()
    assert (ours.node_count, ours.max_depth, ours.n_leaves) == (theirs.node_count, theirs.max_depth, theirs.n_leaves)


def test_the_pruning_path_is_scikit_learns():
    X, y = load_breast_cancer(return_X_y=True)
    ours = TreeClassifier(min_samples_leaf=5).cost_complexity_pruning_path(X, y)
    theirs = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(ours.impurities, theirs.impurities, atol=1e-12)
    for alpha in (0.001, 0.01, 0.05, 1.0):
        a = TreeClassifier(min_samples_leaf=5, ccp_alpha=alpha).fit(X, y)
        b = DecisionTreeClassifier(min_samples_leaf=5, ccp_alpha=alpha, random_state=0).fit(X, y)
        assert a.tree_.node_count == b.tree_.node_count


def test_pruning_never_gets_larger_with_alpha():
    X, y = load_digits(return_X_y=True)
    path = TreeClassifier().cost_complexity_pruning_path(X, y)
    assert (np.diff(path.ccp_alphas) >= 0).all()
    assert (np.diff(path.impurities) >= -1e-12).all()
    sizes = [TreeClassifier(ccp_alpha=a).fit(X, y).get_n_leaves() for a in path.ccp_alphas[::40]]
    assert sizes == sorted(sizes, reverse=True)
    assert TreeClassifier(ccp_alpha=path.ccp_alphas[-1]).fit(X, y).get_n_leaves() == 1


def test_importances_are_scikit_learns(iris):
    X, y = iris
    ours = TreeClassifier(max_depth=2).fit(X, y).feature_importances_
    theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    if theirs.tree_.feature[0] == 2:
        np.testing.assert_allclose(ours, theirs.feature_importances_)
    assert ours.sum() == pytest.approx(1)


def test_best_first_growth_makes_the_leaves_that_help_most():
    X, y = load_digits(return_X_y=True)
    for leaves in (2, 7, 30):
        ours = TreeClassifier(max_leaf_nodes=leaves).fit(X, y)
        theirs = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
        assert ours.get_n_leaves() == leaves
        assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.01)


# ---- in company ------------------------------------------------------------------------------------------


def test_it_works_in_a_pipeline_and_a_grid_search(iris):
    X, y = iris
    pipe = make_pipeline(StandardScaler(), TreeClassifier())
    grid = {"treeclassifier__max_depth": [1, 3], "treeclassifier__criterion": ["gini", "twoing"]}
    search = GridSearchCV(pipe, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9


def test_it_works_in_bagging_and_boosting(iris):
    X, y = iris
    assert BaggingClassifier(TreeClassifier(), n_estimators=5, random_state=0).fit(X, y).score(X, y) > 0.95
    assert AdaBoostClassifier(TreeClassifier(max_depth=1), n_estimators=20, random_state=0).fit(X, y).score(X, y) > 0.9
    Xr, yr = load_diabetes(return_X_y=True)
    assert BaggingRegressor(TreeRegressor(), n_estimators=5, random_state=0).fit(Xr, yr).score(Xr, yr) > 0.7


def test_clone_pickle_and_joblib_keep_predictions(iris, tmp_path):
    X, y = iris
    tree = TreeClassifier(max_depth=3, class_weight="balanced").fit(X, y)
    assert not hasattr(clone(tree), "model_")
    for again in (pickle.loads(pickle.dumps(tree)), joblib.load(joblib.dump(tree, tmp_path / "t.joblib")[0])):
        assert (again.predict_proba(X) == tree.predict_proba(X)).all()
        assert again.get_params() == tree.get_params()
        assert again.model_.to_bytes() == tree.model_.to_bytes()


@pytest.mark.slow
def test_cross_validation_in_processes_works(iris):
    X, y = iris
    assert cross_val_score(TreeClassifier(), X, y, cv=3, n_jobs=2).mean() > 0.9


def test_output_of_a_fit_is_the_estimator_and_a_second_fit_forgets_the_first(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    tree = TreeClassifier()
    assert tree.fit(frame, y) is tree
    assert tree.feature_names_in_.tolist() == list("abcd")
    tree.fit(X[:, :2], y)
    assert not hasattr(tree, "feature_names_in_")
    assert tree.n_features_in_ == 2


def test_a_failed_fit_leaves_the_estimator_as_it_was(iris):
    X, y = iris
    tree = TreeClassifier().fit(X, y)
    before = tree.model_
    with pytest.raises(ValueError):
        tree.fit(X[:10], y)
    tree.set_params(criterion="nonsense")
    with pytest.raises(ParameterError):
        tree.fit(X, y)
    assert tree.model_ is before


def test_apply_and_decision_path_agree(iris):
    X, y = iris
    tree = TreeClassifier().fit(X, y)
    leaves, path = tree.apply(X), tree.decision_path(X)
    assert path.shape == (150, tree.tree_.node_count)
    assert (path[np.arange(150), leaves] == 1).all()
    assert (path[:, 0].toarray() == 1).all()
    depth = np.asarray(path.sum(axis=1)).ravel() - 1
    assert depth.max() == tree.get_depth()


def test_probabilities_are_shares_of_the_leaf(iris):
    X, y = iris
    tree = TreeClassifier(max_depth=2).fit(X, y)
    p = tree.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(tree.predict_log_proba(X)), p)
    assert (tree.classes_[p.argmax(axis=1)] == tree.predict(X)).all()


@pytest.mark.parametrize("labels", [["a", "b", "c"], [10, 20, 30], [True, False, True], [-1.0, 0.0, 2.0]])
def test_labels_come_back_as_they_were(iris, labels):
    X, y = iris
    named = np.array(labels)[y]
    tree = TreeClassifier().fit(X, named)
    assert (tree.predict(X) == named).all()
    assert tree.classes_.tolist() == sorted(set(labels))
    assert (pickle.loads(pickle.dumps(tree)).predict(X) == named).all()


def test_class_weights_are_row_weights(iris):
    X, y = iris
    by_class = TreeClassifier(class_weight={0: 1, 1: 5, 2: 1}, max_depth=2).fit(X, y)
    by_row = TreeClassifier(max_depth=2).fit(X, y, np.array([1, 5, 1])[y])
    assert by_class.model_ == by_row.model_


def test_max_features_draws_and_the_seed_repeats_it(iris):
    X, y = iris
    trees = [TreeClassifier(max_features=1, random_state=s).fit(X, y) for s in (0, 0, 1, 2, 3)]
    assert trees[0].model_.to_bytes() == trees[1].model_.to_bytes()
    assert len({t.model_.to_bytes() for t in trees}) > 2
    for value in ("sqrt", "log2", 0.5, 2):
        TreeClassifier(max_features=value).fit(X, y)


def test_a_column_that_cannot_be_split_does_not_use_up_max_features():
    X = np.column_stack([np.zeros(50), np.zeros(50), np.arange(50.0)])
    y = (X[:, 2] > 20).astype(int)
    for seed in range(10):
        assert TreeClassifier(max_features=1, random_state=seed).fit(X, y).score(X, y) == 1


# ---- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"criterion": "ginni"}, "did you mean 'gini'"),
        ({"split": "axes"}, "did you mean 'axis'"),
        ({"nominal": 3}, "nominal=3 is not known"),
        ({"split_params": {"candidates": 2}}, "'axis' has no parameter 'candidates'"),
        ({"split": "random", "split_params": {"candidates": -1}}, "must be at least 0|from 0 to"),
        ({"split": "random", "split_params": {"candidates": 1.5}}, "integer"),
        ({"nominal_params": {"unseen": "guess"}}, "one of 'heavier', 'stop'"),
        ({"nominal_params": [1]}, "must be a dict"),
        ({"max_depth": 0}, "max_depth is 0"),
        ({"max_depth": float("nan")}, "max_depth is nan"),
        ({"max_depth": float("inf")}, "max_depth is inf"),
        ({"min_samples_split": 1}, "min_samples_split is 1"),
        ({"min_samples_leaf": 1.5}, "min_samples_leaf is 1.5"),
        ({"min_weight_fraction_leaf": 0.6}, "share from 0 to 0.5"),
        ({"max_features": "all"}, "max_features is 'all'"),
        ({"max_features": 0}, "max_features is 0"),
        ({"max_leaf_nodes": 1}, "at least 2"),
        ({"min_impurity_decrease": -1}, "a non-negative number"),
        ({"min_info_gain": float("nan")}, "number of bits"),
        ({"ccp_alpha": -0.1}, "ccp_alpha is -0.1"),
        ({"prune": "shear"}, "prune='shear' is not known"),
        ({"class_weight": "even"}, "class_weight is 'even'"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"random_state": "x"}, "random_state is 'x'"),
        ({"criterion": "twoing", "nominal": "multiway"}, "judges two sides"),
        ({"criterion": "squared_error"}, "is for numbers"),
    ],
)
def test_a_wrong_parameter_is_named_with_its_value(iris, params, message):
    X, y = iris
    with pytest.raises(ParameterError, match=message):
        TreeClassifier(**params).fit(X, y)


def test_wrong_weights_are_named(iris):
    X, y = iris
    for weights, message in [
        (np.r_[-1, np.ones(149)], r"sample_weight\[0\] is"),
        (np.full(150, np.nan), "finite"),
        (np.zeros(150), "zero"),
        (np.ones(3), "one weight for each of the 150 rows"),
        (np.ones((150, 2)), r"shape \(150, 2\)"),
    ]:
        with pytest.raises(DataError, match=message):
            TreeClassifier().fit(X, y, weights)


def test_targets_that_are_none_are_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="NaN"):
        TreeClassifier().fit(X, np.where(y == 0, np.nan, y))
    with pytest.raises(ValueError, match="NaN"):
        TreeRegressor().fit(X, np.where(y == 0, np.nan, y))
    with pytest.raises(ValueError, match="Unknown label type"):
        TreeClassifier().fit(X, y + 0.5)
    with pytest.raises(ValueError, match="inconsistent"):
        TreeRegressor().fit(X, y[:-1])
    with pytest.raises(ValueError, match="y must be numbers|could not convert"):
        TreeRegressor().fit(X, np.array(["a", "b", "c"])[y])


def test_callbacks_see_the_fit_from_begin_to_end(iris):
    pytest.importorskip("sklearn.callback")

    class Recorder:
        def __init__(self):
            self.seen = []

        def setup(self, estimator, context):
            self.seen.append("setup")

        def on_fit_task_begin(self, estimator, context):
            self.seen.append(("begin", context.task_name))

        def on_fit_task_end(self, estimator, context):
            self.seen.append(("end", context.task_name))

        def teardown(self, estimator, context):
            self.seen.append("teardown")

    X, y = iris
    recorder = Recorder()
    tree = TreeClassifier().set_callbacks(recorder).fit(X, y)
    steps = [s for s in recorder.seen if isinstance(s, tuple) and s[1] != "fit"]
    assert recorder.seen[0] == "setup"
    assert recorder.seen[-1] == "teardown"
    assert len([s for s in steps if s[0] == "end"]) == 100
    assert tree.score(X, y) == 1


def test_the_progress_bar_of_scikit_learn_runs(iris):
    callback = pytest.importorskip("sklearn.callback")
    pytest.importorskip("rich")
    X, y = iris
    TreeClassifier().set_callbacks(callback.ProgressBar()).fit(X, y)


def test_html_and_text_representations_work(iris):
    X, y = iris
    tree = TreeClassifier(max_depth=2).fit(X, y)
    assert repr(tree) == "TreeClassifier(max_depth=2)"
    with config_context(display="diagram"):
        assert "TreeClassifier" in tree._repr_html_()
