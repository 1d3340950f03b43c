"""Accuracy, leaves and time of methods on data sets: methods.json and, with --full, docs/choosing.md.

A reduced run (fewer rows, one repeat) writes its page beside its JSON.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

import bough
from experiments.common import data
from experiments.common.table import PAGE, ROOT, arguments, markdown, place, provenance, provenance_line, write_json
from experiments.defaults.__main__ import committed
from experiments.linear_leaves.__main__ import committed as of_numbers

HERE = Path(__file__).resolve().parent
DOCS = ROOT / "docs"
PRUNED = {"ccp_alpha": 0.002, "min_samples_leaf": 3, "random_state": 0}

# Every method with the same light pruning, so that sizes can be compared; ctree stops by itself.
METHODS = {
    "axis, Gini": lambda: bough.TreeClassifier(**PRUNED),
    "axis, twoing": lambda: bough.TreeClassifier(criterion="twoing", **PRUNED),
    "ctree": lambda: bough.system("ctree"),
    "LDA": lambda: bough.TreeClassifier(split="lda", **PRUNED),
    "means PCA": lambda: bough.TreeClassifier(split="node_means_pca", standardize=True, **PRUNED),
    "Max-Cut, means PCA": lambda: bough.TreeClassifier(
        criterion="max_cut", split="node_means_pca", standardize=True, max_depth=8, min_samples_leaf=3, random_state=0
    ),
    "HHCART(D)": lambda: bough.TreeClassifier(split="hhcart_d", **PRUNED),
    "CART-ELC": lambda: bough.TreeClassifier(split="elc", max_depth=5, **PRUNED),
    "multiway": lambda: bough.TreeClassifier(criterion="gain_ratio", nominal="multiway", **PRUNED),
}
SETS = [
    "iris", "breast_cancer_diagnostic", "breast_cancer_original", "diabetes", "housing", "wine_red", "contraceptive",
    "car", "nursery", "mushroom_full", "phonemes", "adult_full", "shelter_15",
]  # fmt: skip
MOST_ROWS = {False: 300, True: 4000}  # of a data set, drawn once
REPEATS, FOLDS = {False: 1, True: 2}, 5


def table_of(name: str, most: int) -> tuple[Any, Any]:
    """Rows drawn once; classes of fewer than ten of them are left out, since five folds need them all."""
    found = data.load(name)
    rows = np.sort(np.random.default_rng(0).permutation(len(found.y))[:most])
    _, where, counts = np.unique(found.y[rows], return_inverse=True, return_counts=True)
    rows = rows[counts[where] >= 10]
    return found.X.iloc[rows].reset_index(drop=True), found.y[rows]


def run(jobs: int, full: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    sets = {name: table_of(name, MOST_ROWS[full]) for name in SETS}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "folds.jsonl"
        done = bough.compare(
            {n: make() for n, make in METHODS.items()},
            sets,
            repeats=REPEATS[full],
            folds=FOLDS,
            results=path,
            n_jobs=jobs,
            progress=False,
        )
        frame = done.frame()
    for (name, method), part in frame.groupby(["data", "system"]):
        scores = part["accuracy"].to_numpy(float)
        found.setdefault(name, {})[method] = {
            "accuracy": float(np.nanmean(scores)) if np.isfinite(scores).any() else None,
            "deviation": float(np.nanstd(scores)) if np.isfinite(scores).any() else None,
            "leaves": float(part["leaves"].mean()),
            "fit_ms": float(1000 * part["fit_seconds"].mean()),
            "folds": [float(f"{s:.5g}") for s in scores],
        }
    sizes = {name: [len(y), X.shape[1], len(set(y))] for name, (X, y) in sets.items()}
    return {"sets": found, "sizes": sizes}


def average_ranks(result: dict[str, Any]) -> dict[str, float]:
    """Rank 1 is the best; ties share their ranks."""
    ranks = [rankdata([-(s[m]["accuracy"] or 0.0) for m in METHODS]) for s in result["sets"].values()]
    return dict(zip(METHODS, np.mean(ranks, axis=0).tolist(), strict=True))


def page_of(result: dict[str, Any]) -> str:
    methods = list(METHODS)
    head = ["data", "rows × columns, classes", *methods]

    def row(name: str, key: str, digits: int) -> list[object]:
        n, d, k = result["sizes"][name]
        cells = [result["sets"][name].get(m) for m in methods]
        values = [None if c is None or c[key] is None else c[key] for c in cells]
        best = max((v for v in values if v is not None), default=None) if key == "accuracy" else None
        texts = ["–" if v is None else f"{v * (100 if key == 'accuracy' else 1):.{digits}f}" for v in values]
        bold = [f"**{t}**" if v is not None and v == best else t for t, v in zip(texts, values, strict=True)]
        return [name, f"{n} × {d}, {k}", *bold]

    def mean(key: str, scale: float = 1.0) -> dict[str, float]:
        return {
            m: scale * float(np.mean([s[m][key] for s in result["sets"].values() if m in s and s[m][key] is not None]))
            for m in methods
        }

    ranks = average_ranks(result)
    accuracy, leaves, times = mean("accuracy", 100), mean("leaves"), mean("fit_ms")
    overview = [[m, f"{accuracy[m]:.1f}", f"{ranks[m]:.1f}", f"{leaves[m]:.0f}", f"{times[m]:.1f}"] for m in methods]
    tables = "\n\n".join(
        f"## {title}\n\n{markdown(head, [row(n, key, digits) for n in result['sets']], align_left=2)}"
        for title, key, digits in (("Accuracy in per cent", "accuracy", 1), ("Leaves", "leaves", 0))
    )
    top = markdown(["method", "accuracy", "rank", "leaves", "fit, ms"], overview)
    facts = result["provenance"]
    most = MOST_ROWS[facts["size"] == "full"]
    return f"""# Which method when

Made by `python -m experiments.methods --full` from `experiments/methods/results/methods.json`: {facts["repeats"]} ×
{facts["folds"]}-fold cross-validation on at most {most:,} rows of each data set, classes of fewer than ten rows left
out; every method on the same folds, with the same light pruning. Three are limited otherwise: `ctree` stops by itself,
Max-Cut has depth 8 at most in place of pruning, and CART-ELC depth 5 at most besides. Averages over
{len(result["sets"])} data sets; rank 1 is best; times are processor time.

**What is not there**: more rows, and sets of more columns or classes, for time; pruning tuned to each method and set
(`bough.choose` does that); tests of significance ([compare.md](compare.md) has them).

{top}

## What to take from it

- **Start with the axis tree**, pruned. It is fast, reads best, and no method is better everywhere.
- **Numbers that act together** (measurements of one thing, pixels, scores): try `lda`, or `node_means_pca` with
  `standardize=True`. A linear split is harder to read; the [report](report.md) shows what it weighs.
- **Few rows, few columns, and every point counts**: `elc` searches all hyperplanes of two columns exactly.
- **Text columns with many values**: `nominal="auto"`. One branch for each value (`multiway`) makes large trees.
- **You choose the nominal search yourself**: the dissertation behind most of them (Mello Pereira 2018) recommends
  PC-ext in general, LCA where time counts, and GLχ² with conditional inference. On its data sets we get the same
  accuracies, but no large difference in time: LCA is ten times as fast as PC-ext on a table of 200 values and 100
  classes, and 1.0 to 1.1 times on whole trees. `auto` takes the best of all of them ([nominal columns](nominal.md)).
- **You want to know which columns matter, with a test**: `ctree`.
- **A small tree that is good**: `sparse-oblique`, at most three columns in a split ([more](beyond-greedy.md)).
- **In doubt, let the data say**: `bough.choose(X, y)` or `bough compare` ([more](compare.md)).

## Numbers

{of_numbers() or "*not measured yet*"}

Where a number rises steadily with some columns, [linear leaves](linear-leaves.md) (`pilot`) are more accurate with
few leaves; where it depends on steps or on products of columns, means are. `bough.choose` tries both, and linear
splits along the direction of a ridge regression.

## Defaults, and what they cost

{committed() or "*not measured yet*"}

{tables}

{provenance_line(facts)}
"""


def main() -> None:
    given = arguments("experiments.methods", __doc__, jobs={"type": int, "default": 2}, page=PAGE)
    out = place(given, HERE)
    if not given.page:
        facts = provenance(0, given.full, repeats=REPEATS[given.full], folds=FOLDS)
        write_json(out, "methods", {**run(given.jobs, given.full), "provenance": facts}, indent=None)
    result = json.loads((out / "methods.json").read_text())
    page = (DOCS if given.full and given.out is None else out) / "choosing.md"
    page.write_text(page_of(result))


if __name__ == "__main__":
    main()
