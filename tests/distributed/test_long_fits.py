"""Fits that take minutes on one worker are announced with an estimate and the way out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bough import TreeClassifier
from bough.distributed.engine import InProcess, Rows
from bough.distributed.fit import Job
from bough.estimators import hyperplanes
from bough.estimators.hyperplanes import long_fit


def test_a_climb_over_two_million_rows_is_announced_in_minutes_with_the_way_out():
    text = long_fit("oc1", {}, 2_000_000, 20)
    assert "2,000,000 rows and 20 columns" in text
    assert "about 3 minutes" in text
    assert "'restarts': 2" in text
    assert "minutes" in long_fit("cart_lc", {}, 10_000_000, 50)
    assert "max_seconds" in long_fit("elc", {"r": 3}, 100_000, 20)


@pytest.mark.parametrize(
    ("split", "given", "rows"),
    [("oc1", {}, 20_000), ("oc1", {"restarts": 1}, 2_000_000), ("axis", {}, 10**9), ("elc", {"max_seconds": 1}, 10**6)],
)
def test_quick_fits_are_not_announced(split, given, rows):
    assert long_fit(split, given, rows, 20) is None


def test_a_fit_on_a_cluster_says_so_before_it_begins(monkeypatch):
    monkeypatch.setattr(hyperplanes, "LONG", 0.0)
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"])
    engine = InProcess([Rows(X, (X["a"] > 0).astype(int), None)])
    with pytest.warns(UserWarning, match=r"split='oc1' over 60 rows and 2 columns takes about 0 seconds of one core"):
        Job(engine, TreeClassifier(split="oc1", max_depth=2, random_state=0), None).fitted()
    engine.end()
