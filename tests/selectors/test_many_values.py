"""Columns of many values do not win by their number: the ratio that `min_ratio` asks for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bough


def ratio_of(codes, y):
    """The F of a nominal column by its definition: what the values explain, per value, over what a row explains."""
    n, values = len(y), sorted(set(codes))
    if y.dtype.kind == "f":
        whole = ((y - y.mean()) ** 2).sum()
        within = sum(((y[codes == v] - y[codes == v].mean()) ** 2).sum() for v in values)
    else:

        def spread(part):
            return len(part) - sum((part == c).sum() ** 2 for c in set(part.tolist())) / len(part)

        whole, within = spread(y), sum(spread(y[codes == v]) for v in values)
    return (whole - within) / whole * (n - 1) / (len(values) - 1)


@pytest.mark.parametrize("regression", [False, True])
def test_a_column_of_many_values_is_split_where_its_ratio_reaches_the_limit(regression):
    rng = np.random.default_rng(5)
    kind = bough.TreeRegressor if regression else bough.TreeClassifier
    for _ in range(20):
        codes = rng.integers(0, 30, 120)
        signal = rng.normal(size=30)[codes] * rng.random() + rng.normal(size=120)
        y = signal if regression else (signal > 0).astype(int)
        found = ratio_of(codes, y)
        X = pd.DataFrame({"g": [f"v{c}" for c in codes]})
        for limit, splits in ((found * 0.999, True), (found * 1.001, found > 1)):  # in reserve while above 1
            tree = kind(max_depth=1, selector_params={"min_ratio": limit}, random_state=0).fit(X, y)
            assert (tree.get_n_leaves() == 2) == splits


def test_an_id_does_not_win_by_its_number_of_values():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    y = (x > 0) ^ (rng.random(2000) < 0.2)
    X = pd.DataFrame({"id": [f"u{i}" for i in range(2000)], "x": x})
    tree = bough.TreeClassifier(max_depth=1).fit(X, y)
    assert tree.tree_.feature[0] == 1
    assert bough.TreeClassifier(max_depth=1, selector_params={"min_ratio": 0}).fit(X, y).tree_.feature[0] == 0
    assert bough.TreeClassifier().fit(X[["id"]], y).get_n_leaves() == 1  # its ratio is exactly 1


def test_two_flags_whose_xor_is_the_class_are_learned():
    a, b = (v.ravel() for v in np.meshgrid([0, 1] * 10, [0, 1] * 10))
    X = pd.DataFrame({"a": np.where(a, "u", "v"), "b": np.where(b, "u", "v")})
    assert bough.TreeClassifier(min_info_gain=-1).fit(X, a ^ b).score(X, a ^ b) == 1


def test_published_systems_hold_no_column_back():
    rng = np.random.default_rng(1)
    X, y = pd.DataFrame({"id": [f"u{i}" for i in range(60)]}), rng.integers(0, 2, 60)
    assert bough.system("cart", prune=None).fit(X, y).score(X, y) == 1


def with_id(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = (x[:, 0] + x[:, 1] > 0) ^ (rng.random(n) < 0.2)
    X = pd.DataFrame({"id": [f"u{i}" for i in range(n)], "a": x[:, 0], "b": x[:, 1], "c": x[:, 2]})
    return X, y


@pytest.mark.parametrize("engine", ["ranks", "rows", "weights", "numbers"])
def test_an_id_does_not_win_where_a_bootstrap_repeats_rows(engine):
    """Copies of a row have the same value and the same class: counted as rows of their own, they make an id tell."""
    (X, y), (X_test, y_test) = with_id(600, 3), with_id(2000, 4)
    X_test["id"] = "new " + X_test["id"]
    forest = bough.ForestRegressor if engine == "numbers" else bough.ForestClassifier
    weights = {"sample_weight": np.where(np.arange(600) % 2, 1.5, 1.0)} if engine == "weights" else {}

    def score(leave_out):
        fitted = forest(20, max_features="sqrt" if engine == "ranks" else None, random_state=0)
        fitted.fit(X.drop(columns=leave_out), y.astype(float) if engine == "numbers" else y, **weights)
        assert fitted.feature_importances_[0] < 0.5
        return np.mean((fitted.predict(X_test.drop(columns=leave_out)) > 0.5) == y_test)

    assert score([]) > score(["id"]) - 0.05  # they were 20 points apart


def chance_of(codes, y, times, shuffles, rng):
    """What the values explain on average of shuffled classes, each row counted as often as it was drawn."""

    def spread(part, w):
        return w.sum() - sum(w[part == c].sum() ** 2 for c in set(part.tolist())) / w.sum()

    shares = []
    for _ in range(shuffles):
        s = rng.permutation(y)
        whole = spread(s, times)
        within = sum(spread(s[codes == v], times[codes == v]) for v in set(codes[times > 0].tolist()))
        shares.append((whole - within) / whole)
    return np.mean(shares)


def test_what_values_explain_by_chance_is_right_for_drawn_rows():
    """The limit at which a column of a bootstrapped stump is held back is where its share is that of shuffled rows."""
    rng = np.random.default_rng(7)
    codes, n = rng.integers(0, 40, 200), 200
    y = ((codes % 2 == 0) ^ (rng.random(n) < 0.25)).astype(int)
    X = pd.DataFrame({"g": [f"v{c}" for c in codes]})

    def stump(limit):
        given = {"min_ratio": limit}
        return bough.ForestClassifier(1, max_depth=1, selector_params=given, max_features=None, random_state=0).fit(
            X, y
        )

    from bough import _core
    from bough.estimators.forest import seeds_of

    times = _core.times_drawn(n, n, seeds_of(0, 1)[0]).astype(float)
    drawn = times > 0
    share = 1 - sum(
        times[codes == v].sum()
        - sum(times[(codes == v) & (y == c)].sum() ** 2 for c in (0, 1)) / times[codes == v].sum()
        for v in set(codes[drawn].tolist())
    ) / (n - sum(times[y == c].sum() ** 2 for c in (0, 1)) / n)
    found = share / chance_of(codes[drawn], y[drawn], times[drawn], 400, rng)
    assert found > 1.5  # so that it is not in reserve below the limit: a second column is split instead
    X["x"] = rng.normal(size=n)
    used = [stump(limit).model_.trees[0].parts()["columns"][0] for limit in (found * 0.97, found * 1.03)]
    assert used == [0, 1]
