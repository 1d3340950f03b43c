"""Runs chapters 4 and 5. Reduced by default (small data sets, two trials, 300 tables); --full as published.

Cells that a results folder already has are kept, unless --again: a long run can be done in parts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.machine import cpu_model

from ..common.data import DataMissing
from ..common.table import arguments, place, provenance, write_json
from . import chapter4, chapter5, report
from .sets import FILES, SMALL, ready

HERE = Path(__file__).resolve().parent


def listed(text: str | None, known: Any, what: str) -> list[str]:
    chosen = list(known) if text is None else [t.strip() for t in text.split(",")]
    wrong = [t for t in chosen if t not in known]
    if wrong:
        sys.exit(f"{what}: {wrong[0]!r} is not one of {', '.join(known)}")
    return chosen


def kept(path: Path) -> dict[str, Any]:
    """What earlier runs found; every cell tells by its number which of the runs made it."""
    return json.loads(path.read_text()) if path.exists() else {"runs": [], "tables": {}, "saturated": {}}


def save(path: Path, result: dict[str, Any]) -> None:
    """One line for each data set of a table, so that results are small and differences readable."""
    lines = ["{", ' "runs": [', ",\n".join(f"  {json.dumps(run)}" for run in result["runs"]), " ],"]
    lines += [
        f' "{key}": {json.dumps(result[key], ensure_ascii=False)},'
        for key in ("saturated", "all classes")
        if key in result
    ]
    lines.append(' "tables": {')
    for number, cells in result["tables"].items():
        inner = [f"   {json.dumps(d)}: {json.dumps(c, ensure_ascii=False)}" for d, c in cells.items()]
        comma = "" if number == list(result["tables"])[-1] else ","
        lines += [f'  "{number}": {{', ",\n".join(inner), "  }" + comma]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, " }", "}"]) + "\n")


def run_chapter5(args: Any, out: Path, made_by: dict[str, Any]) -> None:
    names = listed(args.data, FILES, "--data") if args.data or args.full else list(SMALL)
    tables = listed(args.tables, chapter5.TABLES, "--tables")
    methods = set(listed(args.methods, chapter5.SYSTEMS, "--methods"))
    trials = args.trials or (20 if args.full else 2)
    path = out / "chapter5.json"
    for name in names:
        found = {} if args.again else kept(path)["tables"]

        def wanted(table: str, method: str, name: str = name, found: Any = found) -> bool:
            cell = found.get(table, {}).get(name, {}).get(method)
            return method in methods and (cell is None or len(cell["accuracy"]) < trials)

        if not any(wanted(t, m) for t in tables for m in chapter5.TABLES[t].methods):
            continue
        data = ready(name)
        cells = chapter5.run(data, tables, trials, wanted, args.jobs)
        result = kept(path)  # another run may have added something meanwhile
        result["saturated"][name] = chapter5.saturated(data)
        if made_by not in result["runs"]:
            result["runs"].append(made_by)
        run = result["runs"].index(made_by)
        for number, by_method in cells.items():
            here = result["tables"].setdefault(number, {}).setdefault(name, {})
            for method, cell in by_method.items():
                here[method] = merged(here.get(method), {**cell, "run": run})
        result["tables"] = {
            t: {d: order(t, result["tables"][t][d]) for d in FILES if d in result["tables"][t]}
            for t in chapter5.TABLES
            if t in result["tables"]
        }
        save(path, result)
        print(name, {t: len(c) for t, c in cells.items()}, flush=True)
    result = kept(path)
    if args.full and not args.data and (args.again or "all classes" not in result):
        result["all classes"] = {name: chapter5.all_classes(name) for name in chapter5.ALL_CLASSES}
        result["all classes"]["made by"] = made_by
        save(path, result)
    if result["tables"]:
        finish5(out)


def finish4(out: Path) -> None:
    """The page of chapter 4 and its picture, from the JSON."""
    from . import pictures

    result = json.loads((out / "chapter4.json").read_text())
    (out / "chapter4.md").write_text(chapter4.page(result).rstrip() + "\n")
    pictures.chapter4(result, out)


def finish5(out: Path) -> None:
    """The same of chapter 5."""
    from . import pictures

    result = kept(out / "chapter5.json")
    (out / "chapter5.md").write_text(report.page(result).rstrip() + "\n")
    pictures.chapter5(result, out)


def merged(old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    """The cell of more trials, whole: its time is of the run and machine that it names."""
    return old if old is not None and len(old["accuracy"]) > len(new["accuracy"]) else new


def order(table: str, cells: dict[str, Any]) -> dict[str, Any]:
    return {m: cells[m] for m in chapter5.TABLES[table].methods if m in cells}


def main() -> None:
    args = arguments(
        "experiments.nominal",
        __doc__,
        chapter={"choices": ["4", "5"], "help": "only this chapter"},
        data={"help": f"chapter 5: data sets, by commas: {', '.join(FILES)}"},
        tables={"help": f"chapter 5: tables, by commas: {', '.join(chapter5.TABLES)}"},
        methods={"help": f"chapter 5: methods, by commas: {', '.join(chapter5.SYSTEMS)}"},
        trials={"type": int, "help": "chapter 5: cross-validations, at most 20"},
        jobs={"type": int, "default": 1, "help": "chapter 5: trials side by side"},
        cuts={"action": "store_true", "help": "chapter 4: only the time of a cut, into the JSON that is there"},
        page={"action": "store_true", "help": "run nothing: the pages from the JSON that is there"},
        again={"action": "store_true", "help": "compute also what the results folder already has"},
    )
    out = place(args, HERE)
    made_by = provenance("the author's", args.full, machine=cpu_model())  # tables 5.7 and 5.12 are times
    if args.page:
        finish4(out)
        finish5(out)
        return
    if args.cuts:
        result = json.loads((out / "chapter4.json").read_text())
        facts = provenance(chapter4.SEED, args.full, machine=cpu_model())
        result["cuts"] = {**chapter4.cut_seconds(args.full), "made by": facts}
        write_json(out, "chapter4", result)
        finish4(out)
        return
    try:
        if args.chapter != "5":
            facts = provenance(chapter4.SEED, args.full)  # of the code that runs, whatever is changed meanwhile
            cuts = {**chapter4.cut_seconds(args.full), "made by": {**facts, "machine": cpu_model()}}
            result = {**chapter4.run(args.full), "cuts": cuts, "made by": facts}
            write_json(out, "chapter4", result)
            finish4(out)
        if args.chapter != "4":
            run_chapter5(args, out, made_by)
    except DataMissing as e:
        sys.exit(f"chapter 5 needs data: {e}")


if __name__ == "__main__":
    main()
