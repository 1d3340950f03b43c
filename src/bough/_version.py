"""The version, also in pyproject.toml and CITATION.cff."""

from __future__ import annotations

__version__ = "0.1.0"
