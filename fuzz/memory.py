"""Little memory: ``python -m fuzz.memory --jobs 4``. Fits under a limit on the address space, raised in steps of 5 MB
until two of them succeed, end in a model or in MemoryError, never in an abort and never in a hang; 10,000 fits leave
the resident memory where it was.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections import Counter
from typing import Any

from bough import ForestClassifier, TreeClassifier

from .campaign import close, options, spread

STEP = 5 << 20
SECONDS = 60  # of processor time; a fit that takes longer hangs
SLOW = ("elc", "oc1", "cart_lc")


def used() -> tuple[int, int]:
    """Address space and resident memory in bytes."""
    with open("/proc/self/statm") as f:
        size, resident = f.read().split()[:2]
    return int(size) * resource.getpagesize(), int(resident) * resource.getpagesize()


def fitting(kind: str, name: str, threads: int) -> Any:
    """An estimator with this plug-in, and a criterion that goes with it."""
    from support.combinations import by_name, estimator

    parts = {"split": "axis", "nominal": "auto", kind: name}
    how: dict[str, Any] = {"max_depth": 8, "n_jobs": threads, "random_state": 0}
    if kind == "forest":
        return ForestClassifier(10, missing=name, oob_score=True, **how)
    if kind in ("missing", "prune"):
        return TreeClassifier(**{kind: name}, **how)
    fits = (estimator(c, parts["split"], parts["nominal"], **how) for c in by_name("criterion"))
    return next(e for e in fits if e is not None)


def limited_fit(kind: str, name: str, steps: int, threads: int) -> None:
    """One fit with room for `steps` steps; prints how it ended."""
    from support.combinations import mixed_rows

    X, y, w = mixed_rows(0, 300 if name in SLOW else 20_000)
    tree = fitting(kind, name, threads)
    fitting(kind, name, 1).fit(X[:50], y[:50])  # what is loaded at first use
    resource.setrlimit(resource.RLIMIT_AS, (used()[0] + steps * STEP, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    try:
        tree.fit(X, y, w)
        print("model")
    except MemoryError:
        print("MemoryError")


def under_limits(kind: str, name: str, threads: int, most: int) -> tuple[Counter[str], list[str]]:
    """The ends of fits with more and more room, and what was no end."""
    ends, wrong = Counter[str](), []
    for n in range(most):
        command = [sys.executable, "-m", "fuzz.memory", "--one", kind, name, str(n), str(threads)]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=20 * SECONDS, check=False)
            end, errors = run.stdout.strip() if run.returncode == 0 else f"code {run.returncode}", run.stderr
        except subprocess.TimeoutExpired:
            end, errors = "hang", ""
        ends[end] += 1
        if end not in ("model", "MemoryError"):
            wrong.append(f"{name}, {threads} threads, {n} steps: {end} {errors.strip()[-200:]}")
        if ends["model"] == 2:
            break
    return ends, wrong


def flat(fits: int) -> tuple[float, float]:
    """Resident megabytes after a tenth of the fits, and after all."""
    from support.combinations import legal_combinations, mixed_rows

    estimators = list(legal_combinations(max_depth=4, random_state=0))
    X, y, w = mixed_rows(0, 60)
    early = 0.0
    for i in range(fits):
        estimators[i % len(estimators)].fit(X, y, w if i % 2 else None)
        if i == fits // 10:
            early = used()[1] / 2**20
    return early, used()[1] / 2**20


def main() -> int:
    from support.combinations import by_name

    parser = options("memory", __doc__)
    parser.add_argument("--steps", type=int, default=60, help="of 5 MB, at most, for each plug-in (60)")
    parser.add_argument("--fits", type=int, default=10_000, help="with an eye on the resident memory (10000)")
    parser.add_argument("--only", default="", help="plug-ins whose name contains this")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        kind, name, steps, threads = given.one
        limited_fit(kind, name, int(steps), int(threads))
        return 0
    began = time.monotonic()
    tasks: list[Any] = [("flat",)] if given.fits else []
    for kind in ("split", "nominal", "missing", "prune", "forest"):
        names = by_name("missing" if kind == "forest" else kind)
        tasks += [(kind, name, threads) for name in names if given.only in f"{kind} {name}" for threads in (1, 4)]
    ends, wrong, grown = Counter[str](), 0, "no fits counted"

    def work(task: Any) -> Any:
        return flat(given.fits) if task == ("flat",) else under_limits(*task, given.steps)

    for done in spread(tasks, work, given.jobs):
        if done.fault:
            wrong += 1
            print(f"{done.task}: {done.fault}", flush=True)
        elif done.task == ("flat",):
            early, late = done.result
            wrong += late > early * 1.1 + 5
            grown = f"{given.fits:,} fits: {early:.1f} MB after a tenth of them, {late:.1f} MB at the end"
        else:
            ends += done.result[0]
            wrong += len(done.result[1])
            for line in done.result[1]:
                print(line, flush=True)
    told = ", ".join(f"{n} {end}" for end, n in sorted(ends.items()))
    what = "limits on memory in steps of 5 MB, and the resident memory of many fits"
    return close(
        "fuzz.memory", given, what, f"{len(tasks)} plug-ins and threads under limits: {told}; {grown}", wrong, began
    )


if __name__ == "__main__":
    raise SystemExit(main())
