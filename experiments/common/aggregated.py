"""Single trees, forests and boosted trees of one kind of split beside those of the usual one, on the same folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import RepeatedStratifiedKFold

from bough.compare.statistics import holm, paired, wilcoxon

from .each import each
from .table import markdown, provenance, provenance_line

SEED, FOLDS = 0, 5
ALIKE: dict[str, Any] = {"random_state": 0, "n_jobs": 1}  # for every system
CUT: dict[str, Any] = {"prune": "cost_complexity_cv", "prune_params": {"rule": "minimum"}, **ALIKE}
Systems = Mapping[str, Mapping[str, Callable[[], Any]]]  # by kind, by split


def held_out(X: pd.DataFrame, y: np.ndarray, systems: Systems, repeats: int) -> dict[str, Any]:
    """Accuracy and seconds of every system on every fold."""
    out: dict[str, Any] = {"rows": len(y), "columns": X.shape[1], "classes": len(np.unique(y)), "held_out": {}}
    folds = list(RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repeats, random_state=SEED).split(X, y))
    for kind, by_split in systems.items():
        for split, make in by_split.items():
            found = []
            for train, test in folds:
                model, began = make(), time.process_time()
                model.fit(X.iloc[train], y[train])
                seconds = time.process_time() - began
                found.append([float(model.score(X.iloc[test], y[test])), seconds])
            out["held_out"].setdefault(kind, {})[split] = found
    return out


def run(
    here: Path,
    doc: str | None,
    sets: Sequence[str],
    of_set: Callable[[str, bool], dict[str, Any]],
    page: Callable[[dict[str, Any]], str],
    rows: Mapping[bool, int],
    repeats: Mapping[bool, int],
) -> int:
    """Every set by `of_set(name, full)`; `rows` and `repeats` by whether all is run."""
    warnings.simplefilter("ignore")
    return each(
        here,
        doc,
        sets,
        lambda name, given: of_set(name, given.full),
        lambda given: provenance(SEED, given.full, rows=rows[given.full], repeats=repeats[given.full]),
        page,
    )


def sample(X: pd.DataFrame, y: np.ndarray, most: int) -> tuple[pd.DataFrame, np.ndarray]:
    """At most so many rows, drawn, in file order; classes of fewer rows than folds are left out."""
    keep = np.sort(np.random.default_rng(SEED).permutation(len(y))[:most])
    X, y = X.iloc[keep].reset_index(drop=True), y[keep]
    names, counts = np.unique(y, return_counts=True)
    often = np.isin(y, names[counts >= FOLDS])
    return X[often].reset_index(drop=True), y[often]


def accuracies(of: Mapping[str, Any], kind: str, split: str) -> list[float]:
    return [fold[0] for fold in of["held_out"][kind][split]]


def tables(result: Mapping[str, Any]) -> list[str]:
    """The sections about accuracy, differences and time."""
    data = result["data"]
    first = next(iter(data.values()))["held_out"]
    names = [(kind, split) for kind in first for split in first[kind]]
    rows: list[list[object]] = []
    for name, of in data.items():
        cells = [f"{100 * np.mean(accuracies(of, *n)):.1f}" for n in names]
        rows.append([f"{name}, {of['rows']:,} × {of['columns']}, {of['classes']} classes", *cells])
    means = [100 * np.mean([np.mean(accuracies(of, *n)) for of in data.values()]) for n in names]
    rows.append(["**mean**", *(f"**{m:.1f}**" for m in means)])
    head = ["data", *(f"{kind}: {split}" for kind, split in names)]
    seconds = [
        [name, *(f"{np.mean([f[1] for f in of['held_out'][kind][split]]):.2g}" for kind, split in names)]
        for name, of in data.items()
    ]
    return [
        "## Accuracy, %",
        "",
        markdown(head, rows),
        "",
        "## Differences",
        "",
        *differences(result),
        "",
        "## Seconds of a fit",
        "",
        markdown(head, seconds),
        "",
        provenance_line(result["provenance"]),
    ]


def pairs(first: Mapping[str, Any]) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Each split against the usual one, the last, of the same kind; and each kind of it against the single tree."""
    out = []
    for kind in first:
        *own, usual = first[kind]
        out += [((kind, split), (kind, usual)) for split in own]
    out += [((kind, s), ("tree", s)) for kind in first if kind != "tree" for s in first[kind] if s in first["tree"]]
    return out


class Difference(NamedTuple):
    """Of two systems over the sets: the mean, where one is ahead, where it is so, or behind, by the tests."""

    gap: float
    ahead: int
    better: int
    worse: int
    p: float | None


def difference(data: Mapping[str, Any], one: tuple[str, str], other: tuple[str, str]) -> Difference:
    """By a corrected paired t-test for each set, Holm's correction over them, and Wilcoxon's test over the sets."""
    a, b = ([accuracies(of, *system) for of in data.values()] for system in (one, other))
    gaps = [float(np.mean(x) - np.mean(y)) for x, y in zip(a, b, strict=True)]
    p = holm([paired(x, y, 1 / (FOLDS - 1)) for x, y in zip(a, b, strict=True)])
    better, worse = (sum(q <= 0.05 and sign * gap > 0 for q, gap in zip(p, gaps, strict=True)) for sign in (1, -1))
    over = wilcoxon([float(np.mean(x)) for x in a], [float(np.mean(y)) for y in b]) if len(gaps) > 4 else None
    return Difference(float(np.mean(gaps)), sum(g > 0 for g in gaps), better, worse, over)


def points(gap: float) -> str:
    return f"{round(100 * gap, 1) + 0.0:+.1f}"


def differences(result: Mapping[str, Any]) -> list[str]:
    data, lines = result["data"], []
    for one, other in pairs(next(iter(data.values()))["held_out"]):
        d = difference(data, one, other)
        over = "–" if d.p is None else f"{d.p:.2g}"
        name = f"{': '.join(one)} less {': '.join(other)}"
        lines.append([name, points(d.gap), f"{d.ahead} of {len(data)}", str(d.better), str(d.worse), over])
    head = ["", "points", "ahead on", "significantly better on", "significantly worse on", "p over sets"]
    return [
        "Significant on a set: paired t-test over its folds with Nadeau and Bengio's correction, Holm's correction "
        "over the sets, 5 %. Over sets: Wilcoxon's test of the means.",
        "",
        markdown(head, lines),
    ]


def words(result: Mapping[str, Any]) -> str:
    """What came of it, in a line."""
    data = result["data"]
    first, told = next(iter(data.values()))["held_out"], []
    for kind in first:
        *own, usual = first[kind]
        for split in own:
            d = difference(data, (kind, split), (kind, usual))
            p = "" if d.p is None else f", p = {d.p:.2g}"
            told.append(
                f"{kind} {split} less {usual} {points(d.gap)} points (significantly better on {d.better} and worse on "
                f"{d.worse} of {len(data)} sets{p})"
            )
    return "; ".join(told)
