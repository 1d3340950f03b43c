"""Runs the experiment and writes boundary.md and boundary.json."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from experiments.common.data import DataMissing
from experiments.common.table import PAGE, arguments, kept, place, provenance, remade, write_json

from . import loop
from .report import page
from .run import NOMINAL, SEED, categories, cuts
from .sets import NAMES

HERE = Path(__file__).resolve().parent
ROWS = {False: {"mnist": 300, "covertype": 1000}, True: {"mnist": 10_000, "covertype": 50_000}}
MOST = {False: 1000, True: 50_000}  # rows of a set with categories


def main() -> int:
    again = {"action": "store_true", "help": "keep nothing of an earlier run"}
    alone = {"action": "store_true", "help": "time the compiled loop alone, into the JSON that is there"}
    given = arguments("experiments.boundary", __doc__, again=again, page=PAGE, loop=alone)
    out = place(given, HERE)
    if given.page:
        remade(out, "boundary", page)
        return 0
    facts = provenance(SEED, given.full)
    if given.loop:
        found = json.loads((out / "boundary.json").read_text())
        write_json(out, "boundary", {**found, "loop": timed(facts, given.full)}, indent=None)
        print(remade(out, "boundary", page))
        return 0
    earlier = kept(out / "boundary.json", facts, given.again)
    result: dict[str, Any] = {"provenance": facts, **{p: earlier.get(p, {}) for p in ("cuts", "categories")}}
    if "loop" in earlier:
        result["loop"] = earlier["loop"]
    todo = [("cuts", name, cuts, ROWS[given.full].get(name, 10**9)) for name in NAMES]
    todo += [("categories", name, categories, MOST[given.full]) for name in NOMINAL]
    for part, name, work, most in todo:
        if name in result[part]:
            continue
        print(f"{part}: {name}", file=sys.stderr, flush=True)
        try:
            result[part][name] = work(name, most)
        except DataMissing as e:
            print(f"{name}: {e}", file=sys.stderr, flush=True)
        write_json(out, "boundary", result, indent=None)
    if "loop" not in result:
        result["loop"] = timed(facts, given.full)
        write_json(out, "boundary", result, indent=None)
    print(remade(out, "boundary", page))
    return 0


def timed(facts: dict[str, Any], full: bool) -> dict[str, Any]:
    return {"provenance": facts, "sets": loop.timed(full)}


if __name__ == "__main__":
    raise SystemExit(main())
