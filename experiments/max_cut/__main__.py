"""The eight algorithms of the Max-Cut paper on its data: writes results/*.md, *.json and *.png."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

from experiments.common.data import DataMissing
from experiments.common.table import arguments, kept, place, provenance, write, write_json

from . import noisy, pairs, pictures_times, real, report, synthetic, times
from .published import ALGORITHMS

HERE = Path(__file__).resolve().parent
PARTS = ("table-5", "mnist", "cifar-10", "pairs", "times", "pictures_times", "noisy", "synthetic")
ALONE: dict[str, Any] = {"pairs": pairs, "times": times, "pictures_times": pictures_times, "noisy": noisy}


def main() -> None:
    given = arguments(
        "experiments.max_cut",
        __doc__,
        only={"choices": PARTS, "nargs": "+", "default": PARTS, "help": "parts to run; default: all"},
        algorithms={"choices": ALGORITHMS, "nargs": "+", "help": "for Table 5; default: all, of pictures with --full"},
        kept={
            "type": Path,
            "metavar": "FOLDER",
            "help": "Table 5: remember single repeats, so that an interrupted run goes on",
        },
        rows={
            "type": int,
            "nargs": "+",
            "choices": synthetic.ROWS[10],
            "metavar": "ROWS",
            "help": "random sets: only grids of these numbers of training rows, and no columns of noise; default: all",
        },
        again={"action": "store_true", "help": "keep nothing of an earlier run"},
        page={"action": "store_true", "help": "run nothing: the pages from the JSON that is there"},
        jobs={"type": int, "default": os.cpu_count() or 1, "help": "processes"},
    )
    folder = place(given, HERE)
    facts = provenance(real.SEED, given.full)
    for part in given.only:
        if given.page:
            finish(folder, part)
        elif part in ALONE:
            alone(part, given, folder, facts)
        elif part == "synthetic":
            grids(given, folder, facts)
        else:
            own = part.replace("-", "")
            names = [own] if own in real.PICTURES else [n for n in real.DATA if n not in real.PICTURES]
            table_5(names, part, given, folder, facts)


def table_5(names: list[str], file: str, given: argparse.Namespace, folder: Path, facts: dict[str, Any]) -> None:
    result: dict[str, Any] = kept(folder / f"{file}.json", facts, given.again) or {"facts": facts}
    for name in names:
        start = time.perf_counter()
        usual = ALGORITHMS if given.full or name not in real.PICTURES else real.QUICK
        todo = [a for a in given.algorithms or usual if a not in result.get(name, {})]
        try:
            found = real.run(name, given.full, given.jobs, given.kept, todo) if todo else {}
        except DataMissing as missing:
            result.setdefault("missing", {})[name] = str(missing)
            print(f"{name}: skipped: {missing}")
            continue
        own = {**result.get(name, {}), **real.result(found)}
        result[name] = {a: own[a] for a in ALGORITHMS if a in own}
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
        write_json(folder, file, result)  # after each data set, so that an interrupted run leaves what it has
    finish(folder, file)


def alone(part: str, given: argparse.Namespace, folder: Path, facts: dict[str, Any]) -> None:
    """A part with a page of its own kind."""
    begun = {"facts": facts, part: [] if part in ("times", "noisy") else {}, "sizes": pairs.SIZES[given.full]}
    result = kept(folder / f"{part}.json", facts, given.again) or begun
    ALONE[part].run(given.full, result[part], lambda: write_json(folder, part, result, indent=None))
    finish(folder, part)


def finish(folder: Path, part: str) -> None:
    """The page of a part, from its JSON, and its pictures."""
    result = json.loads((folder / f"{part}.json").read_text())
    if part in ALONE:
        (folder / f"{part}.md").write_text(ALONE[part].page(result).rstrip() + "\n")
    elif part == "synthetic":
        from . import pictures

        pictures.draw({c: f for c, f in report.results_of(result, "grids").items() if f}, folder)
        (folder / "synthetic.md").write_text(report.grids(result).rstrip() + "\n")
    else:
        write(folder, part, report.table_5(result), result, indent=1)


def grids(given: argparse.Namespace, folder: Path, facts: dict[str, Any]) -> None:
    """Round after round, so that a run that is stopped leaves all rounds that it had finished."""
    path = folder / "synthetic.json"
    found: dict[str, synthetic.Results] = {"grids": {}, "noise": {}}
    runs: list[dict[str, Any]] = []
    if path.exists() and not given.again:  # sets of any code, each of which names its run
        earlier = json.loads(path.read_text())
        runs = earlier["runs"]
        for part, results in found.items():
            for own in report.results_of(earlier, part).values():
                results.update(own)
    runs += [facts] if facts not in runs else []
    for r in synthetic.rounds(given.full, given.rows):
        start = time.process_time()
        if synthetic.add_round(found[r.part], r, synthetic.test_rows(given.full), given.jobs, runs.index(facts)):
            report.save_grids(path, runs, found)
            s = r.settings[0]
            took = time.process_time() - start
            print(f"{r.part}: {s.classes} classes, {s.rows} rows, set {r.number + 1}: {took:.0f} s", flush=True)
    finish(folder, "synthetic")


if __name__ == "__main__":
    main()
