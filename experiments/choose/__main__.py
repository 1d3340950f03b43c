"""Runs the experiment on every data set and writes results/choose.md and .json; what the JSON has is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common.table import arguments, markdown, provenance, provenance_line, write

from .run import FOLDS, SEED, SETS, held_out

RESULTS = Path(__file__).resolve().parent / "results"
EVERYWHERE = ("choose", "pruned axis", "lda", "node-means PCA", "ctree")
ROWS = {False: 300, True: 5000}


def mean(result: list[dict[str, Any]], system: str, what: int) -> float:
    """Accuracy (0) or leaves (1) of a system over the folds."""
    return float(np.mean([fold["held_out"][system][what] for fold in result]))


def page(found: dict[str, list[dict[str, Any]]], most: int, facts: dict[str, Any]) -> str:
    text = [
        "# Held out: what `bough.choose` takes",
        "",
        f"{len(found)} data sets, of larger ones a sample of at most {most:,} rows; {FOLDS} folds. `choose` sees the "
        "training part only. The systems are those it chooses from.",
    ]
    for title, what, digits in (("Accuracy, %", 0, 1), ("Leaves", 1, 1)):
        scale = 100 if what == 0 else 1
        rows: list[list[object]] = [
            [name, *(f"{scale * mean(result, s, what):.{digits}f}" for s in EVERYWHERE)]
            for name, result in found.items()
        ]
        means = [np.mean([scale * mean(r, s, what) for r in found.values()]) for s in EVERYWHERE]
        rows.append(["**mean**", *(f"**{m:.{digits}f}**" for m in means)])
        text += ["", f"## {title}", "", markdown(["", *EVERYWHERE], rows)]
    return "\n".join([*text, "", provenance_line(facts)])


def main() -> int:
    options: dict[str, Any] = {
        "data": {"nargs": "+", "choices": SETS, "default": list(SETS)},
        "rows": {"type": int, "metavar": "N", "help": "most rows of a data set; 300, or 5000 with --full"},
    }
    given = arguments("experiments.choose", __doc__, **options)
    out, most = given.out or RESULTS, given.rows or ROWS[given.full]
    kept = out / "choose.json"
    found = json.loads(kept.read_text())["data"] if kept.exists() else {}
    facts = provenance(SEED, given.full, rows=most)
    for name in given.data:
        if name not in found:
            found[name] = held_out(name, most)
        ordered = {n: found[n] for n in SETS if n in found}
        write(out, "choose", page(ordered, most, facts), {"provenance": facts, "data": ordered}, indent=None)
    print(page(ordered, most, facts))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
