"""Runs the experiment and writes scratch.md, scratch.json and the figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.common.table import arguments, kept, place, provenance, write, write_json

from .pictures import figures
from .published import LEAST, MOST
from .report import page
from .run import SEED, everything

HERE = Path(__file__).resolve().parent
REDUCED = list(range(LEAST, MOST + 1, 12))  # every twelfth minimum


def main() -> int:
    given = arguments(
        "experiments.scratch", __doc__, again={"action": "store_true", "help": "keep nothing of an earlier run"}
    )
    out = place(given, HERE)
    minima = list(range(LEAST, MOST + 1)) if given.full else REDUCED
    facts = provenance(SEED, given.full)
    earlier = kept(out / "scratch.json", facts, given.again)
    result: dict[str, Any] = {"provenance": facts, "folds": earlier.get("folds", {})}
    for _ in everything(minima, result["folds"]):
        write_json(out, "scratch", result, indent=None)
    result = json.loads((out / "scratch.json").read_text())
    write(out, "scratch", page(result), result, indent=None)
    figures(result["folds"], out)
    print(page(result))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
