"""Table 5: times on MNIST and CIFAR-10 once more, on one thread, by the code of this commit."""

from __future__ import annotations

import time
from typing import Any

from experiments.common import data
from experiments.common.lines import result_of
from experiments.common.table import markdown, provenance_line

from . import published
from .published import BASELINE, TITLES
from .real import PICTURES, SEED, parts, tree

QUICK = ("gini-features", "gini-pre-pca", "gini-node-means-pca", "max-cut-features", "max-cut-node-means-pca")
EARLIER = {"mnist": "mnist", "cifar10": "cifar-10"}  # pages with all eight algorithms


def run(full: bool, found: dict[str, Any], save: Any) -> None:
    """One fit of each algorithm on the first split of the page of Table 5, columns as they are."""
    for name in PICTURES:
        source = data.load(PICTURES[name])
        X, y = source.matrix(), source.y
        train = next(parts(name, y, 0))[0][: None if full else 2_000]
        own = found.setdefault(name, {})
        tree(BASELINE, False).fit(X[:20], y[:20])  # the first fit of a process loads libraries
        for algorithm in (a for a in QUICK if a not in own):
            start = time.process_time()
            fitted = tree(algorithm, False).set_params(n_jobs=1).fit(X[train], y[train])
            own[algorithm] = {
                "rows": len(train),
                "leaves": fitted.get_n_leaves(),
                "seconds": time.process_time() - start,
            }
            print(f"{name}: {algorithm}: {own[algorithm]['seconds']:.1f} s", flush=True)
            save()


def earlier(name: str, algorithm: str) -> float:
    """On the page of Table 5: relative to the baseline, columns as they are."""
    ways = result_of(f"max_cut/results/{EARLIER[name]}.json")[name]
    seconds = {a: [w["cpu_seconds_of_a_repeat"] for w in own if not w["standardized"]] for a, own in ways.items()}
    return seconds[algorithm][0] / seconds[BASELINE][0] if seconds[algorithm] else float("nan")


def words(found: dict[str, Any]) -> str:
    """How Max Cut Node Means PCA compares with the baseline."""
    told = []
    for name, own in found.items():
        mine = own["max-cut-node-means-pca"]["seconds"] / own[BASELINE]["seconds"]
        told.append(f"{name} published {published.seconds(name, 'max-cut-node-means-pca'):.2f}, ours {mine:.2f}")
    return f"Max Cut Node Means PCA takes, of Gini Features' time: {'; '.join(told)}"


def page(result: dict[str, Any]) -> str:
    rows = []
    for name, own in result["pictures_times"].items():
        for a, r in own.items():
            ratio, before = r["seconds"] / own[BASELINE]["seconds"], earlier(name, a)
            cells = [f"{published.seconds(name, a):.2f}", "–" if before != before else f"{before:.2f}", f"{ratio:.2f}"]
            rows.append([name, f"{r['rows']:,}", TITLES[a], *cells, f"{r['seconds']:.2f}", r["leaves"]])
    head = ["data", "training rows", "algorithm", "paper", "page of Table 5", "this commit", "seconds", "leaves"]
    return "\n\n".join([
        "# Times on pictures by this commit",
        "**What is not there.** The three algorithms that take minutes for a fit (their times by earlier code are on "
        "the pages of [MNIST](mnist.md) and [CIFAR-10](cifar-10.md)); more than one split; 48,000 of the images of "
        "CIFAR-10.",
        f"Processor time of a fit on one thread relative to {TITLES[BASELINE]}, columns as they are, the first split "
        f"(seed {SEED}) of the page of Table 5. The paper's program is of NumPy.",
        f"**{words(result['pictures_times'])}.**",
        markdown(head, rows, align_left=3),
        provenance_line(result["facts"]),
    ])  # fmt: skip
