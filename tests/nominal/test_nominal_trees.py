"""Trees on nominal columns: thousands of values, unseen ones, files, words, Ctrl-C."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bough
from bough import TreeClassifier, partition
from bough.output.words import condition_text
from support.interrupt import LIMIT, interrupted


def mixed(n=20_000, values=5_000, seed=0):
    rng = np.random.default_rng(seed)
    code = rng.integers(0, values, n)
    X = pd.DataFrame(
        {
            "town": [f"t{c:04d}" for c in code],
            "colour": rng.choice(["red", "green", "blue"], n),
            "x": rng.normal(size=n),
        }
    )
    y = (code * 7 % 4 + (X["x"] > 1)).to_numpy()
    return X, np.where(rng.random(n) < 0.1, rng.integers(0, 5, n), y)


@pytest.mark.parametrize(
    ("nominal", "criterion"),
    [("auto", "gini"), ("pc_ext", "entropy"), ("largest_class_alone", "gini"), ("greedy", "squared_gini")],
)
def test_columns_of_five_thousand_values_train_predict_save_and_print(nominal, criterion, tmp_path):
    X, y = mixed()
    tree = TreeClassifier(nominal=nominal, criterion=criterion, max_depth=4).fit(X, y)
    assert tree.score(X, y) > 0.5
    new = X.head(50).assign(town="nowhere")
    assert len(tree.predict(new)) == 50
    tree.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    assert (again.predict(X) == tree.predict(X)).all()
    assert again.predict(new).tolist() == tree.predict(new).tolist()
    text = tree.show()
    assert max(map(len, text.splitlines())) < 300
    assert " more" in text  # what is left out is counted
    assert "nowhere" in tree.why(new.iloc[0])


def test_the_shown_values_and_those_counted_are_all_values():
    X, y = mixed(values=300)
    split = TreeClassifier(max_depth=1).fit(X[["town"]], y).tree_.split(0)
    for child, values in enumerate((split.left, split.right)):
        words = condition_text(split.conditions[child], most=8)
        shown = words[words.index("{") + 1 : words.index(", …")].split(", ")
        counted = int(words.split("… ")[1].split()[0])
        assert len(shown) + counted == len(values)


def test_chi2_of_a_multiway_split_is_that_of_the_table():
    from scipy.stats import chi2_contingency

    X, y = mixed(values=30, n=2000)
    tree = TreeClassifier(criterion="chi2", nominal="multiway", max_depth=1).fit(X[["town"]], y)
    table = pd.crosstab(X["town"], y).to_numpy()
    assert tree.tree_.gain[0] == pytest.approx(chi2_contingency(table).statistic)


@pytest.mark.parametrize(
    ("search", "criterion", "n", "k"),
    [
        ("superclass", "twoing", 500, 20),
        ("hypercube_cover", "entropy", 500, 20),
        ("exact", "gini", 20, 30),
        ("sliq_ext", "gini", 10_000, 40),
        ("greedy", "chi2_cut", 6_000, 20),
        ("gw", "chi2_cut", 1_800, 10),
    ],
)
def test_long_searches_can_be_interrupted(search, criterion, n, k):
    table = np.random.default_rng(0).integers(0, 8, (n, k))
    waited = interrupted(lambda: partition(table, search=search, criterion=criterion), 0.3)
    assert waited is None or waited < LIMIT
