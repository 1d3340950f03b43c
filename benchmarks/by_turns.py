"""Small benchmarks that are commands of their own: contestants take turns in one process and one thread, processor time
counts, and the result is a table with the machine and the commit below it."""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .machine import commit, machine, pin, versions
from .table import grid
from .timing import short

RESULTS = Path(__file__).parent / "results"


def least(contestants: dict[str, Callable[[], Any]], turns: int, times: int = 1) -> dict[str, float]:
    """Seconds of processor time of each, the least of its turns of so many calls."""
    found = dict.fromkeys(contestants, float("inf"))
    for _ in range(turns):
        for name, work in contestants.items():
            start = time.process_time()
            for _ in range(times):
                work()
            found[name] = min(found[name], (time.process_time() - start) / times)
    return {name: short(seconds) for name, seconds in found.items()}


def command(
    name: str,
    about: str | None,
    measured: Callable[[], dict[str, Any]],
    tables: Callable[[dict[str, Any]], Iterator[tuple[str, list[str], list[list[str]]]]],
    peers: dict[str, str] | None = None,
) -> None:
    """Measures, prints the tables (a sentence, a head, rows), and writes them as results/DATE-NAME.md and .json."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=about)
    parser.add_argument("--out", type=Path, help=f"result file; default: benchmarks/results/DATE-{name}.json")
    given = parser.parse_args()
    pin(1)
    today = datetime.now(timezone.utc).date().isoformat()
    facts = {"date": today, "machine": machine(), "versions": versions() | (peers or {}), **commit()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = measured()
    parts = [f"{text}\n\n{grid(head, rows)}" for text, head, rows in tables(found)]
    page = "\n\n".join([*parts, origin(facts)]) + "\n"
    out = given.out or RESULTS / f"{today}-{name}.json"
    out.write_text(json.dumps({"facts": facts, "found": found}, indent=1) + "\n")
    out.with_suffix(".md").write_text(page)
    print(page)


def origin(facts: dict[str, Any]) -> str:
    m, changed = facts["machine"], " with changes" if facts.get("dirty") else ""
    used = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    return (
        f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB, {m['os']}, load average {m['load_average']}; {used}; "
        f"commit {(facts.get('commit') or 'unknown')[:10]}{changed}; {facts['date']}. Processor time, the "
        "least of some turns."
    )
