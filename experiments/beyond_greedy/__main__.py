"""Runs the experiment on every data set and writes beyond_greedy.md and beyond_greedy.json.

What an earlier run of the same code has found is kept, unless --again. Other libraries take part with --peers: they are
installed from PyPI into an environment of their own.
"""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from bough.compare.statistics import holm
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

from .install import versions
from .run import DEPTHS, LIMIT, PEERS, SECONDS, SEED, SETS, SYSTEMS, held_out

HERE = Path(__file__).resolve().parent
ROWS, REPEATS = {False: 600, True: 1000}, {False: 2, True: 4}
OURS = [s for s in ("sparse-oblique", "lookahead", "optimal", "tao") if s in SYSTEMS]


def page(result: dict[str, Any]) -> str:
    found, facts = result["data"], result["provenance"]
    absent = [name for name in SETS if name not in found]
    peers = ", ".join(f"{k} {v}" for k, v in facts.get("peers", {}).items())
    text = [
        "# Beyond greedy",
        "",
        "**What is not there**: "
        + (f"sets not run yet: {', '.join(absent)}; " if absent else "")
        + f"more than {facts['rows']:,} rows of a set; peers that failed or took more than {LIMIT} processor seconds "
        f"for all depths and splits of a set (a dash); `optimal` had {SECONDS['optimal']:g} s for a fit.",
        "",
        f"{len(found)} data sets, of larger ones {facts['rows']:,} rows; 70 % of the rows for the fit, the others held "
        f"out, {facts['repeats']} times; classes of fewer than six rows left out. Trees of the same depth, but for "
        "`cart, pruned`, which has any depth and is cut back by cross-validation; FIGS has as many splits as a full "
        "tree of that depth. Systems have their defaults. Peers see nominal columns one-hot encoded and the median for "
        "a missing number, LicketySPLIT seven quantiles of each column; a split of sgtlearn is a small tree of its own "
        f"(its `TAO_refine` left every tree as it was in an earlier run, and is left out). {peers}",
    ]
    for depth in map(str, DEPTHS):
        systems = [s for s in (*SYSTEMS, *PEERS) if any(isinstance(of[depth].get(s), list) for of in found.values())]
        text += ["", f"## Depth {depth}: accuracy, % (leaves)", "", accuracies(found, depth, systems)]
        text += ["", *against(found, depth, systems)]
    text += ["", "## Columns of a split, depth 4", "", means(found, "4", 2, 1)]
    text += ["", "## Processor seconds of a fit, depth 4", "", means(found, "4", 3, 4)]
    return "\n".join([*text, "", provenance_line({k: v for k, v in facts.items() if k != "peers"})])


def values(found: dict[str, Any], depth: str, system: str, what: int) -> dict[str, float]:
    """By data set; only those on which the system came to an end."""
    out = {}
    for name, of in found.items():
        cell = of[depth].get(system)
        if isinstance(cell, list) and cell[what] is not None:
            out[name] = float(cell[what])
    return out


def accuracies(found: dict[str, Any], depth: str, systems: list[str]) -> str:
    rows: list[list[object]] = []
    for name, of in found.items():
        cells = []
        for s in systems:
            cell = of[depth].get(s)
            leaves = f" ({cell[1]:.0f})" if isinstance(cell, list) and cell[1] is not None else ""
            cells.append(f"{100 * cell[0]:.1f}{leaves}" if isinstance(cell, list) else "–")
        rows.append([name, *cells])
    every = [s for s in systems if len(values(found, depth, s, 0)) == len(found)]
    sums = {s: 100 * np.mean(list(values(found, depth, s, 0).values())) for s in every}
    means = [f"**{sums[s]:.1f}**" if s in sums else "–" for s in systems]
    rows.append(["**mean**", *means])
    return markdown(["", *systems], rows)


def against(found: dict[str, Any], depth: str, systems: list[str]) -> list[str]:
    """Each of ours against the others, with Wilcoxon's test over the sets, corrected together by Holm's method."""
    pairs, lines = [], []
    for own in (s for s in OURS if s in systems):
        for other in (s for s in systems if s != own and s not in OURS[: OURS.index(own)]):
            a, b = values(found, depth, own, 0), values(found, depth, other, 0)
            d = {n: 100 * (a[n] - b[n]) for n in a if n in b}
            v = np.round(list(d.values()), 9)
            if len(v) > 5 and v.any():
                pairs.append((own, other, d, float(wilcoxon(v).pvalue)))
    for (own, other, d, _), p in zip(pairs, holm([p for *_, p in pairs]), strict=True):
        v = np.array(list(d.values()))
        worst = ", ".join(f"{n} {x:+.1f}" for n, x in sorted(d.items(), key=lambda e: e[1])[:3] if x < 0)
        lines.append(
            f"- `{own}` against `{other}`: {v.mean():+.1f} points, better on {(v > 1e-9).sum()} and worse on "
            f"{(v < -1e-9).sum()} of {len(v)} sets (p = {p:.2g})" + (f"; largest losses: {worst}." if worst else ".")
        )
    return lines


def means(found: dict[str, Any], depth: str, what: int, digits: int) -> str:
    """The mean and the largest over the sets."""
    rows: list[list[object]] = []
    for s in (*SYSTEMS, *PEERS):
        v = list(values(found, depth, s, what).values())
        if v:
            rows.append([s, len(v), f"{np.mean(v):.{digits}f}", f"{np.median(v):.{digits}f}", f"{max(v):.{digits}f}"])
    return markdown(["", "sets", "mean", "median", "largest"], rows)


def machine() -> str:
    """What the times depend on."""
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")] if (
        Path("/proc/cpuinfo").exists()
    ) else []  # fmt: skip
    return f"{names[0].partition(':')[2].strip() if names else platform.machine()}, {os.cpu_count()} cores, shared"


def main() -> int:
    options: dict[str, Any] = {
        "data": {"nargs": "+", "choices": SETS, "default": list(SETS)},
        "page": PAGE,
        "again": {"action": "store_true", "help": "keep nothing of an earlier run"},
        "peers": {"action": "store_true", "help": "with other libraries, which are installed from PyPI"},
    }
    given = arguments("experiments.beyond_greedy", __doc__, **options)
    out = place(given, HERE)
    more: dict[str, Any] = {"peers": versions()} if given.peers else {}
    size = {"rows": ROWS[given.full], "repeats": REPEATS[given.full]}
    facts = provenance(SEED, given.full, **size, machine=machine(), **more)
    if not given.page:
        found = kept(out / "beyond_greedy.json", facts, given.again).get("data", {})
        for name in (n for n in given.data if n not in found):
            print(name, file=sys.stderr, flush=True)
            try:
                found[name] = held_out(name, ROWS[given.full], REPEATS[given.full], given.peers)
            except DataMissing as e:
                print(f"{name}: {e}", file=sys.stderr, flush=True)
            ordered = {n: found[n] for n in SETS if n in found}
            write_json(out, "beyond_greedy", {"provenance": facts, "data": ordered}, indent=None)
    print(remade(out, "beyond_greedy", page))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
