"""The browser of the tests in this folder."""

from __future__ import annotations

import pytest

from support.chromium import Chromium


@pytest.fixture(scope="module")
def browser():
    found = Chromium()
    yield found
    found.close()
