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


def test_ranks_and_row_numbers_grow_the_same_trees():
    from bough import _core
    from bough.estimators.plan import plan_of

    for classes in (False, True):
        X, y, _ = table(5, 700, 6, classes)
        X = np.round(X, 1)
        forest = (ForestClassifier if classes else ForestRegressor)(monotonic_cst=[1, 0, -1, 0, 0, 1], max_features=2)
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
        ({"monotonic_cst": {"x": 1}}, "monotonic_cst"),
        ({"monotonic_cst": "up"}, "monotonic_cst"),
        ({"monotonic_cst": [1, 0, 0], "split": "pca"}, "split='pca'"),
        ({"monotonic_cst": [1, 0, 0], "missing": "shared"}, "missing='shared'"),
    ],
)
def test_what_cannot_be_kept_is_refused(given, what):
    X, y, _ = table(0, 60, 3, False)
    with pytest.raises(ParameterError, match=what):
        TreeRegressor(**given).fit(X, y)


def test_more_than_two_classes_are_refused():
    X, _, _ = table(0, 60, 3, True)
    with pytest.raises(ParameterError, match="3 classes"):
        TreeClassifier(monotonic_cst=[1, 0, 0]).fit(X, np.arange(60) % 3)
