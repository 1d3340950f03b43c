"""The eight algorithms of the Max-Cut paper on its data: writes results/*.md, *.json and *.png."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

from experiments.common.data import DataMissing
from experiments.common.table import arguments, kept, place, provenance, short, write, write_json

from . import real, report, synthetic
from .published import ALGORITHMS, TABLE_3

HERE = Path(__file__).resolve().parent
PARTS = ("table-5", "mnist", "synthetic")


def main() -> None:
    given = arguments(
        "experiments.max_cut",
        __doc__,
        only={"choices": PARTS, "nargs": "+", "default": PARTS, "help": "parts to run; default: all"},
        algorithms={"choices": ALGORITHMS, "nargs": "+", "default": ALGORITHMS, "help": "for Table 5; default: all"},
        kept={"type": Path, "metavar": "FOLDER", "help": "remember single repeats, so that an interrupted run goes on"},
        again={"action": "store_true", "help": "keep nothing of an earlier run"},
        page={"action": "store_true", "help": "run nothing: the pages from the JSON that is there"},
        jobs={"type": int, "default": os.cpu_count() or 1, "help": "processes"},
    )
    folder = place(given, HERE)
    facts = provenance(real.SEED, given.full)
    for part in given.only:
        if given.page:
            finish(folder, part)
        elif part == "synthetic":
            grids(given, folder, facts)
        else:
            table_5([n for n in real.DATA if (n == "mnist") == (part == "mnist")], part, given, folder, facts)


def table_5(names: list[str], file: str, given: argparse.Namespace, folder: Path, facts: dict[str, Any]) -> None:
    result: dict[str, Any] = kept(folder / f"{file}.json", facts, given.again) or {"facts": facts}
    for name in names:
        start = time.perf_counter()
        todo = [a for a in given.algorithms if a not in result.get(name, {})]
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


def finish(folder: Path, part: str) -> None:
    """The page of a part, from its JSON."""
    result = json.loads((folder / f"{part}.json").read_text())
    write(folder, part, report.grids(result) if part == "synthetic" else report.table_5(result), result, indent=1)


def grids(given: argparse.Namespace, folder: Path, facts: dict[str, Any]) -> None:
    from . import pictures

    result = kept(folder / "synthetic.json", facts, given.again) or {"facts": facts, "grids": {}, "noise": {}}
    for classes in (2, 10):
        start = time.perf_counter()
        if str(classes) not in result["grids"]:
            found = synthetic.run(synthetic.grid(classes, given.full), given.jobs, kept=given.kept)
            noisy = synthetic.run(synthetic.noise_grid(classes, given.full), given.jobs, TABLE_3, given.kept)
            result["grids"][str(classes)] = report.entries_of(found)
            result["noise"][str(classes)] = report.entries_of(noisy)
            write_json(folder, "synthetic", result)
        print(f"grids of {classes} classes: {time.perf_counter() - start:.0f} s", flush=True)
    result = json.loads(json.dumps(short(result)))
    found = {c: report.results_of(result["grids"][str(c)], c) for c in (2, 10)}
    for classes, word, numbers in ((2, "binary", ("2", "3")), (10, "ten classes", ("6", "7"))):
        name = word.replace(" ", "-")
        pictures.accuracy_map(found[classes], f"Mean accuracy, {word} (fig. {numbers[0]})", folder / f"{name}.png")
        pictures.best_map(found[classes], f"Who is best, {word} (fig. {numbers[1]})", folder / f"{name}-best.png")
    pictures.comparisons(found[2], found[10], folder / "comparisons.png")
    finish(folder, "synthetic")


if __name__ == "__main__":
    main()
