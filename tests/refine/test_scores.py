"""A nominal column in a sum: a score for each of its values, in texts, files, pages and explanations."""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest

import bough
from bough.errors import ModelFileError
from bough.model.file import tree_of
from bough.model.model import Model

SCORES = {"red": 1.5, "green": -1.2, "blue": 0.3, "odd, {x}": 0.9, None: -0.4}


def table(n=400, seed=0):
    """Two numbers and two nominal columns that act together."""
    rng = np.random.default_rng(seed)
    colour, side = rng.choice(list(SCORES), n), rng.choice(["a", "b"], n)
    x, z = rng.normal(size=n), rng.normal(size=n)
    z[::17] = np.nan
    total = x + np.array([SCORES[v] for v in colour]) + 0.7 * (side == "a") + 0.5 * np.nan_to_num(z)
    X = pd.DataFrame({"x": x, "colour": pd.Series(colour, dtype=object), "side": side, "z": z})
    return X, np.where(total > 0.3, "yes", "no")


def fitted(depth=1, **params):
    X, y = table()
    return bough.system("sparse-oblique", max_depth=depth, refine_params={"terms": 4, **params}).fit(X, y), X, y


def test_one_sum_parts_what_cuts_and_subsets_do_not():
    tree, X, y = fitted()
    axis = bough.system("tao", max_depth=1).fit(X, y)
    assert tree.score(X, y) > 0.97 > 0.85 > axis.score(X, y)
    (split,) = [n.split for n in tree.model_.nodes() if n.split]
    assert sorted(split.names) == ["colour", "side", "x", "z"]
    colour = next(t for t in split.terms if t.name == "colour")
    assert {v for v, _ in colour.scores} == set(SCORES)
    assert min(colour.scores, key=lambda s: s[1])[0] == "green"


def test_the_printed_scores_send_every_row_where_the_tree_does():
    tree, X, _ = fitted()
    text = tree.show().splitlines()[0]
    assert re.search(r"colour\{blue: [-.\d]+, green: -1, 'odd, \{x\}': [.\d]+, red: [.\d]+, missing: -[.\d]+\}", text)
    left, cut = text.split(" <= ")
    scores = {m[0] or m[1]: float(m[2]) for m in re.findall(r"(?:'([^']+)'|(\w+)): (-?[\d.]+)", left)}
    weights = {m[2]: float(m[1]) * (-1 if m[0] == "-" else 1) for m in re.findall(r"([+-]?) ?([\d.]+)·(\w+)", left)}
    center = {"z": float(X["z"].mean()), "x": 0.0}
    total = sum(w * X[c].fillna(center[c]) for c, w in weights.items())
    total = total + X["colour"].map(lambda v: scores["missing" if v is None else v]) + X["side"].map(scores)
    assert (np.where(total <= float(cut), 1, 2) == tree.apply(X)).all()


def test_categories_that_training_did_not_have_count_nothing():
    tree, X, _ = fitted()
    other = X.assign(colour="never")
    (split,) = [n.split for n in tree.model_.nodes() if n.split]
    sums = [split.conditions[0].position([v if v == v else None for v in row]) for row in other.to_numpy().tolist()]
    assert ((np.array(sums) <= split.centered_cut) == (tree.apply(other) == 1)).all()


def test_rare_values_have_no_score_and_columns_of_many_values_no_part():
    X, y = table()
    X.loc[:3, "colour"] = "rare"
    tree = bough.system("sparse-oblique", max_depth=1, refine_params={"terms": 4}).fit(X, y)
    assert "rare" not in tree.show()
    X["colour"] = X["colour"].astype(str) + [str(i % 30) for i in range(len(X))]
    tree = bough.system("sparse-oblique", max_depth=1, refine_params={"terms": 4, "min_value_rows": 1}).fit(X, y)
    assert "colour{" not in tree.show()


def test_importances_and_terms_count_the_column_once():
    tree, X, y = fitted()
    shares = dict(zip(X, tree.feature_importances_, strict=True))
    assert sum(shares.values()) == pytest.approx(1)
    assert min(shares["x"], shares["colour"]) > 0.2 > shares["z"]
    assert bough.compare({"it": tree}, (X, y), folds=2, repeats=1).values(measure="terms")["it"].max() <= 4


def test_a_file_with_a_value_that_is_not_there_is_refused():
    tree, X, _ = fitted()
    data = tree.model_.to_bytes()
    again = Model.from_bytes(data)
    assert again.to_bytes() == data
    assert (again.predict(X) == tree.predict(X)).all()
    core = tree.model_.tree
    parts = core.parts()
    asked = parts["term_values"].copy()
    for wrong in (len(SCORES), 2**32 - 1):  # no such value; a number, which the column has not
        parts["term_values"] = asked.copy()
        parts["term_values"][np.flatnonzero(asked < 9)[0]] = wrong
        with pytest.raises(ModelFileError, match="term"):
            tree_of(parts, 2, parts["n_values"])


def test_a_split_can_be_added_and_the_tree_cut_back():
    tree, X, y = fitted(2)
    leaf = max((n for n in tree.model_.nodes() if n.is_leaf), key=lambda n: n.rows)
    grown = tree.with_split(leaf.number, ({"x": 1.0, "z": 2.0}, "<=", 0.5), X, y)
    assert grown.get_n_leaves() == tree.get_n_leaves() + 1
    again = Model.from_bytes(grown.model_.to_bytes())
    assert (again.predict(X) == grown.predict(X)).all()
    assert "colour{" in grown.show()
    assert tree.pruned_to(leaves=1).get_n_leaves() == 1


def test_the_nearest_change_may_be_a_category():
    tree, X, _ = fitted()
    background = X.drop(columns="z").assign(z=0.0)
    low, high = background["x"].min(), background["x"].max()
    for _, row in X[tree.predict(X) == "no"].head(8).iterrows():
        found = tree.why_not(row.tolist(), "yes", background=background, fixed=["z"])
        assert found.changes
        best = found.changes[0]
        assert tree.predict(pd.DataFrame([best.row], columns=X.columns))[0] == "yes"
        least = len(best.changed)
        for size in range(1, least):  # nothing with fewer changes will do
            for columns in itertools.combinations(["x", "colour", "side"], size):
                tried = {"x": [low, high], "colour": [c for c in SCORES if c], "side": ["a", "b"]}
                for values in itertools.product(*(tried[c] for c in columns)):
                    other = row.copy()
                    other[list(columns)] = values
                    assert tree.predict(pd.DataFrame([other.tolist()], columns=X.columns))[0] == "no"


def test_the_report_has_the_scores():
    tree, X, y = fitted()
    data = json.loads(re.search(r'id="data">(.*?)</script>', tree.report(X, y).page, flags=re.S)[1])
    _, _, columns, weights = data["tree"]["s"][0]
    assert columns == [0, 1, 2, 3]
    (split,) = [n.split for n in tree.model_.nodes() if n.split]
    values = data["columns"][1]["v"]
    scores = next(t for t in split.terms if t.name == "colour").scores
    assert {values[v]: pytest.approx(float(x)) for v, x in weights[1]} == dict(scores)


def test_contributions_add_up():
    tree, X, _ = fitted(2)
    found = tree.contributions(X.head(20), background=X.head(30))
    total = found.base_values + found.values.sum(axis=1)
    assert total == pytest.approx(tree.predict_proba(X.head(20)), abs=1e-9)
    assert np.abs(found.values[:, 1]).max() > 0.1
