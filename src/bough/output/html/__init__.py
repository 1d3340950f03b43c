"""The report: one page that shows a tree, node by node, and works without anything else."""

from .page import Report, report

__all__ = ["Report", "report"]
