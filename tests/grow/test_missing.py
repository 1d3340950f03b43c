"""Rows that lack a value: shared among the children, or led by surrogates, against the naive growers."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import bough
from bough import ForestClassifier, ForestRegressor, ParameterError, TreeClassifier, TreeRegressor
from bough.estimators.plan import misfit
from bough.registry import find, plugins
from support.combinations import by_name, mixed_rows
from support.data import numeric, random_small, target_for
from support.models import mixed_table
from support.oracle.missing import Grower

CRITERIA = by_name("criterion")
MODES = ["shared", "surrogate"]


def with_gaps(rng, **how):
    """A random small table in which nominal values are missing, too; and as the oracle takes it."""
    s = random_small(rng, most_rows=14, most_columns=4, **how)
    gaps = rng.choice([0.0, 0.15, 0.4])
    for c, (kind, values) in enumerate(s.table):
        if kind == "nominal":
            known = [-1 if rng.random() < gaps else v for v in values]
            s.table[c] = (kind, known if max(known) >= 0 else values)
        elif rng.random() < 0.5:
            s.table[c] = (kind, [math.nan if rng.random() < gaps else v for v in values])
    plain = [(kind, [None if kind == "nominal" and v < 0 else v for v in values]) for kind, values in s.table]
    return s, plain


def grown(s, mode, criterion, nominal, **limits):
    kind = TreeRegressor if numeric(criterion) else TreeClassifier
    chosen = {"missing": mode, "criterion": criterion, "nominal": nominal, "selector_params": {"min_ratio": 0}}
    return kind(**chosen, **limits).fit(s.frame, s.y, s.weights)


def questions(model):
    """Splits in the oracle's form."""
    out = []
    for node in range(model.n_nodes):
        s = model.tree.split(node)
        kind = ("leaf", "axis", "linear", "subset", "multiway")[s["kind"]]
        if kind == "leaf":
            out.append(None)
        elif kind == "axis":
            out.append(("axis", s["column"], s["cut"]))
        elif kind == "multiway":
            out.append(("multiway", s["column"], tuple(s["values"])))
        else:
            sides = [tuple(v for v, left in zip(s["values"], s["goes_left"]) if left is way) for way in (True, False)]
            out.append(("subset", s["column"], *sides))
    return out


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_trees_and_predictions_are_those_of_the_naive_grower(mode, criterion):
    rng = np.random.default_rng([7, MODES.index(mode), CRITERIA.index(criterion)])
    for _ in range(60):
        s, plain = with_gaps(rng, **target_for(criterion))
        fitting = [
            n
            for n in ("auto", "exact", "one_vs_rest", "multiway")
            if misfit(find("criterion", criterion), find("nominal", n)) is None
        ]
        nominal = str(rng.choice(fitting))
        least = int(rng.choice([1, 1, 2]))
        depth = [None, 2][int(rng.integers(2))]
        tree = grown(s, mode, criterion, nominal, min_samples_leaf=least, max_depth=depth)
        naive = Grower(plain, s.y, s.w, s.k, mode, criterion, nominal, least, depth or math.inf)
        nodes = naive.tree.preorder()
        model = tree.model_
        assert questions(model) == [n.split for n in nodes], (nominal, least, s)
        assert model.nodes().rows.tolist() == [len(n.rows) for n in nodes]
        if s.k:
            assert np.allclose(model.nodes().weights, [n.dist for n in nodes], atol=1e-9)
        else:
            assert np.allclose(model.nodes().means, [n.dist[1] for n in nodes], atol=1e-9)
        for i, node in enumerate(nodes):
            found = model.tree.split(i)["surrogates"]
            assert [t["column"] for t in found] == [t.column for t in node.surrogates], s
            assert np.allclose([t["agreement"] for t in found], [t.agreement for t in node.surrogates])
            assert np.allclose([t["adjusted"] for t in found], [t.adjusted for t in node.surrogates])
        rows = [[v[i] for _, v in plain] for i in range(len(s.y))]
        said = tree.predict_proba(s.frame) if s.k else tree.predict(s.frame)
        assert np.allclose(said, [naive.predicted(r) for r in rows], atol=1e-9), s
        likeliest = [max(share for _, share in naive.reached(r)) for r in rows]
        place = {id(n): i for i, n in enumerate(nodes)}
        for leaf, row, most in zip(tree.apply(s.frame).tolist(), rows, likeliest, strict=True):
            assert any(place[id(n)] == leaf and math.isclose(share, most) for n, share in naive.reached(row))


@pytest.mark.parametrize("mode", MODES)
def test_complete_data_give_the_tree_of_either(mode):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 3, 200)
    either = TreeClassifier(max_depth=5).fit(X, y)
    other = TreeClassifier(max_depth=5, missing=mode).fit(X, y)
    assert (other.apply(X) == either.apply(X)).all()
    assert other.show() == either.show()
    assert (either.model_.missing, other.model_.missing) == ("either", mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 12}, {"max_features": 2, "random_state": 3}])
def test_threads_change_nothing(mode, limits):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(3000, 5)), rng.integers(0, 3, 3000)
    X[rng.random(X.shape) < 0.1] = np.nan
    trees = [TreeClassifier(missing=mode, min_samples_leaf=20, n_jobs=j, **limits).fit(X, y) for j in (1, 3)]
    assert trees[0].model_ == trees[1].model_
    assert (trees[0].predict_proba(X) == trees[1].predict_proba(X)).all()
    if "max_leaf_nodes" in limits:
        assert trees[0].get_n_leaves() == 12


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("split", sorted(plugins()["split"].keys() - {"directions"}))
def test_every_family_of_splits_takes_them(mode, split, tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    X[rng.random(X.shape) < 0.15] = np.nan
    tree = TreeClassifier(missing=mode, split=split, max_depth=4, random_state=0).fit(X, y)
    assert np.allclose(tree.predict_proba(X).sum(axis=1), 1)
    weights = tree.model_.nodes().weights
    ends = tree.apply(X)
    for node in tree.model_.nodes():  # nothing is lost on the way; rows that no surrogate knows may stay
        if not node.is_leaf:
            stay = np.bincount(y[ends == node.number], minlength=3)
            assert np.allclose(weights[node.number], weights[list(node.children)].sum(axis=0) + stay)
    tree.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    assert again == tree.model_
    assert (again.predict_proba(X) == tree.predict_proba(X)).all()
    every = tree.predict_proba(np.full((1, 3), np.nan))
    if mode == "shared":  # a row that lacks everything is predicted as the root
        assert np.allclose(every[0], tree.model_.nodes().shares[0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("prune", sorted(plugins()["prune"]))
def test_every_pruner_takes_them(mode, prune):
    rng = np.random.default_rng(4)
    n = 300
    y = rng.integers(0, 3, n)
    X = pd.DataFrame({"x": y + rng.normal(size=n), "a": np.array(list("pqr"))[(y + (rng.random(n) < 0.4)) % 3]})
    X["z"] = X["x"] + rng.normal(size=n)
    for c in X:
        X.loc[rng.random(n) < 0.2, c] = None
    params = {"prune_params": {"alpha": 0.01}} if prune == "cost_complexity" else {}
    full = TreeClassifier(missing=mode, random_state=0).fit(X, y)
    tree = TreeClassifier(missing=mode, prune=prune, random_state=0, **params).fit(X, y)
    assert 1 <= tree.get_n_leaves() <= full.get_n_leaves()
    assert tree.model_.missing == mode
    assert np.isfinite(tree.predict_proba(X)).all()
    if prune != "reduced_error":  # which grows from a part of the rows
        assert math.isclose(tree.model_.nodes().weights[0].sum(), n)


def test_a_row_is_shared_by_the_weights_of_the_children_and_why_tells_so():
    X = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, 7, 8], "c": list("abababab")})
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    tree = TreeClassifier(missing="shared").fit(X, y)
    assert tree.predict_proba(pd.DataFrame({"x": [None], "c": ["a"]}, dtype=object)).tolist() == [[3 / 8, 5 / 8]]
    row = {"x": math.nan, "c": "a"}
    assert tree.why(row).splitlines() == [
        "x = missing, value missing: 62 % went right",
        "→ class 1 (5 rows)",
        "62 % of the row is here; all its parts together: class 1: 62 %",
    ]
    gone = pd.DataFrame({"x": [np.nan, 1.0], "c": ["a", "a"]})
    assert tree.apply(gone).tolist() == [2, 1]
    assert tree.decision_path(gone).toarray().tolist() == [[1, 1, 1], [1, 1, 0]]
    assert tree.model_.nodes()[0].missing_shares == (3 / 8, 5 / 8)


def test_surrogates_are_shown_saved_and_asked_in_turn(tmp_path):
    rng = np.random.default_rng(5)
    x = rng.normal(size=200)
    X = pd.DataFrame({"x": x, "near": x + rng.normal(size=200) * 0.2, "far": -x + rng.normal(size=200)})
    y = (x > 0).astype(int)
    tree = TreeClassifier(missing="surrogate", max_depth=1).fit(X, y)
    first, second = tree.model_.nodes()[0].surrogates
    assert (first.name, second.name) == ("near", "far")
    assert first.agreement > second.agreement > 0.5
    assert 1 > first.adjusted > second.adjusted > 0
    row = {"x": math.nan, "near": 3.0, "far": -3.0}
    assert "value missing: by near = 3, which agrees on" in tree.why(row)
    assert "by far = -3" in tree.why(row | {"near": math.nan})
    assert "to the heavier side" in tree.why(dict.fromkeys(X, math.nan))
    assert tree.predict(pd.DataFrame([row, row | {"near": math.nan}])).tolist() == [1, 1]
    shown = tree.show(surrogates=True)
    assert "or, where that is missing: near <" in shown
    assert "adjusted" in shown
    tree.save(tmp_path / "m.bough")
    assert bough.load(tmp_path / "m.bough").show(surrogates=True) == shown
    with pytest.raises(ParameterError, match="it was not grown with missing='surrogate'"):
        TreeClassifier().fit(X, y).show(surrogates=True)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_forests_take_them_and_their_files_are_read_again(mode, kind, tmp_path):
    table, y = mixed_table(80)
    forest = kind(5, missing=mode, random_state=0).fit(table, y)
    forest.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    assert again == forest.model_
    assert again.missing == mode
    assert (again.predict(table) == forest.predict(table)).all()
    one = forest.estimators_[0]
    assert one.model_.missing == mode
    if forest.model_.regression:
        assert np.allclose(sum(t.predict(table) for t in forest.estimators_) / 5, forest.predict(table))
    assert forest.decision_path(table)[0].shape[0] == len(table)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("split", ["lda", "node_pca", "hhcart_a"])
def test_growth_best_first_without_a_limit_gives_the_tree_of_growth_in_depth(split, mode):
    for seed in range(12):  # nodes wait while others, on grounds of their own, use the same memory
        X, y, w = mixed_rows(seed, 120, 3, True, seed % 2 == 0)
        tree = TreeClassifier(split=split, missing=mode, max_features=1, random_state=seed).fit(X, y, w)
        shares = tree.predict_proba(X)
        assert (tree.set_params(max_leaf_nodes=10_000).fit(X, y, w).predict_proba(X) == shares).all()


def test_a_column_of_nothing_but_gaps_is_never_asked(tmp_path):
    X = pd.DataFrame({"x": [1.0, 2, 3, 4], "none": [None] * 4, "c": ["a", "b", None, "a"]}, dtype=object)
    X["x"] = X["x"].astype(float)
    for mode in MODES:
        tree = TreeClassifier(missing=mode, categorical_features=["none", "c"]).fit(X, [0, 0, 1, 1])
        assert tree.score(X, [0, 0, 1, 1]) == 1
        tree.save(tmp_path / "m.bough")
        assert bough.load(tmp_path / "m.bough") == tree.model_


def test_wrong_values_are_told_in_one_sentence():
    with pytest.raises(ParameterError, match="missing='surogate' is not known; did you mean 'surrogate'"):
        TreeClassifier(missing="surogate").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ParameterError, match="with missing='shared' a value that was not at a node counts as missing"):
        TreeClassifier(missing="shared", nominal_params={"unseen": "stop"}).fit([[0.0], [1.0]], [0, 1])


def even(regression=False):
    """A split with two rows on each side, and two rows that nothing can place."""
    X = pd.DataFrame({"x": [1.0, 2.0, 8.0, 9.0, np.nan, np.nan]})
    y = np.array([0.0, 0.5, 4.0, 4.5, 1.0, 9.0]) if regression else np.array([0, 0, 1, 1, 1, 1])
    kind = TreeRegressor if regression else TreeClassifier
    return X, y, kind(missing="surrogate", max_depth=1).fit(X, y)


@pytest.mark.parametrize("regression", [False, True])
def test_rows_that_no_surrogate_knows_stay_where_both_sides_are_equal(regression, tmp_path):
    X, y, tree = even(regression)
    nodes = tree.model_.nodes()
    assert nodes.rows.tolist() == [6, 2, 2]
    assert tree.apply(X).tolist() == [1, 1, 2, 2, 0, 0]
    if regression:
        assert tree.predict(X)[-1] == pytest.approx(y.mean())
        assert nodes.variances[0] == pytest.approx(y.var())
    else:
        assert nodes.weights.tolist() == [[2, 4], [2, 0], [0, 2]]
        assert tree.predict_proba(X)[-1].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert "x = missing, both sides are as heavy: the row stops" in tree.why({"x": math.nan})
    tree.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    assert again == tree.model_
    assert again.predict(X).tolist() == tree.predict(X).tolist()
    assert nodes[0].split.missing_left is None


def test_rows_that_stay_are_in_forests_and_their_files():
    X, y, _ = even()
    forest = ForestClassifier(20, missing="surrogate", bootstrap=False, random_state=0).fit(X, y)
    again = type(forest.model_).from_bytes(forest.model_.to_bytes())
    assert again == forest.model_
    assert (again.predict_proba(X) == forest.predict_proba(X)).all()
    assert forest.predict_proba(X)[-1].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_priors_do_not_weigh_rows_where_surrogates_are_sought():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=200), "u": rng.normal(size=200)})
    y = (X["x"] > 0.5).to_numpy().astype(int)
    X["u"] = np.where(rng.random(200) < 0.3, X["u"], X["x"])
    plain = TreeClassifier(missing="surrogate", max_depth=1).fit(X, y)
    tilted = TreeClassifier(missing="surrogate", max_depth=1, priors=[0.1, 0.9]).fit(X, y)
    found = [t.model_.nodes()[0].surrogates[0] for t in (plain, tilted)]
    assert found[0] == found[1]
