"""Nodes, splits and conditions: what outputs read, checked against what prediction does."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import bough
from bough import Model, TreeClassifier, TreeRegressor
from bough.model.conditions import Among, Path, Range, Sum
from bough.tables.values import is_missing


def table(seed=0, n=400):
    rng = np.random.default_rng(seed)
    x = pd.DataFrame(
        {
            "town": rng.choice(["a", "b", "c", "d", "e", None], n),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(40, 12, n)),
            "flag": rng.random(n) < 0.5,
            "size": rng.normal(size=n) * 1e3,
        }
    )
    score = (x["age"].fillna(50) - 40) / 12 + x["size"] / 1e3 + x["town"].isin(["a", "d"]) + x["flag"]
    return x, np.digitize(score, [0, 1.5])


ESTIMATORS = {
    "axis": TreeClassifier(),
    "multiway": TreeClassifier(nominal="multiway", max_depth=6),
    "stopping": TreeClassifier(nominal="multiway", nominal_params={"unseen": "stop"}, max_depth=6),
    "linear": TreeClassifier(split="node_means_pca", standardize=True),
    "elsewhere": TreeClassifier(split="lda", max_depth=5),
    "numbers": TreeRegressor(max_depth=7),
}


def holds(condition, values):
    """Whether a row keeps a condition, as the words say it."""
    if isinstance(condition, Among):
        value = None if is_missing(values[condition.column]) else values[condition.column]
        return value in condition.values
    if any(is_missing(values[c]) for c in condition.columns):
        return condition.missing
    x = condition.total(values) if isinstance(condition, Sum) else float(values[condition.column])
    return condition.low < x <= condition.high


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_row_keeps_the_conditions_on_its_way_and_breaks_those_beside_it(name):
    X, y = table()
    tree = ESTIMATORS[name].fit(X, y)
    nodes = tree.model_.nodes()
    ends = tree.apply(X)
    for i, values in enumerate(X.to_numpy(dtype=object).tolist()):
        at = 0
        while (split := nodes[at].split) is not None:
            children = [c for c, said in zip(nodes[at].children, split.conditions, strict=True) if holds(said, values)]
            assert len(children) == 1, (i, at)
            at = children[0]
        assert at == ends[i]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_conditions_of_a_path_joined_hold_for_the_rows_of_the_leaf_and_for_no_other(name):
    X, y = table(1)
    tree = ESTIMATORS[name].fit(X, y)
    nodes = tree.model_.nodes()
    ends = tree.apply(X)
    rows = X.to_numpy(dtype=object).tolist()
    for leaf in (n for n in nodes if n.is_leaf):
        steps = [nodes[i].condition for i in leaf.path[1:]]
        joined = Path(steps).conditions
        assert len({c.subject for c in joined}) == len(joined) <= len(steps)
        kept = [all(holds(c, values) for c in joined) for values in rows]
        assert np.array_equal(kept, ends == leaf.number)


def test_a_node_knows_its_place_its_rows_and_its_answer():
    X, y = table()
    tree = TreeClassifier(max_depth=4).fit(X, y, np.linspace(0.5, 2, len(y)))
    theirs, nodes = tree.tree_, tree.model_.nodes()
    path = tree.decision_path(X).toarray().astype(bool)
    for node in nodes:
        here = path[:, node.number]
        assert node.rows == here.sum() == theirs.n_node_samples[node.number]
        assert node.weight == pytest.approx(np.linspace(0.5, 2, len(y))[here].sum())
        np.testing.assert_allclose(node.shares, theirs.value[node.number, 0])
        assert node.impurity == theirs.impurity[node.number]
        assert node.prediction == tree.classes_[node.weights.argmax()]
        assert node.depth == len(node.path) - 1
        assert (node.parent is None) == (node.number == 0) == (node.condition is None)
        assert all(nodes[c].parent == node.number for c in node.children)
        assert node.is_leaf == (node.split is None) == (node.gain is None) == (node.kind == "leaf")
    assert [n.number for n in nodes] == list(range(len(nodes)))
    assert nodes.sizes[0] == len(nodes) == tree.model_.n_nodes
    assert nodes[-1].number == len(nodes) - 1
    assert [n.number for n in nodes[1:3]] == [1, 2]
    with pytest.raises(IndexError, match="nodes 0 to"):
        nodes[len(nodes)]


def test_a_node_of_a_regression_tree_has_a_mean_and_a_spread():
    X, y = load_iris(return_X_y=True)
    tree = TreeRegressor(max_depth=3).fit(X[:, :3], X[:, 3])
    ends = tree.apply(X[:, :3])
    for node in tree.model_.nodes():
        if node.is_leaf:
            here = X[ends == node.number, 3]
            assert node.mean == node.prediction == pytest.approx(here.mean())
            assert node.spread == pytest.approx(here.std(), abs=1e-9)
    with pytest.raises(AttributeError, match="no class shares"):
        tree.model_.nodes().shares  # noqa: B018
    with pytest.raises(AttributeError, match="no spread"):
        TreeClassifier().fit(X, y).model_.nodes()[0].spread  # noqa: B018


def test_a_linear_split_says_how_prediction_adds_it_up():
    X, y = load_iris(return_X_y=True)
    tree = TreeClassifier(split="node_means_pca", standardize=True, max_depth=1).fit(X, y)
    split = tree.tree_.split(0)
    order = split.in_order
    sums = sum(t.weight * (X[:, t.column] - t.center) for t in order)
    assert np.array_equal(sums <= split.centered_cut, tree.apply(X) == 1)
    assert [t.column for t in order] == sorted(split.columns)
    assert list(split.terms) == sorted(split.terms, key=lambda t: -t.strength)
    assert split.cut == pytest.approx(split.centered_cut + sum(t.weight * t.center for t in order))


def test_conditions_of_one_column_meet():
    a, b = Range(0, "x", high=5.0, missing=True, saw_missing=True), Range(0, "x", low=1.0)
    assert a.meet(b) == Range(0, "x", 1.0, 5.0)
    assert Among(0, "c", ("a", "b", None), others=True).meet(Among(0, "c", (None, "b"))) == Among(0, "c", ("b", None))
    path = Path([a, Among(1, "c", ("a", "b"))])
    path.push(b)
    assert (len(path), path.conditions[0].low) == (3, 1.0)
    path.pop()
    assert path.conditions == (a, Among(1, "c", ("a", "b")))
    path.pop()
    assert path.conditions == (a,)


def test_rows_with_and_without_a_value_are_told_apart():
    known, missing = TreeClassifier().fit([[1.0], [1.0], [np.nan]], [0, 0, 1]).tree_.split(0).conditions
    assert (known.only_known, known.only_missing) == (True, False)
    assert (missing.only_known, missing.only_missing, missing.saw_missing) == (False, True, True)
    assert math.isinf(missing.low)


# ---- the model is a value ---------------------------------------------------------------------------


def test_a_model_cannot_be_changed_and_is_replaced_by_name():
    X, y = load_iris(return_X_y=True)
    model = TreeClassifier(split="lda", standardize=True).fit(X, y).model_
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.criterion = "entropy"
    columns = tuple(dataclasses.replace(c, name=f"c{i}") for i, c in enumerate(model.schema.columns))
    other = dataclasses.replace(model, schema=dataclasses.replace(model.schema, columns=columns, named=True))
    assert other.standardize
    assert "c2" in other.show()
    assert "c2" not in model.show()
    for again in (pickle.loads(pickle.dumps(other)), copy.deepcopy(other), Model.from_bytes(other.to_bytes())):
        assert again == other != model


def test_a_model_of_many_trees_answers_their_mean():
    X, y = load_iris(return_X_y=True)
    parts = [TreeClassifier(max_depth=2, max_features=1, random_state=i).fit(X, y).model_ for i in range(5)]
    many = dataclasses.replace(parts[0], trees=tuple(p.tree for p in parts))
    shares = np.mean([p.predict_proba(X) for p in parts], axis=0)
    np.testing.assert_allclose(many.predict_proba(X), shares, atol=1e-15)
    assert np.array_equal(many.predict(X), many.predict_proba(X).argmax(axis=1))
    assert np.array_equal(many.apply(X), np.column_stack([p.apply(X) for p in parts]))
    assert many.n_nodes == sum(len(many.nodes(i)) for i in range(5))
    assert repr(many) == f"<bough.Model: 3 classes, 4 columns, 5 trees, {many.n_nodes} nodes>"
    with pytest.raises(AttributeError, match="5 trees"):
        many.tree  # noqa: B018
    numbers = [TreeRegressor(max_depth=2, max_features=1, random_state=i).fit(X, X[:, 3]).model_ for i in range(3)]
    mean = dataclasses.replace(numbers[0], trees=tuple(p.tree for p in numbers)).predict(X)
    np.testing.assert_allclose(mean, np.mean([p.predict(X) for p in numbers], axis=0), rtol=1e-14)


def test_trees_of_another_shape_make_no_model():
    X, y = load_iris(return_X_y=True)
    model = TreeClassifier().fit(X, y).model_
    with pytest.raises(ValueError, match="4 columns and 3 classes"):
        dataclasses.replace(model, trees=(TreeClassifier().fit(X[:, :2], y).model_.tree,))
    with pytest.raises(ValueError, match="needs trees"):
        dataclasses.replace(model, trees=())


def test_estimators_and_models_predict_by_the_same_way():
    X, y = table(2)
    tree = TreeClassifier(split="lda").fit(X, y)
    outputs = tree.model_.outputs(tree.model_.columns_of(X))
    assert np.array_equal(outputs.predictions(), tree.predict(X))
    assert np.array_equal(outputs.shares(), tree.predict_proba(X))
    assert np.array_equal(outputs.nodes(), bough.Model.from_bytes(tree.model_.to_bytes()).apply(X))
