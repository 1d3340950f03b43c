"""The report without a browser: what it holds, what it refuses, how it is packed."""

from __future__ import annotations

import dataclasses
import json
import re
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import bough
from bough import Model
from bough.output.html.page import asset

ROOT = Path(__file__).resolve().parents[2]


def data_of(report):
    return json.loads(re.search(r'id="data">(.*?)</script>', report.page, flags=re.S).group(1))


def fitted(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.choice(["x", "y", "z"], n), "c": rng.normal(size=n)})
    y = pd.Series(np.where((X["a"] > 0) & (X["b"] != "x"), "yes", "no"), name="answer")
    return bough.TreeClassifier(max_depth=4).fit(X, y), X, y


@pytest.mark.parametrize("name", ["page.min.js", "page.min.css"])
def test_the_packed_files_belong_to_their_sources(name):
    tool = runpy.run_path(str(ROOT / "tools/pack_report.py"))
    names = tool["SCRIPTS"] if name.endswith("js") else tool["STYLES"]
    assert asset(name).startswith(tool["first_line"](names)), "run tools/pack_report.py"


def test_the_scripts_use_no_markup_from_text():
    for path in (ROOT / "src/bough/output/html").glob("*.js"):
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(", "XMLHttp"):
            assert word not in path.read_text(encoding="utf-8"), (path.name, word)


def test_rows_and_classes_of_leaves_are_those_of_the_model():
    tree, X, y = fitted()
    found = data_of(tree.report(X, y))["tree"]
    nodes = tree.model_.nodes()
    leaves = [n for n in nodes if n.is_leaf]
    assert found["n"] == [n.rows for n in leaves]
    for told, node in zip(found["w"], leaves, strict=True):
        assert dict(zip(told[::2], told[1::2], strict=True)) == {k: w for k, w in enumerate(node.weights) if w}
    assert found["k"].count(".") == len(leaves)


def test_counts_of_a_histogram_are_the_rows_that_come_to_the_node():
    tree, X, y = fitted()
    given = data_of(tree.report(X, y))["data"]
    for node in tree.model_.nodes():
        if node.kind != "axis":
            continue
        seen = given["h"][str(node.number)]
        assert seen["n"] == node.rows
        for k, counts in seen["hist"]["c"]:
            assert sum(counts) == node.weights[k]


def test_scores_are_those_of_scikit_learn():
    from sklearn.metrics import confusion_matrix, log_loss

    tree, X, y = fitted()
    other, answers = X[::2].assign(a=X["a"][::2] + 0.3), y[::2]
    given = data_of(tree.report(other, answers))["data"]
    assert given["score"]["acc"] == pytest.approx(tree.score(other, answers))
    assert given["score"]["loss"] == pytest.approx(log_loss(answers, tree.predict_proba(other)), rel=1e-3)
    assert given["conf"] == confusion_matrix(answers, tree.predict(other), labels=tree.classes_).tolist()


def test_the_gains_of_other_columns_are_those_of_stumps():
    tree, X, y = fitted()
    found = data_of(tree.report(X, y))["data"]["h"]["0"]
    assert found["gain"] == pytest.approx(tree.model_.nodes()[0].gain, rel=1e-3)
    names = X.columns.tolist()
    for column, gain, _ in found["alt"]:
        alone = bough.TreeClassifier(max_depth=1, selector_params={"min_ratio": 0}).fit(X[[names[column]]], y)
        assert gain == pytest.approx(alone.model_.nodes()[0].gain, rel=1e-3)
    assert all(gain <= found["gain"] * (1 + 1e-9) for _, gain, _ in found["alt"])


def test_bad_input_is_named():
    tree, X, y = fitted()
    numbers = bough.TreeRegressor(max_depth=2).fit(X, X["a"])
    for call, words in (
        (lambda: numbers.report(X, y), "values that are not numbers"),
        (lambda: numbers.report(X, X["a"].mask(X["a"] > 2)), r"y holds nan \(row"),
        (lambda: tree.report(None, y), "without X"),
        (lambda: tree.report(X, y[:5]), "300 rows, but y has the shape"),
        (lambda: tree.report(X, ["maybe"] * 300), "'maybe', which is not a class"),
        (lambda: tree.report(X, y, include_rows="yes"), "include_rows must be True or False, not 'yes'"),
        (lambda: tree.report(X[:0], y[:0]), "0 sample|no rows"),
        (lambda: tree.report(X[["a"]], y), "lacks"),
        (lambda: tree.model_.report(tree=3), "tree is 3; it must be 0"),
    ):
        with pytest.raises(bough.BoughError, match=words):
            call()


def test_it_is_saved_whole_and_shows_itself_in_a_notebook(tmp_path):
    tree, X, y = fitted()
    report = tree.report(X, y)
    assert report.save(tmp_path / "page.html").read_text(encoding="utf-8") == report.page
    assert "sandbox" in report._repr_html_()
    assert "save(path)" in repr(report)


def naive_path(nodes, wrong):
    """Leaves and error as the weakest link is cut, each time found anew among all nodes."""
    cut, points = set(), []

    def ends(node):
        todo, found = [node], []
        while todo:
            n = todo.pop()
            found += [n] if nodes[n].is_leaf or n in cut else []
            todo += [] if nodes[n].is_leaf or n in cut else nodes[n].children
        return found

    while True:
        now = ends(0)
        points.append((len(now), sum(wrong[n] for n in now)))
        if len(now) == 1:
            return points
        inner = [n for n in range(len(nodes)) if not nodes[n].is_leaf and not cut & set(nodes.path(n))]
        worth = {n: (wrong[n] - sum(wrong[e] for e in ends(n))) / (len(ends(n)) - 1) for n in inner}
        cut.add(max(n for n in inner if worth[n] == min(worth.values())))


def test_the_pruning_curve_cuts_the_weakest_link_first():
    _, X, y = fitted(120, 3)
    y = y.where(np.random.default_rng(4).random(120) > 0.15, "perhaps")
    tree = bough.TreeClassifier().fit(X, y)
    nodes = tree.model_.nodes()
    assert len(nodes) > 20
    told = data_of(tree.report(X, y))["prune"]
    wrong = [n.weight - n.weights.max() for n in nodes]
    expected = naive_path(nodes, wrong)
    assert [p[0] for p in told] == [leaves for leaves, _ in expected]
    assert [p[1] for p in told] == pytest.approx([error / 120 for _, error in expected], abs=1e-4)
    assert [p[2] for p in told] == [pytest.approx(p[1]) for p in told]  # the rows given are those of training
    other = X.assign(a=X["a"] + 0.2)
    told = data_of(tree.report(other, y))["prune"]
    assert told[0][2] == pytest.approx(1 - tree.score(other, y), abs=1e-4)
    assert told[-1][2] == pytest.approx(1 - (y == "no").mean(), abs=1e-4)


def test_the_pruning_curve_of_numbers_is_in_their_unit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] * 10 + rng.normal(size=200)
    tree = bough.TreeRegressor(max_depth=5).fit(X, y)
    told = data_of(tree.report(X, y))["prune"]
    assert told[0][1] == pytest.approx(np.sqrt(np.mean((tree.predict(X) - y) ** 2)), rel=1e-3)
    assert told[-1][2] == pytest.approx(np.std(y), rel=1e-3)
    assert data_of(tree.report())["prune"][0][2] is None


def test_alpha_and_the_search_are_told_as_they_were_used():
    _, X, y = fitted()
    told = data_of(bough.system("ctree", selector_params={"alpha": 0.2}, nominal="pc").fit(X, y).report())
    assert told["alpha"] == 0.2
    assert told["search"].startswith("pc: cuts in the order of the first principal component")
    tree = bough.system("ctree").fit(X, y)
    assert data_of(tree.report())["alpha"] == 0.05
    again = Model.from_bytes(tree.model_.to_bytes())
    assert data_of(again.report()) == data_of(tree.report())
    assert ["random_state", "None"] in data_of(again.report())["params"]
    old = dataclasses.replace(again, origin=None)  # as files were before they told it: nothing is claimed
    assert not {"alpha", "search"} & data_of(old.report()).keys()
    assert data_of(old.report())["params"] == [["criterion", "chi2"]]
    assert "alpha" not in data_of(bough.TreeClassifier().fit(X, y).report())


@pytest.mark.parametrize(
    ("search", "criterion"), [("exact", "gini"), ("largest_class_alone", "entropy"), ("gw", "max_cut")]
)
def test_what_is_proven_of_a_grouping_is_true_of_the_rows_given(search, criterion):
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"w": rng.choice(list("abcdefgh"), 400)})
    y = (np.array([ord(w) % 3 for w in X["w"]]) + (rng.random(400) < 0.4)) % 3
    tree = bough.TreeClassifier(nominal=search, criterion=criterion, max_depth=1).fit(X, y)
    for rows in (X, X[::3]):
        answers = y if len(rows) == len(X) else y[::3]
        told = data_of(tree.report(rows, answers))["data"]["h"]["0"]
        table = pd.crosstab(rows["w"], answers).to_numpy()
        best = bough.partition(table, search="exact", criterion=criterion).gain
        left = [w in tree.model_.nodes()[0].split.left for w in "abcdefgh"]
        counts = np.array([table[left].sum(axis=0), table[np.logical_not(left)].sum(axis=0)])
        own = bough.partition(counts, search="exact", criterion=criterion).gain
        assert told["best"] <= own / best + 1e-9
        assert (told["best"] == 1) == (search == "exact" and own > best * (1 - 1e-9))


def test_a_search_that_proves_nothing_lets_another_one_prove_it():
    _, X, y = fitted()
    tree = bough.TreeClassifier(nominal="pc", max_depth=1).fit(X[["b"]], y)
    assert data_of(tree.report(X[["b"]], y))["data"]["h"]["0"]["best"] == 1  # three values: all groupings are looked at
    numbers = bough.TreeRegressor(max_depth=1).fit(X[["b"]], X["a"] + (X["b"] == "y"))
    assert data_of(numbers.report(X[["b"]], X["a"] + (X["b"] == "y")))["data"]["h"]["0"]["best"] == 1


def test_classes_that_are_numbers_read_as_classes():
    assert data_of(bough.TreeClassifier().fit([[0.0], [1.0]], [0, 1]).report())["classes"] == ["class 0", "class 1"]


def test_a_report_says_whether_its_rows_are_those_the_tree_was_fitted_to():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    tree = bough.TreeClassifier(max_depth=4).fit(X[:150], y[:150])
    assert data_of(tree.report(X[:150], y[:150]))["data"]["train"] == 1
    assert "train" not in data_of(tree.report(X[50:], y[50:]))["data"]
    assert "train" not in data_of(tree.report(X[:150], rng.permutation(y[:150])))["data"]
    numbers = bough.TreeRegressor(max_depth=4).fit(X[:150], X[:150, 0] + y[:150])
    assert data_of(numbers.report(X[:150], X[:150, 0] + y[:150]))["data"]["train"] == 1
    assert "train" not in data_of(numbers.report(X[:150], X[:150, 0]))["data"]


def test_costs_come_first_where_they_were_given():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] + rng.normal(size=300) > 0.8, "bad", "good")
    costs = {("bad", "good"): 5.0, ("good", "bad"): 1.0}
    tree = bough.TreeClassifier(max_depth=2, costs=costs).fit(X, y)
    found = data_of(tree.report(X, y))
    told = tree.predict(X)
    paid = np.mean([costs.get((a, b), 0.0) for a, b in zip(y, told, strict=True)])
    always = {c: np.mean([costs.get((a, c), 0.0) for a in y]) for c in ("bad", "good")}
    cheap = min(always, key=always.get)
    score = found["data"]["score"]
    assert score["cost"] == pytest.approx(paid, rel=1e-3)
    assert score["least"] == pytest.approx(always[cheap], rel=1e-3)
    assert found["classes"][score["cheap"]] == cheap
    assert ["costs", "'bad' predicted as 'good': 5.0; 'good' predicted as 'bad': 1.0"] in found["params"]


def test_the_brier_score_of_two_classes_is_that_of_scikit_learn():
    from sklearn.metrics import brier_score_loss

    X, y = np.random.default_rng(6).normal(size=(200, 2)), np.random.default_rng(7).integers(0, 2, 200)
    tree = bough.TreeClassifier(max_depth=3).fit(X, y)
    own = data_of(tree.report(X, y))["data"]["score"]["brier"]
    assert own == pytest.approx(brier_score_loss(y, tree.predict_proba(X)[:, 1]), rel=1e-3)


def test_the_area_under_the_curve_is_scikit_learns():
    from sklearn.datasets import load_breast_cancer
    from sklearn.metrics import roc_auc_score

    from bough.output.html.measure import area

    rng = np.random.default_rng(0)
    for digits in (1, 2, 9):
        scores, y = rng.random(200).round(digits), rng.integers(0, 2, 200)
        assert area(scores, y == 1) == pytest.approx(roc_auc_score(y, scores))
    X, y = load_breast_cancer(return_X_y=True)
    tree = bough.TreeClassifier(max_depth=2).fit(X, y)
    told = float(re.search(r'"auc":([\d.]+)', tree.report(X, y).page)[1])
    assert told == pytest.approx(roc_auc_score(y, tree.predict_proba(X)[:, 1]), abs=1e-4)
    assert '"auc"' not in bough.TreeClassifier(max_depth=1).fit(X, y % 2).report(X[y == 1], y[y == 1]).page


# ---- boosted trees and linear leaves ------------------------------------------------------------------------


def test_the_curve_of_rounds_is_that_of_the_model_and_so_are_the_scores():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=400) / 2 > 0, "yes", "no")
    boosted = bough.BoostedClassifier(max_iter=150, early_stopping=True, n_iter_no_change=150).fit(X, y)
    found = data_of(boosted.report(X, y, tree=7))["rounds"]
    assert found["at"] == [8, 150]
    for key, scores in (("t", boosted.train_score_), ("v", boosted.validation_score_)):
        places = [i for i, _ in found[key]]
        assert places[0] == 0
        assert places[-1] == 150
        np.testing.assert_allclose([v for _, v in found[key]], -np.asarray(scores)[places], rtol=1e-4)
    assert boosted.validation_score_[found["best"]] == max(boosted.validation_score_)
    assert dict(found["f"])["Accuracy"] == f"{100 * boosted.score(X, y):.4g} %"
    assert "f" not in data_of(boosted.report())["rounds"]


def test_the_page_about_a_tree_of_three_classes_says_for_which():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(120, 2)), np.repeat(["a", "b", "c"], 40)
    boosted = bough.BoostedClassifier(max_iter=5).fit(X, y)
    found = data_of(boosted.report(X, y, tree=7))
    assert found["rounds"]["c"] == "b"
    assert found["rounds"]["at"] == [3, 5]
    assert found["tree"]["n"] == [n.rows for n in boosted.model_.stage(7).nodes() if n.is_leaf]


def test_lines_of_a_leaf_begin_and_end_where_the_model_says():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    filled = np.nan_to_num(X)
    y = 3 * filled[:, 0] - filled[:, 1] + np.where(filled[:, 2] > 0, 4.0, 0) + rng.normal(size=300) / 10
    tree = bough.TreeRegressor(leaf="linear").fit(X, y)
    leaves, seen = tree.apply(X), 0
    for leaf, lines in data_of(tree.report(X, y))["data"]["l"].items():
        model, here = tree.model_.nodes()[int(leaf)].model, leaves == int(leaf)
        for column, low, high, at_low, at_high, dots in lines:
            rows = X[here]
            assert (low, high) == pytest.approx((np.nanmin(rows[:, column]), np.nanmax(rows[:, column])), rel=1e-4)
            for value, told in ((low, at_low), (high, at_high)):
                moved = rows.copy()
                moved[:, column] = value
                assert told == pytest.approx(np.mean([model.unbounded(row) for row in moved]), abs=1e-3)
            assert sum(n for *_, n in dots) <= int((~np.isnan(rows[:, column])).sum())
            assert min((n for *_, n in dots), default=3) >= 3  # no row by itself
            seen += 1
        assert len(lines) <= 4
    assert seen > 2


def test_scores_by_group_are_those_of_the_rows_of_each_group():
    from sklearn.metrics import roc_auc_score

    tree, X, y = fitted()
    other, truth = X[::2].assign(a=X["a"][::2] + 0.3), y[::2]
    by = data_of(tree.report(other, truth, groups="b"))["by"]
    assert by["n"] == "b"
    assert sorted(line[0] for line in by["v"]) == ["x", "y", "z"]
    for label, n, share, low, high, auc in by["v"]:
        here = (other["b"] == label).to_numpy()
        right = tree.predict(other)[here] == truth[here]
        assert (n, share) == (here.sum(), pytest.approx(right.mean(), rel=1e-3))
        interval = scipy.stats.binomtest(int(right.sum()), int(n)).proportion_ci(method="wilson")
        assert (low, high) == (pytest.approx(interval.low, abs=1e-3), pytest.approx(interval.high, abs=1e-3))
        if truth[here].nunique() == 2:
            assert auc == pytest.approx(
                roc_auc_score(truth[here] == "yes", tree.predict_proba(other)[here, 1]), rel=1e-3
            )
        else:
            assert auc is None


def test_groups_may_be_numbers_or_values_that_the_tree_never_saw():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200)})
    tree = bough.TreeRegressor(max_depth=2).fit(X[["a"]], X["a"] + X["b"])
    by = data_of(tree.model_.report(X, X["a"] + X["b"], groups="b"))["by"]
    assert [line[1] for line in by["v"]] == [50] * 4
    off = (tree.predict(X[["a"]]) - X["a"] - X["b"])[X["b"] <= X["b"].quantile(0.25)]
    assert by["v"][0][2] == pytest.approx(np.sqrt(np.mean(off**2)), rel=1e-3)
    many = [f"g{i % 30}" for i in range(200)]
    lines = data_of(tree.report(X[["a"]], X["a"], groups=many))["by"]["v"]
    assert lines[-1][0] == "19 others"
    assert sum(line[1] for line in lines) == 200
    for groups, text in (("bb", "did you mean"), (many[:5], "one value per row")):
        with pytest.raises(bough.ParameterError, match=text):
            tree.model_.report(X, X["a"], groups=groups)
    with pytest.raises(bough.ParameterError, match="groups needs X and y"):
        tree.report(groups=many)


@pytest.mark.parametrize("form", ["pandas", "pyarrow", "polars", "array", "sparse", "lists"])
def test_a_table_of_many_rows_in_any_form_makes_the_same_page(form):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(2500, 3)).round(2), columns=["x0", "x1", "x2"])
    y = (X["x0"] > X["x1"]).to_numpy()
    tree = bough.TreeClassifier(max_depth=2).fit(X.to_numpy(), y)
    given = {
        "pandas": lambda: X,
        "pyarrow": lambda: pytest.importorskip("pyarrow").Table.from_pandas(X),
        "polars": lambda: pytest.importorskip("polars").from_pandas(X),
        "array": X.to_numpy,
        "sparse": lambda: pytest.importorskip("scipy.sparse").csr_array(X.to_numpy()),
        "lists": lambda: X.to_numpy().tolist(),
    }[form]()
    assert tree.report(given, y).page == tree.report(X.to_numpy(), y).page
