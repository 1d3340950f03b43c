"""What refinement costs, in greedy fits of the same tree: `python -m benchmarks.refinement [--out FILE]`.

A greedy fit is that of the same system without `refine`: the same criterion, columns and depth. Tables are numbers
in one array where all columns are, else frames of categories; classes are numbers: they are read quickly."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from experiments.beyond_greedy.run import SETS, rows
from experiments.common.data import DataMissing

import bough

from .by_turns import command, least

DEPTH, TURNS = 4, 3
ROWS = (2_000, 5_000)
SYSTEMS = ("tao", "sparse-oblique")
MOST = 20  # greedy fits, as promised of sparse-oblique


def prepared(X: Any, y: Any) -> tuple[Any, Any]:
    kinds = {c: "category" for c in X.columns if not pd.api.types.is_numeric_dtype(X[c])}
    return X.astype(kinds) if kinds else X.to_numpy(float), np.unique(y, return_inverse=True)[1]


def measured() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for n in ROWS:
        of_size = found.setdefault(str(n), {})
        for name in SETS:
            try:
                X, y = prepared(*rows(name, n))
            except DataMissing:
                continue
            trees = {s: bough.system(s, max_depth=DEPTH, n_jobs=1) for s in SYSTEMS}
            greedy = bough.system(SYSTEMS[0], max_depth=DEPTH, n_jobs=1).set_params(refine=None, refine_params=None)
            of_size[name] = {
                "rows": len(y),
                "columns": X.shape[1],
                "greedy": least({"": partial(greedy.fit, X, y)}, 4 * TURNS)[""],  # in a row: warm
                **least({s: partial(t.fit, X, y) for s, t in trees.items()}, TURNS),
            }
    return found


def tables(found: dict[str, Any]) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    for n, of_size in found.items():
        ratios = {s: {name: f[s] / f["greedy"] for name, f in of_size.items()} for s in SYSTEMS}
        told = "; ".join(
            f"{s} costs {statistics.median(r.values()):.1f} in the median and {max(r.values()):.1f} at most"
            for s, r in ratios.items()
        )
        cells = [
            [name, f"{f['rows']} × {f['columns']}", f"{f['greedy'] * 1e3:.2f}"]
            + [f"{f[s] * 1e3:.1f} ({ratios[s][name]:.1f})" for s in SYSTEMS]
            for name, f in of_size.items()
        ]
        text = f"Milliseconds of a fit of depth {DEPTH}, {int(n):,} rows at most (greedy fits). In greedy fits, {told}."
        yield text, ["", "rows × columns", "greedy", *SYSTEMS], cells


if __name__ == "__main__":
    command("refinement", __doc__, measured, tables)
