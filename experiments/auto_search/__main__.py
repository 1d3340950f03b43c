"""Runs the experiment and writes auto_search.md and auto_search.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.common.table import PAGE, arguments, markdown, place, provenance, provenance_line, remade, write_json

from .run import MOST_CLASSES, MOST_EXACT, MOST_VALUES, SEED, random_part, real_part

HERE = Path(__file__).resolve().parent
TABLES, ROWS = {False: 1200, True: 10_000}, {False: 1000, True: 20_000}
HEADER = ["criterion", "tables", "mean share", "least share", "is the best", "mean ms", "most ms", "beaten by"]


def page(result: dict[str, Any]) -> str:
    lines = ['# nominal="auto" against all searches', ""]
    rows_of_sets = ROWS[result["provenance"]["size"] == "full"]
    lines += [
        f"**What is not there**, for time: `exact` and `guide` on tables of more than {MOST_EXACT} values, unless they "
        "have two classes and the criterion is not the weight of a cut in a graph; `hypercube_cover` and `superclass` "
        f"on tables of more than {MOST_CLASSES} classes; of real columns, values beyond the commonest {MOST_VALUES} "
        f"and rows beyond the first {rows_of_sets:,} of a set. Searches that a criterion does not fit, and those that "
        "make more than two groups, are not compared. The JSON has sums, no single tables.",
        "",
        "The gain of `auto` as a share of the best gain of all other searches of two groups on the same table. Each "
        "random table is judged by one criterion, each column by all of them; tables where nothing can be gained are "
        "left out.",
        "",
    ]
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
        lines += [f"Least share on a real column: {least['share']:.4f} ({least['column']}, {least['criterion']}).", ""]
    return "\n".join([*lines, provenance_line(result["provenance"])])


def main() -> int:
    given = arguments("experiments.auto_search", __doc__, page=PAGE)
    out = place(given, HERE)
    if not given.page:
        result = {
            "provenance": provenance(SEED, given.full),
            "random": random_part(TABLES[given.full]),
            "real": real_part(ROWS[given.full]),
        }
        write_json(out, "auto_search", result)
    print(remade(out, "auto_search", page))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
