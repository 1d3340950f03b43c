"""Pruners against their definitions; what each promises."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bough
from bough import ParameterError, TreeClassifier, TreeRegressor, _core
from support.oracle import pruning as naive


def mixed(seed, n=120, noise=0.35):
    """Numbers, flags and values that tell something of three classes, and row weights."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "x": np.round(y + rng.normal(size=n) * 1.5, 1),
            "a": np.array(list("pqrst"))[(y + rng.integers(0, 3, n)) % 5],
            "z": rng.normal(size=n),
            "b": np.where(rng.random(n) < noise, rng.integers(0, 2, n), y > 1).astype(str),
        }
    )
    return X, y, rng.integers(1, 4, n).astype(float)


def pairs(seed):
    X, y, w = mixed(seed)
    for nominal, criterion in (("multiway", "gain_ratio"), ("auto", "gini")):
        yield X, y, None if seed % 2 else w, {"nominal": nominal, "criterion": criterion}


def shape(model):
    return naive.preorder(naive.nested(model))


def same(found, expected):
    return [k for _, k in found] == [k for _, k in expected] and np.allclose(
        [d for d, _ in found], [d for d, _ in expected], atol=1e-9
    )


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("raising", [True, False])
@pytest.mark.parametrize("confidence", [0.25, 0.05, 0.6])
def test_error_based_is_that_of_j48(seed, raising, confidence):
    for X, y, w, params in pairs(seed):
        full = TreeClassifier(**params).fit(X, y, w).model_
        tree = TreeClassifier(
            **params, prune="error_based", prune_params={"confidence": confidence, "raising": raising}
        ).fit(X, y, w)
        weights = np.ones(len(y)) if w is None else w
        expected = naive.error_based(
            naive.nested(full), [list(X[c]) for c in X], y.tolist(), 3, weights.tolist(), confidence, raising
        )
        assert same(shape(tree.model_), naive.preorder(expected))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("name", "params", "definition"),
    [
        ("training_errors", {}, naive.training_errors),
        ("pessimistic", {}, naive.pessimistic),
        ("minimum_error", {"m": 2}, lambda t: naive.minimum_error(t, 2)),
        ("minimum_error", {"m": 0}, lambda t: naive.minimum_error(t, 0)),
        ("minimum_error", {"m": 30.5}, lambda t: naive.minimum_error(t, 30.5)),
    ],
)
def test_each_pruner_is_its_definition(seed, name, params, definition):
    for X, y, w, parts in pairs(seed):
        full = TreeClassifier(**parts).fit(X, y, w).model_
        tree = TreeClassifier(**parts, prune=name, prune_params=params).fit(X, y, w)
        assert same(shape(tree.model_), naive.preorder(definition(naive.nested(full))))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("training_errors", naive.training_errors),
        ("minimum_error", lambda t, scale, loss: naive.minimum_error(t, 2, scale, loss)),
    ],
)
def test_costs_and_priors_count_where_the_definition_knows_them(seed, name, definition):
    X, y, w = mixed(seed)
    w = None if seed % 2 else w
    loss = [[0, 1, 4], [2, 0, 1], [3, 2, 0]] if seed % 4 < 2 else None
    priors = [0.2, 0.3, 0.5] if seed % 3 else None
    stakes = {"costs": loss, "priors": priors, "cost_splits": "altered_priors"}
    full = TreeClassifier(**stakes).fit(X, y, w).model_
    tree = TreeClassifier(**stakes, prune=name).fit(X, y, w)
    share = np.bincount(y, weights=w, minlength=3) / (len(y) if w is None else w.sum())
    scale = None if priors is None else (np.array(priors) / share).tolist()
    assert same(shape(tree.model_), naive.preorder(definition(naive.nested(full), scale, loss)))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("folds", [2, 3, 7])
def test_the_fold_kept_apart_is_that_of_j48(seed, folds):
    X, y, w = mixed(seed)
    order = list(range(len(y)))  # rows of a class together, as WEKA's stratify swaps them
    index = 1
    while index < len(y):
        like = y[order[index - 1]]
        for j in range(index, len(y)):
            if y[order[j]] == like:
                order[index], order[j] = order[j], order[index]
                index += 1
        index += 1
    dealt = [i for first in range(folds) for i in order[first::folds]]
    kept = dealt[len(dealt) - len(dealt) // folds :]
    how = {"nominal": "multiway", "prune": "reduced_error"}
    ours = TreeClassifier(**how, prune_params={"folds": folds}).fit(X, y, w)
    assert ours.model_ == TreeClassifier(**how, prune_params={"rows": kept}).fit(X, y, w).model_


@pytest.mark.parametrize("seed", range(6))
def test_reduced_error_leaves_no_node_that_makes_no_fewer_errors_on_rows_kept_apart(seed):
    """A pruned tree and the rows it has seen tell which rows were kept apart; the best pruning of those is unique."""
    X, y, _ = mixed(seed, n=300)
    tree = TreeClassifier(prune="reduced_error", random_state=seed).fit(X, y)
    assert tree.model_.nodes().rows[0] == 200  # a third of each class was kept apart
    full = TreeClassifier(random_state=seed).fit(X, y)
    assert tree.get_n_leaves() < full.get_n_leaves()
    again = TreeClassifier(prune="reduced_error", random_state=seed, n_jobs=2).fit(X, y)
    assert again.model_ == tree.model_


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("missing", ["either", "shared"])
def test_reduced_error_with_given_rows_is_its_definition(seed, missing):
    X, y, w = mixed(seed, n=160)
    rng = np.random.default_rng(seed)
    if missing == "shared":
        for c in X:
            X.loc[rng.random(len(y)) < 0.15, c] = None
    w = None if seed % 2 else w
    apart = rng.random(len(y)) < 0.3
    parts = {"nominal": "multiway", "criterion": "gain_ratio", "missing": missing}
    tree = TreeClassifier(**parts, prune="reduced_error", prune_params={"rows": apart}).fit(X, y, w)
    full = TreeClassifier(**parts).fit(X[~apart], y[~apart], None if w is None else w[~apart])
    columns = [[None if pd.isna(v) else v for v in X[c]] for c in X]
    weights = np.ones(len(y)) if w is None else w
    kept = np.flatnonzero(apart).tolist()
    expected = naive.reduced_error(naive.nested(full.model_), columns, y.tolist(), weights.tolist(), kept)
    assert same(shape(tree.model_), naive.preorder(expected))
    numbered = TreeClassifier(**parts, prune="reduced_error", prune_params={"rows": kept}).fit(X, y, w)
    assert numbered.model_ == tree.model_


@pytest.mark.parametrize("rows", ["ab", [], [0, 9], [True, False], [-1], [0.5], [True] * 4, 3])
def test_rows_that_cannot_be_kept_apart_are_named(rows):
    with pytest.raises(ParameterError, match="'reduced_error': rows is .*; it must be a flag for each of the 4 rows"):
        TreeClassifier(prune="reduced_error", prune_params={"rows": rows}).fit(
            [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
        )


def test_reduced_error_gets_back_the_one_cut_that_is_not_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    y = (X[:, 1] > 0) ^ (rng.random(2000) < 0.2)
    tree = TreeClassifier(prune="reduced_error", random_state=0).fit(X, y)
    assert tree.tree_.feature[0] == 1
    assert tree.get_n_leaves() < TreeClassifier().fit(X, y).get_n_leaves() / 4


@pytest.mark.parametrize("name", ["training_errors", "error_based", "pessimistic", "minimum_error"])
def test_pruning_of_linear_splits_and_of_gaps_goes_the_same_way(name):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=300) > 0).astype(int)
    X[::9, 2] = np.nan
    for split in ("axis", "node_pca"):
        full = TreeClassifier(split=split).fit(X, y)
        tree = TreeClassifier(split=split, prune=name).fit(X, y)
        assert 1 <= tree.get_n_leaves() <= full.get_n_leaves()
        assert tree.model_.nodes().rows[0] == 300
        weights = tree.model_.nodes().weights
        assert weights[tree.apply(X)].sum() > 0
        for leaf in set(tree.apply(X).tolist()):  # every leaf holds the rows that come to it
            assert np.allclose(np.bincount(y[tree.apply(X) == leaf], minlength=2), weights[leaf])


@pytest.mark.parametrize("name", ["training_errors", "error_based", "reduced_error", "pessimistic", "minimum_error"])
def test_pruners_that_count_errors_refuse_numbers(name):
    with pytest.raises(ParameterError, match="counts errors of classes; for numbers take 'cost_complexity'"):
        TreeRegressor(prune=name).fit(np.arange(10.0).reshape(-1, 1), np.arange(10.0))


@pytest.mark.parametrize(
    ("name", "params", "words"),
    [
        ("error_based", {"confidence": 2}, "confidence is 2; it must be a number from 1e-09 to 1"),
        ("error_based", {"raising": 1}, "raising is 1; it must be True or False"),
        ("reduced_error", {"share": 1}, "share is 1; it must be a number from 0.001 to 0.999"),
        ("minimum_error", {"m": -1}, "m is -1; it must be a number of at least 0"),
    ],
)
def test_wrong_parameters_are_told_in_one_sentence(name, params, words):
    with pytest.raises(ParameterError, match=words):
        TreeClassifier(prune=name, prune_params=params).fit([[0.0], [1.0]], [0, 1])


def test_a_branch_that_no_row_takes_answers_as_its_parent_and_can_be_saved(tmp_path):
    X = pd.DataFrame({"a": list("pppqqqrrr")})
    y = np.array([0, 0, 1, 1, 1, 1, 0, 0, 0])
    model = TreeClassifier(nominal="multiway", criterion="gain_ratio").fit(X, y).model_
    parts = model.tree.parts()
    parts["leaf_rows"][1] = 0
    parts["leaf_weights"][2:4] = 0
    emptied = dataclasses.replace(model, trees=(_core.Tree.from_parts(1, 2, parts),))
    assert emptied.predict_proba(X.iloc[[3]]).tolist() == [[5 / 6, 1 / 6]]  # q has no rows any more
    assert emptied.predict(X.iloc[[3]]).tolist() == [0]
    assert np.isfinite(emptied.nodes().impurities).all()
    assert "0 rows" in emptied.show()
    emptied.save(tmp_path / "m.bough")
    assert bough.load(tmp_path / "m.bough") == emptied
    parts["leaf_weights"][2] = 1
    with pytest.raises(ValueError, match="weighs something without rows"):
        _core.Tree.from_parts(1, 2, parts)
