"""The compiled core that ``BOUGH_CORE`` names, in the place of the installed one; imported before anything of bough.

``make sanitize`` runs tests and stress on its own builds this way.
"""

from __future__ import annotations

import importlib.util
import os
import sys

if named := os.environ.get("BOUGH_CORE"):
    spec = importlib.util.spec_from_file_location("bough._core", named)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["bough._core"] = module
    spec.loader.exec_module(module)
