"""Settings shared by all tests."""

from __future__ import annotations

import faulthandler
import os

import hypothesis
import pytest

import support.core  # noqa: F401 (before anything of bough)

hypothesis.settings.register_profile("default", deadline=None, max_examples=60, derandomize=True)
hypothesis.settings.register_profile("deep", deadline=None, max_examples=5000)
hypothesis.settings.load_profile(os.environ.get("BOUGH_HYPOTHESIS", "default"))

LAST = 1200  # seconds; far beyond the limit of any test


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """Ends the run if a test hangs so hard that its time limit (pyproject.toml) cannot reach it."""
    faulthandler.dump_traceback_later(LAST, exit=True)
    result = yield
    faulthandler.cancel_dump_traceback_later()
    return result


@pytest.fixture
def as_in_forests(monkeypatch):
    """Columns that tie are in the order of the seed, in single trees too."""
    monkeypatch.setattr("bough.estimators.plan.ties_by_seed", lambda params: True)
