"""Engines: which store a tree grows from, why, and that the tree is the same from each of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bough import ForestClassifier, TreeClassifier, TreeRegressor, _core
from bough.estimators.plan import plan_of

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(300, 8)), 1)
Y = (X[:, 0] + RNG.normal(size=300) > 0).astype(int)


def grow(tree, engine, x=X, y=Y):
    data, out = tree._data_of(x, y), {}
    plan = plan_of(tree.get_params(), data, seed=1, threads=1)._replace(engine=engine)
    return _core.grow(data.for_core(), None, plan, None, out).parts(), out["engine"]


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (TreeClassifier(), "lists: nodes look at all columns"),
        (TreeClassifier(max_features=2), "ranks: nodes look at 2 of 8 columns"),
        (TreeClassifier(max_features=6), "lists: nodes look at more than half of the columns"),
        (TreeClassifier(split="lda"), "row ids: split 'lda' looks at rows"),
        (TreeClassifier(max_features=2, prune="reduced_error"), "lists: the tree is pruned"),
        (ForestClassifier(n_estimators=2), "ranks: nodes look at 2 of 8 columns"),
    ],
)
def test_a_fit_says_which_engine_it_chose_and_why(tree, reason):
    assert tree.fit(X, Y).origin_["engine"] == reason


def test_columns_of_categories_are_searched_by_row_ids():
    frame = pd.DataFrame(X).rename(columns=str).assign(kind=np.where(Y > 0, "a", "b"))
    assert "nominal columns" in TreeClassifier().fit(frame, Y).origin_["engine"]


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("params", [{}, {"max_leaf_nodes": 12}, {"min_impurity_decrease": 0.01}, {"max_depth": 3}])
@pytest.mark.parametrize("max_features", [None, 3])
def test_the_tree_is_the_same_from_every_store(regression, params, max_features):
    tree = (TreeRegressor if regression else TreeClassifier)(**params, max_features=max_features)
    y = X[:, 0] * 2 + RNG.normal(size=300) if regression else Y
    names = ["lists", "row_ids", *(["ranks"] if max_features else [])]
    found = [grow(tree, name, y=y)[0] for name in names]
    for other in found[1:]:
        assert {k: np.asarray(v).tolist() for k, v in other.items()} == {
            k: np.asarray(v).tolist() for k, v in found[0].items()
        }


def test_an_engine_that_cannot_grow_the_tree_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"engine='ranks' cannot grow this tree: nodes look at all columns"):
        grow(TreeClassifier(), "ranks")
    with pytest.raises(ValueError, match=r"engine='lists' cannot grow this tree: split 'lda' looks at rows"):
        grow(TreeClassifier(split="lda"), "lists")


def test_a_forest_of_missing_numbers_says_why_it_has_no_ranks():
    x = X.copy()
    x[0, 0] = np.nan
    assert ForestClassifier(n_estimators=2).fit(x, Y).origin_["engine"].startswith("lists: ")
