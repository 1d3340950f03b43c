"""Writes docs/systems.md from the table of systems; `--check` only tells whether it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from bough.estimators.systems import SYSTEMS

PATH = Path(__file__).resolve().parent.parent / "docs" / "systems.md"

TOP = """# Published systems

Made from `src/bough/systems.py` by `tools/system_docs.py`; `bough list systems` shows the same.

A published system is a name for a combination of parts. `bough.system(name)` returns a `TreeClassifier` with
these parameters; any of them can be given otherwise, as in `bough.system("cart", criterion="twoing", ccp_alpha=0.01)`.
Dicts of parameters (`split_params`, `nominal_params`, `selector_params`) are merged, unless the part that they
belong to is itself replaced.

| name | what it is | from | parameters |
|---|---|---|---|
"""


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def parameter(name: str, value: Any) -> str:
    return f"`{name}={value!r}`"


def page() -> str:
    rows = [
        f"| `{s.name}` | {cell(s.doc)} | {cell(s.source)} | {', '.join(parameter(k, v) for k, v in s.params.items())} |"
        for s in SYSTEMS.values()
    ]
    return TOP + "\n".join(rows) + "\n"


def main() -> int:
    if "--check" in sys.argv:
        return 0 if PATH.exists() and PATH.read_text() == page() else 1
    PATH.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
