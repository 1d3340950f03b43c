"""Libraries that only comparisons use."""

from __future__ import annotations

from typing import Any

from ..errors import module_of


def needs(module: str, what: str) -> Any:
    """The module of that name; ``what`` is done with it."""
    return module_of(module, what, "compare")
