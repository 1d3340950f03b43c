"""Little memory: ``python -m fuzz.memory``. Fits under a limit on the address space, raised in steps of 5 MB, end in a
model or in MemoryError, never in an abort; 10,000 fits leave the resident memory where it was.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.combinations import by_name, legal_combinations, mixed_rows

STEP = 5 << 20


def used() -> tuple[int, int]:
    """Address space and resident memory in bytes."""
    with open("/proc/self/statm") as f:
        size, resident = f.read().split()[:2]
    return int(size) * resource.getpagesize(), int(resident) * resource.getpagesize()


def limited_fit(split: str, steps: int, threads: int) -> None:
    """One fit with room for `steps` steps; prints how it ended."""
    from bough import TreeClassifier

    X, y, w = mixed_rows(0, 20_000 if split not in ("elc", "oc1", "cart_lc") else 300)
    tree = TreeClassifier(split=split, max_depth=8, n_jobs=threads, random_state=0)
    TreeClassifier(split=split, max_depth=1).fit(X.iloc[:50], y[:50])  # what is loaded at first use
    resource.setrlimit(resource.RLIMIT_AS, (used()[0] + steps * STEP, resource.RLIM_INFINITY))
    try:
        tree.fit(X, y, w)
        print("model")
    except MemoryError:
        print("MemoryError")


def limits(steps: int) -> Counter[str]:
    ends: Counter[str] = Counter()
    for split in by_name("split"):
        for threads in (1, 4):
            for n in range(steps):
                command = [sys.executable, "-m", "fuzz.memory", "--one", split, str(n), str(threads)]
                run = subprocess.run(command, capture_output=True, text=True)
                end = run.stdout.strip() if run.returncode == 0 else f"code {run.returncode}"
                ends[end] += 1
                if run.returncode != 0:
                    last = (run.stderr.strip().splitlines() or [""])[-1]
                    print(f"{split}, {threads} threads, {n} steps: code {run.returncode} {last}", flush=True)
    return ends


def flat(fits: int) -> tuple[float, float]:
    """Resident megabytes after a tenth of the fits, and after all."""
    estimators = list(legal_combinations(max_depth=4, random_state=0))
    X, y, w = mixed_rows(0, 60)
    early = 0.0
    for i in range(fits):
        estimators[i % len(estimators)].fit(X, y, w if i % 2 else None)
        if i == fits // 10:
            early = used()[1] / 2**20
    return early, used()[1] / 2**20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.memory", description=__doc__)
    parser.add_argument("--steps", type=int, default=12, help="of 5 MB, for every family and number of threads")
    parser.add_argument("--fits", type=int, default=10_000)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        limited_fit(given.one[0], int(given.one[1]), int(given.one[2]))
        return 0
    ends = limits(given.steps)
    print(f"under limits: {dict(ends)}", flush=True)
    early, late = flat(given.fits)
    print(f"{given.fits} fits: {early:.1f} MB after a tenth of them, {late:.1f} MB at the end")
    return 0 if set(ends) <= {"model", "MemoryError"} and late < early * 1.1 + 5 else 1


if __name__ == "__main__":
    raise SystemExit(main())
