"""The pages: Table 5 on real data, and the grids of random data sets, from the JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common.table import markdown, provenance_line

from . import real, synthetic
from .published import ALGORITHMS, BASELINE, NOISE, RATIOS, TABLE_3, TITLES, accuracy
from .synthetic import Found, Results, Setting

# ---- Table 5 ----------------------------------------------------------------------------------------


def table_5(result: dict[str, Any]) -> str:
    facts, missing = result["facts"], result.get("missing", {})
    data = {name: real.outcomes(r) for name, r in result.items() if name not in ("facts", "missing")}
    kind = next((name for name in real.PICTURES if list(data) == [name]), "")
    absent = [TITLES[a] for a in ALGORITHMS if any(a not in found for found in data.values())]
    text = [
        "# Table 5: accuracy on real data"
        + {"": "", "mnist": " (MNIST)", "cifar10": " (CIFAR-10, 12,000 images)"}[kind],
        not_there(kind, absent),
        explanation(
            kind,
            facts["size"] == "full",
            [ways for name in data for ways in result[name].values()],
        ),
    ]
    if kind == "cifar10":
        text.append(in_order(data[kind]))
    else:
        inside = [real.within(name, a, found) for name, found in data.items() for a in found]
        text.append(
            f"**{sum(inside)} of {len(inside)} figures are within two deviations of the published ones**, where a "
            "deviation is that of a difference of means."
        )
    text += [f"## {name.replace('_', '-')}\n\n{real.table(name, found)}" for name, found in data.items()]
    text += [f"## {name}\n\nskipped: {why}" for name, why in missing.items()]
    return "\n\n".join([*text, provenance_line(facts)])


def in_order(found: dict[str, real.Outcome]) -> str:
    """Of fewer images only the order of the algorithms can be compared."""
    pairs = [(a, b) for i, a in enumerate(found) for b in list(found)[i + 1 :]]
    published = {a: accuracy("cifar10", a) for a in found}
    same = sum((published[a] < published[b]) == (found[a].mean < found[b].mean) for a, b in pairs)
    return f"**{same} of {len(pairs)} pairs of algorithms are in the published order.**"


def not_there(kind: str, absent: list[str]) -> str:
    if kind == "cifar10":
        lines = [
            "**What is not there.** 48,000 of the 60,000 images, which are not at hand: ours are 1,200 of each class, "
            "from JPEG files, 9,600 of them for training. The figures are those of a smaller set, and lower."
        ]
    else:
        other = "the other sets are on the page of Table 5" if kind == "mnist" else "MNIST is on a page of its own"
        lines = [
            "**What is not there.** CIFAR-100, which is not at hand ([another set of 100 classes](pairs.md) stands in "
            "for it); CIFAR-10, a part of which has a page of its own; "
            f"{other}."
        ]
    if absent:
        lines.append(f"Not run here, because they try every component and take minutes: {', '.join(absent)}.")
    return " ".join(lines)


def explanation(kind: str, full: bool, entries: list[list[dict[str, Any]]]) -> str:
    single = any(len(way["folds"]) == 1 for ways in entries for way in ways)
    both = [len(ways) > 1 for ways in entries]
    how = "Ten times ten stratified folds; ± is the deviation of a repeat of ten folds."
    if kind:
        how = f"{real.SPLITS} random splits into 80 % training and 20 % test rows; ± is the deviation between splits"
        how += " (where there was one split, the largest of the others')." if single else "."
    ways = "Columns as they are or standardised, as in the paper's better run; the other way was not run"
    if full or not kind:
        ways = "Of columns as they are and standardised ones the better run is shown, as in the paper"
        ways += "; both are in the JSON" if all(both) else "" if any(both) else "; the other one is not in the JSON"
    if full and kind == "cifar10":
        slow = ", ".join(TITLES[a] for a in real.SLOW)
        ways += f"; of {slow}, which take minutes for a fit, one split in the paper's better way"
    spread = (
        ""
        if kind == "cifar10"
        else " The paper has no deviations: its figures are taken to be spread as ours are, and to be rounded to 0.001."
    )
    return (
        f"{how} {ways}. The column *standardised* says which one it was there and here.{spread} Times are CPU times of "
        "all fits, relative to Gini Features of the same run, there of a NumPy program, here of ours."
    )


# ---- grids ------------------------------------------------------------------------------------------


def results_of(result: dict[str, Any], part: str) -> dict[int, Results]:
    """The settings of a part as they are in the JSON, by number of classes."""
    found: dict[int, Results] = {classes: {} for classes in synthetic.ROWS}
    for e in result[part]:
        s = Setting(e["classes"], e["rows"], e["dimensions"], e["noise"])
        found[s.classes][s] = Found(result["test rows"], e["right"], e["leaves"], e["run"])
    return {classes: own for classes, own in found.items() if own}


def save_grids(path: Path, runs: list[dict[str, Any]], found: dict[str, Results]) -> None:
    """One line for each setting: of every data set the right answers and the run, and all leaves together."""
    rows = {f.test_rows for results in found.values() for f in results.values()}
    lines = [f'{{"runs": {json.dumps(runs)},', f'"test rows": {rows.pop()}']
    for part, results in found.items():
        own = [{**asdict(s), "run": f.run, "leaves": f.leaves, "right": f.right} for s, f in sorted(results.items())]
        lines += [f',"{part}": [', ",\n".join(json.dumps(e, separators=(",", ":")) for e in own), "]"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, "}"]) + "\n")


def grids(result: dict[str, Any]) -> str:
    found, noisy = results_of(result, "grids"), results_of(result, "noise")
    sections = [
        "# Random data sets: Table 3, figures 2 to 9",
        settings_text(result["test rows"], found, noisy),
    ]
    if 2 in found:
        sections.append(leaves_section(found[2]))
    for classes in found:
        sections.append(accuracy_section(found[classes]))
        if classes in noisy:
            sections.append(noise_section(noisy[classes]))
    made = Counter(run for part in ("grids", "noise") for e in result[part] for run in e["run"])
    runs = [f"{made[i]:,} data sets: {provenance_line(facts)}" for i, facts in enumerate(result["runs"]) if made[i]]
    return "\n\n".join([*sections, ratio_section(found), "![](comparisons.png)", *runs])


WORDS = {2: "two", 10: "ten"}


def settings_text(test_rows: int, found: dict[int, Results], noisy: dict[int, Results]) -> str:
    missing = [f"test sets of 100,000 rows, ours have {test_rows:,}"] if test_rows != 100_000 else []
    missing += [f"{WORDS[c]} classes" for c in synthetic.ROWS if c not in found]
    few = {r for c, results in found.items() for r in synthetic.ROWS[c] if not whole(results, c, r)}
    done = sorted({r for c in found for r in synthetic.ROWS[c]} - few)
    if few:
        missing.append(
            "data sets, for want of time, see the table: figures of different numbers of rows rest on different "
            "numbers of them"
        )
    ran = [a for a in ALGORITHMS if any(a in f.right for own in noisy.values() for f in own.values())]
    if 0 < len(ran) < len(ALGORITHMS):
        missing.append(
            f"{len(ALGORITHMS) - len(ran)} of the {len(ALGORITHMS)} algorithms on columns of noise, for want of time: "
            f"there {', '.join(TITLES[a] for a in ran)} were run"
        )
    missing.append("times, which have [a page of their own](times.md)")
    first = ""
    if few and done:
        first = (
            f" Levels of up to {done[-1]:,} rows were run to the end before the rest (`--full --rows "
            f"{' '.join(map(str, done))}`)."
        )
    rows = []
    for c, results in found.items():
        for r in synthetic.ROWS[c]:
            own = {s: f for s, f in results.items() if s.rows == r}
            rows.append([WORDS[c], f"{r:,}", f"{len(own)} of 47", sets_of(own)])
        own = noisy.get(c, {})
        rows.append([WORDS[c], "10,000, columns of noise", f"{len(own)} of 110", sets_of(own)])
    told = "; ".join(missing)
    return (
        f"**What is not there.** {told[0].upper()}{told[1:]}. "
        f"`make experiments-max-cut FULL=1` runs the published grids to the end.{first}\n\n"
        f"{markdown(['classes', 'training rows', 'settings', 'data sets of each, of 30'], rows, align_left=2)}\n\n"
        "`make_classification`, one cluster for each class, 1 % of the labels at random, standardised; all algorithms "
        "on the same training and test rows. Best: better than each of the other seven in one-tailed paired t-tests, "
        "14 hypotheses corrected by Holm–Bonferroni at 5 %. Not best: worse than any of them. One data set tests "
        "nothing. Means and shares over settings are means over numbers of rows, each of which weighs the same, as it "
        "does in the paper with as many data sets for each."
    )


def whole(results: Results, classes: int, rows: int) -> bool:
    """A level has all its settings, each with as many data sets as the paper."""
    return all(s in results and results[s].sets >= synthetic.SETS for s in synthetic.grid(classes, rows))


def sets_of(results: Results) -> str:
    """How many data sets the settings have: one number, or from the least to the most."""
    counts = sorted({f.sets for f in results.values()}) or [0]
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def leaves_section(two: Results) -> str:
    ours = synthetic.mean_leaves(two)
    rows = []
    for a, published in TABLE_3.items():
        share, own_share = published / TABLE_3[BASELINE], ours[a] / ours[BASELINE]
        rows.append([TITLES[a], published, f"{ours[a]:.0f}", f"{share:.2f}", f"{own_share:.2f}"])
    head = ["algorithm", "paper", "ours", "share of the baseline: paper", "ours"]
    most = synthetic.by_level(two)[-1]
    rows_of, sets = next(iter(most)).rows, sum(f.sets for f in most.values())
    note = f"Most leaves are those of {rows_of:,} rows, of which there are {sets} data sets here."
    return f"## Table 3: mean number of leaves, two classes\n\n{markdown(head, rows)}\n\n{note}"


def accuracy_section(results: Results) -> str:
    classes = next(iter(results)).classes
    word, name = ("Two classes", "binary") if classes == 2 else ("Ten classes", "ten-classes")
    label = {s: f.labels() for s, f in results.items()}
    rows = []
    for s, f in results.items():
        if s.dimensions % 5 and s.dimensions not in (4, *synthetic.FEW):
            continue
        best = max(ALGORITHMS, key=f.mean)
        cells = [f"{f.mean(a):.3f}{MARKS[label[s][a]]}" for a in ALGORITHMS]
        rows.append([f"{s.rows:,}", s.dimensions, *cells, TITLES[best]])
    counts = {k: [sum(v[a] == k for v in label.values()) for a in ALGORITHMS] for k in MARKS}
    tally = markdown(["settings", *(TITLES[a] for a in ALGORITHMS)], [[k, *map(str, v)] for k, v in counts.items()])
    head = ["rows", "dimensions", *(TITLES[a] for a in ALGORITHMS), "highest mean"]
    return (
        f"## {word}\n\nMean accuracy; ▲ Best, ▽ Not best, · one data set, which tests nothing. Other dimensions: the "
        "figures, and the JSON. The counts are of all settings.\n\n"
        f"{markdown(head, rows)}\n\n{tally}\n\n"
        f"The paper: {CLAIMS[classes]}. Ours: {of_baseline(results, label)}.\n\n"
        f"![]({name}.png)\n\n![]({name}-best.png)"
    )


def of_baseline(results: Results, label: dict[Setting, dict[str, str]]) -> str:
    """What the tests say of the baseline, and of how many data sets where they decide nothing."""
    own = {k: {s: f for s, f in results.items() if label[s][BASELINE] == k} for k in MARKS}
    tested = len(results) - len(own["Untested"])
    told = f"of {tested} settings that were tested the baseline is Not best in {len(own['Not best'])}"
    told += f" and Best in {len(own['Best'])}"
    undecided = own["Undecidable"]
    return told + (
        f"; the other {len(undecided)}, Undecidable, have {sets_of(undecided)} data sets each" if undecided else ""
    )


MARKS = {"Best": " ▲", "Undecidable": "", "Not best": " ▽", "Untested": " ·"}
CLAIMS = {
    2: "the baseline is, with significance, not the best on average; the promising ones are Gini Node Features PCA and "
    "both Node Means PCA",
    10: 'the baseline is "Not Best" for all settings, Max Cut Node Means PCA is best in most cases, Gini Node Features '
    "PCA may be best with many rows and few dimensions",
}


def noise_section(results: Results) -> str:
    classes = next(iter(results)).classes
    claim = ", and ".join(f"with {d} dimensions and {n} or more of noise" for d, n in NOISE[classes].items())
    names = list(INITIALS)
    noise = sorted({s.noise for s in results})
    rows: list[list[object]] = []
    for dimensions in sorted({s.dimensions for s in results}):
        row: list[object] = [dimensions]
        for n in noise:
            f = results[Setting(classes, 10**4, dimensions, n)]
            gain = {a: 100 * (f.mean(a) - f.mean(BASELINE)) for a in names}
            best = max(names, key=gain.__getitem__)
            row.append(f"{gain['max-cut-node-means-pca']:+.1f} ({gain[best]:+.1f} {INITIALS[best]})")
        rows.append(row)
    one, three = lost(results, ["max-cut-node-means-pca"]), lost(results, names)
    return (
        f"### Columns of noise, 10,000 rows\n\nPoints of accuracy by which Max Cut Node Means PCA is better than the "
        "baseline; in brackets the best of three: MM (Max Cut Node Means PCA), GM (Gini Node Means PCA), GF (Gini Node "
        f"Features PCA). Data sets of each setting: {sets_of(results)}. The paper: the baseline is better than its "
        f"modifications {claim}. Ours: it is better than Max Cut Node Means PCA at {one}; better than each of the "
        f"three at {three}.\n\n"
        f"{markdown(['dimensions', *(f'+ {n}' for n in noise)], rows)}"
    )


def lost(results: Results, to: Sequence[str]) -> str:
    """Where the baseline is ahead, as dimensions and columns of noise."""
    return ", ".join(f"{s.dimensions} + {s.noise}" for s in ahead(results, to)) or "no setting"


def ahead(results: Results, to: Sequence[str]) -> list[Setting]:
    """Where the baseline's mean accuracy is above that of all of these."""
    return [s for s, f in sorted(results.items()) if f.mean(BASELINE) > max(map(f.mean, to))]


INITIALS = {"gini-node-pca": "GF", "gini-node-means-pca": "GM", "max-cut-node-means-pca": "MM"}


def ratio_section(found: dict[int, Results]) -> str:
    rows = [
        [
            f"{TITLES[over]} / {TITLES[under]}, {classes} classes",
            published,
            *(ratio_text(found[classes], over, under, equal) for equal in (False, True)),
        ]
        for (classes, over, under), published in RATIOS.items()
        if classes in found
    ]
    head = ["ratio", "paper", "ours, every data set the same", "ours, every number of rows the same"]
    note = (
        "The paper has as many data sets for each number of rows; most of ours have few rows, and decide where every "
        "data set counts the same. Both ways are given."
    )
    return f"## Ratios of accuracies\n\n{note}\n\n{markdown(head, rows, align_left=4)}"


def ratio_text(results: Results, over: str, under: str, equal: bool) -> str:
    """Our ratios, in the paper's words; with `equal` numbers of rows weigh the same, else data sets do."""
    r, weights = weighted_ratios(results, over, under)
    if not equal:
        weights = np.full(len(r), 1 / len(r))
    if under == "gini-node-pca":
        above, below = r > 1, r < 1
        more, less = (np.average(r[side], weights=weights[side]) for side in (above, below))
        return (
            f"above 1 in {100 * weights[above].sum():.1f} %, then {more:.3f} on average, at most {r.max():.3f}; "
            f"else {less:.3f} on average, at least {r.min():.3f}"
        )
    mean = float(np.average(r, weights=weights))
    deviation = float(np.sqrt(np.average((r - mean) ** 2, weights=weights)))
    half = 1.96 * deviation * float(np.sqrt((weights**2).sum()))
    return f"mean {mean:.4f} ({mean - half:.4f} to {mean + half:.4f}), deviation {deviation:.4f}"


def weighted_ratios(results: Results, over: str, under: str) -> tuple[np.ndarray, np.ndarray]:
    """The ratio of every data set, and its weight: each number of training rows has the same, and all together 1."""
    parts = [synthetic.ratios(level, over, under) for level in synthetic.by_level(results)]
    weights = [np.full(len(part), 1 / len(part) / len(parts)) for part in parts]
    return np.concatenate(parts), np.concatenate(weights)
