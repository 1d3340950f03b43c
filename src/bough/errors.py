"""The errors that bough raises on its own account."""

from __future__ import annotations

import unicodedata
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


BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    """A text of the user's or of a file's as it is printed: what would steer a terminal (control characters, line
    ends, marks that turn the direction of writing) is written as Python writes it, such as ``\\x1b``."""
    if text.isprintable():
        return text
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in BIDI else c
        for c in text
    )
