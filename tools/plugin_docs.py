"""Writes docs/plug-ins.md from the registry; `--check` only tells whether it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from bough.registry import Parameter, plugins

TITLES = {
    "criterion": "Criteria: how good is this partition?",
    "split": "Splits of numeric columns",
    "nominal": "Partitions of nominal columns",
    "selector": "Selectors: which columns may be split?",
    "prune": "Pruners: what is cut back afterwards?",
}
PATH = Path(__file__).resolve().parent.parent / "docs" / "plug-ins.md"


def limits(p: Parameter) -> str:
    if p.type == "choice":
        return ", ".join(f"`{c!r}`" for c in p.choices)
    if p.type == "flag":
        return "`True`, `False`"
    high = "" if p.high == float("inf") else f" to {p.high:g}"
    return f"{p.type}, {p.low:g}{high or ' and more'}" if p.low > float("-inf") else p.type


def page() -> str:
    lines = ["# Plug-ins", "", "Made from the registry by `tools/plugin_docs.py`; `bough list` shows the same.", ""]
    for kind, entries in plugins().items():
        lines += [f"## {TITLES[kind]}", "", f"Parameter `{kind}` of the estimators.", ""]
        lines += ["| name | what it is | from |", "|---|---|---|"]
        lines += [f"| `{e.name}` | {e.doc.replace('|', chr(92) + '|')} | {e.source} |" for e in entries.values()]
        with_params = [e for e in entries.values() if e.params]
        if with_params:
            lines += ["", "| name | parameter | meaning | default | values |", "|---|---|---|---|---|"]
            for e in with_params:
                lines += [f"| `{e.name}` | `{p.name}` | {p.doc} | `{p.default!r}` | {limits(p)} |" for p in e.params]
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    if "--check" in sys.argv:
        return 0 if PATH.exists() and PATH.read_text() == page() else 1
    PATH.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
