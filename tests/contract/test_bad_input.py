"""Wrong parameters and strange tables: what the library says of each stands in bad_input.txt."""

from __future__ import annotations

import pytest
from sklearn.exceptions import NotFittedError

from bough import BoughError
from support import bad_input

CASES = dict(bad_input.cases())
WRITTEN = bad_input.table()


def test_there_are_many_cases_each_with_a_name_of_its_own():
    assert len(list(bad_input.cases())) == len(CASES) > 1000
    lost = set(WRITTEN) - set(CASES)
    assert not lost, "python -m support.bad_input, in the folder of the tests, writes the table anew"


@pytest.mark.parametrize("first", range(0, len(CASES), 100))
def test_every_case_is_fine_or_refused_in_one_sentence_of_ours(first):
    """Our own errors, or the TypeError and ValueError that scikit-learn's users expect; on one line, not endless."""
    wrong = []
    for name, call in list(CASES.items())[first : first + 100]:
        error = bad_input.answer(call)
        ours = (
            error is None or isinstance(error, (BoughError, NotFittedError)) or type(error) in (TypeError, ValueError)
        )
        if not (ours or (type(error) is IndexError and name.startswith(("nodes", "children")))):
            wrong.append(f"{name}: {error!r}")
        elif error is not None and ("\n" in str(error) or not 10 < len(str(error)) < 1000):
            wrong.append(f"{name}: not a sentence: {str(error)[:200]!r}")
    assert not wrong


@pytest.mark.parametrize("first", range(0, len(CASES), 100))
def test_every_case_says_what_the_table_says(first):
    changed = {}
    for name, call in list(CASES.items())[first : first + 100]:
        if name in WRITTEN:  # a plug-in that is new has cases that the table will have when it is written anew
            said = bad_input.said(call)
            if said != WRITTEN[name]:
                changed[name] = (WRITTEN[name], said)
    assert not changed, "read what changed; python -m support.bad_input, in the folder of the tests, writes it anew"


def test_what_is_refused_is_named():
    """A wrong parameter is called by its name."""
    for name, sentence in WRITTEN.items():
        if name.startswith(("TreeClassifier ", "TreeRegressor ")) and sentence.startswith("ParameterError"):
            parameter = name.split()[1].partition("=")[0]
            assert parameter in sentence or parameter.endswith("_params"), (name, sentence)
