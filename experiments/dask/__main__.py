"""How time, memory and traffic of a tree on a Dask cluster grow with rows, columns, partitions and workers: dask.md and
dask.json. With ``--full`` also 10M × 20 numbers on two workers of one thread and 2.5 GB, the tree of depth 8 and the
full one, beside one process with two threads: large.md and large.json.

    python -m experiments.dask                      # from 12,500 to 100,000 rows
    python -m experiments.dask --full --only dask   # from 125,000 to 1,000,000 rows: two minutes
    python -m experiments.dask --full --only large  # about five minutes; needs 8 GB and a machine with nothing to do
"""

from __future__ import annotations

from dataclasses import asdict, replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from experiments.common.table import PAGE, arguments, markdown, place, provenance, provenance_line, remade, write_json

from .run import RIVALS, SEED, Case, measured

HERE = Path(__file__).resolve().parent
BASE = Case(rows=500_000, columns=20, partitions=8, workers=2, depth=8)
LARGE = Case(rows=10_000_000, columns=20, partitions=20, workers=2, depth=8)


def cases(full: bool) -> dict[str, list[Case]]:
    base = BASE if full else replace(BASE, rows=BASE.rows // 10)
    return {
        "rows": [replace(base, rows=r) for r in (base.rows // 4, base.rows // 2, base.rows, 2 * base.rows)],
        "columns": [replace(base, columns=c) for c in (5, 10, 20, 40)],
        "partitions": [replace(base, partitions=p) for p in (2, 8, 32)],
        "workers": [replace(base, workers=w) for w in (1, 2, 4)],
        "depth": [replace(base, depth=d) for d in (4, 8, None)],
    }


def main() -> None:
    only = {"choices": ["dask", "large"], "help": "one of the two pages"}
    given = arguments("experiments.dask", __doc__, only=only, page=PAGE)
    parts = {"dask": cases(given.full)}
    if given.full:
        parts["large"] = {"10M × 20": [LARGE, replace(LARGE, depth=None)]}
    out = place(given, HERE)
    for part, series in parts.items():
        if given.only not in (None, part):
            continue
        if not given.page:
            write_json(out, part, run(part, series, given.full))
        remade(out, part, page)


def run(part: str, series: dict[str, list[Case]], full: bool) -> dict[str, Any]:
    others = part == "large"
    versions = {name: metadata.version(name) for name in ("dask", *RIVALS) if find_spec(name)} if others else {}
    result: dict[str, Any] = {"provenance": provenance(SEED, full, **versions), "series": {}}
    known: dict[Case, dict[str, Any]] = {}
    for name, wanted in series.items():
        for case in wanted:
            if case not in known:
                known[case] = measured(case, "2.5GB", others=others and case.depth is None)
                print(case, known[case], flush=True)
        result["series"][name] = [{**asdict(c), **known[c]} for c in wanted]
    return result


# ---- words ------------------------------------------------------------------------------------------------


def page(result: dict[str, Any]) -> str:
    head = ["series", "rows", "columns", "partitions", "workers", "depth", "nodes", "s", "one process, s", "worker, MB"]
    head += ["× its part", "driver, MB", "counts", "numbers", "moved", "same file"]
    rows, all_of_it = [], [f for found in result["series"].values() for f in found]
    for name, found in result["series"].items():
        for f in found:
            rows.append([
                name, f"{f['rows']:,}", f["columns"], f["partitions"], f["workers"], f["depth"] or "full", f["nodes"],
                f"{f['seconds']:.1f}", f"{f['local_seconds']:.1f}", round(f["worker_bytes"] / 1e6),
                f"{parts_held(f):.1f}", round(f["driver_bytes_more"] / 1e6),
                f"{f['counts']:.3f}", f"{f['numbers']:.3f}", f"{f['moved']:.3f}", "yes" if f["same_file"] else "no",
            ])  # fmt: skip
    empty, most = max(f["worker_bytes_empty"] for f in all_of_it) / 1e6, max(f["rows"] for f in all_of_it)
    return f"""# Trees on a Dask cluster

**What is not there**: a network, since all processes are on one machine; more than {most:,} rows
on this page, for time and memory; nominal columns, numbers to predict and oblique splits, since one kind of table
shows what grows; repeats, for time: each line is one fit.

A local cluster of processes with one thread each; normal numbers, two classes that depend on four columns.
Seconds of a fit of data that is there already, and of one process with as many threads as there are workers;
the largest memory of a worker, with Python and its libraries ({empty:.0f} MB) and its part of the data, and without
the libraries as a multiple of that part; what the driver's memory grew by; bytes that travel for each row, column
and level of the tree (a number is 8): counts, numbers inside bins, rows that are moved.

{markdown(head, rows)}

{others(result)}{on_paper(result)}{provenance_line(result["provenance"])}
"""


def parts_held(f: dict[str, Any]) -> float:
    """What a worker has held, without its libraries, as a multiple of its part of the data."""
    part = 8 * f["rows"] * (f["columns"] + 1) / f["workers"]
    return (f["worker_bytes"] - f["worker_bytes_empty"]) / part


def on_paper(result: dict[str, Any]) -> str:
    """What 10¹⁰ rows would take, on the page of the largest table."""
    found = [f for rows in result["series"].values() for f in rows if f["rows"] == LARGE.rows and f["depth"]]
    return PAPER.format(numbers=found[0]["numbers"], tb=10 * found[0]["numbers"]) if found else ""


PAPER = """## 10¹⁰ rows × 1,000 columns, on paper

80 TB of float64. 1,000 workers of 8 threads and 256 GB hold 80 GB of numbers each, and 20 GB of bins (two
bytes each).

- *Reading and binning*: 10¹³ numbers at 8 ns are 80,000 s of one thread, 10 s of 8,000.
- *A level of counts*: 10¹³ cells at about 1 ns, half of them by taking the smaller child, are 0.6 s of 8,000
  threads. Counts of a node are 1,000 × 1,026 × 2 × 4 bytes = 8.2 MB; of 128 nodes 1 GB for each worker and
  level, in a tree of sums of 4 about 5 rounds of 1 GB: 1 to 5 s at 10 Gbit/s. The driver gets 1 GB for each
  level; 16 levels of at most 128 open nodes a call.
- *Numbers inside bins*: at {numbers:.3f} bytes for each row, column and level, as above at depth 8, {tb:.1f} TB a level
  of all workers together, {tb:.1f} GB each. That share has risen with the number of rows, and fallen as fast as columns
  were added ([dask.md](dask.md)), so that it is not known for such a table.
- *Moving*: nodes of at most 50M rows × 1,000 columns (400 GB) do not fit a worker; of 5M rows (40 GB) they
  do: 2,000 nodes at level 11. Each row travels once: 80 GB in and out of each worker, two minutes at 10
  Gbit/s. The trees below grow side by side.

What has to change for it: 1,000 columns × 128 nodes of counts at the driver want columns shared out among a
few drivers (each column is judged by itself, and only winners meet), and a moved node needs workers with room
for its columns in parts.

"""


def others(result: dict[str, Any]) -> str:
    found = [f["others"] for rows in result["series"].values() for f in rows if "others" in f]
    if not found:
        return ""

    def told(name: str, one: dict[str, float] | None) -> str:
        if one is None:
            return f"{name} is not installed"
        return f"{name} {one['seconds']:.1f} s, {one['worker_bytes'] / 1e6:.0f} MB"

    said = "; ".join(told(n, one) for n, one in found[0].items())
    return f"One approximate tree of depth 12 on such a cluster without a limit of memory: {said} (of a worker).\n\n"


if __name__ == "__main__":
    main()
