"""Of equal systems the corrected test finds few different, and the plain one many."""

from __future__ import annotations

import json

import numpy as np
import pytest
from experiments.equal_systems.__main__ import HERE, TESTS, p_values


@pytest.mark.slow
def test_the_corrected_test_errs_as_rarely_as_it_says_and_the_plain_one_does_not():
    found = np.array([p_values(seed) for seed in range(120)])
    corrected, plain = (found[:, :2] <= 0.05).mean(axis=0)
    assert corrected <= 0.12  # 5 % of 120 with three standard errors
    assert plain > 0.35


def test_the_committed_result_of_a_thousand_comparisons_is_within_three_to_seven_per_cent():
    found = np.array(json.loads((HERE / "results" / "equal_systems.json").read_text())["p_values"])
    errors = dict(zip(TESTS, (found <= 0.05).mean(axis=0), strict=True))
    assert len(found) == 1000
    assert 0.03 <= errors["corrected resampled t-test"] <= 0.07
    assert errors["paired t-test"] > 0.07
