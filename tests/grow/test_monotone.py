"""monotonic_cst: predictions that only rise, or only fall, with a column."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from bough import ForestClassifier, ForestRegressor, ParameterError, TreeClassifier, TreeRegressor
from support.oracle import monotone


def table(seed, n, d, classes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X @ rng.normal(size=d) + 2 * np.sin(3 * X[:, 0]) + rng.normal(size=n)
    return X, (score > np.median(score)).astype(int) if classes else score, rng


def said(model, X):
    return model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else model.predict(X)


def worst(model, X, signs):
    """By how much the predictions go the wrong way, of every row along every column that has a rule."""
    most = 0.0
    for column, sign in enumerate(signs):
        if sign == 0:
            continue
        numbers = np.unique(X[:, column][~np.isnan(X[:, column])])
        rows = np.repeat(X[:20], len(numbers), axis=0)
        rows[:, column] = np.tile(numbers, min(20, len(X)))
        along = said(model, rows).reshape(-1, len(numbers))
        most = max(most, (-sign * np.diff(along, axis=1)).max(initial=0.0))
    return most


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("depth", [3, 7])
def test_the_tree_is_scikit_learns(classes, depth):
    for seed in range(25):
        X, y, rng = table([seed, depth], 300, 4, classes)
        signs = rng.integers(-1, 2, 4)
        w = rng.uniform(0.5, 2, 300)  # no two cuts tie
        given = {"monotonic_cst": signs, "max_depth": depth, "min_samples_leaf": 8}
        ours = (TreeClassifier if classes else TreeRegressor)(**given).fit(X, y, w)
        theirs = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(**given, random_state=0).fit(X, y, w)
        np.testing.assert_allclose(said(ours, X), said(theirs, X), rtol=1e-9)
        if not classes:  # scikit-learn splits where shares are clipped to one
            assert ours.get_n_leaves() == theirs.get_n_leaves()


def test_the_tree_is_the_plainest_one():
    for seed in range(8):
        X, y, rng = table([seed, 5], 60, 3, False)
        X = np.round(X, 1)
        signs, w = rng.integers(-1, 2, 3), rng.uniform(0.5, 2, 60)
        plain = monotone.predictions(X, y, w, signs, 4, 2)
        ours = TreeRegressor(monotonic_cst=signs, max_depth=4, min_samples_leaf=2).fit(X, y, w)
        np.testing.assert_allclose(ours.predict(X), plain, rtol=1e-9)


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("n", [40, 400, 3000])
def test_signs_and_prices_together_give_the_plainest_tree(n, classes):
    for seed in range(2 if n > 1000 else 6):
        X, y, rng = table([seed, n], n, 3, classes)
        X = np.round(X, 1)
        X[:, 1] *= rng.random(n) < 0.3  # mostly zeros
        signs, w = rng.choice([-1, 1, 1], 3), rng.uniform(0.5, 2, n)
        prices = rng.choice([0.0, 0.01, 0.03], 3)
        scale = 2 if classes else 1  # the Gini decrease of two classes is twice the variance of 0 and 1
        plain = monotone.predictions(X, y.astype(float), w, signs, 6, 2, prices)
        given = {"monotonic_cst": signs, "column_costs": scale * prices, "max_depth": 6, "min_samples_leaf": 2}
        ours = (TreeClassifier if classes else TreeRegressor)(**given).fit(X, y, w)
        np.testing.assert_allclose(said(ours, X), plain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [TreeRegressor, TreeClassifier, ForestRegressor, ForestClassifier])
def test_no_pair_of_rows_breaks_the_rule(kind):
    forest = kind in (ForestRegressor, ForestClassifier)
    for seed in range(12):
        X, y, rng = table([seed, 7], int(rng_n(seed)), 4, kind in (TreeClassifier, ForestClassifier))
        if seed % 2:
            X = np.round(X, 1)
        if seed % 3 == 0:
            X[rng.random(X.shape) < 0.1] = np.nan
        signs = [1, -1, 0, 1]
        more = {"max_leaf_nodes": 9} if seed % 5 == 4 else {"ccp_alpha": 0.01} if seed % 5 == 3 else {}
        more |= {"split": "random"} if seed % 4 == 2 else {}
        more |= {"n_estimators": 5, "max_features": 2} if forest else {}
        w = rng.uniform(0.1, 3, len(y)) if seed % 2 == 0 else None
        model = kind(monotonic_cst=signs, random_state=seed, **more).fit(X, y, w)
        assert worst(model, X, signs) <= 1e-12
        free = kind(random_state=seed, **more).fit(X, y, w)
        if not forest and "split" not in more and "ccp_alpha" not in more and "max_leaf_nodes" not in more:
            assert worst(free, X, signs) > 0  # there is something to forbid


def rng_n(seed):
    return [12, 60, 300, 900][seed % 4]


@pytest.mark.parametrize("classes", [False, True])
def test_threads_and_names_of_columns_change_nothing(classes):
    X, y, _ = table(3, 3000, 5, classes)
    kind = TreeClassifier if classes else TreeRegressor
    signs = [1, 0, -1, 0, 1]
    texts = {kind(monotonic_cst=signs, n_jobs=jobs).fit(X, y).show() for jobs in (1, 2, 3)}
    assert len(texts) == 1

    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcde"))
    named = kind(monotonic_cst={"a": 1, "c": -1, "e": 1}).fit(frame, y)
    assert (said(named, frame) == said(kind(monotonic_cst=signs).fit(frame, y), frame)).all()


@pytest.mark.parametrize("rule", ["signs", "prices", "both"])
def test_all_engines_grow_the_same_trees_under_rules(rule):
    from bough import _core
    from bough.estimators.plan import plan_of

    for seed, classes in enumerate((False, True, 3, False, True, 3)):
        X, y, _ = table(5 + seed, 700, 6, classes)
        X = np.round(X, 1)
        X[:, 2] = np.where(X[:, 2] < 0.5, 0, X[:, 2])
        if classes == 3:
            y = np.digitize(X[:, 0] * X[:, 1] + X[:, 2], [-0.3, 0.3])
        signs = {0: 1, 2: -1, 5: 1} | ({"class": 1} if classes == 3 else {})
        prices = [0.01, 0, 0.002, 0, 0.05, 0]
        given = {"monotonic_cst": signs, "column_costs": prices}
        given.pop({"signs": "column_costs", "prices": "monotonic_cst"}.get(rule), None)
        forest = (ForestClassifier if classes else ForestRegressor)(**given, max_features=2 if seed < 3 else 3)
        data = forest._data_of(X, y)
        plan = plan_of(forest.get_params(), data, seed=0, threads=1)
        grown = [
            _core.grow_forest(data.for_core(), None, plan._replace(engine=engine), [1, 2, 3], 700, False)
            for engine in ("ranks", "lists", "row_ids")
        ]
        for trees in zip(*grown, strict=True):
            for other in trees[1:]:
                for name, array in trees[0].parts().items():
                    np.testing.assert_array_equal(array, other.parts()[name], name)


def test_nothing_forbidden_is_the_free_tree():
    X, y, _ = table(0, 200, 3, False)
    assert TreeRegressor(monotonic_cst=[0, 0, 0]).fit(X, y).show() == TreeRegressor().fit(X, y).show()
    rising = TreeRegressor(monotonic_cst=[1]).fit(np.arange(50.0)[:, None], np.arange(50.0))
    assert rising.get_n_leaves() == 50
    assert TreeRegressor(monotonic_cst=[-1]).fit(np.arange(50.0)[:, None], np.arange(50.0)).get_n_leaves() == 1


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"monotonic_cst": [1, 0]}, "3 numbers"),
        ({"monotonic_cst": [1, 0, 2]}, "-1, 0 and 1"),
        ({"monotonic_cst": {"x": 1}}, "'x', which is not a column"),
        ({"monotonic_cst": "up"}, "monotonic_cst"),
        ({"monotonic_cst": [1, 0, 0], "refine": "optimal"}, "refine='optimal'"),
        ({"monotonic_cst": [1, 0, 0], "missing": "shared"}, "missing='shared'"),
        ({"monotonic_cst": [1, 0, 0], "prune": "error_based"}, "'raising': False"),
    ],
)
def test_what_cannot_be_kept_is_refused(given, what):
    X, y, _ = table(0, 60, 3, False)
    with pytest.raises(ParameterError, match=what):
        TreeRegressor(**given).fit(X, y)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ([1, 0, 0], r"3 classes unless it names the one .*\{'class': 0, column: 1\}"),
        ({"class": 7, "x0": 1}, "7 is not a class. Classes: 0, 1, 2"),
        ({"class": 1, "x9": 1}, "'x9', which is not a column"),
    ],
)
def test_of_more_than_two_classes_one_has_to_be_named(given, what):
    X, _, _ = table(0, 60, 3, True)
    with pytest.raises(ParameterError, match=what):
        TreeClassifier(monotonic_cst=given).fit(X, np.arange(60) % 3)


def test_a_class_is_named_for_probabilities_only():
    X, y, _ = table(0, 60, 3, False)
    with pytest.raises(ParameterError, match="names a class, and numbers are predicted"):
        TreeRegressor(monotonic_cst={"class": 1, "x0": 1}).fit(X, y)


def test_naming_either_of_two_classes_turns_the_signs():
    X, y, _ = table(1, 300, 3, True)
    first = TreeClassifier(monotonic_cst={"class": 0, "x0": -1, "x2": 1}).fit(X, y)
    second = TreeClassifier(monotonic_cst=[1, 0, -1]).fit(X, y)
    assert first.show() == second.show()


@pytest.mark.parametrize("smoothing", ["laplace", 2.0])
def test_smoothing_that_moves_leaves_past_others_is_refused(smoothing):
    X, y, _ = table(0, 60, 3, True)
    with pytest.raises(ParameterError, match="smoothing="):
        TreeClassifier(monotonic_cst=[1, 0, 0], smoothing=smoothing).fit(X, y)


# ---- every kind of split --------------------------------------------------------------------------------

LINEAR = ["pca", "lda", "hhcart_a", "hhcart_d", "node_pca", "node_means_pca", "cart_lc", "oc1", "elc"]
SEARCHES = ["exact", "multiway", "one_vs_rest", "pc_ext", "sliq", "superclass"]
PRUNERS = ["pessimistic", "minimum_error", "reduced_error", "collapse", "cost_complexity_cv"]
KINDS = [
    *[{"split": s} for s in ["axis", "random", *LINEAR]],
    *[{"split": s, "simplify": True, "max_features": 3} for s in ("lda", "pca")],
    *[{"split": "lda", "standardize": True, "n_estimators": 3}, {"split": "cart_lc", "max_leaf_nodes": 6}],
    *[{"nominal": n} for n in SEARCHES],
    *[{"prune": p} for p in PRUNERS],
    *[{"prune": p, "split": "node_means_pca"} for p in PRUNERS],
    {"prune": "error_based", "prune_params": {"raising": False, "confidence": 0.6}},
    *[{"refine": r, "max_depth": d} for r in ("axis", "linear") for d in (2, 4)],
    {"refine": "linear", "max_depth": 3, "prune": "collapse"},
    {"selector": "conditional_inference", "selector_params": {"alpha": 0.9}},
    {"selector": "average_gain", "criterion": "gain_ratio"},
    {"criterion": "entropy"},
    {"criterion": "twoing", "split": "oc1"},
    {"smoothing": {"hierarchical": 5.0}},
    {"smoothing": {"hierarchical": 5.0}, "split": "lda"},
    {"min_samples_leaf": 3, "ccp_alpha": 0.01},
    {"n_estimators": 3, "max_features": 2},
    {"n_estimators": 3, "max_features": 2, "split": "random"},
]


def mixed(seed, n, k):
    """Numbers, an ordinal column and a nominal one, with missing values, and k classes (0: numbers)."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(np.round(rng.normal(size=(n, 3)), 1 if seed % 2 else 6), columns=["a", "b", "e"])
    sizes = pd.CategoricalDtype(["small", "medium", "large", "huge"], ordered=True)
    frame.insert(2, "c", pd.Categorical.from_codes(rng.integers(0, 4, n), dtype=sizes))
    frame.insert(3, "d", rng.choice(list("vwxyz"), n))
    score = frame["a"] - frame["b"] + frame["c"].cat.codes + np.sin(3 * frame["a"]) + 2 * rng.normal(size=n)
    score = score.to_numpy()
    if seed % 3 == 0:
        for name in ("a", "b", "e"):
            frame.loc[rng.random(n) < 0.1, name] = np.nan
    y = score if k == 0 else np.searchsorted(np.quantile(score, np.arange(1, k) / k), score)
    return frame, y, rng


RULE = {"a": 1, "b": -1, "c": 1}


def worst_of(model, frame, named):
    """By how much predictions go the wrong way, of some rows along every column that has a rule."""
    pd = pytest.importorskip("pandas")
    most = 0.0
    for name, sign in RULE.items():
        values = frame[name].cat.categories if name == "c" else np.unique(frame[name].dropna())
        if name != "c":
            values = np.concatenate([[-9.0], values, [9.0]])
        base = frame.iloc[np.repeat(np.arange(min(12, len(frame))), len(values))].reset_index(drop=True)
        along = list(values) * min(12, len(frame))
        base[name] = pd.Categorical(along, dtype=frame[name].dtype) if name == "c" else along
        found = model.predict(base) if named is None else model.predict_proba(base)[:, named]
        most = max(most, (-sign * np.diff(found.reshape(-1, len(values)), axis=1)).max(initial=0.0))
    return most


@pytest.mark.parametrize("place", range(len(KINDS)))
def test_no_pair_of_rows_breaks_the_rule_whatever_the_split(place):
    """A thousand models: 20 of each kind, of which the first ones are told apart from those without the rule."""
    more, broken = KINDS[place], 0
    for seed in range(20):
        k = (0, 2, 3, 2, 0)[seed % 5]
        if k == 0 and any(w in more for w in ("criterion", "selector", "prune")):
            k = 2  # these are for classes
        if k == 0 and (more.get("nominal") in ("superclass", "pc_ext", "sliq") or more.get("split") == "elc"):
            k = 3
        frame, y, rng = mixed([seed, place][0] * 100 + place, [15, 40, 90][seed % 3], k)
        if more.get("split") in ("cart_lc", "oc1", "elc"):
            frame, y = frame.iloc[:40], y[:40]
        if k and len(set(y)) < k:
            continue
        named = (seed % 3 if k == 3 else 1) if k else None
        kind = (ForestRegressor if "n_estimators" in more else TreeRegressor) if k == 0 else None
        kind = kind or (ForestClassifier if "n_estimators" in more else TreeClassifier)
        w = rng.uniform(0.1, 3, len(y)) if seed % 4 == 0 else None
        rule = RULE if k < 3 else {"class": named, **RULE}
        model = kind(monotonic_cst=rule, random_state=seed, **more).fit(frame, y, w)
        assert worst_of(model, frame, named) <= 1e-9, (seed, k)
        if seed < 6:
            broken += worst_of(kind(random_state=seed, **more).fit(frame, y, w), frame, named) > 1e-9
    assert broken or more.keys() & {"prune", "selector", "refine"}  # there is something to forbid


def test_a_linear_split_pulls_all_its_columns_one_way():
    for seed in range(30):
        X, y, _ = table([seed, 9], 120, 4, True)
        signs = [1, -1, 0, 1]
        for split in ("lda", "pca", "oc1", "elc"):
            tree = TreeClassifier(split=split, monotonic_cst=signs, max_depth=4).fit(X, y)
            for node in tree.model_.nodes():
                if node.kind != "linear":
                    continue
                pulls = {np.sign(w) * signs[c] for c, w in zip(node.split.columns, node.split.weights, strict=True)}
                assert not {1, -1} <= pulls


def test_refining_with_a_rule_is_no_worse_than_growing_with_it():
    """Hardly: it has the same rule to keep, makes fewer leaves, and what breaks the rule at the end becomes a leaf."""
    grown = refined = 0.0
    for seed in range(12):
        X, y, _ = table([seed, 4], 400, 4, True)
        rule = {"monotonic_cst": [1, 0, 0, -1], "max_depth": 3}
        grown += TreeClassifier(**rule).fit(X, y).score(X, y)
        refined += TreeClassifier(**rule, refine="axis").fit(X, y).score(X, y)
    assert refined >= grown - 12 * 0.03


@pytest.mark.parametrize("weights", [None, [1.0, 2.0]])
@pytest.mark.parametrize("kind", [TreeRegressor, TreeClassifier])
def test_two_rows_are_parted_by_the_column_that_costs_nothing(kind, weights):
    for more in ({}, {"max_features": 1.0}):
        tree = kind(column_costs={0: 0.01}, **more).fit([[0.0, 0.0], [1.0, 1.0]], [0, 1], weights)
        assert tree.tree_.feature[0] == 1
