"""What is printed is what is computed (P10): the conditions are read back from the texts, and the training rows go
where `predict` sends them."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import bough
from bough import TreeClassifier, TreeRegressor
from bough.estimators.systems import SYSTEMS
from bough.output.html.page import report
from bough.output.plot import branch_text

NUMBER = r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?)"
TERM = re.compile(
    rf"(?P<sign>[+-] |-)?(?:(?P<w>{NUMBER})·)?(?:\((?P<a>x\d+) (?P<pm>[+-]) (?P<c>{NUMBER})\)|(?P<n>x\d+))"
)
SIDES = {"<=": lambda a, b: a <= b, "<": lambda a, b: a < b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}


def long(number: str) -> bool:
    """Has a number so many digits that it must be one that is printed in full?"""
    return len(re.sub(r"e.*|[-.]", "", number).lstrip("0")) >= 15


def position(text: str, row: np.ndarray, cuts: list[str]) -> Fraction:
    """The column or sum that a text names, as it is of a row: exactly, or in float64 in the core's order if it is
    printed in full."""
    terms = []
    for m in TERM.finditer(text):
        w = Fraction(m["w"] or 1) * (-1 if (m["sign"] or "").startswith("-") else 1)
        c = Fraction(m["c"] or 0) * (-1 if m["pm"] == "+" else 1)
        terms.append((int((m["a"] or m["n"])[1:]), w, c))
    if not any(map(long, [*cuts, *(m["w"] or "1" for m in TERM.finditer(text))])) and not any(c for *_, c in terms):
        return sum((w * Fraction(row[i]) for i, w, _ in terms), Fraction(0))
    lanes = [0.0] * 8
    for t, (i, w, c) in enumerate(sorted(terms)):
        lanes[t % 8] += float(w) * (row[i] - float(c))
    a, b, c2, d, e, f, g, h = lanes
    return Fraction(((a + e) + (c2 + g)) + ((b + f) + (d + h)))


def holds(text: str, row: np.ndarray) -> bool:
    """Is a printed condition true of a row?"""
    parts = re.split(r" (<=|>=|<|>) ", text.removesuffix(" or missing"))
    if len(parts) == 5:
        low, below, what, sign, cut = parts
        x = position(what, row, [low, cut])
        return SIDES[below](Fraction(float(low)), x) and SIDES[sign](x, Fraction(float(cut)))
    what, sign, cut = parts
    return SIDES[sign](position(what, row, [cut]), Fraction(float(cut)))


def check_rules(tree, X, digits=None) -> None:
    ends = tree.apply(X)
    for rule in tree.rules(digits, max_values=50):
        here = np.array([all(holds(c, row) for c in rule.conditions) for row in X])
        np.testing.assert_array_equal(here, ends == rule.node, str(rule))


def tables(seed: int):
    """Ties, numbers side by side, large offsets, few values, decimals."""
    rng = np.random.default_rng(seed)
    n = 60
    ties = rng.integers(0, 6, (n, 3)).astype(float)
    close = np.nextafter(1.0, 2.0) + rng.integers(0, 9, (n, 3)) * np.spacing(1.0)
    yield "decimals", np.round(rng.normal(5, 2, (n, 3)), 1)
    yield "ties", ties
    yield "close", close
    yield "offset", 1e9 + rng.normal(0, 1, (n, 3))
    yield "offset and close", 1e12 + rng.integers(0, 50, (n, 3)) * np.spacing(1e12)
    yield "mixed", np.column_stack([ties[:, 0] * 1e-7, close[:, 0], rng.normal(0, 1e6, n)])
    yield "tiny", rng.normal(0, 1e-9, (n, 3))


FITS = sorted(
    name
    for name, s in SYSTEMS.items()
    if not (s.forest or s.boosted)
    and s.params.get("split") != "axis"
    and s.params.get("selector") != "conditional_inference"
)


@pytest.mark.parametrize("name", ["cart", "c4.5", "rpart", "scc461", *FITS])
def test_the_rules_of_every_system_route_the_training_rows(name):
    for seed, (_, X) in enumerate(tables(3)):
        y = np.random.default_rng(seed).integers(0, 3, len(X))
        tree = bough.system(name, max_depth=4, random_state=0, prune=None).fit(X, y)
        check_rules(tree, X)
        check_rules(tree, X, digits=1)


@pytest.mark.parametrize("split", ["axis", "random", "pca", "lda", "elc"])
def test_the_rules_of_every_family_route_the_training_rows(split):
    for seed in range(3):
        for _, X in tables(seed + 10):
            y = np.random.default_rng(seed).integers(0, 2, len(X))
            check_rules(TreeClassifier(split=split, max_depth=5, random_state=seed).fit(X, y), X)
    for _, X in tables(5):
        y = np.random.default_rng(1).normal(size=len(X))
        if split in ("axis", "random", "pca"):
            check_rules(TreeRegressor(split=split, max_depth=4, random_state=0).fit(X, y), X)


def test_a_cut_just_below_a_value_is_printed_with_its_sign():
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    tree = TreeClassifier(split="elc", split_params={"r": 1, "place": "through", "touching": "above"})
    tree.fit(X, [0, 0, 1, 1])
    assert tree.tree_.threshold[0] == np.nextafter(3.0, 0)
    assert tree.show().splitlines()[0] == "x0 < 3"
    assert "x0 = 3, so x0 >= 3" in tree.why([3.0])
    assert [r.conditions for r in tree.rules()] == [("x0 < 3",), ("x0 >= 3",)]
    assert 'label="x0 < 3' in tree.to_dot()
    assert [branch_text(c, 3) for c in tree.model_.nodes()[0].split.conditions] == ["< 3", "≥ 3"]
    data = report(tree.model_).page
    assert '"c":{"0":["3",1]}' in data


def test_why_names_a_condition_that_is_true_of_every_row():
    for _, X in tables(4):
        y = np.random.default_rng(2).integers(0, 3, len(X))
        for name in ("cart-elc", "cart", "max-cut"):
            tree = bough.system(name, prune=None, max_depth=4).fit(X, y)
            for row in X:
                for line in tree.why(row).splitlines()[:-1]:
                    said, condition = line.split(", so ")
                    if " = " in condition:  # sum = total sign cut
                        total, sign, cut = re.split(r" (<=|>=|<|>) ", condition.split(" = ")[1])
                        assert SIDES[sign](float(total), float(cut)), line
                    else:
                        value = dict(p.split(" = ") for p in said.split(", "))[condition.split()[0]]
                        assert holds(condition, np.array([float(value)] * 3)), line


def test_a_row_between_the_cut_and_the_number_printed_for_it_is_told_with_more_digits():
    tree = TreeClassifier().fit([[1.9], [3.3]], [0, 1])  # the cut is just below 2.6
    assert tree.show().startswith("x0 <= 2.6\n")
    assert "x0 = 2.6, so x0 >= 2.6" in tree.why([2.6])


def test_digits_and_margins_are_in_the_file_and_a_model_without_them_prints_in_full():
    X, y = np.array([[1 / 3], [2 / 3], [1.0], [4 / 3]]), [0, 0, 1, 1]
    model = TreeClassifier().fit(X, y).model_
    assert bough.Model.from_bytes(model.to_bytes()).show() == model.show()
    assert model.show().startswith("x0 <= 0.833333\n")
    bare = bough.model.model.replace(model, printed=None)
    assert bare.show().startswith("x0 <= 0.8333333333333333\n")


def test_the_report_prints_cuts_that_need_more_than_six_digits():
    X = np.array([[1.0], [1.0 + 1e-9], [1.0 + 2e-9], [2.0]])
    data = report(TreeClassifier().fit(X, [0, 1, 0, 1]).model_).page
    assert '"2":["1.0000000015",0]' in data


def test_forests_print_their_cuts_in_full():
    X, y = pd.DataFrame({"x0": np.linspace(0, 1, 40), "x1": np.arange(40.0)}), np.arange(40) % 3
    forest = bough.ForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    ends = forest.apply(X)
    for t in range(3):
        for rule in forest.model_.rules(tree=t):
            here = np.array([all(holds(c, row) for c in rule.conditions) for row in X.to_numpy()])
            np.testing.assert_array_equal(here, ends[:, t] == rule.node)
