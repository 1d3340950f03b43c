"""The errors that bough raises on its own account."""

from __future__ import annotations


class BoughError(Exception):
    """Base of bough's own errors."""


class ParameterError(BoughError, ValueError, TypeError):
    """A parameter has a value that it cannot have."""


class DataError(BoughError, ValueError):
    """A table holds something that a tree cannot be grown on, or asked about."""


class ModelFileError(BoughError, ValueError):
    """Bytes that are not a model file, or a damaged one."""
