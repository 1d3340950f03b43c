"""Unequal costs and priors: splits, answers, shares, pruning, files and pictures agree."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import check_estimator

import bough
from bough import ModelFileError, ParameterError, TreeClassifier, partition
from bough.model.model import Model
from bough.registry import plugins
from support.combinations import named
from support.data import random_small

CRITERIA = sorted(n for n, c in named("criterion").items() if not c.traits["regression"])
UNEQUAL = [[0, 5, 1], [1, 0, 2], [3, 1, 0]]


def table(seed=0, n=300):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "s": rng.choice(list("pqrst"), n)})
    z = X["a"] + X["s"].isin(["p", "q"]) + rng.normal(size=n)
    return X, np.array(["u", "v", "w"])[np.digitize(z, [0.0, 1.2])]


def least_cost(shares, costs):
    """The class of least expected cost of each row, of equals the first, by the definition."""
    told = []
    for row in shares.tolist():
        cost = [sum(p * costs[c][a] for c, p in enumerate(row)) for a in range(len(row))]
        told.append(next(a for a, v in enumerate(cost) if v <= min(cost) + 1e-12 * max(cost)))
    return told


@pytest.mark.parametrize("splits", ["pairs", "altered_priors"])
@pytest.mark.parametrize("priors", [None, {"u": 0.1, "v": 0.3, "w": 0.6}])
def test_leaves_answer_the_class_of_least_expected_cost_everywhere(splits, priors, tmp_path):
    X, y = table()
    tree = TreeClassifier(costs=UNEQUAL, cost_splits=splits, priors=priors, max_depth=3).fit(X, y)
    shares = tree.predict_proba(X)
    told = tree.classes_[least_cost(shares, UNEQUAL)]
    assert (tree.predict(X) == told).all()
    assert (told != tree.classes_[shares.argmax(axis=1)]).any()
    tree.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    assert again == tree.model_
    assert (again.predict(X) == told).all()
    assert again.predict_proba(X) == pytest.approx(shares, abs=0)
    space = {}
    exec(again.to_python(), space)
    assert [space["predict"](row) for row in X.to_dict("records")] == told.tolist()
    for node in again.nodes():
        told_here = tree.classes_[least_cost(node.shares[None], UNEQUAL)[0]]
        assert node.prediction == told_here
        assert node.sure == node.shares[tree.classes_.tolist().index(told_here)]
        if node.is_leaf and node.sure < 0.995:
            assert f"{told_here} {100 * node.sure:.0f} %" in again.show(max_nodes=None)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_priors_are_weights_of_classes_but_for_what_leaves_hold(criterion):
    X, y = table(1)
    pi = np.array([0.2, 0.5, 0.3])
    scale = pi / (np.unique(y, return_counts=True)[1] / len(y))
    w = scale[np.unique(y, return_inverse=True)[1]]
    nominal = "multiway" if plugins()["criterion"][criterion].traits["multiway"] else "auto"
    params = {"criterion": criterion, "nominal": nominal, "max_depth": 4}
    a = TreeClassifier(priors=pi, **params).fit(X, y)
    b = TreeClassifier(**params).fit(X, y, w)
    assert [str(n.split) for n in a.model_.nodes()] == [str(n.split) for n in b.model_.nodes()]
    assert a.predict_proba(X) == pytest.approx(b.predict_proba(X), abs=1e-12)
    assert a.tree_.impurity == pytest.approx(b.tree_.impurity, rel=1e-9, abs=1e-12)
    assert a.feature_importances_ == pytest.approx(b.feature_importances_, rel=1e-9, abs=1e-12)
    counts = np.array([[(y[a.apply(X) == n.number] == c).sum() for c in a.classes_] for n in a.model_.nodes()])
    leaves = [n.number for n in a.model_.nodes() if n.is_leaf]
    assert (a.model_.nodes().weights[leaves] == counts[leaves]).all()
    assert a.model_.nodes().shares[0] == pytest.approx(pi)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing", "gain_ratio"])
def test_altered_priors_weigh_a_class_by_all_its_costs(criterion):
    X, y = table(2)
    rows = np.array(UNEQUAL).sum(axis=1)[np.unique(y, return_inverse=True)[1]]
    a = TreeClassifier(criterion=criterion, costs=UNEQUAL, cost_splits="altered_priors", max_depth=4).fit(X, y)
    b = TreeClassifier(criterion=criterion, max_depth=4).fit(X, y, rows.astype(float))
    assert [str(n.split) for n in a.model_.nodes()] == [str(n.split) for n in b.model_.nodes()]
    ends = a.apply(X)
    for leaf in np.unique(ends):  # shares know nothing of costs
        here = [(y[ends == leaf] == c).mean() for c in a.classes_]
        assert a.model_.nodes().shares[leaf] == pytest.approx(here)


def test_costs_of_pairs_are_the_mean_of_both_ways():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        s = random_small(rng)
        if s.k < 2:
            continue
        costs = rng.integers(0, 6, (s.k, s.k)).astype(float) * (1 - np.eye(s.k))
        if not costs.any():
            continue
        a = TreeClassifier(costs=costs).fit(s.frame, s.y, s.weights)
        b = TreeClassifier(costs=(costs + costs.T) / 2).fit(s.frame, s.y, s.weights)
        assert [str(n.split) for n in a.model_.nodes()] == [str(n.split) for n in b.model_.nodes()]
    rng = np.random.default_rng(0)
    counts, costs = rng.integers(0, 8, (6, 3)), np.array(UNEQUAL)
    assert partition(counts, costs=costs).gain == partition(counts, costs=(costs + costs.T) / 2).gain


def test_equal_costs_and_priors_as_they_are_change_no_answer():
    X, y = table(3)
    plain = TreeClassifier(max_depth=5).fit(X, y)
    share = np.unique(y, return_counts=True)[1] / len(y)
    for params in ({"priors": share}, {"costs": 1 - np.eye(3), "cost_splits": "altered_priors"}):
        other = TreeClassifier(max_depth=5, **params).fit(X, y)
        assert other.predict_proba(X) == pytest.approx(plain.predict_proba(X))
        assert (other.predict(X) == plain.predict(X)).all()


def test_pruning_counts_costs_and_priors():
    X, y = table(4)
    how = {"costs": UNEQUAL, "cost_splits": "altered_priors", "priors": [0.2, 0.3, 0.5]}
    full = TreeClassifier(**how).fit(X, y)
    scale, codes = full.model_.class_scale, np.unique(y, return_inverse=True)[1]
    for rule in ("one_se", "none"):
        tree = TreeClassifier(prune="cost_complexity_cv", prune_params={"rule": rule}, random_state=0, **how).fit(X, y)
        told = np.searchsorted(tree.classes_, tree.predict(X))
        cost = (scale[codes] * np.array(UNEQUAL)[codes, told]).mean()
        row = tree.pruning_table_["leaves"].tolist().index(tree.get_n_leaves())
        assert tree.pruning_table_["error"][row] == pytest.approx(cost)
    path = full.cost_complexity_pruning_path(X, y)
    assert path.impurities[-1] == pytest.approx(full.tree_.impurity[0])
    for pruner in ("collapse", "reduced_error"):
        small = TreeClassifier(prune=pruner, random_state=0, **how).fit(X, y)
        assert small.get_n_leaves() <= full.get_n_leaves()
    collapsed = TreeClassifier(prune="collapse", **how).fit(X, y)
    assert (collapsed.predict(X) == full.predict(X)).all()
    for pruner in ("error_based", "pessimistic"):
        with pytest.raises(ParameterError, match=f"{pruner}' counts errors and knows no costs or priors"):
            TreeClassifier(prune=pruner, **how).fit(X, y)


def test_a_class_that_costs_nothing_is_still_counted():
    X, y = table(5)
    costs = [[0, 0, 0], [1, 0, 1], [1, 1, 0]]
    tree = TreeClassifier(costs=costs, cost_splits="altered_priors", max_depth=3).fit(X, y)
    root = tree.model_.nodes().weights[0]
    assert root.tolist() == [float((y == c).sum()) for c in tree.classes_]
    assert "u" not in set(tree.predict(X))
    none = TreeClassifier(priors=[0.5, 0.5, 0.0], max_depth=3).fit(X, y)
    assert (none.predict_proba(X)[:, 2] == 0).all()
    assert none.model_.nodes().weights[0].tolist() == root.tolist()


def test_a_dict_may_name_one_way_or_both():
    X, y = table(6)
    one = TreeClassifier(costs={("u", "v"): 5}).fit(X, y).model_
    both = TreeClassifier(costs={("u", "v"): 5, ("v", "u"): 2}).fit(X, y).model_
    assert one.costs.tolist() == [[0, 5, 1], [5, 0, 1], [1, 1, 0]]
    assert both.costs.tolist() == [[0, 5, 1], [2, 0, 1], [1, 1, 0]]


def test_weights_threads_and_pictures():
    X, y = table(7, 900)
    how = {"costs": UNEQUAL, "cost_splits": "altered_priors", "priors": [0.1, 0.2, 0.7]}
    w = np.random.default_rng(0).random(900)
    trees = [TreeClassifier(n_jobs=j, max_depth=5, **how).fit(X, y, w) for j in (1, 2)]
    assert trees[0].model_.to_bytes() == trees[1].model_.to_bytes()
    assert trees[0].model_.nodes().weights[0].sum() == pytest.approx(w.sum())
    for text in (trees[0].report(X, y).page, trees[0].to_dot(), trees[0].why(X.iloc[[0]]), trees[0].model_.to_sql()):
        assert text


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"priors": [0.5, 0.5]}, r"shape \(2,\).*3 numbers in the order"),
        ({"priors": [0.5, 0.5, 0.5]}, "sum to 1.5; they must sum to 1"),
        ({"priors": [1.5, -0.5, 0]}, "'u' is 1.5; it must be a probability"),
        ({"priors": {"u": 1}}, "does not name the class 'v'"),
        ({"priors": {"u": 0.5, "z": 0.5}}, "'z', which is not a class"),
        ({"priors": "even"}, "priors is 'even'; it must be 3 numbers"),
        ({"cost_splits": "graph"}, "cost_splits is 'graph'; it must be 'pairs' or 'altered_priors'"),
        ({"costs": UNEQUAL, "criterion": "entropy"}, "cost_splits='altered_priors'"),
    ],
)
def test_wrong_values_are_refused_in_a_sentence(params, says):
    X, y = table()
    with pytest.raises(ParameterError, match=says):
        TreeClassifier(**params).fit(X, y)


def test_files_with_wrong_stakes_are_refused():
    from bough.model.stakes import stakes_of

    classes, gini, entropy = np.array(["a", "b"]), plugins()["criterion"]["gini"], plugins()["criterion"]["entropy"]
    for meta in (
        {"costs": [0, 1, 1]},
        {"costs": [1, 1, 1, 0]},
        {"costs": [0, -1, 1, 0]},
        {"costs": "dear"},
        {"class_scale": [1]},
        {"class_scale": [1, -1]},
        {"class_scale": [1, "b"]},
        {"cost_splits": "graph"},
    ):
        with pytest.raises(ModelFileError):
            stakes_of(meta, classes, gini)
    with pytest.raises(ModelFileError, match="knows no costs"):
        stakes_of({"costs": [0, 1, 2, 0]}, classes, entropy)
    kept = stakes_of({"costs": [0, 1, 2, 0], "cost_splits": "altered_priors", "class_scale": [1, 2]}, classes, entropy)
    assert kept.costs.tolist() == [[0, 1], [2, 0]]
    assert stakes_of({}, None, gini).scale is None


def test_models_without_costs_say_nothing_of_them():
    X, y = table()
    model = TreeClassifier(max_depth=2).fit(X, y).model_
    assert not {"costs", "cost_splits", "class_scale", "pruning"} & set(model.metadata())
    assert isinstance(model, Model)


def test_scikit_learn_checks_hold_for_cart():
    # a row that weighs two is in one part, two equal rows may be in two
    why = "folds are of rows, not of weights"
    known = {f"check_sample_weight_equivalence_on_{kind}_data": why for kind in ("dense", "sparse")}
    check_estimator(bough.system("cart", random_state=0), expected_failed_checks=known, on_fail="raise")
    check_estimator(TreeClassifier(max_depth=4, cost_splits="altered_priors"), on_fail="raise")


def test_one_class_has_nothing_to_be_mixed_with():
    tree = TreeClassifier(costs=[[0]], cost_splits="altered_priors").fit([[1.0], [2.0]], ["a", "a"])
    assert tree.predict_proba([[1.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize("size", [1e-99, 1e99])
def test_only_the_ratios_of_costs_count(size):
    X, y = table()
    plain = TreeClassifier(costs=UNEQUAL, cost_splits="altered_priors", max_depth=3).fit(X, y)
    scaled = TreeClassifier(costs=np.multiply(UNEQUAL, size), cost_splits="altered_priors", max_depth=3).fit(X, y)
    assert (scaled.predict(X) == plain.predict(X)).all()


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_priors_and_weights_of_any_size_leave_the_range_of_no_double(size):
    X, y = table()
    few = {"u": 1 - 2e-12, "v": 1e-12, "w": 1e-12}
    for weights in ({"u": size}, {"w": size}):
        tree = TreeClassifier(priors=few, class_weight=weights, max_depth=3).fit(X, y)
        assert np.isfinite(tree.predict_proba(X)).all()
        assert Model.from_bytes(tree.model_.to_bytes()) == tree.model_
