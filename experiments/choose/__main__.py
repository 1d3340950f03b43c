"""Runs the experiment on every data set and writes choose.md and choose.json.

What an earlier run of the same code has found is kept, unless --again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from experiments.common.each import each
from experiments.common.table import markdown, provenance, provenance_line

from .run import FOLDS, SEED, SETS, held_out, seconds

HERE = Path(__file__).resolve().parent
SYSTEMS = ("pruned axis", "lda", "sparse-oblique", "sparse-oblique, depth 4", "ctree")
ALL = ("choose", "readable", *SYSTEMS)
ROWS = {False: 150, True: 1000}
BEFORE = HERE / "results" / "before.json"  # what the choice of an earlier commit did on the same rows and folds


def mean(folds: list[dict[str, Any]], system: str, what: int) -> float:
    """Accuracy (0) or leaves (1) of a system over the folds."""
    return float(np.mean([fold["held_out"][system][what] for fold in folds]))


def page(result: dict[str, Any]) -> str:
    found, facts = result["data"], result["provenance"]
    absent = [name for name in SETS if name not in found]
    earlier = json.loads(BEFORE.read_text()) if facts["size"] == "full" and BEFORE.exists() else {"data": {}}
    both = [name for name in found if name in earlier["data"]]
    text = [
        "# Held out: what `bough.choose` takes",
        "",
        f"**What is not there**: more than {facts['rows']:,} rows of a set, for time"
        + (f"; not run yet: {', '.join(absent)}." if absent else "."),
        "",
        f"{len(found)} data sets, of larger ones a sample of at most {facts['rows']:,} rows; {FOLDS} folds. `choose` "
        "sees the training part only; `readable` is `choose(readable=True)`. The others are the systems that it "
        "chooses from, each by the same folds and never left out."
        + (f" `before` is `choose` of commit {earlier['commit']}, on the same rows and folds." if both else ""),
    ]
    for title, key, what, scale in (("Accuracy, %", "accuracy", 0, 100), ("Leaves", "leaves", 1, 1)):
        rows: list[list[object]] = []
        sums = []
        for name, folds in found.items():
            cells = [scale * mean(folds, s, what) for s in ALL]
            if both:
                cells.insert(0, scale * earlier["data"][name][key] if name in both else np.nan)
            sums.append(cells)
            rows.append([name, *(f"{c:.1f}" for c in cells)])
        rows.append(["**mean**", *(f"**{m:.1f}**" for m in np.mean(sums, axis=0))])
        text += ["", f"## {title}", "", markdown(["", *(["before"] if both else []), *ALL], rows)]
        if both:
            d = np.array(sums)[:, 1] - np.array(sums)[:, 0]
            p = f", Wilcoxon p = {wilcoxon(d).pvalue:.2g}" if np.count_nonzero(d) > 5 else ""
            text += ["", f"`choose` against `before`: {d.mean():+.2f} in the mean, more on {(d > 1e-9).sum()} sets, "
                     f"less on {(d < -1e-9).sum()}{p}."]  # fmt: skip
    text += ["", "## What was taken, and what was left out", "", *taken(found)]
    text += ["", "## Log-loss on rows held out", "", *log_losses(found)]
    if result.get("seconds"):
        text += ["", "## Seconds of one core", "", *times(result["seconds"])]
    return "\n".join([*text, "", provenance_line(facts)])


def taken(found: dict[str, Any]) -> list[str]:
    rows: list[list[object]] = []
    for s in SYSTEMS:
        runs = [fold["choose"] for folds in found.values() for fold in folds]
        cut = [r["tried"][s][2] for r in runs if r["tried"][s][2] < 10]
        rows.append([s, sum(r["chosen"] == s for r in runs), len(cut), f"{np.mean(cut):.1f}" if cut else "–"])
    return [markdown(["", "taken", "left out", "folds until then"], rows)]


def log_losses(found: dict[str, Any]) -> list[str]:
    """Of the chosen tree and of a full one, with and without smoothing, the mean over the sets."""
    names = list(next(iter(found.values()))[0]["log_loss"])
    cells = [float(np.mean([np.mean([f["log_loss"][n] for f in folds]) for folds in found.values()])) for n in names]
    return [markdown(["", *names], [["mean", *(f"{c:.2f}" for c in cells)]])]


def times(found: list[dict[str, Any]]) -> list[str]:
    rows = []
    for one in found:
        n, d, text, k = one["table"]
        rows.append([f"{n:,} × {d}", text, k, f"{one['seconds']:.1f}", one["chosen"]])
    return [
        "Tables that are made, the least of three runs:",
        "",
        markdown(["table", "text columns", "classes", "seconds", "taken"], rows),
    ]


def main() -> int:
    return each(
        HERE,
        __doc__,
        SETS,
        lambda name, given: held_out(name, ROWS[given.full]),
        lambda given: provenance(SEED, given.full, rows=ROWS[given.full]),
        page,
        lambda given: {"seconds": seconds() if given.full else []},
    )


if __name__ == "__main__":
    raise SystemExit(main())
