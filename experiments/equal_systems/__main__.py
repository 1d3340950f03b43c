"""Compares two equal systems on 1,000 random data sets (reduced: 50) and writes equal_systems.md and .json.

Each data set has two halves of columns that are drawn in the same way; one system grows its tree on the first half,
the other on the second. Over data sets neither is better, so a test at the 5 % level should reject in 5 % of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bough import TreeClassifier
from bough.compare.data import DataSet, data_sets
from bough.compare.folds import splits_of
from bough.compare.statistics import Summary, paired, welch, wilcoxon
from experiments.common.table import PAGE, arguments, markdown, place, provenance, provenance_line, remade, write_json

HERE = Path(__file__).resolve().parent
SETS = {False: 50, True: 1000}
ROWS, COLUMNS, REPEATS, FOLDS = 100, 2, 10, 5
TESTS = ("corrected resampled t-test", "paired t-test", "Welch's test", "Wilcoxon's test")


def drawn(seed: int) -> DataSet:
    """Classes that both halves of the columns tell equally badly."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, ROWS)
    X = rng.normal(size=(ROWS, 2 * COLUMNS)) + 0.5 * y[:, None]
    return data_sets((X, y))[0]


def p_values(seed: int) -> list[float]:
    """Of every test, the p-value for one data set."""
    data = drawn(seed)
    X, y = data.table.cells, data.truth
    halves: tuple[list[float], list[float]] = ([], [])
    share = 1 / (FOLDS - 1)
    for split in splits_of(data, FOLDS, REPEATS, seed):
        for half, columns in zip(halves, (slice(COLUMNS), slice(COLUMNS, None)), strict=True):
            tree = TreeClassifier(max_depth=3, random_state=0).fit(X[split.train, columns], y[split.train])
            half.append(float(np.mean(tree.predict(X[split.test, columns]) == y[split.test])))
    a, b = halves
    return [paired(a, b, share), paired(a, b), welch(Summary.of(a), Summary.of(b)), wilcoxon(a, b)]


def page(result: dict[str, Any]) -> str:
    facts, found = result["provenance"], np.array(result["p_values"])
    levels = (0.01, 0.05, 0.1)
    rows = [[name, *(f"{100 * np.mean(found[:, i] <= a):.1f} %" for a in levels)] for i, name in enumerate(TESTS)]
    text = [
        "# Two equal systems",
        "",
        "**What is not there**: other sizes, trees and numbers of folds, since one case shows what each test does.",
        "",
        f"{len(found):,} random data sets of {ROWS} rows and two classes; two trees of depth 3, each on {COLUMNS} of "
        f"{2 * COLUMNS} columns that are drawn in the same way; {REPEATS} × {FOLDS} folds. How often each test finds a "
        "difference that is not there, by its level:",
        "",
        markdown(["test", *(f"{100 * a:g} %" for a in levels)], rows),
        "",
        provenance_line(facts),
    ]
    return "\n".join(text)


def main() -> int:
    given = arguments("experiments.equal_systems", __doc__, page=PAGE)
    out, sets = place(given, HERE), SETS[given.full]
    if not given.page:
        facts = provenance(f"0 … {sets - 1}", given.full)
        found = [p_values(seed) for seed in range(sets)]
        write_json(out, "equal_systems", {"provenance": facts, "p_values": found}, indent=None)
    print(remade(out, "equal_systems", page))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
