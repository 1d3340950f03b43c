"""Ctrl-C beside three busy processes: ``python -m fuzz.ctrl_c``.

Every family and nominal search, prediction, pruning and loading are interrupted at random moments. What counts is the
processor time of this process between the signal and the KeyboardInterrupt: at most 0.25 s. Exit code 1 if it is more.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from bough import Model, TreeClassifier, TreeRegressor
from support.combinations import by_name, estimator

LIMIT = 0.25


def jobs(threads: int) -> Iterator[tuple[str, Callable[..., object], tuple[object, ...]]]:
    rng = np.random.default_rng(0)
    n = 200_000
    X, y = rng.normal(size=(n, 20)), rng.integers(0, 3, n)
    values = pd.DataFrame({f"c{i}": pd.Categorical(rng.integers(0, 400, n)) for i in range(10)})
    classes = rng.integers(0, 12, n)
    for split in by_name("split"):
        yield f"fit {split}", TreeClassifier(split=split, n_jobs=threads, random_state=0).fit, (X, y)
    yield "fit best first", TreeClassifier(max_leaf_nodes=50_000, n_jobs=threads).fit, (X, y)
    yield "fit numbers", TreeRegressor(n_jobs=threads).fit, (X, X[:, 0] + y)
    for nominal in by_name("nominal"):
        fitting = (estimator(c, "axis", nominal, n_jobs=threads, max_depth=3) for c in by_name("criterion"))
        tree = next(e for e in fitting if isinstance(e, TreeClassifier))
        yield f"fit {nominal}", tree.fit, (values, classes % 2 if nominal == "exact" else classes)
    deep = TreeClassifier(n_jobs=threads).fit(X, y)
    wide = np.tile(X, (10, 1))
    yield "predict", deep.predict, (wide,)
    yield "prune", TreeClassifier(ccp_alpha=1e-9, n_jobs=threads).fit, (X, y)
    data = deep.model_.to_bytes()
    yield "load", lambda: [Model.from_bytes(data) for _ in range(50)], ()


def interrupted(job: Callable[..., object], args: tuple[object, ...], after: float) -> float | None:
    """Processor seconds from the signal to the KeyboardInterrupt; None if the job was over before."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    timer.start()
    try:
        job(*args)
    except KeyboardInterrupt:
        return time.process_time() - sent[0]
    finally:
        try:
            timer.cancel()
            timer.join()
        except KeyboardInterrupt:  # the job was over just then
            pass
    return None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.ctrl_c", description=__doc__)
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--busy", type=int, default=3, help="busy processes beside it")
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    given = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(given.busy)]
    rng = np.random.default_rng(1)
    slow = 0
    try:
        for threads in given.threads:
            for name, job, args in jobs(threads):
                if given.only not in name:
                    continue
                waits = [interrupted(job, args, float(rng.uniform(0.02, 1.0))) for _ in range(given.tries)]
                heard = [w / threads for w in waits if w is not None]
                most = max(heard, default=0.0)
                slow += most > LIMIT
                print(f"{name}, {threads} threads: {len(heard)} of {len(waits)}, at most {most:.3f} s", flush=True)
    finally:
        for process in busy:
            process.kill()
    print(f"{slow} jobs answered later than {LIMIT} s of processor time")
    return 1 if slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
