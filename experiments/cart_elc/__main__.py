"""Runs the experiment and writes results/cart_elc.md and .json."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from experiments.common.data import DataMissing
from experiments.common.table import arguments, kept, place, provenance, short, write

from . import published
from .report import AT_VALUES, page
from .run import as_it_is, cross_validated, data_set, elc, grown, hhcart_folds, pruned, with_the_authors_ties

HERE = Path(__file__).resolve().parent
WHOLE = 10**6  # a depth that no tree reaches: the tree as it is


def runs_of(name: str, trials: int, full: bool, jobs: int) -> Iterator[tuple[str, str, Callable[[], dict[str, Any]]]]:
    """(part, name, how to run it) of everything that belongs to a data set."""
    data = data_set(name)
    for label, system in (("HHCART(A)", "hhcart-a"), ("HHCART(D)", "hhcart-d")):
        for name_of, cut in ((label, "midpoint"), (f"{label}{AT_VALUES}", "value")):
            fit = grown(system, split_params={"cut": cut})
            yield "systems", name_of, partial(cross_validated, data, fit, trials, hhcart_folds, impute=True)
    for label, system in (("OC1", "oc1"), ("OC1-AP", "oc1-ap"), ("CART-LC", "cart-lc")):
        yield "systems", label, partial(cross_validated, data, pruned(system), trials, depths=(WHOLE,))
    for label, system in (("CART", "cart"), ("C4.5", "c4.5")):
        yield "systems", label, partial(cross_validated, data, as_it_is(system), trials, depths=(WHOLE,))
    for r in range(1, 5 if name == "iris" else 3):
        for criterion in ("twoing", "gini", "entropy"):
            for touching, at in (("above", "through"), ("either", "margin")):
                fit = elc(criterion, r, touching, at)
                yield "elc", f"{criterion} r={r} {at}", partial(cross_validated, data, fit, trials)
    for r in range(1, (5 if full else 3) if name == "iris" else (3 if full else 2)):  # minutes where r is large
        yield "ties", f"twoing r={r}", partial(with_the_authors_ties, data, r, trials, jobs)


def main() -> int:
    given = arguments(
        "experiments.cart_elc",
        __doc__,
        data={"nargs": "+", "choices": published.DATA, "default": list(published.DATA), "help": "data sets"},
        table={"nargs": "+", "type": Path, "metavar": "FILE.json", "help": "join earlier results and run nothing"},
        lines={"nargs": "+", "metavar": "LINE", "help": "run only these lines of Table 2, into the results there are"},
        trials={"type": int, "help": "repetitions of the cross-validation; 10 as published, 2 without --full"},
        jobs={"type": int, "default": 1, "help": "folds side by side, where every hyperplane is tried one by one"},
        again={"action": "store_true", "help": "keep nothing of an earlier run"},
    )
    out = place(given, HERE)
    if given.table:
        print(drawn(joined(given.table), out))
        return 0
    trials = given.trials or (published.TRIALS if given.full else 2)
    facts = provenance("71 … 80 (folds), 15 … 24 (HHCART)", given.full)
    earlier = kept(out / "cart_elc.json", facts, given.again)
    result: dict[str, Any] = {"provenance": facts, "trials": trials, "missing": {}, "data": {}}
    if earlier.get("trials") == trials:
        result = {**earlier, "missing": {}}
    if given.lines:  # beside what was run before, and said of each line
        result = json.loads((out / "cart_elc.json").read_text())
        result["lines"] = {**result.get("lines", {}), **dict.fromkeys(given.lines, facts)}
        trials = result["trials"]
    todo = []
    for name in given.data:
        try:
            todo += [(name, *run) for run in runs_of(name, trials, given.full, given.jobs)]
        except DataMissing as e:
            result["missing"][name] = str(e)
            print(f"{name}: {e}", file=sys.stderr, flush=True)
    for name, part, label, run in sorted(todo, key=lambda t: t[2] if t[1] == "ties" else ""):  # the longest ones last
        parts = result["data"].setdefault(name, {"elc": {}, "ties": {}, "systems": {}})
        if label not in given.lines if given.lines else label in parts[part]:
            continue
        print(f"{name}: {part} {label}", file=sys.stderr, flush=True)
        parts[part][label] = run()
        finish(result, out)  # an interrupted run leaves what it has
    if not result["data"]:
        return 1
    print(drawn(result, out))
    return 0


def joined(paths: list[Path]) -> dict[str, Any]:
    """Runs of different data sets as one result; they must agree on everything else."""
    parts = [json.loads(path.read_text()) for path in paths]
    for part in parts[1:]:
        for key in ("provenance", "trials"):
            if part[key] != parts[0][key]:
                raise SystemExit(f"the results differ in {key}: {parts[0][key]} and {part[key]}")
        parts[0]["missing"] |= part["missing"]
        parts[0]["data"] |= part["data"]
    return parts[0]


def finish(result: dict[str, Any], out: Path) -> str:
    """Writes the result and the page, and returns the page."""
    result = json.loads(json.dumps(short(result)))  # keys as they are read back
    text = page(result)
    write(out, "cart_elc", text, result, indent=None)
    return text


def drawn(result: dict[str, Any], out: Path) -> str:
    """The same, and the figures."""
    from .pictures import figures

    text = finish(result, out)
    figures(json.loads((out / "cart_elc.json").read_text()), out)
    return text


if __name__ == "__main__":
    sys.exit(main())
