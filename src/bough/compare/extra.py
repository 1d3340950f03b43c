"""Libraries that only comparisons use: imported when needed, missed with one sentence."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import BoughError


class LacksExtraError(BoughError):
    """A library of the extra ``bough[compare]`` is not installed."""


def needs(module: str, what: str) -> Any:
    """The module of that name; ``what`` is done with it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as e:
        library = module.partition(".")[0]
        if e.name is not None and e.name.partition(".")[0] != library:
            raise
        raise LacksExtraError(f'{what} needs {library}: pip install "bough[compare]"') from None
