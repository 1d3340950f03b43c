"""The page of the experiment, and what the docs say of it, from its JSON alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.compare.ranks import Ranks, ranks_of
from experiments.common.table import markdown, marks, provenance_line

BASE = "LightGBM"
TITLES = {
    "accuracy": "Accuracy, %",
    "log loss": "Log loss",
    "R²": "R²",
    "fit": "Seconds of processor time to fit",
}
GROUPS = {
    "all sets": lambda of: True,
    "sets of numbers alone, at most 100 columns": lambda of: of["nominal"] == 0 and of["columns"] <= 100,
    "sets with nominal columns and two columns of numbers": lambda of: 0 < of["nominal"] < of["columns"] - 1,
    "sets with nominal columns": lambda of: of["nominal"] > 0,
}


def page(result: dict[str, Any]) -> str:
    sets, sizes = {n: of for n, of in result["sets"].items() if BASE in of["folds"]}, result["sizes"]
    absent = [n for n in result["planned"] if n not in sets]
    slow = [f"{s} on {name}" for name, of in sets.items() for s in of["slow"]]
    lines = [
        "# Boosted trees beside other libraries",
        "",
        f"**What is not there**: more than {sizes['sets']['rows']:,} rows of a set "
        f"({sizes['numbers']['rows']:,} of one of numbers, {sizes['bins']['rows']:,} for bins), for time; classes of "
        "fewer than about 12 of these; fits of more than 20 seconds"
        + (f" ({', '.join(slow)})" if slow else "")
        + "; CIFAR-10, whose 3,072 columns take longer than that"
        + (f"; not run: {', '.join(absent)}." if absent else ".")
        + " Partitions by classes (`pc_ext`, `glchi2`) are not for the slopes that a round of gradient boosting fits, "
        "which are numbers, where `axis` finds the best partition of categories; they are boosted as classifiers, by "
        "scikit-learn's AdaBoost.",
        "",
        f"{sizes['sets']['rounds']} rounds and {sizes['sets']['folds']} folds ({sizes['numbers']['rounds']} and "
        f"{sizes['numbers']['folds']} of numbers and for bins), learning rate 0.1 (CatBoost chooses its own), one "
        "thread, defaults otherwise: 31 leaves and 255 bins for `axis`, LightGBM and HistGradientBoosting, depth 6 for "
        "XGBoost and CatBoost. Where a set has nominal columns, `axis` grows from all numbers, not bins, and finds "
        "the best partition of the categories; the others take pandas' categories in their own way. `elc` tries 300 "
        "planes of two columns at each node. + and −: better or worse than LightGBM by the corrected resampled t-test "
        "at 5 %, with Holm's correction within each set.",
    ]
    for what in ("accuracy", "log loss", "fit"):
        lines += ["", f"## {TITLES[what]}", "", table(sets, what)]
    for what in ("accuracy", "log loss"):
        lines += ["", f"## {TITLES[what].split(',')[0]} over all sets", "", *ranks(sets, what)]
    lines += ["", "## Numbers: R²", "", table(result["numbers"], "R²")]
    lines += ["", "## Numbers: seconds of processor time to fit", "", table(result["numbers"], "fit")]
    lines += ["", "## What bins cost", "", *bins(result)]
    return "\n".join([*lines, "", provenance_line(result["provenance"])])


def mean(of: dict[str, Any], system: str, what: str) -> float:
    return float(np.mean([f[what] for f in of["folds"][system]]))


def told(value: float, what: str) -> str:
    return f"{100 * value:.1f}" if what == "accuracy" else f"{value:.3f}" if what != "fit" else f"{value:.3g}"


def table(sets: dict[str, Any], what: str) -> str:
    names = list(dict.fromkeys(s for of in sets.values() for s in of["folds"]))
    rows: list[list[object]] = []
    for name, of in sets.items():
        values = {s: [f[what] for f in of["folds"][s]] for s in of["folds"]}
        parts = max(map(len, values.values()), default=2)
        mark = marks(values, BASE, parts, what != "log loss") if what != "fit" else {}
        cells: list[object] = [f"{name} ({of['rows']:,} × {of['columns']})"]
        cells += [told(mean(of, s, what), what) + mark.get(s, "") if s in of["folds"] else None for s in names]
        rows.append(cells)
    return markdown(["set", *names], rows)


def ran_in(group: list[dict[str, Any]]) -> list[str]:
    """The systems that ran on every set of a group."""
    ran = dict.fromkeys(s for of in group for s in of["folds"])
    return [s for s in ran if all(s in of["folds"] for of in group)]


def ranked(group: list[dict[str, Any]], names: list[str], what: str) -> Ranks:
    sign = -1 if what == "log loss" else 1
    return ranks_of({s: [sign * mean(of, s, what) for of in group] for s in names})


def ranks(sets: dict[str, Any], what: str) -> list[str]:
    """Of each group: average ranks, Friedman's test, Nemenyi's difference."""
    lines: list[str] = []
    for title, belongs in GROUPS.items():
        group = [of for of in sets.values() if belongs(of)]
        names = ran_in(group)
        if len(group) < 3 or len(names) < 3:
            continue
        found = ranked(group, names, what)
        rows = []
        for s in sorted(names, key=lambda s: found.average[s]):
            p = found.nemenyi[names.index(s), names.index(BASE)]
            rows.append([s, f"{found.average[s]:.2f}", "–" if s == BASE else f"{p:.2g}", *against(group, s, what)])
        head = ["system", "average rank", "Nemenyi's p against LightGBM", "better, worse", "mean against LightGBM"]
        lines += [
            f"{len(group)} {title}: Friedman's p = {found.friedman[1]:.2g}, Nemenyi's critical difference of average "
            f"ranks {found.critical_difference:.2f}.",
            "",
            markdown(head, rows),
            "",
        ]
    return lines[:-1]


def against(group: list[dict[str, Any]], system: str, what: str) -> list[str]:
    """On how many sets it is better and worse than LightGBM, and by how much on average."""
    if system == BASE:
        return ["–", "–"]
    ours, base = (np.array([mean(of, s, what) for of in group]) for s in (system, BASE))
    if what == "log loss":
        by = f"× {np.exp(np.mean(np.log(ours / base))):.3f}"
        ours, base = -ours, -base
    else:
        by = f"{100 * np.mean(ours - base):+.2f} points"
    return [f"{(ours > base).sum()}, {(ours < base).sum()}", by]


def bins(result: dict[str, Any]) -> list[str]:
    """Accuracy or R² and time by the number of bins."""
    found = result["bins"]
    names = list(next(iter(found.values()))["folds"])
    rows: list[list[object]] = []
    for name, of in found.items():
        what = "accuracy" if "classes" in of else "R²"
        parts = max(map(len, of["folds"].values()))
        mark = marks({s: [f[what] for f in of["folds"][s]] for s in of["folds"]}, "exact", parts)
        cells = [
            told(mean(of, s, what), what) + mark[s] + f" ({mean(of, s, 'fit'):.2g} s)" if s in of["folds"] else None
            for s in names
        ]
        rows.append([f"{name} ({of['rows']:,} × {of['columns']})", what.replace("accuracy", "accuracy, %"), *cells])
    return [
        "Columns of numbers alone; in brackets the processor time of a fit; + and −: other than exact cuts by the same "
        "test.",
        "",
        markdown(["set", "measure", *names], rows, 2),
    ]


def section(result: dict[str, Any]) -> str:
    """What docs/boosting.md says."""
    size, sets = result["sizes"]["sets"], {n: of for n, of in result["sets"].items() if BASE in of["folds"]}
    lines = [
        f"By `python -m experiments.boosting --full`: {len(sets)} sets of at most {size['rows']:,} rows, "
        f"{size['rounds']} rounds, {size['folds']} folds; average ranks (1 is best), and means against LightGBM. "
        "`experiments/boosting/results` has every set, the tests and the times.",
    ]
    for title, belongs in GROUPS.items():
        group = [of for of in sets.values() if belongs(of)]
        names = ran_in(group)
        if len(group) < 3 or len(names) < 3 or title.endswith("columns of numbers"):
            continue
        found = {what: ranked(group, names, what) for what in ("accuracy", "log loss")}
        rows = []
        for s in sorted(names, key=lambda s: found["log loss"].average[s]):
            cells = [(f"{found[what].average[s]:.1f}", against(group, s, what)[1]) for what in found]
            rows.append([s, *cells[0], *cells[1]])
        p = " and ".join(f"{found[what].friedman[1]:.2g} of {what}" for what in found)
        head = ["system", "accuracy, rank", "accuracy", "log loss, rank", "log loss"]
        lines += ["", f"{len(group)} {title} (Friedman's p is {p}):", "", markdown(head, rows)]
    return "\n".join([*lines, "", "What bins cost. " + bins(result)[0], "", *bins(result)[2:]])
