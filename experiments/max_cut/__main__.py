"""The eight algorithms of the Max-Cut paper on its data: writes results/*.md, *.json and *.png."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common.data import DataMissing
from experiments.common.table import arguments, markdown, provenance, provenance_line, write

from . import real, synthetic
from .published import ALGORITHMS, BASELINE, RATIOS, TABLE_3, TITLES
from .synthetic import Results

HERE = Path(__file__).resolve().parent
PARTS = ("table-5", "mnist", "synthetic")


def main() -> None:
    given = arguments(
        "experiments.max_cut",
        __doc__,
        only={"choices": PARTS, "nargs": "+", "default": PARTS, "help": "parts to run; default: all"},
        algorithms={"choices": ALGORITHMS, "nargs": "+", "default": ALGORITHMS, "help": "for Table 5; default: all"},
        kept={"type": Path, "metavar": "FOLDER", "help": "remember what is done, so that an interrupted run goes on"},
        jobs={"type": int, "default": os.cpu_count() or 1, "help": "processes"},
    )
    folder = given.out or HERE / "results"
    facts = provenance(real.SEED, given.full)
    if "table-5" in given.only:
        table_5([n for n in real.DATA if n != "mnist"], "table-5", given, folder, facts)
    if "mnist" in given.only:
        table_5(["mnist"], "mnist", given, folder, facts)
    if "synthetic" in given.only:
        grids(given.full, given.jobs, folder, facts, given.kept)


# ---- Table 5 ----------------------------------------------------------------------------------------


def table_5(names: list[str], file: str, given: argparse.Namespace, folder: Path, facts: dict[str, Any]) -> None:
    sections: list[str] = []
    result: dict[str, Any] = {"facts": facts}
    inside = total = 0
    for name in names:
        start = time.perf_counter()
        try:
            found = real.run(name, given.full, given.jobs, given.kept, given.algorithms)
        except DataMissing as missing:
            sections.append(f"## {name}\n\nskipped: {missing}")
            print(f"{name}: skipped: {missing}")
            continue
        result[name] = real.result(found)
        sections.append(f"## {name.replace('_', '-')}\n\n{real.table(name, found)}")
        inside += sum(real.within(name, a, found) for a in found)
        total += len(found)
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
        tally = f"**{inside} of {total} figures are within two deviations of the published ones.**"
        title = "# Table 5: accuracy on real data" + (" (MNIST)" if names == ["mnist"] else "")
        # after each data set, so that an interrupted run leaves what it has
        write(
            folder,
            file,
            "\n\n".join([title, explanation(names, given.full), tally, *sections, provenance_line(facts)]),
            result,
        )


def explanation(names: list[str], full: bool) -> str:
    how = (
        f"MNIST: {real.MNIST_SPLITS} random splits into 80 % training and 20 % test rows; ± is the deviation between "
        "splits (where there was one split, the largest of the others')."
        if names == ["mnist"]
        else "Ten times ten stratified folds; ± is the deviation of a repeat of ten folds."
    )
    if names == ["mnist"] and not full:
        how += (
            " Reduced run: columns standardised or not as in the paper's better run, one split for the algorithms that "
            "try all 784 components."
        )
    return (
        f"{how} Of columns as they are and standardised ones, the better run is shown, as in the paper; the column "
        "*standardised* says which one it was there and here. Times are CPU times of all fits, relative to Gini "
        "Features of the same run; the paper's own are those of a NumPy program."
    )


# ---- grids ------------------------------------------------------------------------------------------


def grids(full: bool, jobs: int, folder: Path, facts: dict[str, Any], kept: Path | None) -> None:
    from . import pictures

    found: dict[int, Results] = {}
    noisy: dict[int, Results] = {}
    for classes in (2, 10):
        start = time.perf_counter()
        found[classes] = synthetic.run(synthetic.grid(classes, full), jobs, kept=kept)
        noisy[classes] = synthetic.run(synthetic.noise_grid(classes, full), jobs, TABLE_3, kept)
        print(f"grids of {classes} classes: {time.perf_counter() - start:.0f} s", flush=True)
        word = "binary" if classes == 2 else "ten classes"
        name = word.replace(" ", "-")
        numbers = ("2", "3") if classes == 2 else ("6", "7")
        pictures.accuracy_map(found[classes], f"Mean accuracy, {word} (fig. {numbers[0]})", folder / f"{name}.png")
        pictures.best_map(found[classes], f"Who is best, {word} (fig. {numbers[1]})", folder / f"{name}-best.png")
    pictures.comparisons(found[2], found[10], folder / "comparisons.png")
    sections = ["# Random data sets: Table 3, figures 2 to 9", settings_text(full), leaves_section(found[2], full)]
    for classes in (2, 10):
        sections += [accuracy_section(found[classes]), noise_section(noisy[classes])]
    sections += [ratio_section(found), "![](comparisons.png)", provenance_line(facts)]
    result = {"facts": facts, "grids": {str(c): plain(r) for c, r in found.items()}}
    result["noise"] = {str(c): plain(r) for c, r in noisy.items()}
    write(folder, "synthetic", "\n\n".join(sections), result)


def plain(results: Results) -> list[dict[str, Any]]:
    """Means for each setting; single data sets come out again by their seeds."""
    return [
        {
            "rows": s.rows,
            "dimensions": s.dimensions,
            "noise": s.noise,
            "sets": len(next(iter(f.accuracies.values()))),
            "accuracy": {a: f.mean(a) for a in f.accuracies},
            "leaves": {a: float(np.mean(v)) for a, v in f.leaves.items()},
        }
        for s, f in results.items()
    ]


def settings_text(full: bool) -> str:
    common = (
        "`make_classification`, one cluster for each class, 1 % of the labels at random, standardised; all algorithms "
        "on the same training and test rows. Best: better than each of the other seven in one-tailed paired t-tests, "
        "14 hypotheses corrected by Holm–Bonferroni at 5 %. Not best: worse than any of them."
    )
    if full:
        return f"As published: 30 data sets for each setting, 100,000 test rows. {common}"
    g = synthetic.grid(2, False)
    return (
        f"Reduced: {g.sets} data sets for each setting (one of 100,000 rows, five with noise) instead of 30, five "
        f"dimensions instead of 47, {g.test_rows:,} test rows instead of 100,000; `make experiments-max-cut FULL=1` "
        f"runs the published grids. {common}"
    )


def leaves_section(two: Results, full: bool) -> str:
    ours = synthetic.mean_leaves(two)
    rows = []
    for a, published in TABLE_3.items():
        share, own_share = published / TABLE_3[BASELINE], ours[a] / ours[BASELINE]
        rows.append([TITLES[a], published, f"{ours[a]:.0f}", f"{share:.2f}", f"{own_share:.2f}"])
    note = "" if full else "\n\nMeans over fewer dimensions than the paper's, from 5 to 50 in even steps."
    head = ["algorithm", "paper", "ours", "share of the baseline: paper", "ours"]
    return f"## Table 3: mean number of leaves, two classes\n\n{markdown(head, rows)}{note}"


def accuracy_section(results: Results) -> str:
    classes = next(iter(results)).classes
    word, name = ("Two classes", "binary") if classes == 2 else ("Ten classes", "ten-classes")
    label = {s: f.labels() for s, f in results.items()}
    rows = []
    for s, f in results.items():
        best = max(ALGORITHMS, key=f.mean)
        cells = [f"{f.mean(a):.3f}{MARKS[label[s][a]]}" for a in ALGORITHMS]
        rows.append([f"{s.rows:,}", s.dimensions, *cells, TITLES[best]])
    counts = {k: [sum(v[a] == k for v in label.values()) for a in ALGORITHMS] for k in MARKS}
    tally = markdown(["settings", *(TITLES[a] for a in ALGORITHMS)], [[k, *map(str, v)] for k, v in counts.items()])
    head = ["rows", "dimensions", *(TITLES[a] for a in ALGORITHMS), "highest mean"]
    return (
        f"## {word}\n\nMean accuracy; ▲ Best, ▽ Not best.\n\n{markdown(head, rows)}\n\n{tally}\n\n"
        f"The paper: the baseline is never best{CLAIMS[classes]}.\n\n![]({name}.png)\n\n![]({name}-best.png)"
    )


MARKS = {"Best": " ▲", "Undecidable": "", "Not best": " ▽"}
CLAIMS = {
    2: ", the promising ones are Gini Node Features PCA and both Node Means PCA",
    10: " for any setting, Max Cut Node Means PCA is best in most cases, Gini Node Features PCA with many rows and few "
    "dimensions",
}


def noise_section(results: Results) -> str:
    classes = next(iter(results)).classes
    claim = (
        "the baseline is better with 5 dimensions and 15 or more of noise"
        if classes == 2
        else "the baseline is better with 5 dimensions and 5 or more of noise, and with 10 and 25 or more"
    )
    names = list(TABLE_3)
    rows = []
    for s, f in results.items():
        best = max(names, key=f.mean)
        rows.append([s.dimensions, s.noise, *(f"{f.mean(a):.3f}" for a in names), TITLES[best]])
    head = ["dimensions", "noise", *(TITLES[a] for a in names), "highest mean"]
    return f"### Columns of noise, 10,000 rows\n\nThe paper: {claim}.\n\n{markdown(head, rows)}"


def ratio_section(found: dict[int, Results]) -> str:
    rows = []
    for (classes, over, under), published in RATIOS.items():
        r = synthetic.ratios(found[classes], over, under)
        half = 1.96 * r.std(ddof=1) / np.sqrt(len(r))
        above, below = r[r > 1], r[r < 1]
        ours = f"mean {r.mean():.4f} ({r.mean() - half:.4f} to {r.mean() + half:.4f}), deviation {r.std(ddof=1):.4f}"
        if under == "gini-node-pca":
            ours = (
                f"above 1 in {100 * np.mean(r > 1):.1f} %, then {above.mean():.3f} on average, "
                f"at most {above.max():.3f}; else {below.mean():.3f} on average, at least {below.min():.3f}"
            )
        rows.append([f"{TITLES[over]} / {TITLES[under]}, {classes} classes", published, ours])
    return f"## Ratios of accuracies\n\n{markdown(['ratio', 'paper', 'ours'], rows, align_left=3)}"


if __name__ == "__main__":
    main()
