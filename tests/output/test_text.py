"""The tree in words."""

from __future__ import annotations

import html

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from bough import DataError, ForestClassifier, ParameterError, TreeClassifier, TreeRegressor
from bough.model.conditions import Sum, Term
from bough.output.words import number, percent, sum_text


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    n = 300
    table = pd.DataFrame(
        {
            "city": rng.choice([f"city {i}" for i in range(30)], n),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(18, 70, n)),
            "member": rng.random(n) < 0.5,
        }
    )
    y = np.where(table["city"].isin([f"city {i}" for i in range(12)]) ^ (table["age"] > 40), "yes", "no")
    return table, y


def test_a_tree_is_shown_as_questions_and_answers():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    assert TreeClassifier(max_depth=2).fit(X, names).show() == (
        "petal length (cm) <= 2.45\n"
        "├─ yes: setosa (50 rows)\n"
        "└─ no: petal width (cm) <= 1.75\n"
        "   ├─ yes: versicolor 91 % (54 rows)\n"
        "   └─ no: virginica 98 % (46 rows)"
    )


def test_levels_below_max_depth_are_summed_up():
    X, y = load_iris(return_X_y=True)
    text = TreeClassifier().fit(X, y).show(max_depth=1)
    assert "… 14 more nodes: class 1: 50 % (100 rows)" in text


def test_long_lists_of_values_are_shortened_and_counted(people):
    table, y = people
    text = TreeClassifier().fit(table, y).show(max_values=3)
    assert ", … " in text
    assert " more}" in text


def test_rules_cover_every_row_once(people):
    table, y = people
    tree = TreeClassifier().fit(table, y)
    rules = list(tree.rules())
    assert len(rules) == tree.get_n_leaves()
    assert sum(r.rows for r in rules) == len(y)
    assert {r.prediction for r in rules} == {"yes", "no"}
    assert sorted(r.node for r in rules) == sorted(set(tree.apply(table)))


def test_thresholds_of_one_column_are_joined_in_a_rule():
    x = np.arange(9.0).reshape(-1, 1)
    rules = [str(r) for r in TreeClassifier().fit(x, [0, 0, 0, 1, 1, 1, 0, 0, 0]).rules()]
    assert "if 2.5 < x0 <= 5.5: class 1 (3 rows)" in rules


def test_why_tells_the_path_of_a_row(people):
    table, y = people
    tree = TreeClassifier().fit(table, y)
    for i in (0, 17, 200):
        row = table.iloc[i]
        told = tree.why(row)
        assert told.splitlines()[-1].startswith(f"→ {tree.predict(table.iloc[[i]])[0]}")
        assert tree.why(row.to_dict()) == told
        assert tree.why(table.iloc[[i]]) == told
        assert tree.why(list(row)) == told


def test_missing_values_are_told_where_training_saw_them():
    x = np.array([1.0, 2, 3, 4, np.nan, np.nan])
    tree = TreeClassifier().fit(x.reshape(-1, 1), [0, 0, 1, 1, 1, 1])
    assert tree.show().splitlines()[0] == "x0 <= 2.5"
    assert [str(r) for r in tree.rules()] == [
        "if x0 <= 2.5: class 0 (2 rows)",
        "if x0 > 2.5 or missing: class 1 (4 rows)",
    ]
    assert tree.why([np.nan]).splitlines()[0] == "x0 = missing, so x0 > 2.5 or missing"
    assert tree.why([3.0]).splitlines()[0] == "x0 = 3, so x0 > 2.5"
    none = TreeClassifier().fit(x[:4].reshape(-1, 1), [0, 0, 1, 1])
    assert none.why([None]).splitlines()[0] == "x0 = missing, so it goes with x0 <= 2.5"


def test_a_value_unknown_to_a_stopping_node_is_explained(people):
    table, y = people
    stopping = TreeClassifier(nominal_params={"unseen": "stop"}, selector_params={"min_ratio": 0}).fit(
        table[["city"]], y
    )
    assert "was not here in training" in stopping.why(["Atlantis"])


def test_why_of_several_rows_is_a_frame_with_a_reason_for_each(people):
    table, y = people
    tree = TreeClassifier().fit(table, y)
    found = tree.why(table.set_index(table.index + 100))
    assert list(found.columns) == ["row", "prediction", "reason"]
    assert found.row.tolist() == list(range(100, 100 + len(table)))
    assert found.prediction.tolist() == tree.predict(table).tolist()
    reasons = {rule.node: " and ".join(rule.conditions) for rule in tree.rules()}
    plain = [r.replace("(", "").replace(")", "") for r in found.reason]
    assert plain == [reasons[leaf].replace("(", "").replace(")", "") for leaf in tree.apply(table)]
    assert tree.model_.reasons(table) == found.reason.tolist()
    forest = ForestClassifier(n_estimators=3).fit(table, y)
    with pytest.raises(ParameterError, match="3 trees, so no row has one reason"):
        forest.model_.why(table)


def test_a_text_shows_itself_in_a_prompt_and_a_notebook(people):
    table, y = people
    tree = TreeClassifier().fit(table, y)
    for text in (tree.show(), tree.why(table.iloc[[0]]), tree.model_.show()):
        assert isinstance(text, str)
        assert repr(text) == text == f"{text}"
        assert text._repr_html_().startswith("<pre")
        assert html.escape(text.splitlines()[0]) in text._repr_html_()


def test_why_takes_a_row_with_all_columns(people):
    table, y = people
    tree = TreeClassifier().fit(table, y)
    with pytest.raises(DataError, match="no value for 'city'"):
        tree.why({"age": 3, "member": True})


def test_a_regression_tree_answers_numbers():
    x = np.arange(6.0).reshape(-1, 1)
    assert TreeRegressor().fit(x, [1, 1, 1, 2.5, 2.5, 2.5]).show() == (
        "x0 <= 2.5\n├─ yes: 1 (3 rows)\n└─ no: 2.5 (3 rows)"
    )


def test_a_split_off_of_missing_values_reads_as_such():
    x = np.array([[1.0], [1.0], [np.nan]])
    text = TreeClassifier().fit(x, [0, 0, 1]).show()
    assert text.splitlines()[0] == "x0 is known"


@pytest.mark.parametrize(
    ("share", "text"),
    [(1, "100 %"), (0.9957, "99.5 %"), (0.99999, "99.9 %"), (0.5, "50 %"), (0.004, "< 1 %"), (0, "0 %")],
)
def test_shares_are_never_rounded_to_all_or_nothing(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1 + 0.2, "0.3"),
        (1_700_000_004.5, "1700000004.5"),
        (2.45, "2.45"),
        (1e-9, "1e-09"),
        (0, "0"),
        (1e300, "1e+300"),
        (-123456.75, "-123456.8"),
    ],
)
def test_numbers_are_short_but_keep_their_whole_part(value, text):
    assert number(value) == text


def test_terms_of_a_linear_split_are_ordered_by_what_they_do_to_rows_not_by_units():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + 0.2 * X[:, 1] > 0).astype(int)
    tree = TreeClassifier(split="node_means_pca", standardize=True, max_depth=1).fit(X * [1e6, 1e-3], y)
    split = tree.tree_.split(0)
    assert split.columns == (0, 1)
    assert abs(split.weights[0]) < abs(split.weights[1])


def test_why_tells_the_sum_that_decides_at_a_linear_split():
    X = np.array([[0.0, 0], [1, 1], [2, 2.5], [3, 3]])
    tree = TreeClassifier(split="node_means_pca").fit(X, [0, 0, 1, 1])
    line = tree.why([3.0, 3.0]).splitlines()[0]
    split = tree.tree_.split(0)
    total, cut = line.split(" = ")[-1].split(" > ")
    shown = [float(f"{w:.3g}") for w in split.weights]  # the weights of the text, and what follows from them
    assert float(total) == pytest.approx(3 * sum(shown), rel=1e-5)
    assert float(cut) == pytest.approx(split.cut, rel=2e-3)


# ---- words ------------------------------------------------------------------------------------------


def test_branches_are_not_called_as_the_classes_are():
    x = [[1.0], [2.0], [3.0]]
    assert "├─ then: Yes (1 row)" in TreeClassifier().fit(x, ["Yes", "no", "no"]).show()
    assert "├─ if so: no (1 row)" in TreeClassifier().fit(x, ["no", "else", "else"]).show()
    assert "├─ yes: a (1 row)" in TreeClassifier().fit(x, ["a", "b", "b"]).show()


def test_classes_that_are_numbers_or_flags_read_as_classes():
    x = [[1.0], [1.0], [1.0], [2.0]]
    text = TreeClassifier().fit(x, [1, 1, 7, 7]).show()
    assert "yes: class 1: 67 % (3 rows)" in text
    assert "no: class 7 (1 row)" in text
    assert "class True (1 row)" in TreeClassifier().fit(x, [False, False, True, True]).why([2.0])


def test_rows_and_weights_are_told_apart():
    x, y = [[1.0], [2.0], [2.0]], ["a", "b", "b"]
    assert "a (1 row, weight 2.5)" in TreeClassifier().fit(x, y, [2.5, 1, 1]).show()
    assert "b (2 rows)" in TreeClassifier().fit(x, y, [2.5, 1, 1]).show()
    assert "weight" not in TreeClassifier().fit(x, y).show()


def test_a_large_tree_is_shown_in_part_and_says_how_to_see_more():
    rng = np.random.default_rng(0)
    tree = TreeClassifier().fit(rng.normal(size=(500, 4)), rng.integers(0, 3, 500))
    n = tree.model_.n_nodes
    *lines, last = tree.show().splitlines()
    assert 20 < len(lines) <= 60
    assert last == f"({len(lines)} of {n:,} nodes: show(max_depth=…) shows more, show(max_nodes=None) all)"
    assert len(tree.show(max_nodes=None).splitlines()) == n
    assert len(tree.show(max_depth=tree.get_depth()).splitlines()) == n
    with pytest.raises(ParameterError, match="max_nodes is 0"):
        tree.show(max_nodes=0)


def test_a_node_of_many_children_is_shown_in_part():
    values = [f"v{i:03d}" for i in range(1200)]
    tree = TreeClassifier(nominal="multiway", selector_params={"min_ratio": 0})
    tree.fit(pd.DataFrame({"a": values}), [i % 2 for i in range(1200)])
    *lines, last = tree.show().splitlines()
    assert len(lines) == 62
    assert lines[-1] == "└─ … 1,140 more values"
    assert last.startswith("(62 of 1,201 nodes: ")


def test_terms_have_three_digits_unless_others_are_asked_for_and_no_factor_of_one():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    tree = TreeClassifier(split="node_means_pca", max_depth=1).fit(X, (X @ [1, 0.3] > 0).astype(int))
    weights = [t.weight for t in tree.tree_.split(0).terms]
    assert tree.show().splitlines()[0].startswith(f"{weights[0]:.3g}·x0 ")
    assert f"{weights[1]:.7g}" in tree.show(digits=7)
    one = sum_text(Sum((Term(0, "a", -1.0), Term(1, "b", 1.0001), Term(2, "c", 0.5)), digits=1), None, 8)
    assert one == "-a + b + 0.5·c"


def test_nominal_conditions_of_one_path_are_one():
    rng = np.random.default_rng(0)
    town = rng.choice(list("abcdef"), 300)
    tree = TreeClassifier().fit(
        pd.DataFrame({"town": town}), np.array([0, 1, 2, 0, 1, 2])[np.searchsorted(list("abcdef"), town)]
    )
    rules = list(tree.rules())
    assert tree.get_depth() == 2
    assert all(len(r.conditions) == 1 for r in rules)
    assert sorted(r.conditions[0] for r in rules) == ["town in {a, d}", "town in {b, e}", "town in {c, f}"]


def test_large_counts_have_separators():
    y = np.repeat(["a", "b"], [1500, 2500])
    assert "a (1,500 rows)" in TreeClassifier().fit(np.arange(4000.0).reshape(-1, 1), y).show()


def test_the_missing_value_is_named_however_many_categories_a_side_has():
    rng = np.random.default_rng(2)
    city = np.array([f"city {i}" for i in rng.integers(0, 30, 600)], dtype=object)
    city[rng.random(600) < 0.3] = None
    y = np.where([c is None or int(c.split()[1]) < 15 for c in city], "yes", "no")
    tree = TreeClassifier(max_depth=1).fit(pd.DataFrame({"city": city}), y)
    with_missing = [r for r in tree.rules(max_values=3) if r.prediction == "yes"]
    assert "missing, … 13 more" in str(with_missing[0])
    assert "missing" in tree.show(max_values=3) + str(list(tree.rules(max_values=3)))


def test_a_condition_with_missing_rows_stands_in_brackets_beside_others(people):
    X, y = people
    tree = TreeClassifier(max_depth=3).fit(X, y)
    rules = [r for r in tree.rules() if any(c.endswith(" or missing") for c in r.conditions)]
    assert rules
    for rule in rules:
        for c in rule.conditions:
            if c.endswith(" or missing") and len(rule.conditions) > 1:
                assert f"({c})" in str(rule)


def test_categories_that_look_like_conditions_are_quoted():
    values = [">=200", "0<=X<200", "no, thanks", "missing", "", " x", "plain"]
    X = pd.DataFrame({"v": values * 20})
    y = [i % 7 for i in range(140)]
    text = TreeClassifier(nominal="multiway", selector_params={"min_ratio": 0}).fit(X, y).show()
    for value in values[:-1]:
        assert f"─ {value!r}: " in text
    assert "─ plain: " in text
    status = pd.Categorical(values[:2] * 30, categories=["0<=X<200", ">=200"], ordered=True)
    tree = TreeClassifier().fit(pd.DataFrame({"status": status}), [1, 0] * 30)
    assert tree.show().splitlines()[0] == "status <= '0<=X<200'"


def test_what_is_left_out_of_a_regression_tree_is_told_by_its_mean():
    X = load_iris().data
    tree = TreeRegressor().fit(X[:, :3], X[:, 3])
    assert "more nodes: mean " in tree.show(max_depth=1)
    assert "mostly" not in tree.show(max_depth=1)
