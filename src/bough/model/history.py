"""What was changed by hand in a model, as its file keeps it: a sentence for each change, oldest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ModelFileError
from .metadata import check_texts

MOST_EDITS = 1_000
MOST_CHARACTERS = 400


def edits_of(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """Changes by hand, as a file records them."""
    found = meta.get("edits", [])
    if not isinstance(found, list) or len(found) > MOST_EDITS:
        raise ModelFileError("the changes by hand are not a short list")
    if not all(isinstance(t, str) and len(t) <= MOST_CHARACTERS for t in found):
        raise ModelFileError("a change by hand is not a short text")
    check_texts(*found)
    return tuple(found)
