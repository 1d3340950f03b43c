"""Runs the experiment on every data set and writes beyond_greedy.md and beyond_greedy.json.

What an earlier run of the same code has found is kept, unless --again.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

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

from .run import DEPTHS, SEED, SETS, SYSTEMS, held_out

HERE = Path(__file__).resolve().parent
ROWS, REPEATS = {False: 2000, True: 4000}, {False: 2, True: 3}


def page(result: dict[str, Any]) -> str:
    found, facts = result["data"], result["provenance"]
    absent = [name for name in SETS if name not in found]
    text = [
        "# Beyond greedy",
        "",
        "**What is not there**: "
        + (f"sets not run yet: {', '.join(absent)}; " if absent else "")
        + f"more than {facts['rows']:,} rows of a set; provably optimal trees, lookahead and other libraries.",
        "",
        f"{len(found)} data sets, of larger ones {facts['rows']:,} rows; 70 % of the rows for the fit, the others "
        f"held out, {facts['repeats']} times; classes of fewer than six rows left out. Trees of the same depth: `cart` "
        "and `twoing` are greedy axis trees by Gini and by twoing, not pruned; `tao` and `sparse-oblique` are the "
        "systems of these names with their defaults.",
    ]
    for depth in map(str, DEPTHS):
        text += ["", f"## Depth {depth}: accuracy, % (leaves)", ""]
        cells = [
            [name, *(f"{100 * of[depth][s][0]:.1f} ({of[depth][s][1]:.0f})" for s in SYSTEMS)]
            for name, of in found.items()
        ]
        mean = {s: np.mean([of[depth][s] for of in found.values()], axis=0) for s in SYSTEMS}
        cells.append(["**mean**", *(f"**{100 * m[0]:.1f}** ({m[1]:.1f})" for m in mean.values())])
        text.append(markdown(["", *SYSTEMS], cells))
        text += ["", against(found, depth)]
    text += ["", "## Seconds of a fit, depth 4", "", markdown(["", *SYSTEMS, "sparse-oblique / twoing"], times(found))]
    return "\n".join([*text, "", provenance_line(facts)])


def against(found: dict[str, Any], depth: str) -> str:
    """What the refined trees gain and lose, with Wilcoxon's test over the sets."""
    lines = []
    for system in ("tao", "sparse-oblique"):
        for greedy in ("cart", "twoing"):
            d = {n: 100 * (of[depth][system][0] - of[depth][greedy][0]) for n, of in found.items()}
            v = np.array(list(d.values()))
            p = f"p = {wilcoxon(v).pvalue:.2g}" if len(v) > 5 and v.any() else "too few sets for a test"
            worst = ", ".join(f"{n} {x:+.1f}" for n, x in sorted(d.items(), key=lambda e: e[1])[:3] if x < 0)
            lines.append(
                f"- `{system}` against `{greedy}`: {v.mean():+.1f} points on average, better on {(v > 0).sum()} of "
                f"{len(v)} sets (Wilcoxon {p})" + (f"; largest losses: {worst}." if worst else "; no losses.")
            )
    return "\n".join(lines)


def times(found: dict[str, Any]) -> list[list[object]]:
    rows: list[list[object]] = []
    for name, of in found.items():
        t = {s: of["4"][s][3] for s in SYSTEMS}
        rows.append([name, *(f"{x:.4f}" for x in t.values()), f"{t['sparse-oblique'] / max(t['twoing'], 1e-6):.0f}"])
    return rows


def main() -> int:
    options: dict[str, Any] = {
        "data": {"nargs": "+", "choices": SETS, "default": list(SETS)},
        "page": PAGE,
        "again": {"action": "store_true", "help": "keep nothing of an earlier run"},
    }
    given = arguments("experiments.beyond_greedy", __doc__, **options)
    out = place(given, HERE)
    facts = provenance(SEED, given.full, rows=ROWS[given.full], repeats=REPEATS[given.full])
    if not given.page:
        found = kept(out / "beyond_greedy.json", facts, given.again).get("data", {})
        for name in (n for n in given.data if n not in found):
            print(name, file=sys.stderr, flush=True)
            try:
                found[name] = held_out(name, ROWS[given.full], REPEATS[given.full])
            except DataMissing as e:
                print(f"{name}: {e}", file=sys.stderr, flush=True)
            ordered = {n: found[n] for n in SETS if n in found}
            write_json(out, "beyond_greedy", {"provenance": facts, "data": ordered}, indent=None)
    print(remade(out, "beyond_greedy", page))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
