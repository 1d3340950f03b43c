"""Runs the experiment on every data set and writes choose.md and choose.json.

What an earlier run of the same code has found is kept, unless --again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common.data import DataMissing
from experiments.common.table import (
    PAGE,
    arguments,
    kept,
    markdown,
    place,
    provenance,
    provenance_line,
    remade,
    write_json,
)

from .run import FOLDS, SEED, SETS, held_out

HERE = Path(__file__).resolve().parent
EVERYWHERE = ("choose", "pruned axis", "lda", "node-means PCA", "ctree")
SOMEWHERE = "cart-elc"  # a candidate where rows × numeric columns are few
ROWS = {False: 150, True: 1000}


def mean(folds: list[dict[str, Any]], system: str, what: int) -> float | None:
    """Accuracy (0) or leaves (1) of a system over the folds; None where it was not a candidate on all of them."""
    if any(system not in fold["held_out"] for fold in folds):
        return None
    return float(np.mean([fold["held_out"][system][what] for fold in folds]))


def page(result: dict[str, Any]) -> str:
    found, facts = result["data"], result["provenance"]
    absent = [name for name in SETS if name not in found]
    on = {name: sum(SOMEWHERE in fold["held_out"] for fold in folds) for name, folds in found.items()}
    some = [f"{name} ({n} of {len(found[name])})" for name, n in on.items() if 0 < n < len(found[name])]
    text = [
        "# Held out: what `bough.choose` takes",
        "",
        f"**What is not there**: more than {facts['rows']:,} rows of a set, for time"
        + (f"; not run yet: {', '.join(absent)}" if absent else "")
        + f"; {SOMEWHERE} where rows times numeric columns are more than `choose` tries it on"
        + (f", and where that is so on some folds: {', '.join(some)}." if some else "."),
        "",
        f"{len(found)} data sets, of larger ones a sample of at most {facts['rows']:,} rows; {FOLDS} folds. `choose` "
        f"sees the training part only. The others are the systems that it chooses from; {SOMEWHERE} was one of them on "
        f"{sum(n > 0 for n in on.values())} of the sets.",
    ]
    for title, what, scale in (("Accuracy, %", 0, 100), ("Leaves", 1, 1)):
        rows: list[list[object]] = []
        for name, folds in found.items():
            cells = [mean(folds, s, what) for s in (*EVERYWHERE, SOMEWHERE)]
            rows.append([name, *("–" if c is None else f"{scale * c:.1f}" for c in cells)])
        means = [np.mean([scale * (mean(folds, s, what) or 0) for folds in found.values()]) for s in EVERYWHERE]
        rows.append(["**mean**", *(f"**{m:.1f}**" for m in means), "–"])
        text += ["", f"## {title}", "", markdown(["", *EVERYWHERE, SOMEWHERE], rows)]
    return "\n".join([*text, "", provenance_line(facts)])


def main() -> int:
    options: dict[str, Any] = {
        "data": {"nargs": "+", "choices": SETS, "default": list(SETS)},
        "page": PAGE,
        "again": {"action": "store_true", "help": "keep nothing of an earlier run"},
    }
    given = arguments("experiments.choose", __doc__, **options)
    out, most = place(given, HERE), ROWS[given.full]
    facts = provenance(SEED, given.full, rows=most)
    if not given.page:
        found = kept(out / "choose.json", facts, given.again).get("data", {})
        for name in (n for n in given.data if n not in found):
            print(name, file=sys.stderr, flush=True)
            try:
                found[name] = held_out(name, most)
            except DataMissing as e:
                print(f"{name}: {e}", file=sys.stderr, flush=True)
            ordered = {n: found[n] for n in SETS if n in found}
            write_json(out, "choose", {"provenance": facts, "data": ordered}, indent=None)
    print(remade(out, "choose", page))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
