"""The report: one page that shows a tree, node by node, and works without anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .page import Report, report

if TYPE_CHECKING:
    from ...model.model import Model

__all__ = ["Report", "report", "write"]


def write(model: Model) -> bytes:
    """The page without data of anybody's."""
    return report(model).page.encode()
