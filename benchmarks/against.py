"""Two builds of bough side by side: `python -m benchmarks.against OTHER_PYTHON`, the interpreter of the other build.

Both run the same calls in processes of their own and take turns, so that a slow minute of the machine meets both. What
counts is processor time, and of that the least of all rounds: so the numbers hold on a busy machine too.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from . import elc
from .workloads import WORKLOADS, DataMissing

Call = Callable[[], Any]
TURN = 0.1  # seconds of a turn at least
ROOT = Path(__file__).resolve().parents[1]


def iris_frame() -> tuple[Any, Any]:
    from sklearn.datasets import load_iris

    bunch = load_iris(as_frame=True)
    return bunch.data, bunch.target.to_numpy()


def nominal_table(rows: int) -> tuple[Any, Any]:
    """Six text columns of 5 to 160 values and four classes that depend on two of them."""
    import pandas as pd

    rng = np.random.default_rng(0)
    sizes = (5, 10, 20, 40, 80, 160)
    codes = [rng.integers(0, n, rows) for n in sizes]
    y = (codes[1] % 3 + (codes[4] * 7 % 5 > 2) + (rng.random(rows) < 0.2)) % 4
    return pd.DataFrame({f"c{n}": np.char.add("v", c.astype(str)) for n, c in zip(sizes, codes, strict=True)}), y


def fit(data: Callable[[], tuple[Any, Any]], **params: Any) -> Callable[[], Call]:
    def ready() -> Call:
        from bough import TreeClassifier

        X, y = data()
        return lambda: TreeClassifier(random_state=0, **params).fit(X, y)

    return ready


def predict(data: Callable[[], tuple[Any, Any]], rows: int, **params: Any) -> Callable[[], Call]:
    def ready() -> Call:
        from bough import TreeClassifier

        X, y = data()
        tree = TreeClassifier(random_state=0, **params).fit(X, y)
        places = np.random.default_rng(0).integers(0, len(X), rows)
        many = X.iloc[places] if hasattr(X, "iloc") else X[places]
        return lambda: tree.predict(many)

    return ready


def partition(criterion: str, search: str, n: int = 100, k: int = 15) -> Callable[[], Call]:
    def ready() -> Call:
        from bough import _core

        table = np.random.default_rng(0).integers(0, 8, (n, k)).astype(float)
        return lambda: _core.partition(table, criterion, search, {}, 0, [])

    return ready


def calls(quick: bool, searches: list[tuple[str, str]]) -> Iterator[tuple[str, Callable[[], Call]]]:
    """Names, and what makes the call that is timed. The other build may have its modules elsewhere and know other
    pairs of search and criterion: so this one names them, and no more is imported than what users import."""

    def table(name: str) -> Callable[[], tuple[Any, Any]]:
        return lambda: WORKLOADS[name].data(quick)

    yield "iris, data frame", fit(iris_frame)
    yield "iris, data frame, predict one row", predict(iris_frame, 1)
    yield "iris, predict", predict(table("iris"), 150)
    for name in reversed(WORKLOADS):
        yield f"fit {name}", fit(table(name))
    for name in ("100k_x_20", "100k_x_50"):
        for criterion in ("entropy", "twoing", "max_cut", "gain_ratio"):
            yield f"fit {name}, {criterion}", fit(table(name), criterion=criterion)
    yield "fit 100k_x_20, ctree", fit(table("100k_x_20"), selector="conditional_inference")
    yield "predict 100k_x_20", predict(table("100k_x_20"), 100_000 if quick else 1_000_000)
    for name in ("100k_x_20", "mnist"):
        means = {"criterion": "max_cut", "split": "node_means_pca"}
        yield f"max_cut along node_means_pca, {name}", fit(table(name), **means)
    for split in ("node_pca", "lda", "hhcart_d"):
        yield f"{split}, breast_cancer", fit(table("breast_cancer"), split=split)
    for split in ("cart_lc", "oc1", "hhcart_a"):
        yield f"{split}, breast_cancer", fit(table("breast_cancer"), split=split, max_depth=3)
    yield "linear predict 100k_x_20", predict(table("100k_x_20"), 100_000, split="node_means_pca", max_depth=10)
    for nominal in ("auto", "pc_ext", "hypercube_cover", "greedy", "multiway", "one_vs_rest"):
        criterion = "squared_gini" if nominal == "greedy" else "gini"
        yield f"nominal tree, {nominal}", fit(lambda: nominal_table(5000), nominal=nominal, criterion=criterion)
    yield "nominal tree, ctree", fit(lambda: nominal_table(5000), selector="conditional_inference")
    for search, criterion in searches:
        yield f"partition {search}, {criterion}", partition(criterion, search)
    for group, case, data, params, _ in elc.cases(quick=True):
        if group in ("promised", "r", "classes"):
            own = {k: v for k, v in params.items() if k != "criterion"}
            more = {"criterion": params.get("criterion", "gini"), "split_params": own, "max_depth": 1}
            yield f"elc {case}", fit(data, split="elc", **more)


def work(quick: bool, searches: list[tuple[str, str]]) -> None:
    """The timed side: a line names a call and how often it is made; the answer is the processor time of one."""
    known = dict(calls(quick, searches))
    ready: dict[str, Call] = {}
    for line in sys.stdin:
        name, times = json.loads(line)
        try:
            if name not in ready:
                ready = {name: known[name]()}  # one table at a time
                ready[name]()
            start = time.process_time()
            for _ in range(times):
                ready[name]()
            print(json.dumps((time.process_time() - start) / times), flush=True)
        except Exception as e:
            told = str(e) if isinstance(e, DataMissing) else f"{type(e).__name__}: {e}"
            print(json.dumps(told), flush=True)


class Build:
    """One of the two, in its process."""

    def __init__(self, python: str, quick: bool, searches: list[tuple[str, str]]) -> None:
        command = [python, "-m", "benchmarks.against", "--work", json.dumps(searches), *["--quick"] * quick]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, name: str, times: int) -> float | str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps((name, times)), file=self.process.stdin, flush=True)
        answer: float | str = json.loads(self.process.stdout.readline())
        return answer


def compare(name: str, builds: list[Build], rounds: int, budget: float) -> list[float] | str:
    """The least seconds of each build, or why there are none."""
    least = [np.inf, np.inf]
    times, spent = 1, 0.0
    for _ in range(rounds):
        for i, build in enumerate(builds):
            took = build.seconds(name, times)
            if isinstance(took, str):
                return took
            least[i] = min(least[i], took)
            spent += took * times
        times = max(1, int(TURN / max(least)))
        if spent > budget:
            break
    return least


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    parser.add_argument("other", nargs="?", help="interpreter of the build to compare with")
    parser.add_argument("--quick", action="store_true", help="small tables")
    parser.add_argument("--only", default="", metavar="REGEX", help="calls whose names match")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--budget", type=float, default=20, help="processor seconds for a call, both builds together")
    parser.add_argument("--work", type=json.loads, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work is not None:
        return work(given.quick, given.work)
    if not given.other:
        parser.error("name the interpreter of the other build")
    from .nominal import pairs

    searches = pairs(100)
    builds = [Build(python, given.quick, searches) for python in (given.other, sys.executable)]
    print("| call | other | this | other / this |\n|---|---|---|---|")
    for name, _ in calls(given.quick, searches):
        if not re.search(given.only, name):
            continue
        found = compare(name, builds, given.rounds, given.budget)
        if isinstance(found, str):
            print(f"| {name} | left out: {found} | | |")
        else:
            other, this = found
            print(f"| {name} | {other * 1e3:.4g} ms | {this * 1e3:.4g} ms | {other / this:.2f} |", flush=True)


if __name__ == "__main__":
    main()
