"""Runs the experiment and writes auto_search.md and auto_search.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.common.table import arguments, markdown, place, provenance, provenance_line, write

from .run import SEED, random_part, real_part

HERE = Path(__file__).resolve().parent
TABLES, ROWS = {False: 1200, True: 10_000}, {False: 1000, True: 20_000}
HEADER = ["criterion", "tables", "mean share", "least share", "is the best", "mean ms", "most ms", "beaten by"]


def page(result: dict[str, Any]) -> str:
    lines = ['# nominal="auto" against all searches', "", provenance_line(result["provenance"]), ""]
    lines += ["The gain of `auto` as a share of the best gain of all searches of two groups on the same table.", ""]
    for title, part in (("Random tables", "random"), ("Root tables of real sets", "real")):
        rows = [
            [
                c,
                f["tables"],
                f"{f['mean']:.4f}",
                f"{f['least']:.4f}",
                f"{100 * f['best']:.1f} %",
                f"{f['mean_ms']:.2f}",
                f"{f['most_ms']:.1f}",
                ", ".join(f"{s} ({n})" for s, n in list(f["better"].items())[:3]) or "–",
            ]
            for c, f in result[part].items()
            if c != "least"
        ]
        lines += [f"## {title}", "", markdown(HEADER, rows), ""]
    least = result["real"].get("least")
    if least:
        lines.append(f"Least share on a real column: {least['share']:.4f} ({least['column']}, {least['criterion']}).")
    return "\n".join(lines)


def main() -> int:
    given = arguments("experiments.auto_search", __doc__)
    result = {
        "provenance": provenance(SEED, given.full),
        "random": random_part(TABLES[given.full]),
        "real": real_part(ROWS[given.full]),
    }
    write(place(given, HERE), "auto_search", page(result), result)
    print(page(result))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
