"""The errors that bough raises on its own account."""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


class BoughError(Exception):
    """Base of bough's own errors."""


class ParameterError(BoughError, ValueError, TypeError):
    """A parameter has a value that it cannot have."""


class DataError(BoughError, ValueError):
    """A table holds something that a tree cannot be grown on, or asked about."""


class ModelFileError(BoughError, ValueError):
    """Bytes that are not a model file, or a damaged one."""


class LacksExtraError(BoughError, ImportError):
    """A library of an extra, such as ``bough-trees[compare]``, is not installed."""


@contextmanager
def sentences() -> Iterator[None]:
    """Turns what the core refuses, in a sentence, into an error of ours."""
    try:
        yield
    except BoughError:
        raise
    except ValueError as e:
        raise DataError(str(e)) from None


def module_of(name: str, what: str, extra: str) -> Any:
    """A module of a library that an extra brings, imported when it is needed; ``what`` needs it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as e:
        library = name.partition(".")[0]
        if e.name is not None and e.name.partition(".")[0] != library:
            raise
        raise LacksExtraError(f'{what} needs {library}: pip install "bough-trees[{extra}]"') from None


LONGEST = 100  # characters of a value that an error shows


def shown(value: Any) -> str:
    """A value of the user's as an error shows it: on one line, cut if it is long, whatever its repr does."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer of 5000 digits, a class of the user's own
        return f"something of type {type(value).__name__!r}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 20]} … {text[-10:]}"


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """An argument that must be an integer, refused by its name if it is none."""
    try:
        found = None if isinstance(value, bool) else operator.index(value)
    except Exception:
        found = None
    if found is None or found < least or (most is not None and found > most):
        raise ParameterError(f"{name} is {shown(value)}; it must be {integers(least, most)}.")
    return found


def integers(least: int, most: int | None = None) -> str:
    """Which integers something may be, in words."""
    if most is not None:
        return f"an integer from {least} to {most}" if least < most else str(least)
    return {0: "a non-negative integer", 1: "a positive integer"}.get(least, f"an integer of at least {least}")


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
