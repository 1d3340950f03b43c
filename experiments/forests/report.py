"""The page of the experiment, from its JSON alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.compare.systems import MOST_COLUMNS
from experiments.common.table import markdown, marks, provenance_line

from .systems import WIDE

BASE = "RandomForest"
COLUMNS = {
    "accuracy": "Accuracy, %",
    "leaves": "Leaves of the forest",
    "fit": "Seconds of processor time to fit",
    "predict": "Seconds of processor time to predict the test rows",
}


def page(result: dict[str, Any]) -> str:
    sets = result["sets"]
    names = list(dict.fromkeys(s for found in sets.values() for s in found["folds"]))
    facts = result["provenance"]
    absent = [n for n in result["planned"] if n not in sets]
    text = [
        "# Forests of axis, oblique and nominal splits",
        "",
        f"**What is not there**: more than {facts['rows']:,} rows of a set, for time; classes of fewer than 10 rows, "
        "so that every fold has every class; elc on sets with a nominal column, since its splits are of numbers, and "
        f"on sets of more than {facts['elc_rows']:,} rows, for time; pc_ext where no column is nominal"
        + (f"; not run yet at this size: {', '.join(absent)}." if absent else "."),
        "",
        f"Run at size *{facts['size']}*: of each set at most {facts['rows']:,} rows, {facts['trees']} trees each, "
        f"{facts['folds']} folds. Trees are fully grown except those of elc and LightGBM. Oblique forests are of "
        "standardised columns and draw √columns at a node, with two exceptions: one of max_cut is of all columns as "
        "they are, and that of elc is of 3 columns as they are, with two coefficients, depth 8 and a second for a "
        "node at most. LightGBM is no forest but boosting, with its own limits (31 leaves, 20 rows in a leaf) and, "
        "where there are more than two classes, a tree for each class and round. Nominal columns are as they are for "
        f"ours and one-hot for the others, the rarest values in one beyond {MOST_COLUMNS} columns. Above {WIDE} "
        "columns, one-hot ones counted, YDF's sparse oblique forest tries as many projections at a node as columns, "
        "since their square, its default, takes minutes for a forest. + and −: better or worse than scikit-learn's "
        "RandomForest by the corrected resampled t-test at 5 %, with Holm's correction within each set.",
    ]
    for what, title in COLUMNS.items():
        rows: list[list[object]] = []
        for name, found in sets.items():
            told = {s: [f["accuracy"] for f in folds] for s, folds in found["folds"].items()}
            mark = marks(told, BASE, facts["folds"]) if what == "accuracy" else {}
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
