"""Ctrl-C beside three busy processes: ``python -m fuzz.ctrl_c --jobs 4``.

Every family, nominal search and pruner, growth best first, missing values, published systems, forests, prediction,
loading and the command line are interrupted at random moments. What counts is the processor time of the process, for
each of its threads, between the signal and the KeyboardInterrupt (of a command: its end): at most 0.25 s. Exit code 1
if it is more.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bough import BoostedClassifier, ForestClassifier, ForestRegressor, Model, TreeClassifier, TreeRegressor, system
from bough.registry import plugins

from .campaign import close, options, spread

LIMIT = 0.25
MOST = 2.0  # seconds after which a signal comes at the latest
Wait = float | None  # processor seconds until it was answered; None: the job was over before

rng = np.random.default_rng(0)
N = 200_000
X, Y = rng.normal(size=(N, 20)), rng.integers(0, 3, N)
VALUES, CLASSES = rng.integers(0, 400, (N, 10)), rng.integers(0, 12, N)
GAPS = np.where(rng.random((N, 20)) < 0.05, np.nan, X)


class Job(NamedTuple):
    name: str
    threads: int
    make: Callable[[], Callable[[], object]]  # prepares what is interrupted
    skip: Callable[[], object] | None = None  # what it begins with and is not of interest: signals come behind it


def jobs(threads: int) -> Iterator[Job]:
    from support.combinations import by_name, estimator

    def fit(*data: Any, **params: Any) -> Callable[[], object]:
        return partial(TreeClassifier(n_jobs=threads, random_state=0, **params).fit, *data)

    for split in by_name("split"):
        yield Job(f"fit {split}", threads, partial(fit, X, Y, split=split))
    yield Job("fit best first", threads, partial(fit, X, Y, max_leaf_nodes=50_000))
    yield Job("fit numbers", threads, lambda: partial(TreeRegressor(n_jobs=threads).fit, X, X[:, 0] + Y))
    for nominal in by_name("nominal"):
        fitting = (estimator(c, "axis", nominal) for c in by_name("criterion"))
        criterion = next(e for e in fitting if isinstance(e, TreeClassifier)).criterion
        how = {"criterion": criterion, "nominal": nominal, "max_depth": 3, "categorical_features": list(range(10))}
        yield Job(
            f"fit {nominal}", threads, partial(fit, VALUES, CLASSES % 2 if nominal == "exact" else CLASSES, **how)
        )
    for refine in by_name("refine"):
        deep = {"max_depth": 3} if refine in ("lookahead", "optimal") else {"max_depth": 8}
        yield Job(f"refine by {refine}", threads, partial(fit, X, Y, refine=refine, **deep))
    yield Job("fit pilot", threads, lambda: partial(system("pilot").fit, X, X[:, 0] * X[:, 1]))
    boosted = BoostedClassifier(max_iter=1000, max_leaf_nodes=31, n_jobs=threads, random_state=0)
    yield Job("boost", threads, lambda: partial(boosted.fit, X, Y))
    wide = np.random.default_rng(1).normal(size=(2000, 2000))
    for split in ("pca", "lda", "ridge"):
        yield Job(f"fit {split} of 2,000 columns", threads, partial(fit, wide, Y[:2000], split=split, max_depth=2))
    few, of_few = X[:60_000, :6], Y[:60_000]
    by_rows = [name for name, plugin in plugins()["prune"].items() if plugin.traits["needs_data"]]
    for prune in by_rows:
        # the pruner itself is short beside growing: signals come from the moment on when the tree is grown
        grown = None if prune == "cost_complexity_cv" else fit(few, of_few)
        yield Job(f"prune by {prune}", threads, partial(fit, few, of_few, prune=prune), grown)

    for missing in ("shared", "surrogate"):
        yield Job(f"fit {missing}", threads, partial(fit, GAPS, Y, missing=missing))
    for name in ("c4.5", "rpart", "cart"):
        of_name = system(name, random_state=0).set_params(n_jobs=threads)
        yield Job(f"fit {name}", threads, lambda of_name=of_name: partial(of_name.fit, GAPS, Y))
    how = {"n_jobs": threads, "random_state": 0}
    for what, forest in (
        ("forest", ForestClassifier(1000, **how)),
        ("forest of numbers", ForestRegressor(1000, **how)),
        ("forest of random cuts", ForestClassifier(1000, split="random", bootstrap=False, **how)),
        ("forest of a tree for each thread", ForestClassifier(threads, max_features=None, **how)),
    ):
        yield Job(f"fit {what}", threads, lambda forest=forest: partial(forest.fit, X, Y))
    stumps, narrow = ForestClassifier(20, max_depth=1, **how), X[:, :2]
    judged = ForestClassifier(20, max_depth=1, oob_score=True, **how)
    yield Job("out of bag", threads, lambda: partial(judged.fit, narrow, Y), partial(stumps.fit, narrow, Y))

    def of_forest() -> Callable[[], object]:
        return partial(ForestClassifier(20, max_leaf_nodes=2000, **how).fit(X, Y).predict, np.tile(X, (10, 1)))

    yield Job("predict by a forest", threads, of_forest)

    def deep() -> TreeClassifier:
        return TreeClassifier(n_jobs=threads).fit(X, Y)

    yield Job("predict", threads, lambda: partial(deep().predict, np.tile(X, (10, 1))))

    def load() -> Callable[[], object]:
        data = deep().model_.to_bytes()
        return lambda: [Model.from_bytes(data) for _ in range(20)]

    def pruned(prune: str) -> Callable[[], object]:
        tree, params = deep().model_.tree, {"alpha": 1e-9} if prune == "cost_complexity" else {}
        return lambda: [tree.prune(prune, params, "gini") for _ in range(200)]

    if threads == 1:
        yield Job("load", threads, load)
        for prune in set(plugins()["prune"]).difference(by_rows):
            yield Job(f"prune by {prune}", threads, partial(pruned, prune))


# ---- in this process ------------------------------------------------------------------------------------------------


def waits(job: Job, tries: int, seed: int) -> list[float]:
    """So many interrupts of one job, at moments between its begin and its end."""
    from support.interrupt import interrupted, marks_of_ctrl_c

    work = job.make()
    first = min(seconds(job.skip) for _ in range(3)) if job.skip else 0.0
    last = max(1.2 * first, seconds(lambda: interrupted(work, first + MOST)))
    draw = np.random.default_rng(seed)

    def wait() -> Wait:
        marks = marks_of_ctrl_c(work, float(draw.uniform(0.9 * first, last)), time.process_time)
        return (marks[1] - marks[0]) / job.threads if marks else None

    return heard_of(wait, tries)


def heard_of(wait: Callable[[], Wait], tries: int) -> list[float]:
    """So many answers; more tries than that, for those that came too late."""
    found: list[float] = []
    for _ in range(5 * tries):
        if len(found) < tries and (waited := wait()) is not None:
            found.append(waited)
    return found


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


# ---- commands -------------------------------------------------------------------------------------------------------


def commands(folder: Path) -> Iterator[tuple[str, list[str]]]:
    tree = TreeClassifier().fit(X[:50_000, :8], Y[:50_000])
    tree.save(folder / "m.bough")
    table = np.column_stack([X[:50_000, :8], Y[:50_000]])
    header = ",".join([*(f"x{i}" for i in range(8)), "y"])
    np.savetxt(folder / "t.csv", table, delimiter=",", header=header, comments="", fmt="%.6g")
    if any(can_import(reader) for reader in ("pyarrow", "polars", "pandas")):
        yield "bough fit", ["fit", "t.csv", "--target", "y", "--set", "split=oc1", "--out", "n.bough", "--force"]
        yield "bough predict", ["predict", "m.bough", "t.csv", "--out", "p.csv", "--force"]
    yield "bough fit iris", ["fit", "iris", "--out", "n.bough", "--force"]
    yield "bough show", ["show", "m.bough", "--all"]
    yield "bough compare", ["compare", "iris", "--systems", "cart", "oc1"]


def can_import(name: str) -> bool:
    with contextlib.suppress(ImportError):
        __import__(name)
        return True
    return False


def command_waits(arguments: list[str], folder: Path, tries: int, seed: int) -> list[float]:
    draw = np.random.default_rng(seed)
    last = min(MOST, seconds(lambda: answered(arguments, folder, MOST)))
    return heard_of(lambda: answered(arguments, folder, float(draw.uniform(0.05, last))), tries)


def answered(arguments: list[str], folder: Path, after: float) -> Wait:
    command = [sys.executable, "-m", "bough", *arguments, "--quiet"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(after)
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        before = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        os.kill(process.pid, signal.SIGINT)  # not by Popen, which would reap a process that is over
    except OSError:  # it is over
        before = None
    errors = process.stderr.read() if process.stderr else ""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == 0:
        return None
    started = process.returncode == -signal.SIGINT or "KeyboardInterrupt" in errors  # Python itself was starting
    if not started and (process.returncode != 130 or errors != "bough: interrupted\n"):
        raise AssertionError(f"exit code {process.returncode}: {errors[-300:]}")
    return used.ru_utime + used.ru_stime - before if before is not None else None


# ---- all ------------------------------------------------------------------------------------------------------------


def main() -> int:
    parser = options("ctrl_c", __doc__)
    parser.add_argument("--tries", type=int, default=20, help="interrupts of each job (20)")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2], help="of a fit (1 2)")
    parser.add_argument("--busy", type=int, default=3, help="busy processes beside it (3)")
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    given = parser.parse_args()
    began = time.monotonic()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(given.busy)]
    heard = late = faults = tried = 0
    most = 0.0
    with tempfile.TemporaryDirectory() as name:
        try:
            folder = Path(name)
            tasks: list[tuple[str, Callable[[], list[float]]]] = [
                (f"{job.name}, {job.threads} threads", partial(waits, job, given.tries, given.seed))
                for threads in given.threads
                for job in jobs(threads)
            ]
            tasks += [
                (what, partial(command_waits, line, folder, given.tries, given.seed)) for what, line in commands(folder)
            ]
            tasks = [(what, work) for what, work in tasks if given.only in what]
            for done in spread(tasks, lambda task: task[1](), given.jobs):
                found = done.result or []
                slowest = max(found, default=0.0)
                wrong = done.fault or ("" if found else "never interrupted")
                print(f"{done.task[0]}: {len(found)} of {given.tries}, at most {slowest:.3f} s {wrong}", flush=True)
                tried, heard, late = tried + 1, heard + len(found), late + (slowest > LIMIT)
                faults += bool(wrong)
                most = max(most, slowest)
        finally:
            for process in busy:
                process.kill()
    figure = (
        f"{tried} jobs, {heard:,} interrupts beside {given.busy} busy processes: at most {most:.3f} s, {late} jobs late"
    )
    what = f"Ctrl-C: processor seconds until it is answered, at most {LIMIT}"
    return close("fuzz.ctrl_c", given, what, figure, late + faults, began)


if __name__ == "__main__":
    raise SystemExit(main())
