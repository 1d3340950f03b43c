"""What the numbers have to be, and whether they are. A measurement passes no judgement on the exit code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .boosting import times_faster
from .directions import AGAINST_NUMPY, REQUIRED
from .forests import BUSY, FILE, NODES, TWO_THREADS
from .numbers import MOST_AXIS_TREES, PREDICTION, RANDOM
from .peers import PEERS
from .workloads import WORKLOADS


@dataclass(frozen=True)
class Check:
    """One required number; `most` says that it is an upper limit."""

    what: str
    value: float
    required: float
    most: bool = False

    @property
    def ok(self) -> bool:
        return self.value <= self.required if self.most else self.value >= self.required

    def __str__(self) -> str:
        verdict = "ok   " if self.ok else "short"
        return f"{verdict}  {self.what}: {self.value:.3g} (at {'most' if self.most else 'least'} {self.required:g})"


def checks(result: dict[str, Any]) -> Iterator[Check]:
    """Every check that the sections of a result allow."""
    for name, found in result.get("fits", {}).items():
        yield from fit_checks(name, found["contestants"])
    for name, found in result.get("threads", {}).items():
        yield Check(f"{title(name)}: two threads against one", found["ratio"], 1.6)
    for name, found in result.get("variants", {}).items():
        for variant, timing in found.items():
            if variant != "gini":
                yield Check(f"{title(name)}: time of {variant} / gini", timing["ratio"], 2.5, most=True)
    if result.get("predict"):
        yield Check("prediction against scikit-learn", result["predict"]["ratio"], 2)
    for name, found in result.get("memory", {}).items():
        for threads, peak in found.items():
            if threads != "error":
                what = f"{title(name)}: memory of a fit / data, {threads}"
                yield Check(what, peak["ratio"], 2, most=True)
    for name, found in result.get("files", {}).items():
        yield Check(f"{title(name)}: model file / scikit-learn's pickle", found["ratio"], 0.5, most=True)
    yield from direction_checks(result)
    yield from number_checks(result)
    yield from forest_checks(result)
    for name, ours, theirs, ratio, required in times_faster(result.get("boosting", {})):
        if required is not None:
            yield Check(f"boosting, {name}: {ours}, times {theirs}", ratio, required)


def direction_checks(result: dict[str, Any]) -> Iterator[Check]:
    for name, found in result.get("directions", {}).items():
        if "ratio" in found:
            what = f"{title(name)}: max-cut-node-means-pca, times scikit-learn's axis tree"
            yield Check(what, found["ratio"], REQUIRED[name])
    for name, found in result.get("numpy_trees", {}).items():
        yield Check(
            f"max_cut along {name}: times the same tree in NumPy", found["ratio"], AGAINST_NUMPY[found["basis"]]
        )
    if result.get("linear_predict"):
        what = "prediction of a linear tree / of an axis tree, depth 10"
        yield Check(what, result["linear_predict"]["ratio"], 3, most=True)


def number_checks(result: dict[str, Any]) -> Iterator[Check]:
    for section, what in (("regression", "tree"), ("regression_forests", "forest")):
        for name, found in result.get(section, {}).items():
            yield Check(f"regression {what}, {name}: times scikit-learn", found["ratio"], found["required"])
            yield Check(f"its prediction, {name}: times scikit-learn", found["predict"]["ratio"], PREDICTION)
    for name, found in result.get("losses", {}).items():
        yield Check(f"a tree by {name}: times scikit-learn", found["ratio"], found["required"])
    for name, found in result.get("random_splits", {}).items():
        yield Check(f"random splits, {name}: times scikit-learn", found["ratio"], RANDOM)
    for name, found in result.get("components", {}).items():
        if "ratio" in found:
            yield Check(f"{title(name)}: split='pca' / axis tree", found["ratio"], MOST_AXIS_TREES, most=True)


def forest_checks(result: dict[str, Any]) -> Iterator[Check]:
    for name, found in result.get("forests", {}).items():
        if "error" in found:
            continue
        for what in ("fit", "predict"):
            if found["required"][what] > 0:
                ratio, required = found[f"{what}_ratio"], found["required"][what]
                yield Check(f"forest, {name}: {what}, times scikit-learn", ratio, required)
        if found["required"]["predict"] > 0:
            yield Check(f"forest, {name}: nodes, off by", abs(found["nodes_ratio"] - 1), NODES, most=True)
        if name in FILE and found["trees"] == 100:
            yield Check(f"forest, {name}: file, MB", found["bough"]["bytes"] / 1e6, FILE[name], most=True)
        if "two_threads" in found:
            busy = found.get("two_threads_share", 1) < BUSY
            what = "from processor time, since the machine was busy" if busy else "by the clock"
            value = found["two_threads_work"] if busy else found["two_threads"]
            yield Check(f"forest, {name}: two threads against one, {what}", value, TWO_THREADS)


def fit_checks(name: str, contestants: dict[str, Any]) -> Iterator[Check]:
    times = {c: timing["min"] for c, timing in contestants.items() if "min" in timing}
    required = WORKLOADS[name].required
    for ours, kernels in (("bough", "best kernels"), ("bough_portable", "portable kernels")):
        yield Check(f"{title(name)}: times scikit-learn, {kernels}", times["sklearn"] / times[ours], required)
    peers = {c: t for c, t in times.items() if c in PEERS}
    if peers:
        fastest = min(peers, key=lambda c: peers[c])
        what = f"{title(name)}: times the fastest peer, {PEERS[fastest].title}"
        yield Check(what, peers[fastest] / times["bough"], 1)


def title(name: str) -> str:
    return WORKLOADS[name].title


def report(result: dict[str, Any]) -> str:
    lines = [str(check) for check in checks(result)]
    if result["quick"]:
        lines.insert(0, "A quick run: smaller tables, few repeats. The limits are meant for the full one.")
    return "\n".join(lines)
