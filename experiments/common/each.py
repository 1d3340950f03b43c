"""An experiment that does the same with every data set: its command line, what is kept of an earlier run, its page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .data import DataMissing
from .table import PAGE, arguments, kept, place, remade, write_json

Given = argparse.Namespace


def each(
    here: Path,
    doc: str | None,
    sets: Sequence[str],
    work: Callable[[str, Given], Any],
    facts: Callable[[Given], dict[str, Any]],
    page: Callable[[dict[str, Any]], str],
    more: Callable[[Given], dict[str, Any]] = lambda given: {},
    indent: int | None = None,
    **options: dict[str, Any],
) -> int:
    """Runs `work` on every set that an earlier run of the same `facts` has not done, and writes JSON and page; `more`
    is what the JSON has beside the sets."""
    name = here.name
    options |= {
        "data": {"nargs": "+", "choices": sets, "default": list(sets)},
        "page": PAGE,
        "again": {"action": "store_true", "help": "keep nothing of an earlier run"},
    }
    given = arguments(f"experiments.{name}", doc, **options)
    out = place(given, here)
    if not given.page:
        known = facts(given)
        found, beside = kept(out / f"{name}.json", known, given.again).get("data", {}), more(given)
        for own in (n for n in given.data if n not in found):
            print(own, file=sys.stderr, flush=True)
            try:
                found[own] = work(own, given)
            except DataMissing as e:
                print(f"{own}: {e}", file=sys.stderr, flush=True)
            ordered = {n: found[n] for n in sets if n in found}
            write_json(out, name, {"provenance": known, "data": ordered, **beside}, indent)
    print(remade(out, name, page))
    return 0
