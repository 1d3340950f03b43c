"""The page of the experiment, from its JSON alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.compare.statistics import holm, paired
from experiments.common.table import markdown, provenance_line

from .systems import WIDE

BASE = "RandomForest"
COLUMNS = {
    "accuracy": "Accuracy, %",
    "leaves": "Leaves of the forest",
    "fit": "Seconds of processor time to fit",
    "predict": "Seconds of processor time to predict the test rows",
}


def marks(folds: dict[str, list[dict[str, float]]], share: float) -> dict[str, str]:
    """Whether a forest is better (+) or worse (−) than scikit-learn's at 5 %, after Holm's correction."""
    others = [s for s in folds if s != BASE]
    values = {s: np.array([f["accuracy"] for f in folds[s]]) for s in folds}
    p = holm([paired(values[s], values[BASE], share) for s in others])
    better = {s: values[s].mean() > values[BASE].mean() for s in others}
    return {s: ("" if q >= 0.05 else " +" if better[s] else " −") for s, q in zip(others, p, strict=True)} | {BASE: ""}


def page(result: dict[str, Any]) -> str:
    sets = result["sets"]
    names = list(dict.fromkeys(s for found in sets.values() for s in found["folds"]))
    facts = result["provenance"]
    text = [
        "# Forests of axis, oblique and nominal splits",
        "",
        f"Run at size *{facts['size']}*: of each set at most {facts['rows']:,} rows, {facts['trees']} trees each, "
        f"fully grown except elc (depth 8, sets of at most {facts['elc_rows']:,} rows), {facts['folds']} folds. "
        "Oblique forests are of standardised columns and draw √columns at a node; one of max_cut is of all columns "
        f"as they are. Above {WIDE} columns, YDF's sparse oblique forest tries as many projections at a node as "
        "columns, since their square, its default, takes minutes for a forest. Nominal columns are as they are for "
        "ours and one-hot for the others. + and −: better or worse than scikit-learn's RandomForest by the corrected "
        "resampled t-test at 5 %, "
        "with Holm's correction within each set.",
        "",
        f"**What is not there**: more than {facts['rows']:,} rows of a set"
        + (f"; {', '.join(missing)}." if (missing := [n for n in result["planned"] if n not in sets]) else "."),
    ]
    for what, title in COLUMNS.items():
        rows: list[list[object]] = []
        for name, found in sets.items():
            mark = marks(found["folds"], found["test_share"]) if what == "accuracy" else {}
            cells: list[object] = [f"{name} ({found['rows']:,} × {found['columns']})"]
            for s in names:
                if s not in found["folds"]:
                    cells.append("–")
                    continue
                mean = float(np.mean([f[what] for f in found["folds"][s]]))
                if what == "accuracy":
                    text_of = f"{100 * mean:.1f}{mark[s]}"
                else:
                    text_of = f"{mean:,.0f}" if mean >= 100 else f"{mean:.3g}"
                cells.append("–" if np.isnan(mean) else text_of)
            rows.append(cells)
        text += ["", f"## {title}", "", markdown(["", *names], rows)]
    return "\n".join([*text, "", provenance_line(facts)])
