"""The one command: measures, writes a result as JSON and Markdown, prints the table and the checks."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from bough import _core

from .checks import report
from .further import SECTIONS
from .install import PeerFailure, interpreter
from .machine import commit, machine, pin, versions
from .measure import Options, fits, threads
from .peers import PEERS
from .table import in_readme, markdown
from .workloads import WORKLOADS, DataMissing

RESULTS = Path(__file__).resolve().parent / "results"
README = RESULTS.parents[1] / "README.md"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small tables and few repeats: does it all work?")
    names = ", ".join(["fits", *SECTIONS, *WORKLOADS])
    parser.add_argument("--only", type=listed, default=(), metavar="NAME[,NAME]", help=f"of {names}")
    parser.add_argument("--peers", type=listed, metavar="NAME[,NAME]", help=f"of {', '.join(PEERS)}; or none")
    parser.add_argument("--repeats", type=int, metavar="N", help="rounds of each measurement")
    parser.add_argument("--trees", type=int, metavar="N", help="of each forest; default: 100")
    parser.add_argument("--out", type=Path, metavar="FILE", help="result file; default: benchmarks/results/DATE.json")
    parser.add_argument("--table", type=Path, metavar="FILE.json", help="print an earlier result and measure nothing")
    given = parser.parse_args()
    if given.peers is None:
        given.peers = tuple(PEERS)
    elif given.peers == ("none",):
        given.peers = ()
    for option, known in (("only", {"fits", *SECTIONS, *WORKLOADS}), ("peers", set(PEERS))):
        unknown = sorted(set(getattr(given, option)) - known)
        if unknown:
            parser.error(f"--{option}: {', '.join(unknown)} is not one of {', '.join(sorted(known))}")
    for option in ("repeats", "trees"):
        number = getattr(given, option)
        if number is not None and number < 1:
            parser.error(f"--{option}: {number} is not a positive number")
    return given


def listed(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def measured(sections: list[str], options: Options, out: Path | None) -> dict[str, Any]:
    """The result; it is written after each part, so that an interrupted run leaves what it has."""
    result: dict[str, Any] = {
        "format": 1,
        "quick": options.quick,
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        **commit(),
        "machine": machine(),
        "versions": versions(),
        "kernels": list(_core.kernel_names()),
        "peers": {name: {"title": PEERS[name].title, "setup": PEERS[name].setup} for name in options.peers},
    }
    if "fits" in sections:
        options = replace(options, peers=tuple(n for n in options.peers if installed(n, result["peers"][n])))
        measure_fits(result, options, out)
    for name, section in SECTIONS.items():
        if name in sections:
            print(f"{name} ...", flush=True)
            result[name] = section(options)
            write(result, out)
    return result


def installed(peer: str, entry: dict[str, Any]) -> bool:
    """Whether the peer is there, installing it if need be; if it cannot be, its entry says why."""
    try:
        interpreter(PEERS[peer].package)
    except PeerFailure as failure:
        entry["error"] = str(failure)
        print(f"{PEERS[peer].title}: {failure}")
    return "error" not in entry


def measure_fits(result: dict[str, Any], options: Options, out: Path | None) -> None:
    result["fits"], result["skipped"] = {}, {}
    for name in options.workloads:
        print(f"fits: {WORKLOADS[name].title} ...", flush=True)
        try:
            found = result["fits"][name] = fits(WORKLOADS[name], options)
            for peer in options.peers:
                if "version" in found["contestants"][peer]:
                    result["peers"][peer]["version"] = found["contestants"][peer].pop("version")
        except DataMissing as missing:
            result["skipped"][name] = str(missing)
            print(f"  skipped: {missing}")
        result["threads"] = threads(result["fits"], [n for n in options.workloads if WORKLOADS[n].large])
        write(result, out)


def warn_if_busy() -> None:
    load = machine()["load_average"]
    if load > 0.5:
        print(f"The machine is busy (load average {load}): the times, above all those of two threads, will be wrong.")


def write(result: dict[str, Any], out: Path | None) -> None:
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
        out.with_suffix(".md").write_text(markdown(result))


def main() -> None:
    given = arguments()
    if given.table is not None:
        result = json.loads(given.table.read_text())
    else:
        pin(1)
        warn_if_busy()
        out = given.out
        if out is None and not given.quick:
            out = RESULTS / f"{datetime.now(timezone.utc):%Y-%m-%d-%H%M}.json"
        workloads = tuple(n for n in WORKLOADS if n in given.only) or tuple(WORKLOADS)
        sections = [n for n in ("fits", *SECTIONS) if n in given.only] or ["fits", *SECTIONS]
        options = Options(given.quick, workloads, given.peers, given.repeats, given.trees)
        result = measured(sections, options, out)
        if out is not None:
            print(f"written: {out.name} and {out.with_suffix('.md').name}")
    if not result["quick"] and set(result.get("fits", {})) == set(WORKLOADS):
        README.write_text(in_readme(README.read_text(), result))
        print("the table of fits is in README.md")
    print("\n" + markdown(result))
    print(report(result))


if __name__ == "__main__":
    main()
