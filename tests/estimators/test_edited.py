"""Trees changed by hand: pruned, with_split, without, relabelled, updated."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import bough
from bough import TreeClassifier, TreeRegressor
from support.models import mixed_table

IRIS = load_iris(return_X_y=True, as_frame=True)
DIABETES = load_diabetes(return_X_y=True, as_frame=True)


def condition_of(node):
    """The split of a node, as a user writes it."""
    s = node.nodes.tree.split(node.number)
    names = node.nodes.schema.names
    if s["kind"] == 3:
        values = node.nodes.schema.columns[s["column"]].values
        return (names[s["column"]], "in", [values[v] for v, left in zip(s["values"], s["goes_left"]) if left])
    if s["kind"] == 1:
        return (names[s["column"]], "<=", s["cut"])
    weights = dict(zip([names[c] for c in s["term_columns"]], s["term_weights"]))
    return (weights, "<=", s["cut"] + float(np.dot(s["term_weights"], s["term_centers"])))


def same_tree(a, b):
    one, two = a.model_.tree.parts(), b.model_.tree.parts()
    return all(np.array_equal(one[k], two[k], equal_nan=True) for k in one if k not in ("gains", "log_p"))


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
@pytest.mark.parametrize("seed", range(4))
def test_a_tree_is_put_together_again_split_by_split(kind, seed):
    X, y = mixed_table(150, seed)
    grown = kind(max_depth=3, nominal_params={"unseen": "heavier"}).fit(X, y)
    built = kind(max_depth=0 if kind is None else 1, min_samples_leaf=80).fit(X, y)  # a leaf
    assert built.get_n_leaves() == 1
    for node in grown.model_.nodes():
        if not node.is_leaf:
            split = grown.model_.tree.split(node.number)
            left = split["other"] == 0 if node.kind == "subset" else split["missing_left"]
            built = built.with_split(node.number, condition_of(node), X, y, missing="yes" if left else "no")
    assert built.predict(X).tolist() == pytest.approx(grown.predict(X).tolist(), rel=1e-12)
    assert built.apply(X).tolist() == grown.apply(X).tolist()
    assert built.tree_.n_node_samples.tolist() == grown.tree_.n_node_samples.tolist()
    assert bough.Model.from_bytes(built.model_.to_bytes()) == built.model_
    assert len(built.model_.edits) == grown.get_n_leaves() - 1


def test_a_linear_split_is_put_together_again():
    X, y = DIABETES
    for params in ({}, {"standardize": True}):
        grown = TreeRegressor(split="lda", max_depth=2, **params).fit(X, y)
        built = grown.without(0) if not params else grown.without(4)
        for node in grown.model_.nodes():
            if not node.is_leaf and (not params or node.number >= 4):
                built = built.with_split(node.number, condition_of(node), X, y, missing="no")
        np.testing.assert_allclose(built.predict(X), grown.predict(X), rtol=1e-9)


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
def test_updating_from_the_training_rows_changes_nothing(kind):
    X, y = mixed_table(200)
    w = np.random.default_rng(0).integers(0, 3, 200).astype(float)
    tree = kind(max_depth=4).fit(X, y, w)
    new = tree.updated(X, y, w)
    assert new.predict(X).tolist() == pytest.approx(tree.predict(X).tolist(), rel=1e-12)
    assert same_tree(tree, new) or kind is TreeRegressor
    assert new.model_.edits == ("its predictions were taken from 200 other rows",)
    assert tree.model_.edits == ()


def test_an_honest_tree_takes_shares_of_other_rows():
    X, y = IRIS
    half = np.arange(len(y)) % 2 == 0
    tree = TreeClassifier().fit(X[half], y[half])
    new = tree.updated(X[~half], y[~half])
    leaves = new.apply(X[~half])
    for leaf in np.unique(leaves):
        expected = np.bincount(y[~half][leaves == leaf], minlength=3) / (leaves == leaf).sum()
        np.testing.assert_allclose(new.model_.nodes()[leaf].shares, expected)
    assert (new.apply(X) == tree.apply(X)).all()


def test_a_leaf_that_no_row_reaches_predicts_as_above_or_keeps_its_number():
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "b", "a", "a"]
    new = TreeClassifier().fit(X, y).updated([[3.0], [4.0]], ["b", "b"])
    assert new.predict([[1.0]]).tolist() == ["b"]
    numbers = TreeRegressor().fit(X, [1.0, 2.0, 3.0, 4.0]).updated([[4.0]], [9.0])
    assert numbers.predict(X).tolist() == [1.0, 2.0, 3.0, 9.0]


def test_rows_that_are_shared_update_every_leaf_they_come_to():
    X, y = mixed_table(200)
    tree = TreeClassifier(missing="shared", max_depth=3).fit(X, y)
    np.testing.assert_allclose(tree.updated(X, y).predict_proba(X), tree.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("rule", ["cost_complexity", "pessimistic", "minimum_error", "collapse"])
def test_pruning_afterwards_is_pruning_at_the_fit(rule):
    X, y = IRIS
    params = {"alpha": 0.01} if rule == "cost_complexity" else {}
    at_fit = TreeClassifier(prune=rule, prune_params=params or None).fit(X, y)
    after = TreeClassifier().fit(X, y).pruned(rule, **params)
    assert same_tree(at_fit, after)
    assert after.show().rpartition("\n")[0] == at_fit.show()


def test_pruned_to_takes_the_best_subtree_of_the_path_that_is_small_enough():
    X, y = IRIS
    tree = TreeClassifier().fit(X, y)
    path = tree.cost_complexity_pruning_path(X, y)
    sizes = [TreeClassifier(ccp_alpha=a).fit(X, y).get_n_leaves() for a in path.ccp_alphas]
    for leaves in range(1, 12):
        assert tree.pruned_to(leaves).get_n_leaves() == max(s for s in sizes if s <= leaves)
    assert tree.get_n_leaves() == max(sizes)


def test_what_is_relabelled_is_predicted_and_exported():
    X, y = IRIS
    tree = TreeClassifier(max_depth=2).fit(X, y)
    new = tree.relabelled(4, 1)
    assert set(new.predict(X)[new.apply(X) == 4]) == {1}
    assert new.predict_proba(X)[new.apply(X) == 4][0].tolist() == [0, 45 / 46, 1 / 46]
    assert tree.predict(X)[100] == 2
    space = {}
    exec(new.model_.to_python(), space)
    assert space["predict"](X.iloc[100].to_dict()) == 1
    costly = TreeClassifier(max_depth=1, costs={(2, 0): 1000}).fit(X, y)  # 2 where 0 is wanted: swapped, still too dear
    leaf = int(costly.apply(X)[149])
    assert costly.predict(X)[149] != 0
    assert costly.relabelled(leaf, 0).predict(X)[149] == 0
    assert TreeRegressor(max_depth=1).fit(X, y).relabelled(2, -3).predict(X)[149] == -3


def test_without_rows_both_sides_predict_what_the_node_did():
    X, y = IRIS
    tree = TreeClassifier(max_depth=1).fit(X, y).with_split(1, ("sepal width (cm)", ">=", 3.0))
    assert tree.get_n_leaves() == 3
    assert tree.predict(X).tolist() == TreeClassifier(max_depth=1).fit(X, y).predict(X).tolist()
    assert tree.tree_.n_node_samples.tolist() == [150, 50, 25, 25, 100]


def test_signs_part_rows_as_they_read():
    X = pd.DataFrame({"n": [1.0, 2.0, 3.0], "s": pd.Categorical(["s", "m", "l"], ["s", "m", "l"], ordered=True)})
    X["c"] = ["u", "v", "w"]
    leaf = TreeClassifier(min_samples_leaf=2).fit(X, [0, 1, 1])
    for condition, left in [
        (("n", "<=", 2), [1, 1, 0]),
        (("n", "<", 2), [1, 0, 0]),
        (("n", ">", 2), [1, 1, 0]),
        (("n", ">=", 2), [1, 0, 0]),
        (("s", "<=", "m"), [1, 1, 0]),
        (("s", "<", "m"), [1, 0, 0]),
        (("s", ">", "m"), [1, 1, 0]),
        (("c", "==", "v"), [0, 1, 0]),
        (("c", "!=", "v"), [0, 1, 0]),
        (("c", "not in", ["u", "v"]), [1, 1, 0]),
        (({"n": 2.0}, "<", 4), [1, 0, 0]),
    ]:
        assert (leaf.with_split(0, condition).apply(X) == 1).tolist() == [bool(v) for v in left], condition


def test_texts_page_and_file_keep_the_history(tmp_path):
    X, y = IRIS
    tree = TreeClassifier().fit(X, y).pruned_to(3).relabelled(1, 2)
    assert tree.show().splitlines()[-2:] == [
        "(changed by hand: pruned to 3 leaves)",
        "(changed by hand: node 1 was made to predict 2)",
    ]
    tree.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    assert again.edits == tree.model_.edits
    assert '"edits":["pruned to 3 leaves","node 1 was made to predict 2"]' in tree.report(X, y).page
    assert "Changed by hand" in tree.report(X, y).page


ONE = pd.DataFrame({"job": ["cook", "pilot", "nurse", None], "age": [25.0, 38, 29, 41]})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda t: t.with_split(0, ("jb", "in", ["cook"])), "'jb', which is not a column; did you mean 'job'"),
        (lambda t: t.with_split(0, ("job", "<=", "cook")), "nominal; ask it with one of 'in'"),
        (lambda t: t.with_split(0, ("age", "<=", "x")), "'x' is not a number to compare with"),
        (lambda t: t.with_split(0, ("age", "in", [3])), "'in' cannot be asked of numbers"),
        (lambda t: t.with_split(9, ("age", "<=", 3)), "node is 9; it must be an integer from 0 to 2"),
        (lambda t: t.with_split(0, "age < 3"), "write it as"),
        (lambda t: t.with_split(0, ("job", "in", ["baker"])), "'baker' is not a category of 'job'"),
        (lambda t: t.with_split(0, ("job", "in", "cook")), "is no list of categories"),
        (lambda t: t.with_split(0, ("job", "in", [])), "no category"),
        (lambda t: t.with_split(0, ({"age": 0.0}, "<=", 3)), "weight of 'age' is 0.0"),
        (lambda t: t.with_split(0, ({"job": 1.0, "age": 1.0}, "<=", 3)), "cannot be part of a sum"),
        (lambda t: t.with_split(0, ("age", "<=", 3), missing="left"), "missing is 'left'"),
        (lambda t: t.with_split(0, ("age", "<=", 999), ONE, list("abab")), "goes to the second side"),
        (lambda t: t.without(1), "node 1 is a leaf"),
        (lambda t: t.relabelled(0, "a"), "not a leaf; make it one by without"),
        (lambda t: t.relabelled(1, "c"), "'c' is not a class"),
        (lambda t: t.pruned("reduced_error"), "needs the training rows"),
        (lambda t: t.pruned("cost_complexity", alfa=1), "did you mean 'alpha'"),
        (lambda t: t.pruned_to(0), "leaves is 0"),
        (lambda t: t.updated(ONE, list("axab")), "'x', which is not a class"),
        (lambda t: t.updated(ONE, list("abab"), [0, 0, 0, 0]), "zero"),
    ],
)
def test_what_cannot_be_changed_is_refused_in_one_sentence(change, says):
    tree = TreeClassifier(max_depth=1).fit(ONE, list("abab"))
    before = tree.model_.to_bytes()
    with pytest.raises((bough.ParameterError, bough.DataError), match=says):
        change(tree)
    assert tree.model_.to_bytes() == before


def test_what_has_no_single_tree_or_keeps_more_than_leaves_is_refused():
    with pytest.raises(bough.ParameterError, match="model of 3 trees"):
        bough.ForestClassifier(3).fit(*IRIS).pruned_to(2)
    X, y = mixed_table(100)
    for missing, says in (("surrogate", "surrogate"), ("shared", "takes no splits by hand")):
        tree = TreeClassifier(missing=missing, max_depth=2).fit(X, y)
        assert tree.pruned_to(2).get_n_leaves() <= 2
        with pytest.raises(bough.ParameterError, match=says):
            tree.with_split(0, ("x", "<=", 0.0))


def test_numbers_whose_squares_are_beyond_float64_are_refused_in_a_sentence():
    tree = TreeRegressor(max_depth=3).fit(np.arange(8.0).reshape(-1, 1), np.arange(8.0) ** 3 * 1e157)
    with pytest.raises(bough.DataError, match="beyond float64; multiply the target"):
        tree.pruned_to(leaves=2)
    with pytest.raises(bough.DataError, match="beyond float64; multiply the target"):
        tree.pruned("cost_complexity", alpha=1.0)


# ---- constraints ----------------------------------------------------------------------------------------


def rises(tree, X, column, values):
    predict = tree.predict if isinstance(tree, TreeRegressor) else lambda Z: tree.predict_proba(Z)[:, 1]
    found = [predict(X.assign(**{column: v})) for v in values]
    return all((b >= a - 1e-12).all() for a, b in pairwise(found))


@pytest.mark.parametrize("more", [{}, {"split": "oc1"}, {"smoothing": "hierarchical"}, {"min_samples_leaf": 1}])
@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
def test_predictions_from_other_rows_still_rise(kind, more):
    broken = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(120, 3)).round(1), columns=list("abc"))
        y = X["a"] + X["b"] * X["c"] + rng.normal(size=120)
        y = y > 0 if kind is TreeClassifier else y
        old, new = slice(0, 60), slice(60, 120)
        given = {"max_depth": 6, **more}
        tree = kind(monotonic_cst={"a": 1, "b": -1}, **given).fit(X[old], y[old]).updated(X[new], y[new])
        values = np.linspace(-3, 3, 40)
        assert rises(tree, X, "a", values)
        assert rises(tree, X, "b", values[::-1])
        free = kind(**given).fit(X[old], y[old]).updated(X[new], y[new])
        broken += not rises(free, X, "a", values)
    assert broken > 3


def test_a_change_that_breaks_the_order_is_refused():
    X = pd.DataFrame({"a": np.arange(40.0), "b": np.tile([0.0, 1.0], 20)})
    y = (X["a"] > 20).astype(int)
    tree = TreeClassifier(monotonic_cst={"a": 1}).fit(X, y)
    low, high = tree.apply(X)[[0, -1]]
    both = tree.relabelled(low, 1)  # 1 on both sides does not fall
    with pytest.raises(bough.ParameterError, match=r"predict 0, which contradicts monotonic_cst: .* sides of node 0"):
        both.relabelled(high, 0)
    with pytest.raises(bough.ParameterError, match=r"was made to ask a <= 5, which contradicts monotonic_cst"):
        tree.with_split(low, ("a", "<=", 5), X, (X["a"] <= 5).astype(int))
    assert tree.with_split(low, ("a", "<=", 5), X, (X["a"] > 5).astype(int)).get_n_leaves() == 3
    assert TreeClassifier().fit(X, y).relabelled(low, 1).relabelled(high, 0).predict(X).tolist() == (1 - y).tolist()
