"""Compares two equal systems on 1,000 random data sets and writes results/equal_systems.md and .json.

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
from experiments.common.table import arguments, markdown, provenance, provenance_line, write

RESULTS = Path(__file__).resolve().parent / "results"
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


def main() -> int:
    given = arguments("experiments.equal_systems", __doc__, sets={"type": int, "default": 1000, "help": "data sets"})
    found = np.array([p_values(seed) for seed in range(given.sets)])
    levels = (0.01, 0.05, 0.1)
    errors: dict[str, Any] = {
        name: {str(a): float(np.mean(found[:, i] <= a)) for a in levels} for i, name in enumerate(TESTS)
    }
    rows = [[name, *(f"{100 * e:.1f} %" for e in each.values())] for name, each in errors.items()]
    facts = provenance(f"0 … {given.sets - 1}", given.sets >= 1000)
    text = [
        "# Two equal systems",
        "",
        f"{given.sets:,} random data sets of {ROWS} rows and two classes; two trees of depth 3, each on {COLUMNS} of "
        f"{2 * COLUMNS} columns that are drawn in the same way; {REPEATS} × {FOLDS} folds. How often each test finds a "
        "difference that is not there, by its level:",
        "",
        markdown(["test", *(f"{100 * a:g} %" for a in levels)], rows),
        "",
        provenance_line(facts),
    ]
    write(given.out or RESULTS, "equal_systems", "\n".join(text), {"provenance": facts, "errors": errors})
    print("\n".join(text))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
