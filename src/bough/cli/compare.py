"""`bough compare`, and the choice by evidence of `bough fit --system best`."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ParameterError
from ..tables.problem import Problem
from . import tidy
from .terminal import Output, line

READABLE = "readable"
CHOSEN = ("best", READABLE)  # what --system may name besides systems: a choice by evidence

if TYPE_CHECKING:
    from ..compare.result import Comparison


def compare(args: argparse.Namespace, out: Output) -> None:
    """Compare systems on one or more tables by repeated cross-validation."""
    from ..compare import run
    from .fitting import check_writable, split_names

    if args.report:
        check_writable(Path(args.report), args.force, args.data)
    with tidy():  # so that its processes end with it, and no folder of theirs stays
        found = run.compare(
            args.systems,
            args.data,
            target=args.target,
            task=args.task,
            categorical=split_names(args.categorical),
            drop=split_names(args.drop),
            sep=args.sep,
            decimal=args.decimal,
            thousands=args.thousands,
            encoding=args.encoding,
            text=split_names(args.text),
            repeats=args.repeats,
            folds=args.folds,
            seed=args.random_state,
            measure=args.measure,
            grid=grid_of(args.grid),
            along=dict(args.along) or None,
            results=args.results,
            n_jobs=args.n_jobs,
            progress=False if args.quiet or args.json else None,
        )
    out.result(found.table())
    if args.report:
        found.report(args.report)
        out.say(line("\nwritten", args.report))
    elif args.results:
        following = shlex.join(["bough", "compare", *args.data, "--systems", *args.systems, "--results", args.results])
        out.say(f"\nnext: {following} --report report.html")
    out.facts(facts_of(found))


def grid_of(given: list[tuple[str, Any]]) -> dict[str, dict[str, Any]] | None:
    """SYSTEM.PARAMETER=[values] as a grid for each system; the name of a system may have dots."""
    grid: dict[str, dict[str, Any]] = {}
    for name, values in given:
        system, dot, parameter = name.rpartition(".")
        if not dot or not isinstance(values, list):
            raise ParameterError(f"--grid {name}: it must be like cart.max_depth=[3,5].")
        grid.setdefault(system, {})[parameter] = values
    return grid or None


def facts_of(found: Comparison) -> dict[str, Any]:
    """The same as the tables, for programs."""
    by = found.measure_of()
    data = {}
    for name in found.data:
        systems: dict[str, dict[str, Any]] = {}
        whole = [s for s, v in found.values(name).items() if len(v) and not np.isnan(v).any()]
        pairs = found.against_best(name) if whole else {}
        for s in found.systems:
            each = {m: found.values(name, m)[s] for m in (by.name, "leaves", "fit_seconds")}
            systems[s] = {m: float(np.nanmean(v)) if (~np.isnan(v)).any() else None for m, v in each.items()}
            systems[s]["deviation"] = float(np.nanstd(each[by.name], ddof=1)) if len(each[by.name]) > 1 else None
            systems[s]["p"] = pairs[s].corrected if s in pairs else None
            systems[s]["failures"] = found.failures().get((name, s), [])
        data[name] = {"best": found.best(name) if whole else None, "systems": systems}
    facts: dict[str, Any] = {"task": found.task, "measure": by.name, "data": data}
    if len(found.data) > 1 and len(found.systems) > 1:
        ranks = found.ranks()
        facts["ranks"] = {
            "average": ranks.average,
            "friedman_p": ranks.friedman[1],
            "critical_difference": ranks.critical_difference,
            "alpha": ranks.alpha,
            "p_holm": ranks.against_best,
        }
    return facts


# ---- the choice by evidence -------------------------------------------------------------------------


class Best:
    """What `bough fit --system best` fits: whichever system cross-validation on the training rows is for; with
    ``readable``, of few leaves and few columns in a split."""

    def __init__(self, kind: str, problem: Problem, parameters: dict[str, Any], nominal: list[str]) -> None:
        others = [p for p in parameters if p not in ("random_state", "n_jobs")]
        if others:
            raise ParameterError(f"--system {kind} chooses the tree itself; leave out {', '.join(others)}.")
        if nominal and problem.table.is_array:
            raise ParameterError(f"--system {kind} takes built-in data as it is; leave out --categorical.")
        self.readable = kind == READABLE
        self.seed = parameters.get("random_state", 0)
        self.n_jobs = parameters.get("n_jobs")
        self.nominal = nominal
        self.label = problem.table.label

    def fit(self, X: Any, y: Any) -> Any:
        from ..compare.choose import choose
        from ..compare.data import as_text, table_of

        table = as_text(table_of(X, self.label), self.nominal)
        self.tree = choose(table.native, y, readable=self.readable, seed=self.seed, n_jobs=self.n_jobs)
        return self.tree

    def say(self, out: Output) -> None:
        """Tells what was compared, and what was taken."""
        choice = self.tree.choice_
        out.say(line("system", f"{choice.system}: {choice.why}"))
        out.say("\n".join(choice.text().splitlines()[1:]))

    def facts(self) -> dict[str, Any]:
        choice = self.tree.choice_
        tried = {t.system: {"folds": t.folds, "verdict": t.verdict} for t in choice.tried}
        return {
            "system": choice.system,
            "why": choice.why,
            "tried": tried,
            "comparison": facts_of(self.tree.comparison_),
        }
