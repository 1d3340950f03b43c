"""What a model file keeps for its user: metadata of any kind, and the version of bough that wrote the file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import ModelFileError, ParameterError, shown

MOST_TEXT = 1_000_000  # characters of it as JSON
MOST_DEEP = 32  # lists in lists
LONGEST_VERSION = 64


def checked_user(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata that comes back from a file as it is, or an error."""
    if not isinstance(metadata, Mapping):
        raise ParameterError(f"metadata is {shown(metadata)}; it must be a dict.")
    found = dict(metadata)
    try:
        text = json.dumps(found, allow_nan=False, ensure_ascii=False)
        text.encode()
        back = json.loads(text)
    except (TypeError, ValueError, RecursionError) as e:
        raise ParameterError(
            f"metadata cannot be kept as JSON ({e}); use texts, finite numbers, flags, None, lists and dicts."
        ) from None
    if back != found:
        raise ParameterError("metadata would not come back as it is; use lists, not tuples, and texts as keys.")
    if len(text) > MOST_TEXT or depth(found) > MOST_DEEP:
        raise ParameterError(
            f"metadata has {len(text):,} characters as JSON, {depth(found)} levels deep; a file keeps "
            f"{MOST_TEXT:,} and {MOST_DEEP} levels. Keep a reference to a file of its own instead."
        )
    return found


def depth(value: Any) -> int:
    """How many lists and dicts lie in each other."""
    deepest, stack = 0, [(value, 0)]
    while stack:
        at, level = stack.pop()
        deepest = max(deepest, level)
        if isinstance(at, dict):
            stack += [(v, level + 1) for v in at.values()]
        elif isinstance(at, list):
            stack += [(v, level + 1) for v in at]
    return deepest


def user_of(meta: dict[str, Any]) -> dict[str, Any]:
    found = meta.get("user", {})
    if not isinstance(found, dict):
        raise ModelFileError("the user's metadata is not a JSON object")
    try:
        return checked_user(found)
    except ParameterError as e:
        raise ModelFileError(f"the user's metadata cannot be used: {e}") from None


def library_of(meta: dict[str, Any]) -> str | None:
    found = meta.get("library")
    if found is not None and (not isinstance(found, str) or not 0 < len(found) <= LONGEST_VERSION):
        raise ModelFileError("the version of the library is not a short text")
    return found
