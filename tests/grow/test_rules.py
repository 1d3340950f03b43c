"""interaction_cst, column_costs and first_split: what splits may do."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

import bough
from bough import ForestClassifier, ForestRegressor, ParameterError, TreeClassifier, TreeRegressor
from bough.model.rules import sentences
from support.oracle import rules

LINEAR = ["pca", "lda", "oc1", "cart_lc", "node_means_pca", "hhcart_d", "elc"]


def table(seed, n=200, d=5, gaps=False, nominal=False):
    """Numbers that matter two by two; perhaps missing ones, and a nominal column at the end."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 1)
    y = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + 0.5 * X[:, d - 1] * X[:, 2] + rng.normal(size=n)
    if nominal:
        X[:, d - 1] = rng.integers(0, 6, n)
        y += np.take(rng.normal(size=6), X[:, d - 1].astype(int))
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
        if nominal:
            X[:, d - 1] = np.nan_to_num(X[:, d - 1])
    return X, y, rng


def kinds(seed):
    """Estimators over every kind of split, with what a test of them needs."""
    yield TreeRegressor, {}
    yield TreeClassifier, {"nominal": "multiway"}
    yield TreeClassifier, {"split": LINEAR[seed % len(LINEAR)]}
    yield TreeRegressor, {"split": "random"}
    yield TreeClassifier, {"selector": "conditional_inference"}
    yield ForestClassifier, {"n_estimators": 3, "max_features": 2}
    yield ForestRegressor, {"n_estimators": 3, "max_features": 2, "split": "random"}
    yield TreeClassifier, {"missing": "shared"}
    yield TreeRegressor, {"max_leaf_nodes": 9}
    yield TreeClassifier, {"split": LINEAR[seed % len(LINEAR)], "max_features": 3, "simplify": True}
    yield TreeClassifier, {"prune": "error_based"}
    yield TreeClassifier, {"prune": "cost_complexity_cv"}


def fitted(kind, more, seed, **rule):
    gaps, nominal = seed % 3 == 0, seed % 2 == 0
    X, y, rng = table(seed, [12, 60, 200][seed % 3], 5, gaps, nominal)
    if kind in (TreeClassifier, ForestClassifier):
        y = (y > np.median(y)).astype(int) + (y > np.quantile(y, 0.8)).astype(int) * (seed % 2)
    w = rng.uniform(0.1, 3, len(y)) if seed % 4 == 3 else None
    given = {"categorical_features": [4]} if nominal else {}
    return kind(random_state=seed, max_depth=5, **more, **given, **rule).fit(X, y, w), X, y, w


# ---- interaction_cst ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(9))
def test_columns_meet_only_within_a_group(seed):
    rng = np.random.default_rng(seed)
    given = [
        [[0, 1], [2, 3, 4]],
        [[0, 1], [1, 2, 3]],
        "pairwise",
        "no_interactions",
        [rng.choice(5, 2, replace=False), rng.choice(5, 3, replace=False)],
    ][seed % 5]
    listed = [] if isinstance(given, str) else [set(map(int, g)) for g in given]
    groups = [*listed, set(range(5)) - set().union(*listed)]
    most = {"pairwise": 2, "no_interactions": 1}.get(given if isinstance(given, str) else "", 5)
    broken = 0
    for kind, more in kinds(seed):
        model = fitted(kind, more, seed, interaction_cst=given)[0].model_
        for _, above in rules.paths(model):
            asked = frozenset().union(*above)
            assert len(asked) <= most
            assert isinstance(given, str) or any(asked <= g for g in groups), (kind, more, asked)
        free = fitted(kind, more, seed)[0].model_
        broken += any(
            len(frozenset().union(*a)) > most or not any(frozenset().union(*a) <= g for g in groups)
            for _, a in rules.paths(free)
        )
    assert broken > 2  # there is something to forbid


def test_it_is_the_plainest_tree_of_these_groups():
    for seed in range(12):
        X, y, rng = table([seed, 1], 70, 4)
        w = rng.uniform(0.5, 2, 70)
        groups = [[{0, 1}, {1, 2, 3}], [{0}, {1}, {2}, {3}], [{0, 1}, {2, 3}]][seed % 3]
        ours = TreeRegressor(interaction_cst=[list(g) for g in groups], max_depth=4, min_samples_leaf=2).fit(X, y, w)
        plain = rules.predictions(X, y, w, groups, np.zeros(4), 4, 2)
        np.testing.assert_allclose(ours.predict(X), plain, rtol=1e-9)


def test_the_groups_are_those_of_scikit_learns_histogram_boosting():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, (400, 4)).astype(float)  # fewer values than bins
    y = X[:, 0] * X[:, 1] / 40 + X[:, 2] * X[:, 3] / 40 + rng.normal(size=400)
    for groups in ([{0, 1}], [{0, 1}, {1, 2}], "pairwise", "no_interactions"):
        given = {"max_depth": 3, "min_samples_leaf": 5}
        theirs = HistGradientBoostingRegressor(
            interaction_cst=groups, learning_rate=1.0, max_iter=1, early_stopping=False, max_leaf_nodes=None, **given
        ).fit(X, y)
        ours = TreeRegressor(interaction_cst=groups if isinstance(groups, str) else [list(g) for g in groups], **given)
        np.testing.assert_allclose(ours.fit(X, y).predict(X), theirs.predict(X), rtol=1e-6)


def test_names_places_and_threads_make_no_difference():
    pd = pytest.importorskip("pandas")
    X, y, _ = table(0, 3000)
    frame = pd.DataFrame(X, columns=list("abcde"))
    texts = {
        TreeRegressor(interaction_cst=g, column_costs=c, n_jobs=jobs).fit(frame, y).show()
        for g in ([["a", "b"]], [[1, 0]])
        for c in ({"a": 0.01}, [0.01, 0, 0, 0, 0])
        for jobs in (1, 3)
    }
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("pairs", "'pairwise'"),
        (3, "'pairwise'"),
        ([["x9"]], "'x9', which is not a column"),
        ([[0, 7]], "from 0 to 4"),
        ([[]], "without columns"),
        (["x0"], r"\['x0'\]"),
        ([[0], 1], "where a group of columns belongs"),
    ],
)
def test_groups_that_are_none_are_refused(given, what):
    X, y, _ = table(0)
    with pytest.raises(ParameterError, match=what):
        TreeRegressor(interaction_cst=given).fit(X, y)


@pytest.mark.parametrize("rule", [{"interaction_cst": "pairwise"}, {"column_costs": {0: 1}}])
@pytest.mark.parametrize("more", [{"missing": "surrogate"}, {"refine": "axis"}])
def test_what_cannot_keep_a_rule_is_refused(rule, more):
    X, y, _ = table(0)
    with pytest.raises(ParameterError, match=f"{next(iter(rule))} does not go with {next(iter(more))}="):
        TreeRegressor(**rule, **more).fit(X, y)


# ---- column_costs ---------------------------------------------------------------------------------------


def test_it_is_the_plainest_tree_at_these_prices():
    for seed in range(15):
        X, y, rng = table([seed, 2], 70, 4)
        w = rng.uniform(0.5, 2, 70)
        prices = rng.choice([0, 0.05, 0.3, 1], 4)
        groups = [[], [{0, 1}, {1, 2, 3}]][seed % 2]
        rule = {"interaction_cst": [list(g) for g in groups]} if groups else {}
        ours = TreeRegressor(column_costs=prices, max_depth=4, min_samples_leaf=2, **rule).fit(X, y, w)
        plain = rules.predictions(X, y, w, groups, prices, 4, 2)
        np.testing.assert_allclose(ours.predict(X), plain, rtol=1e-9)


@pytest.mark.parametrize("seed", range(9))
def test_every_split_pays_for_what_it_asks_first(seed):
    prices = np.random.default_rng(seed).choice([0, 0.02, 0.1, 0.4], 5)
    for kind, more in kinds(seed):
        if "prune" in more:
            continue  # gains are those before
        model = fitted(kind, more, seed, column_costs=prices)[0].model_
        for node, above in rules.paths(model):
            new = above[-1] - frozenset().union(*above[:-1])
            price = sum(prices[c] for c in new)
            assert price == 0 or node.gain > price * (1 - 1e-9), (kind, more)


def test_a_price_above_every_gain_leaves_the_column_out():
    X, y, _ = table(0)
    free = TreeRegressor(max_depth=4).fit(X, y)
    assert {0, 2} <= set(free.tree_.feature)
    dear = TreeRegressor(max_depth=4, column_costs={0: 1e6, 2: 1e6}).fit(X, y)
    assert not {0, 2} & set(dear.tree_.feature)
    assert TreeRegressor(column_costs=[1e6] * 5).fit(X, y).get_n_leaves() == 1
    assert TreeRegressor(max_depth=4, column_costs=[0] * 5).fit(X, y).show() == free.show()


def test_a_column_is_paid_for_once():
    x = np.arange(8.0)[:, None]
    y = np.array([0, 0, 5, 5, 1, 1, 9, 9.0])  # the first split gains most
    tree = TreeRegressor(column_costs=[4.0]).fit(x, y)
    assert tree.tree_.gain[0] > 4  # what is kept is the gain itself
    assert tree.get_n_leaves() == 4
    assert TreeRegressor(column_costs=[tree.tree_.gain[0] * 1.01]).fit(x, y).get_n_leaves() == 1


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_prices_are_in_units_of_the_target_squared(scale):
    X, y, _ = table(0)
    plain = TreeRegressor(column_costs={0: 0.1}, max_depth=4).fit(X, y)
    other = TreeRegressor(column_costs={0: 0.1 * scale**2}, max_depth=4).fit(X, y * scale)
    np.testing.assert_array_equal(plain.apply(X), other.apply(X))


def test_the_best_splits_are_those_that_are_worth_their_price():
    """Best first, a dear split comes after a cheap one that gains as much."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 3)).astype(float)
    y = 10 * X[:, 0] + np.where(X[:, 0] == 0, 2 * X[:, 1], 2.1 * X[:, 2])
    free = TreeRegressor(max_leaf_nodes=3).fit(X, y)
    dear = TreeRegressor(max_leaf_nodes=3, column_costs={2: 0.5}).fit(X, y)
    assert set(free.tree_.feature[free.tree_.feature >= 0]) == {0, 2}
    assert set(dear.tree_.feature[dear.tree_.feature >= 0]) == {0, 1}


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"x9": 1}, "'x9', which is not a column"),
        ([1, 2], "2 prices"),
        ([0, 0, -1, 0, 0], "price of 'x2' is -1"),
        ({0: math.nan}, "price of 'x0' is nan"),
        ({0: "dear"}, "price of 'x0' is 'dear'"),
        (3, "it must be None"),
        ("x0", "it must be None"),
    ],
)
def test_prices_that_are_none_are_refused(given, what):
    X, y, _ = table(0)
    with pytest.raises(ParameterError, match=what):
        TreeRegressor(column_costs=given).fit(X, y)


def test_gains_that_grow_with_the_rows_have_no_prices():
    X, y, _ = table(0)
    with pytest.raises(ParameterError, match="criterion='max_cut'"):
        TreeClassifier(criterion="max_cut", column_costs={0: 1}).fit(X, y > 0)


# ---- first_split ----------------------------------------------------------------------------------------


def test_the_root_asks_what_it_is_told_and_the_rest_is_free():
    for seed in range(12):
        X, y, rng = table([seed, 3], 80, 4)
        w = rng.uniform(0.5, 2, 80)
        tree = TreeRegressor(first_split=(3, "<=", 0.25), max_depth=4, min_samples_leaf=2).fit(X, y, w)
        assert (tree.tree_.feature[0], tree.tree_.threshold[0]) == (3, 0.25)
        plain = rules.predictions(X, y, w, [], np.zeros(4), 4, 2, first=(3, 0.25))
        np.testing.assert_allclose(tree.predict(X), plain, rtol=1e-9)
        best = TreeRegressor(first_split="x3", max_depth=4, min_samples_leaf=2).fit(X, y, w)
        cut = rules.best_cut(X, y, w, {3}, np.zeros(4), set(), 2)
        assert (best.tree_.feature[0], best.tree_.threshold[0]) == cut


@pytest.mark.parametrize("seed", range(6))
def test_every_kind_of_tree_begins_with_it(seed):
    first = {"condition": (1, ">", 0.0), "left": {"condition": (0, "<=", 0.1), "right": 2}, "right": "x3"}
    for kind, more in kinds(seed):
        if "prune" in more or more.get("selector") == "conditional_inference":
            continue
        seed = seed + 1 if seed % 3 == 0 else seed  # enough rows
        model = fitted(kind, {**more, "max_leaf_nodes": None}, seed, first_split=first)[0].model_
        for t in range(len(model.trees)):
            nodes = model.nodes(t)
            root = nodes[0].split
            if kind in (ForestClassifier, ForestRegressor) and root.column != 1:
                continue
            assert (root.column, root.cut) == (1, 0.0)
            low, high = nodes[0].children
            assert nodes[low].is_leaf or rules.columns_of(nodes[low].split) == (3,)
            assert nodes[high].is_leaf or (nodes[high].split.column, nodes[high].split.cut) == (0, 0.1)


def test_a_category_or_a_sum_may_be_asked_first():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"job": rng.choice(["cook", "nurse", "smith"], 300), "a": rng.normal(size=300)})
    frame["b"] = rng.normal(size=300)
    y = rng.integers(0, 2, 300)
    tree = TreeClassifier(first_split=("job", "in", ["cook", "smith"]), max_depth=3).fit(frame, y)
    assert "job in {cook, smith}" in tree.show() or "job is cook or smith" in tree.show(), tree.show()
    one = TreeClassifier(first_split=("job", "!=", "nurse"), max_depth=3).fit(frame, y)
    assert (one.predict_proba(frame) == tree.predict_proba(frame)).all()
    total = TreeClassifier(first_split=({"b": 2.0, "a": -1.0}, "<=", 0.5), max_depth=3).fit(frame, y)
    split = total.model_.nodes()[0].split
    assert dict(zip(split.names, split.weights, strict=True)) == {"a": -1.0, "b": 2.0}
    left = 2 * frame["b"] - frame["a"] <= 0.5
    assert total.model_.nodes()[1].rows == left.sum()


def test_missing_values_go_where_they_help():
    x = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan], [np.nan]])
    for y in ([0, 0, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1]):
        tree = TreeClassifier(first_split=("x0", "<=", 1.5)).fit(x, y)
        assert (tree.predict(x) == y).all()
        assert tree.get_n_leaves() == 2


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"first_split": "x9"}, "'x9', which is not a column"),
        ({"first_split": ("x0", "<=", 99)}, "leaves no rows on one of its sides"),
        ({"first_split": ("x0", "in", [1])}, "cannot be asked of numbers"),
        ({"first_split": ("x0", "<=")}, "a column's name"),
        ({"first_split": {"left": "x1"}}, "pass {'condition'"),
        ({"first_split": {"condition": "x0", "then": "x1"}}, "'then'"),
        ({"first_split": {"condition": "x0", "left": "x1"}, "max_depth": 1}, "2 levels and max_depth is 1"),
        ({"first_split": {"condition": "x0", "left": ("x0", "<=", 99)}}, "leaves no rows"),
        ({"first_split": ("x0", "<=", -1.8), "min_samples_leaf": 90}, "fewer rows"),
        ({"first_split": "x0", "min_samples_leaf": 101}, None),
        ({"first_split": {"condition": "x0", "left": "x1"}, "interaction_cst": [[0, 2], [1, 3]]}, "x0, x1 together"),
        ({"first_split": ("x0", "<=", 0.0), "monotonic_cst": {0: 1}}, None),
        ({"first_split": ("x4", "<=", 0.0), "monotonic_cst": {4: -1}}, "contradicts monotonic_cst"),
        ({"first_split": "x0", "refine": "axis"}, "refine='axis'"),
    ],
)
def test_what_cannot_come_first_is_refused(given, what):
    X, y, _ = table(0)
    y = y + X[:, 4] + X[:, 0]
    if what is None:
        TreeRegressor(**given).fit(X, y)
        return
    with pytest.raises(ParameterError, match=what):
        TreeRegressor(**given).fit(X, y)


def test_a_column_that_cannot_be_split_cannot_come_first():
    X, y, _ = table(0)
    X[:, 1] = 3
    with pytest.raises(ParameterError, match="'x1' has no split here"):
        TreeRegressor(first_split="x1").fit(X, y)
    assert ForestRegressor(first_split="x1", n_estimators=2).fit(X, y).model_.n_nodes > 2


def test_the_model_keeps_its_rules(tmp_path):
    X, y, _ = table(0)
    given = {"interaction_cst": [["x0", "x1"]], "column_costs": {"x0": 0.5}, "first_split": ("x0", "<=", 1)}
    given["monotonic_cst"] = [0, 1, 0, 0, 0]
    tree = TreeRegressor(**given, max_depth=3).fit(X, y)
    told = json.loads(tree.model_.to_json())["constraints"]
    assert told == {
        "monotonic_cst": {"x1": 1},
        "interaction_cst": [["x0", "x1"]],
        "column_costs": {"x0": 0.5},
        "first_split": ["x0", "<=", 1],
    }
    path = tmp_path / "ruled.bough"
    tree.save(path)
    again = bough.load(path, as_estimator=True).fit(X, y)
    assert again.show() == tree.show()
    found = sentences(told, tree.model_.schema.names, None)
    assert ["x1", "the prediction never falls as it rises"] in found
    assert ["asked first", "x0 <= 1"] in found


@pytest.mark.parametrize("named", [0, 1, 2])
def test_the_class_that_a_rule_names_is_kept(named, tmp_path):
    X, y, _ = table(0)
    y = np.digitize(y, [-0.5, 1])
    tree = TreeClassifier(monotonic_cst={"class": named, 2: -1}, max_depth=3).fit(X, y)
    path = tmp_path / "named.bough"
    tree.save(path)
    model = bough.load(path)
    told = model.origin.parameters
    assert sentences(told, model.schema.names, [0, 1, 2]) == [["x2", f"the share of {named} never rises as it rises"]]
    assert bough.load(path, as_estimator=True).fit(X, y).show() == tree.show()
    other = tree.updated(X[::-1][:60], y[:60])  # of other rows, so that leaves have to be moved
    rows = np.repeat(X[:20], 40, axis=0)
    rows[:, 2] = np.tile(np.linspace(-3, 3, 40), 20)
    assert (np.diff(other.predict_proba(rows)[:, named].reshape(20, 40)) <= 1e-12).all()


def test_the_words_of_a_nested_first_split():
    first = {"condition": ("a", ">", 0), "left": {"condition": "b", "right": ("c", "in", ["x"])}}
    assert sentences({"first_split": first}, ["a", "b", "c"], None) == [
        ["asked first", "a > 0"],
        ["where a > 0", "b"],
        ["where not b", "c in ['x']"],
    ]


def test_long_rules_are_told_to_be_so(tmp_path):
    X, y, _ = table(0)
    X = np.hstack([X] * 20)
    tree = TreeRegressor(interaction_cst=[[c] for c in range(100)], max_depth=2).fit(X, y)
    path = tmp_path / "long.bough"
    tree.save(path)
    with pytest.warns(UserWarning, match="interaction_cst"):
        assert bough.load(path, as_estimator=True).interaction_cst is None
