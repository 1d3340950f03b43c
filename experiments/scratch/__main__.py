"""Runs the experiment and writes scratch.md, scratch.json and the figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.common.table import arguments, kept, place, provenance, write, write_json

from .measures import curve
from .published import CASES, LEAST, MOST
from .report import ASKED, diagnostic_page, draws_page, page
from .run import SEED, draws, everything, name_of

HERE = Path(__file__).resolve().parent
REDUCED = list(range(LEAST, MOST + 1, 12))  # every twelfth minimum


def collect(out: Path, full: bool, again: bool) -> None:
    """Runs what is not in scratch.json yet."""
    minima = list(range(LEAST, MOST + 1)) if full else REDUCED
    facts = provenance(SEED, full)
    earlier = kept(out / "scratch.json", facts, again)
    result: dict[str, Any] = {"provenance": facts, "folds": earlier.get("folds", {})}
    for _ in everything(minima, result["folds"]):
        write_json(out, "scratch", result, indent=None)
    drawn(out, full)


def drawn(out: Path, full: bool) -> None:
    """The three ways to draw thresholds, beside scikit-learn's trees of the run that is there."""
    found = json.loads((out / "scratch.json").read_text())["folds"]
    theirs = {
        name_of(criterion, kind): {m: curve(found[name_of(criterion, kind)], "scikit-learn", m).tolist() for m in ASKED}
        for criterion, kind in CASES
        if kind == "random"
    }
    minima = list(range(LEAST, MOST + 1)) if full else REDUCED
    result = {"provenance": provenance(SEED, full), "theirs": theirs, "folds": draws(minima)}
    write(out, "draws", draws_page(result), result, indent=None)


def finish(out: Path) -> str:
    """The page and the figures, from scratch.json."""
    from .pictures import figures

    result = json.loads((out / "scratch.json").read_text())
    text = page(result)
    write(out, "scratch", text, result, indent=None)
    figures(result["folds"], out)
    if (out / "diagnostic.json").exists():  # of the other data set, which is not run again
        (out / "diagnostic.md").write_text(diagnostic_page(json.loads((out / "diagnostic.json").read_text())) + "\n")
    return text


def main() -> int:
    options = {
        "again": {"action": "store_true", "help": "keep nothing of an earlier run"},
        "draws": {"action": "store_true", "help": "the ways to draw thresholds alone, beside the JSON that is there"},
        "page": {"action": "store_true", "help": "run nothing: the page and the figures from the JSON that is there"},
    }
    given = arguments("experiments.scratch", __doc__, **options)
    out = place(given, HERE)
    if given.draws:
        drawn(out, given.full)
        return 0
    if not given.page:
        collect(out, given.full, given.again)
    print(finish(out))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
