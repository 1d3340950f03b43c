"""why_not: the nearest change is the nearest, is predicted as it says, and keeps to what may change."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import bough
from support.hostile import NAMES
from support.oracle.changing import nearest


def table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "duration": rng.integers(4, 60, n),
            "amount": np.round(rng.lognormal(7, 1, n), 2),
            "status": rng.choice(["none", "low", "high"], n),
        }
    )
    y = X["duration"] / 20 + X["amount"] / 2000 - 2 * (X["status"] == "none") + 0.5 * rng.normal(size=n)
    return X, y.to_numpy()


def loans(seed=0, **params):
    X, y = table(seed=seed)
    tree = bough.TreeClassifier(max_depth=4, min_samples_leaf=3, **params)
    return tree.fit(X, np.where(y > np.median(y), "bad", "good")), X


def spreads(X):
    return [float(np.std(X[c])) if X[c].dtype.kind in "if" else 1.0 for c in X]


def refused(tree, X, wanted="good"):
    """Rows that are predicted something else."""
    return [X.iloc[i].tolist() for i in np.flatnonzero(tree.predict(X) != wanted)]


@pytest.mark.parametrize("nominal", ["auto", "multiway"])
@pytest.mark.parametrize("seed", range(3))
def test_the_first_answer_is_the_nearest_of_all_combinations(seed, nominal):
    tree, X = loans(seed, nominal=nominal)
    low, high = X[["duration", "amount"]].min().tolist(), X[["duration", "amount"]].max().tolist()

    def free(c, v):
        return c == 2 or low[c] <= v <= high[c]

    for row in refused(tree, X)[:12]:
        found = tree.why_not(row, "good", background=X)
        best = nearest(tree.model_, row, lambda p: p == "good", spreads(X), [True, False, False], free)
        assert best is not None
        assert len(found[0].changed) == best[0]
        assert found[0].distance == pytest.approx(best[1], rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_what_may_not_change_does_not(seed):
    tree, X = loans(seed)

    def free(c, v):
        return c != 2 and (c != 0 or v >= row[0])

    for row in refused(tree, X)[:12]:
        found = tree.why_not(row, "good", background=X, fixed=["status"], direction={"duration": "up"}, unseen=True)
        best = nearest(tree.model_, row, lambda p: p == "good", spreads(X), [True, False, False], free)
        assert (best is None) == (len(found) == 0)
        for answer in found.changes:
            assert {c.name for c in answer.changed} <= {"duration", "amount"}
            assert all(c.to > c.value for c in answer.changed if c.name == "duration")
        if best:
            assert (len(found[0].changed), found[0].distance) == (best[0], pytest.approx(best[1], rel=1e-9))


@pytest.mark.parametrize("split", ["axis", "lda", "oc1"])
def test_every_answer_is_predicted_as_it_says(split):
    tree, X = loans(split=split, random_state=0)
    asked = 0
    for row in refused(tree, X)[:15]:
        for background in (None, X):
            for answer in tree.why_not(row, "good", background=background, n=5).changes:
                asked += 1
                assert tree.model_.predict(pd.DataFrame([answer.row], columns=X.columns).astype(X.dtypes))[0] == "good"
                assert all(isinstance(c.to, int) for c in answer.changed if c.name == "duration")
                assert [v for i, v in enumerate(answer.row) if v != row[i]] == [
                    c.to for c in sorted(answer.changed, key=lambda c: c.column)
                ]
    assert asked > 20


def test_regression_asks_for_a_range():
    X, y = table()
    tree = bough.TreeRegressor(max_depth=4).fit(X, y)
    row = X.iloc[int(np.argmax(y))].tolist()
    for wanted in ((None, 0.5), (0.0, 1.0)):
        found = tree.why_not(row, wanted, background=X)
        assert len(found) > 0
        for answer in found.changes:
            predicted = tree.model_.predict(pd.DataFrame([answer.row], columns=X.columns).astype(X.dtypes))[0]
            assert predicted == answer.prediction
            assert (-math.inf if wanted[0] is None else wanted[0]) <= predicted <= wanted[1]


def test_a_half_plane_is_reached_at_its_nearest_point():
    """x + 2·y <= 0 from (0, 3): one column will do; y, which weighs more, moves least."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    X = X[np.abs(X @ [1.0, 2.0]) > 0.05]
    tree = bough.TreeClassifier(split="lda", max_depth=1).fit(X, X @ [1.0, 2.0] > 0)
    split = tree.tree_.split(0)
    assert split.kind == "linear"
    found = tree.why_not([0.0, 1.0], False, background=X)
    changed = found[0].changed
    assert [c.name for c in changed] == ["x1"]
    weights = dict(zip(split.names, split.weights))
    assert changed[0].to == pytest.approx(split.cut / weights["x1"], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_no_point_nearby_is_nearer_across_linear_splits(seed):
    """Thousands of random changes of as few columns find nothing nearer."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4)) * [1, 10, 0.1, 1]
    y = (X @ [1, 0.1, 10, 1] + X[:, 0] * X[:, 3] > 0.3).astype(int)
    tree = bough.TreeClassifier(split="lda", max_depth=3).fit(X, y)
    low, high, spread = X.min(axis=0), X.max(axis=0), X.std(axis=0)
    for row in X[tree.predict(X) == 0][:6]:
        found = tree.why_not(row, 1, background=X)[0]
        tried = np.repeat(row[None], 4000, axis=0)
        for i, columns in enumerate(np.array([rng.permutation(4)[: len(found.changed)] for _ in range(4000)])):
            reach = found.distance * rng.uniform(0, 1.2)
            way = rng.dirichlet(np.ones(len(columns))) * rng.choice([-1, 1], len(columns))
            tried[i, columns] += way * reach * spread[columns]
        inside = ((tried >= low) & (tried <= high) | (tried == row)).all(axis=1)
        right = inside & (tree.predict(tried) == 1)
        if right.any():
            assert (np.abs(tried[right] - row) / spread).sum(axis=1).min() > found.distance * (1 - 1e-5)
        fewer = np.repeat(row[None], 4000, axis=0)
        if len(found.changed) == 2:
            for c in range(4):
                fewer[c * 1000 : (c + 1) * 1000, c] = np.linspace(low[c], high[c], 1000)
            assert not (tree.predict(fewer) == 1).any()


def test_a_hundred_columns_in_a_split_are_answered():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 100))
    y = (X @ rng.normal(size=100) > 0).astype(int)
    tree = bough.TreeClassifier(split="lda", max_depth=2).fit(X, y)
    found = tree.why_not(X[tree.predict(X) == 0][0], 1, background=X, n=1)
    assert tree.predict([found[0].row])[0] == 1
    assert len(found[0].changed) <= 5


def test_a_missing_value_may_stay_missing_where_the_tree_takes_it():
    X = np.array([[1.0, 1], [2, 1], [3, 0], [np.nan, 0], [4, 1], [np.nan, 1]] * 5)
    y = np.where(X[:, 1] == 1, np.where(np.isnan(X[:, 0]), "b", "a"), "b")
    tree = bough.TreeClassifier().fit(X, y)
    row = [None, 1.0]
    assert tree.predict(np.array([[np.nan, 1.0]]))[0] == "b"
    found = tree.why_not(row, "a", background=X)
    assert found[0].changed[0].value is None
    assert "instead of missing" in str(found)
    assert tree.predict(np.array([found[0].row], dtype=float))[0] == "a"


def test_a_missing_value_needs_no_background():
    X = np.array([[1.0, 1], [2, 1], [3, 0], [np.nan, 0], [4, 1], [np.nan, 1]] * 5)
    y = np.where(X[:, 1] == 1, np.where(np.isnan(X[:, 0]), "b", "a"), "b")
    tree = bough.TreeClassifier().fit(X, y)
    found = tree.why_not([None, 1.0], "a")  # math.floor(NaN) raised an error
    assert tree.predict(np.array([found[0].row], dtype=float))[0] == "a"


def test_costs_decide_between_answers_with_as_many_changes():
    X = np.array([[a, b] for a in range(10) for b in range(10)], dtype=float)
    tree = bough.TreeClassifier().fit(X, ((X[:, 0] >= 5) | (X[:, 1] >= 5)).astype(int))
    row = [2.0, 4.0]
    assert [c.name for c in tree.why_not(row, 1, background=X)[0].changed] == ["x1"]
    assert [c.name for c in tree.why_not(row, 1, background=X, costs={"x1": 10})[0].changed] == ["x0"]
    assert [c.name for c in tree.why_not(row, 1, background=X, costs={1: math.inf})[0].changed] == ["x0"]


def test_it_reads_as_sentences():
    X = pd.DataFrame({"duration": [24, 11, 30, 9] * 5, "status": ["a", "b", "a", "b"] * 5})
    tree = bough.TreeClassifier().fit(X[["duration"]], ["bad", "good"] * 10)
    assert str(tree.why_not([24], "good", background=X[["duration"]])) == (
        "The prediction is bad.\n"
        "If duration were at most 17 instead of 24, the prediction would be good (100 % of 10 rows)."
    )
    assert "already" in str(tree.why_not([9], "good"))
    assert "No change" in str(tree.why_not([24], "good", fixed="duration"))
    words = bough.TreeClassifier().fit(X[["status"]], ["bad", "good"] * 10)
    assert "If status were b instead of a" in str(words.why_not(["a"], "good"))


def test_hostile_names_are_names():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, len(NAMES))), columns=NAMES)
    tree = bough.TreeClassifier().fit(X, X.iloc[:, 3] > 0)
    row = X[tree.predict(X) == False].iloc[0]  # noqa: E712
    assert "\x1b" not in str(tree.why_not(row, True))
    assert tree.why_not(row, True).to_frame()["column"][0] == NAMES[3]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"wanted": "great"}, "wanted is 'great'; it must be a class of the model: 'bad', 'good'"),
        ({"fixed": ["age"]}, "fixed names 'age', which is not a column; columns: 'duration', 'amount', 'status'"),
        ({"fixed": 3.5}, "fixed is 3.5"),
        ({"direction": {"status": "up"}}, "whose categories have no order"),
        ({"direction": {"amount": "left"}}, "must be 'up' or 'down'"),
        ({"direction": ["amount"]}, "must be a dict by column"),
        ({"costs": {"amount": -1}}, "must be a number of at least 0"),
        ({"n": 0}, "n is 0"),
        ({"background": "one row"}, "background has one row"),
    ],
)
def test_wrong_input_gets_one_sentence(options, said):
    tree, X = loans()
    if "background" in options:
        options = {"background": X.iloc[:1]}
    with pytest.raises(bough.BoughError, match=said):
        tree.why_not(refused(tree, X)[0], **{"wanted": "good", **options})


@pytest.mark.parametrize("wanted", [3, "x", (2, 1), (1,), (1, 2, 3), ("a", "b"), (float("nan"), 2), None])
def test_a_wrong_range_is_named(wanted):
    tree = bough.TreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(bough.ParameterError, match="it must be a range"):
        tree.why_not([0.0], wanted)


def test_forests_and_rows_that_go_several_ways_are_refused():
    X, y = table()
    forest = bough.ForestRegressor(n_estimators=3).fit(X, y)
    with pytest.raises(bough.ParameterError, match="this model has 3"):
        forest.why_not(X.iloc[0], (0, 1))
    shared = bough.TreeRegressor(missing="shared", max_depth=3).fit(X, y)
    with pytest.raises(bough.ParameterError, match="does not go one way"):
        shared.why_not([None, None, None], (0, 1))


# ---- the command -------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree, X = loans()
    tree.save("loans.bough")
    X.to_csv("loans.csv", index=False)
    return tree, X


def test_the_command_prints_the_same(saved, capsys):
    from bough.cli import main

    tree, X = saved
    row = int(np.flatnonzero(tree.predict(X) == "bad")[0])
    assert main(["why-not", "loans.bough", "loans.csv", "--row", str(row + 1), "--wanted", "good"]) == 0
    assert capsys.readouterr().out.strip() == str(tree.why_not(X.iloc[row], "good", background=X))
    options = ["--fixed", "status", "--down", "amount", "--cost", "duration=2", "-n", "1", "--json"]
    assert main(["why-not", "loans.bough", "loans.csv", "--row", str(row + 1), "--wanted", "good", *options]) == 0
    assert '"changes"' in capsys.readouterr().out


def test_the_command_says_what_is_wrong(saved, capsys):
    from bough.cli import main

    assert main(["why-not", "loans.bough", "loans.csv", "--row", "999", "--wanted", "good"]) == 1
    assert "has rows 1 to 150" in capsys.readouterr().err
    assert main(["why-not", "loans.bough", "loans.csv", "--wanted", "great"]) == 2
    assert "'bad', 'good'" in capsys.readouterr().err
    bough.TreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0]).save("n.bough")
    assert main(["why-not", "n.bough", "loans.csv", "--wanted", "5"]) != 0
