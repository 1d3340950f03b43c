"""What every registered criterion keeps; a new one is tested here without a line being added."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bough import TreeClassifier, _core
from bough.registry import plugins
from support.combinations import named
from support.oracle import criteria as oracle

CRITERIA = [c for c in named("criterion").values() if not c.traits["regression"]]
NAMES = [c.name for c in CRITERIA]


def tables(rng, n=200):
    for _ in range(n):
        k = rng.integers(1, 7)
        yield rng.integers(0, 30, (2, k)).astype(float) + 1e-3 * rng.integers(0, 2)


def test_the_oracle_defines_every_criterion_and_no_other():
    assert set(oracle.CRITERIA) == set(named("criterion"))


@pytest.mark.parametrize("name", NAMES)
def test_the_plain_gain_is_the_definition(name):
    for t in tables(np.random.default_rng(5)):
        if (t.sum(axis=1) > 0).all():
            expected = oracle.gain_of(name, oracle.of_sides(t.tolist()))
            assert _core.gain(name, t) == pytest.approx(expected, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("name", [c.name for c in CRITERIA if c.traits["multiway"]])
def test_the_plain_gain_of_many_children_is_the_definition(name):
    rng = np.random.default_rng(6)
    for _ in range(100):
        t = rng.integers(0, 9, (int(rng.integers(3, 7)), int(rng.integers(1, 6)))).astype(float)
        t[:, 0] += 0.25
        expected = oracle.gain_of(name, oracle.of_sides(t.tolist()))
        assert _core.gain(name, t) == pytest.approx(expected, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_left_and_right_can_be_exchanged(name):
    for t in tables(np.random.default_rng(0)):
        if (t.sum(axis=1) > 0).all():
            assert _core.gain(name, t) == pytest.approx(
                _core.gain(name, np.ascontiguousarray(t[::-1])), rel=1e-12, abs=1e-14
            )


@pytest.mark.parametrize("name", NAMES)
def test_classes_can_be_renumbered(name):
    rng = np.random.default_rng(1)
    for t in tables(rng):
        if (t.sum(axis=1) > 0).all():
            other = np.ascontiguousarray(t[:, rng.permutation(t.shape[1])])
            assert _core.gain(name, t) == pytest.approx(_core.gain(name, other), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_a_common_factor_of_the_weights_changes_nothing_but_the_scale(name):
    factor = 8.0 ** plugins()["criterion"][name].traits["degree"]
    for t in tables(np.random.default_rng(2)):
        if (t.sum(axis=1) > 0).all():
            assert factor * _core.gain(name, t) == pytest.approx(_core.gain(name, 8 * t), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("name", [c.name for c in CRITERIA if c.traits["convex"]])
def test_sides_that_mix_classes_alike_gain_nothing(name):
    t = np.array([[2.0, 4.0, 6.0], [1.0, 2.0, 3.0]])
    assert _core.gain(name, t) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_gains_are_never_negative(name):
    for t in tables(np.random.default_rng(3)):
        if (t.sum(axis=1) > 0).all():
            assert _core.gain(name, t) >= -1e-14


@pytest.mark.parametrize("name", [c.name for c in CRITERIA if c.traits["multiway"]])
def test_many_children_of_which_two_have_rows_are_two_children(name):
    for t in tables(np.random.default_rng(4), 50):
        if (t.sum(axis=1) > 0).all():
            three = np.ascontiguousarray(np.vstack([t, np.zeros(t.shape[1])]))
            assert _core.gain(name, three) == pytest.approx(_core.gain(name, t), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_an_impure_node_has_an_impurity_and_a_pure_one_has_none(name):
    X, y = np.arange(8.0).reshape(-1, 1), [0, 0, 0, 0, 1, 1, 1, 1]
    tree = TreeClassifier(criterion=name).fit(X, y)
    assert tree.tree_.impurity[0] > 0
    assert (tree.tree_.impurity[tree.tree_.kind == "leaf"] == 0).all()


@pytest.mark.parametrize("name", [c.name for c in CRITERIA if c.traits["sums"] and not c.traits["projection"]])
@pytest.mark.parametrize("split", ["axis", "node_pca", "elc"])
def test_the_gain_that_a_tree_keeps_is_the_plain_one_from_left_to_right(name, split):
    """To the last bit: whichever order a family sums in, and wherever a tree is grown."""
    if split == "elc" and not plugins()["criterion"][name].traits["box_corners"]:
        return
    rng = np.random.default_rng(8)
    X = pd.DataFrame(rng.integers(0, 9, (300, 3)) / 3, columns=list("abc"))
    X["s"] = rng.choice(list("pqrstuvw"), 300)
    X.loc[::9, "b"] = np.nan
    y = (rng.random(300) + X["a"] > 2).astype(int) + X["s"].isin(["p", "t"])
    trees = [TreeClassifier(criterion=name, split=split, max_depth=6).fit(X, y)]
    if plugins()["criterion"][name].traits["multiway"]:
        trees.append(TreeClassifier(criterion=name, split=split, nominal="multiway", max_depth=6).fit(X, y))
    for tree in trees:
        nodes = tree.model_.nodes()
        for node in (n for n in nodes if not n.is_leaf):
            sides = np.array([nodes[c].weights[node.weights > 0] for c in node.children])
            assert node.gain == _core.gain(name, sides), node.split


def test_twoing_of_a_perfect_half_half_cut_is_one_quarter():
    assert _core.gain("twoing", np.array([[5.0, 0.0], [0.0, 5.0]])) == pytest.approx(0.25)


def test_squared_gini_is_the_share_of_pairs_taken_apart():
    # Figure 3.1 of the source: single against the rest
    t = np.array([[18.0, 20.0], [92.0, 107.0]])
    pairs = 18 * 107 + 20 * 92
    assert _core.gain("squared_gini", t) == pytest.approx(2 * pairs / 237**2)
    assert _core.gain("max_cut", t) == pytest.approx(pairs)
