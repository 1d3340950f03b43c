"""`tree_` under scikit-learn's names, and scikit-learn's own functions on it."""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier, export_graphviz

from bough import TreeClassifier

X, Y = load_iris(return_X_y=True)
TOWNS = pd.DataFrame({"town": np.array(list("abcd"))[np.arange(150) % 4], "x": X[:, 2]})
CLASSES = np.arange(150) % 4


def test_scikit_learns_drawing_of_axis_cuts_is_right():
    ours, theirs = (
        kind(max_depth=2, random_state=0).fit(X[:, 3:], Y) for kind in (TreeClassifier, DecisionTreeClassifier)
    )
    assert export_graphviz(ours) == export_graphviz(theirs)


@pytest.mark.parametrize(
    "tree",
    [
        TreeClassifier(split="lda", max_depth=2).fit(X, Y),
        TreeClassifier(max_depth=2).fit(TOWNS, CLASSES),
        TreeClassifier(nominal="multiway", max_depth=2).fit(TOWNS, CLASSES),
    ],
    ids=["linear", "subset", "multiway"],
)
def test_scikit_learns_drawing_of_other_splits_stops_with_the_way_out(tree):
    with pytest.raises(TypeError, match=r"node 0 is not a cut of one column.*to_dot\(\)"):
        export_graphviz(tree)
    with pytest.raises(TypeError, match="node 0 is not a cut of one column"):
        tree.tree_.threshold[0]


def test_the_arrays_as_wholes_are_as_ever():
    tree = TreeClassifier(nominal="multiway").fit(TOWNS, CLASSES)
    arrays = tree.tree_
    assert (arrays.children_left == -1).all()
    assert arrays.threshold.tolist() == [-2.0] * arrays.node_count
    assert arrays.threshold[1] == -2  # a leaf
    assert arrays.threshold[arrays.feature >= 0].shape == (1,)
    assert type(arrays.threshold[:2]) is np.ndarray
    assert type(np.asarray(arrays.threshold)) is np.ndarray
    assert (arrays.threshold + 1)[0] == -1
    assert (copy.deepcopy(arrays.threshold) == -2).all()
    assert "-2." in repr(arrays.threshold)
    axis = TreeClassifier().fit(X, Y).tree_
    assert type(axis.threshold) is type(axis.children_left) is np.ndarray
