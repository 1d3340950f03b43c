"""Which system is really better? Comparisons with statistics, and a choice by evidence."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class Room(ModuleType):
    """A module that can be called: ``bough.compare`` is a function to users, and the import system puts this
    package under the same name as soon as one of its files is imported."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        from .run import compare

        return compare(*args, **options)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        from .run import compare

        return compare.__doc__

    @property
    def __signature__(self) -> Any:
        from inspect import signature

        from .run import compare

        return signature(compare)

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)


sys.modules[__name__].__class__ = Room
