"""bough fit --monotone, --interaction, --column-cost, --first-split."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bough
from support.command import failing, run


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def loans():
    """A table with odd names of columns."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, (200, 3))
    job = rng.choice(["cook", "nurse", "pilot"], 200)
    paid = np.where(X[:, 0] + rng.normal(0, 10, 200) > 25, "yes", "no")
    lines = [
        'income,"a=b, c",age,job,paid',
        *(f"{a},{b},{c},{j},{p}" for (a, b, c), j, p in zip(X, job, paid, strict=True)),
    ]
    with open("loans.csv", "w") as file:
        file.write("\n".join(lines) + "\n")


def constraints(*options):
    run("fit", "loans.csv", "--target", "paid", "--force", "--max-depth", "4", *options)
    return json.loads(bough.load("loans.bough").to_json()).get("constraints")


def test_the_options_are_the_parameters(loans):
    assert constraints() is None
    assert constraints("--monotone", "income=up", "--monotone", "a=b, c=-1", "--monotone", "class=no") == {
        "monotonic_cst": {"income": 1, "a=b, c": -1, "class": "no"}
    }
    assert constraints("--interaction", "income, age", "--interaction", "a=b, c") == {
        "interaction_cst": [["income", "age"], ["a=b, c"]]
    }
    assert constraints("--interaction", "pairwise") == {"interaction_cst": "pairwise"}
    assert constraints("--column-cost", "income=0.5", "--column-cost", "a=b, c=2") == {
        "column_costs": {"income": 0.5, "a=b, c": 2.0}
    }


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("age", "age"),
        ("a=b, c", "a=b, c"),
        ("age <= 18", ["age", "<=", 18.0]),
        ("age>18.5", ["age", ">", 18.5]),
        ("job in cook, pilot", ["job", "in", ["cook", "pilot"]]),
        ("job not in [cook]", ["job", "not in", ["cook"]]),
        ("job == nurse", ["job", "==", "nurse"]),
        ('["age", "<=", 18]', ["age", "<=", 18]),
        ('{"condition": "age", "left": "job"}', {"condition": "age", "left": "job"}),
    ],
)
def test_a_first_split_is_a_column_a_condition_or_json(loans, text, kept):
    assert constraints("--first-split", text) == {"first_split": kept}
    assert bough.load("loans.bough").nodes()[0].split is not None


@pytest.mark.parametrize(
    ("options", "what", "code"),
    [
        (["--monotone", "income"], "COL=up", 2),
        (["--monotone", "income=2"], "COL=up", 2),
        (["--column-cost", "income=dear"], "COL=PRICE", 2),
        (["--column-cost", "incom=1"], "did you mean 'income'", 2),
        (["--interaction", "income,wage"], "'wage', which is not a column", 2),
        (["--first-split", "wage <= 3"], "'wage', which is not a column", 2),
        (["--first-split", "income <= 500"], "leaves no rows", 2),
    ],
)
def test_what_is_no_rule_is_said(loans, options, what, code):
    found, said = failing("fit", "loans.csv", "--target", "paid", *options)
    assert found == code
    assert what in said
