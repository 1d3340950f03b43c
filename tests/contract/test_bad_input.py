"""Wrong parameters and strange tables: each is fine, or refused in a sentence that names the value and the way out."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from bough import BoughError
from bough.errors import shown
from support import bad_input

CASES = dict(bad_input.cases())
WRITTEN = bad_input.table()
STEP = 100

# Of the user's own functions, of scikit-learn, or of a file.
NO_RULES = ("ForestClassifier oob_score=class", "from_bytes bytes", "report X=")


WAY_OUT = re.compile(
    r"must |Known: |It takes: |It has: |Columns: |Classes: |X has columns|goes with |did you mean|nodes 0 to|at most "
    r"|\b(needs?|required?s?|requires|expecting|expects|expected|instead|dense)\b|consistent numbers|y should be"
    r"|\b(make|give|pass|use|take|load|choose|convert|replace|leave out|name all|divide|subtract|reshape|call|collect"
    r")\b",
    flags=re.IGNORECASE,
)
OF_A_PARAMETER = re.compile(r"(?P<call>.*?) (?P<parameter>\w+)=(?P<value>.*)")
NOT_PARAMETERS = ("X", "y", "sample_weight")  # tables and targets, of which errors name a row
ELSEWHERE = {"group": "columns", "zzz": "'zzz'"}  # by another name: a group of join's columns, an unknown parameter


def faults_of(name: str, error: Exception) -> list[str]:
    """What the sentence of a case lacks: the name of the parameter, its value, a way out."""
    text, found = str(error), []
    if not WAY_OUT.search(text):
        found.append("it says no way out")
    case = OF_A_PARAMETER.fullmatch(name)
    if case is None or case["parameter"] in NOT_PARAMETERS or case["value"] not in bad_input.VALUES:
        return found
    value, parameter = bad_input.VALUES[case["value"]], ELSEWHERE.get(case["parameter"], case["parameter"])
    if parameter not in text and not (parameter.endswith("_params") and parameter.removesuffix("_params") in text):
        found.append(f"it does not name {parameter}")
    parts = value.tolist() if isinstance(value, np.ndarray) else list(value) if isinstance(value, (list, dict)) else []
    if not any(shown(v) in text for v in (value, *parts)) and not re.search(r"has shape|a mask of", text):
        found.append("it does not show the value")
    return found


def test_there_are_many_cases_each_with_a_name_of_its_own():
    assert len(list(bad_input.cases())) == len(CASES) > 1000


@pytest.mark.parametrize("first", range(0, len(CASES), STEP))
def test_every_case_is_fine_or_refused_in_a_sentence_that_names_the_value_and_the_way_out(first):
    """By our own errors, or the TypeError and ValueError that scikit-learn's users expect; on one line, not endless."""
    wrong = []
    for name, call in list(CASES.items())[first : first + STEP]:
        error = bad_input.answer(call)
        if error is None:
            continue
        ours = isinstance(error, (BoughError, NotFittedError)) or type(error) in (TypeError, ValueError)
        if not (ours or (type(error) is IndexError and name.startswith(("nodes", "children")))):
            wrong.append(f"{name}: {error!r}")
        elif "\n" in str(error) or not 10 < len(str(error)) < 1000:
            wrong.append(f"{name}: not a sentence: {str(error)[:200]!r}")
        elif not name.startswith(NO_RULES):
            wrong += [f"{name}: {fault}: {error}" for fault in faults_of(name, error)]
    assert not wrong


def test_sentences_whose_wording_matters_stand_in_the_table():
    """One of each kind; what is refused otherwise is held to the rules above."""
    assert 80 <= len(WRITTEN) <= 120
    said = {name: bad_input.said(CASES[name]) for name in WRITTEN}
    assert said == WRITTEN, "read what changed; python -m support.bad_input, in the folder of the tests, writes it anew"


@pytest.mark.parametrize(
    ("name", "sentence", "fault"),
    [
        ("TreeClassifier max_depth=-1", "max_depth is -1; wrong.", "it says no way out"),
        ("TreeClassifier max_depth=-1", "depth is -1; it must be positive.", "it does not name max_depth"),
        ("TreeClassifier max_depth=-1", "max_depth must be positive.", "it does not show the value"),
        ("split elc r=nan", "split 'elc': r is nan; it must be an integer.", None),
    ],
)
def test_the_rules_find_what_a_sentence_lacks(name, sentence, fault):
    assert faults_of(name, ValueError(sentence)) == ([fault] if fault else [])
