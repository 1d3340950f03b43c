"""The pages: Table 5 on real data, and the grids of random data sets, from the JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.common.table import markdown, provenance_line

from . import real, synthetic
from .published import ALGORITHMS, BASELINE, RATIOS, TABLE_3, TITLES
from .synthetic import Found, Results, Setting

# ---- Table 5 ----------------------------------------------------------------------------------------


def table_5(result: dict[str, Any]) -> str:
    facts, missing = result["facts"], result.get("missing", {})
    data = {name: real.outcomes(r) for name, r in result.items() if name not in ("facts", "missing")}
    full = facts["size"] == "full"
    inside = [real.within(name, a, found) for name, found in data.items() for a in found]
    mnist = list(data) == ["mnist"]
    absent = [TITLES[a] for a in ALGORITHMS if any(a not in found for found in data.values())]
    text = [
        "# Table 5: accuracy on real data" + (" (MNIST)" if mnist else ""),
        not_there(mnist, absent),
        explanation(mnist, full),
    ]
    text.append(
        f"**{sum(inside)} of {len(inside)} figures are within two deviations of the published ones**, where a "
        "deviation is that of a difference of means."
    )
    text += [f"## {name.replace('_', '-')}\n\n{real.table(name, found)}" for name, found in data.items()]
    text += [f"## {name}\n\nskipped: {why}" for name, why in missing.items()]
    return "\n\n".join([*text, provenance_line(facts)])


def not_there(mnist: bool, absent: list[str]) -> str:
    other = "the other sets are on the page of Table 5" if mnist else "MNIST is on a page of its own"
    lines = [f"**What is not there.** CIFAR-10 and CIFAR-100: the images are not at hand in full; {other}."]
    if absent:
        lines.append(f"Not run here: {', '.join(absent)}.")
    return " ".join(lines)


def explanation(mnist: bool, full: bool) -> str:
    how = (
        f"MNIST: {real.MNIST_SPLITS} random splits into 80 % training and 20 % test rows; ± is the deviation between "
        "splits (where there was one split, the largest of the others')."
        if mnist
        else "Ten times ten stratified folds; ± is the deviation of a repeat of ten folds."
    )
    if mnist and not full:
        how += (
            " Reduced run: columns standardised or not as in the paper's better run, one split for the algorithms that "
            "try all 784 components."
        )
    return (
        f"{how} Of columns as they are and standardised ones, the better run is shown, as in the paper; the column "
        "*standardised* says which one it was there and here. Times are CPU times of all fits, relative to Gini "
        "Features of the same run, there of a NumPy program, here of ours."
    )


# ---- grids ------------------------------------------------------------------------------------------


def results_of(entries: list[dict[str, Any]], classes: int) -> Results:
    """The settings of a grid as they are in the JSON, every data set of them."""
    return {
        Setting(classes, e["rows"], e["dimensions"], e["noise"]): Found(e["accuracies"], e["leaves"]) for e in entries
    }


def entries_of(results: Results) -> list[dict[str, Any]]:
    """The settings of a grid for the JSON."""
    return [
        {
            "rows": s.rows,
            "dimensions": s.dimensions,
            "noise": s.noise,
            "sets": f.sets,
            "accuracies": f.accuracies,
            "leaves": f.leaves,
        }
        for s, f in results.items()
    ]


def grids(result: dict[str, Any]) -> str:
    found, noisy = ({int(c): results_of(g, int(c)) for c, g in result[k].items()} for k in ("grids", "noise"))
    full = result["facts"]["size"] == "full"
    sections = [
        "# Random data sets: Table 3, figures 2 to 9",
        settings_text(full, found),
        leaves_section(found[2], full),
    ]
    for classes in found:
        sections += [accuracy_section(found[classes]), noise_section(noisy[classes])]
    return "\n\n".join([*sections, ratio_section(found), "![](comparisons.png)", provenance_line(result["facts"])])


def settings_text(full: bool, found: dict[int, Results]) -> str:
    common = (
        "`make_classification`, one cluster for each class, 1 % of the labels at random, standardised; all algorithms "
        "on the same training and test rows. Best: better than each of the other seven in one-tailed paired t-tests, "
        "14 hypotheses corrected by Holm–Bonferroni at 5 %. Not best: worse than any of them."
    )
    if full:
        return f"As published: 30 data sets for each setting, 100,000 test rows. {common}"
    missing = []
    for classes in (2, 10):
        word = "two" if classes == 2 else "ten"
        if classes not in found:
            missing.append(f"{word} classes (figures 6 to 9)")
            continue
        published = len(synthetic.grid(classes, full=True).tasks())
        own, untested = (
            sum(f.sets for f in found[classes].values()),
            {s.rows for s, f in found[classes].items() if f.sets < 2},
        )
        dimensions = sorted({s.dimensions for s in found[classes]})
        one = f"; {', '.join(f'{r:,}' for r in sorted(untested))} rows with one data set, untested" if untested else ""
        missing.append(
            f"{word} classes: all but {own:,} of {published:,} data sets, dimensions other than "
            f"{', '.join(map(str, dimensions))}{one}"
        )
    return (
        f"**What is not there.** A reduced run: {'; '.join(missing)}; test sets of 100,000 rows, ours have "
        f"{synthetic.grid(2, False).test_rows:,}; most settings of noise. `make experiments-max-cut FULL=1` runs "
        f"the published grids.\n\n{common}"
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
        f"## {word}\n\nMean accuracy; ▲ Best, ▽ Not best, · one data set, which tests nothing.\n\n"
        f"{markdown(head, rows)}\n\n{tally}\n\n"
        f"The paper: the baseline is never best{CLAIMS[classes]}.\n\n![]({name}.png)\n\n![]({name}-best.png)"
    )


MARKS = {"Best": " ▲", "Undecidable": "", "Not best": " ▽", "Untested": " ·"}
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
        if classes not in found:
            continue
        r = synthetic.ratios(found[classes], over, under)
        half = 1.96 * r.std(ddof=1) / np.sqrt(len(r))
        above, below = r[r > 1], r[r < 1]
        ours = f"mean {r.mean():.4f} ({r.mean() - half:.4f} to {r.mean() + half:.4f}), deviation {r.std(ddof=1):.4f}"
        if under == "gini-node-pca":
            ours = (
                f"above 1 in {100 * np.mean(r > 1):.1f} % ({100 * by_level(found[classes], over, under):.1f} % if each "
                f"number of rows weighs the same), then {above.mean():.3f} on average, "
                f"at most {above.max():.3f}; else {below.mean():.3f} on average, at least {below.min():.3f}"
            )
        rows.append([f"{TITLES[over]} / {TITLES[under]}, {classes} classes", published, ours])
    return f"## Ratios of accuracies\n\n{markdown(['ratio', 'paper', 'ours'], rows, align_left=3)}"


def by_level(results: Results, over: str, under: str) -> float:
    """How often a ratio is above 1, the mean over numbers of training rows."""
    levels = sorted({s.rows for s in results})
    parts = ({s: f for s, f in results.items() if s.rows == level} for level in levels)
    return float(np.mean([np.mean(synthetic.ratios(part, over, under) > 1) for part in parts]))
