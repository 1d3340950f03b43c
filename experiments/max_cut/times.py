"""Section 4: times on random data, as ratios, on one thread."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from experiments.common.table import markdown, provenance_line

from .published import BASELINE, TITLES
from .real import tree
from .synthetic import Setting, random_set

TIMED = (BASELINE, "gini-node-pca", "gini-node-means-pca", "max-cut-node-means-pca")
MEANS = TIMED[-1]
ROWS = {False: {2: (100, 1_000), 10: (100, 1_000)}, True: {2: (100, 1_000, 10_000), 10: (100, 1_000, 10_000)}}
DIMENSIONS = (5, 10, 20, 35, 50)
REPEATS = {100: 15, 1_000: 5, 10_000: 2}
# How much less Max Cut Node Means PCA takes, least and most, as the text says.
PUBLISHED = {"gini-node-pca": (0.27, 0.98), BASELINE: (0.21, 0.98)}


def run(full: bool, found: list[dict[str, Any]], save: Any) -> None:
    """The least processor time of some fits of each algorithm, which take turns."""
    done = {(f["classes"], f["rows"], f["dimensions"]) for f in found}
    for classes, levels in ROWS[full].items():
        for rows in levels:
            for dimensions in DIMENSIONS:
                if (classes, rows, dimensions) in done:
                    continue
                X, _, y, _ = random_set(Setting(classes, rows, dimensions), 100, 0)
                best = dict.fromkeys(TIMED, np.inf)
                for _ in range(REPEATS[rows]):
                    for algorithm in TIMED:
                        model = tree(algorithm, False).set_params(n_jobs=1)
                        start = time.process_time()
                        model.fit(X, y)
                        best[algorithm] = min(best[algorithm], time.process_time() - start)
                found.append({"classes": classes, "rows": rows, "dimensions": dimensions, "seconds": best})
                save()
            print(f"times: {classes} classes, {rows} rows", flush=True)


def less(found: list[dict[str, Any]], than: str) -> list[float]:
    """By how much less Max Cut Node Means PCA takes, as shares."""
    return [1 - f["seconds"][MEANS] / f["seconds"][than] for f in found]


def words(found: list[dict[str, Any]]) -> str:
    told = []
    for than, (low, high) in PUBLISHED.items():
        own = less(found, than)
        inside = sum(low <= x <= high for x in own)
        told.append(
            f"than {TITLES[than]}: published {100 * low:.0f} to {100 * high:.0f} % less, ours {100 * min(own):.0f} to "
            f"{100 * max(own):.0f} % less, inside in {inside} of {len(own)}"
        )
    return "; ".join(told)


def page(result: dict[str, Any]) -> str:
    found = result["times"]
    rows = []
    for f in found:
        ratios = [f"{f['seconds'][a] / f['seconds'][BASELINE]:.2f}" for a in TIMED[1:]]
        of_node = f"{100 * (1 - f['seconds'][MEANS] / f['seconds']['gini-node-pca']):.0f} %"
        rows.append(
            [f["classes"], f"{f['rows']:,}", f["dimensions"], f"{1000 * f['seconds'][BASELINE]:.2f}", *ratios, of_node]
        )
    head = [
        "classes",
        "rows",
        "dimensions",
        f"{TITLES[BASELINE]}, ms",
        *(TITLES[a] for a in TIMED[1:]),
        "less than node PCA",
    ]
    most = max(f["rows"] for f in found)
    return "\n\n".join([
        "# Times on random data",
        f"**What is not there.** More than {most:,} rows and other dimensions, for time; the paper's own program, of "
        "NumPy, in which a search of thresholds costs more beside a principal component than in ours.",
        "Processor time of a fit on one thread, the least of several, in turns on the same data; three columns are "
        f"shares of {TITLES[BASELINE]}'s, the last one says how much less Max Cut Node Means PCA takes than Gini Node "
        "Features PCA.",
        f"**Max Cut Node Means PCA takes less {words(found)}.**",
        markdown(head, rows, align_left=3),
        provenance_line(result["facts"]),
    ])  # fmt: skip
