"""Settings shared by all tests."""

from __future__ import annotations

import os

import hypothesis

hypothesis.settings.register_profile("default", deadline=None, max_examples=60, derandomize=True)
hypothesis.settings.register_profile("deep", deadline=None, max_examples=5000)
hypothesis.settings.load_profile(os.environ.get("BOUGH_HYPOTHESIS", "default"))
