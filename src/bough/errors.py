"""The errors that bough raises on its own account."""

from __future__ import annotations

from typing import Any


class BoughError(Exception):
    """Base of bough's own errors."""


class ParameterError(BoughError, ValueError, TypeError):
    """A parameter has a value that it cannot have."""


class DataError(BoughError, ValueError):
    """A table holds something that a tree cannot be grown on, or asked about."""


class ModelFileError(BoughError, ValueError):
    """Bytes that are not a model file, or a damaged one."""


LONGEST = 100  # characters of a value that an error shows


def shown(value: Any) -> str:
    """A value of the user's as an error shows it: on one line, cut if it is long, whatever its repr does."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a whole number of 5000 digits, a class of the user's own
        return f"a {type(value).__name__} that cannot be written out"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 20]} … {text[-10:]}"
