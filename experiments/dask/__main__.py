"""How time, memory and traffic of a tree on a Dask cluster grow with rows, columns, partitions and workers; with
``--full`` 10M × 20 numbers on two workers of one thread and 2.5 GB, the tree of depth 8 and the full one, beside one
process with two threads. Writes dask.md and dask.json, with ``--full`` large.md and large.json.

    python -m experiments.dask            # from 125,000 to 1,000,000 rows: two minutes
    python -m experiments.dask --full     # needs 8 GB and a machine with nothing else to do: about five minutes
"""

from __future__ import annotations

from dataclasses import asdict, replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from experiments.common.table import arguments, markdown, provenance, provenance_line, write

from .run import RIVALS, SEED, Case, measured

HERE = Path(__file__).resolve().parent
BASE = Case(rows=500_000, columns=20, partitions=8, workers=2, depth=8)
LARGE = Case(rows=10_000_000, columns=20, partitions=20, workers=2, depth=8)

PAPER = """## 10¹⁰ rows × 1,000 columns, on paper

80 TB of float64. 1,000 workers of 8 threads and 256 GB hold 80 GB of numbers each, and 20 GB of bins (two
bytes each).

- *Reading and binning*: 10¹³ numbers at 8 ns are 80,000 s of one thread, 10 s of 8,000.
- *A level of counts*: 10¹³ cells at about 1 ns, half of them by taking the smaller child, are 0.6 s of 8,000
  threads. Counts of a node are 1,000 × 1,026 × 2 × 4 bytes = 8.2 MB; of 128 nodes 1 GB for each worker and
  level, in a tree of sums of 4 about 5 rounds of 1 GB: 1 to 5 s at 10 Gbit/s. The driver gets 1 GB for each
  level; 16 levels of at most 128 open nodes a call.
- *Numbers inside bins*: by the measurements above the share of rows inside bins that are looked into falls
  with the number of rows (bins stay, and bounds get tighter); at 0.02 bytes for each row, column and level as
  at 5M rows, 200 GB of all workers together, 0.2 GB each.
- *Moving*: nodes of at most 50M rows × 1,000 columns (400 GB) do not fit a worker; of 5M rows (40 GB) they
  do: 2,000 nodes at level 11. Each row travels once: 80 GB in and out of each worker, two minutes at 10
  Gbit/s. The trees below grow side by side.

What has to change for it: 1,000 columns × 128 nodes of counts at the driver want columns shared out among a
few drivers (each column is judged by itself, and only winners meet), and a moved node needs workers with room
for its columns in parts.
"""


def cases() -> dict[str, list[Case]]:
    return {
        "rows": [replace(BASE, rows=r) for r in (125_000, 250_000, 500_000, 1_000_000)],
        "columns": [replace(BASE, columns=c) for c in (5, 10, 20, 40)],
        "partitions": [replace(BASE, partitions=p) for p in (2, 8, 32)],
        "workers": [replace(BASE, workers=w) for w in (1, 2, 4)],
        "depth": [replace(BASE, depth=d) for d in (4, 8, None)],
    }


def main() -> None:
    given = arguments("experiments.dask", __doc__, only={"metavar": "WHAT", "help": "one of the series"})
    versions = {name: metadata.version(name) for name in ("dask", *RIVALS) if find_spec(name)} if given.full else {}
    result: dict[str, Any] = {"provenance": provenance(SEED, given.full, **versions), "series": {}}
    series = {"10M × 20": [LARGE, replace(LARGE, depth=None)]} if given.full else cases()
    known: dict[Case, dict[str, Any]] = {}
    for name, wanted in series.items():
        if given.only in (None, name):
            for case in wanted:
                if case not in known:
                    known[case] = measured(case, "2.5GB", others=given.full and case.depth is None)
                    print(case, known[case], flush=True)
            result["series"][name] = [{**asdict(c), **known[c]} for c in wanted]
    write(given.out or HERE / "results", "large" if given.full else "dask", page(result), result)


def page(result: dict[str, Any]) -> str:
    head = ["series", "rows", "columns", "partitions", "workers", "depth", "nodes", "s", "one process, s", "worker, MB"]
    head += ["× its part", "driver, MB", "counts", "numbers", "moved", "same file"]
    rows = []
    for name, found in result["series"].items():
        for f in found:
            rows.append([
                name, f"{f['rows']:,}", f["columns"], f["partitions"], f["workers"], f["depth"] or "full", f["nodes"],
                f"{f['seconds']:.1f}", f"{f['local_seconds']:.1f}", round(f["worker_bytes"] / 1e6),
                f"{parts_held(f):.1f}", round(f["driver_bytes_more"] / 1e6),
                f"{f['counts']:.3f}", f"{f['numbers']:.3f}", f"{f['moved']:.3f}", "yes" if f["same_file"] else "no",
            ])  # fmt: skip
    return f"""# Trees on a Dask cluster

{provenance_line(result["provenance"])}

A local cluster of processes with one thread each; normal numbers, two classes that depend on four columns.
Seconds of a fit of data that is there already, and of one process with as many threads as there are workers;
the largest memory of a worker, with Python and its libraries (about 170 MB) and its part of the data, and without
the libraries as a multiple of that part; what the driver's memory grew by; bytes that travel for each row, column
and level of the tree (a number is 8): counts, numbers inside bins, rows that are moved.

{markdown(head, rows)}

{others(result)}{PAPER}"""


def parts_held(f: dict[str, Any]) -> float:
    """What a worker has held, without its libraries, as a multiple of its part of the data."""
    part = 8 * f["rows"] * (f["columns"] + 1) / f["workers"]
    return (f["worker_bytes"] - f["worker_bytes_empty"]) / part


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
