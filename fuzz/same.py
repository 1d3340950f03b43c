"""The same file for any number of threads and any set of vector instructions: ``python -m fuzz.same --sets 500``.

Random tables (ties, gaps, values, weights) are fitted by every family, criteria and nominal searches in turn, every
other time with missing values, pruner, selector, costs and priors as they are drawn, and often as a forest; once for
each set of kernels and number of threads. Exit code 1 if any two files differ.
"""

from __future__ import annotations

import random
import time
import warnings
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone

from bough import _core

from .campaign import close, options, spread

THREADS = (1, 2, 4, 8)


@cache
def families() -> dict[str, list[Any]]:
    """The legal combinations of each family."""
    from support.combinations import legal_combinations

    found: dict[str, list[Any]] = {}
    for estimator in legal_combinations(max_depth=5, random_state=0):
        found.setdefault(estimator.split, []).append(estimator)
    return found


def compared(seed: int) -> tuple[int, list[str]]:
    """One table, a criterion of each family: after as many tables as there are criteria all have met. How many fits,
    and which of them were not alike."""
    from support.combinations import mixed_rows, varied

    warnings.simplefilter("ignore")  # small tables and few trees give many
    rng, draw = np.random.default_rng(seed), random.Random(seed)
    n, classes = int(rng.integers(20, 300)), int(rng.integers(2, 6))
    X, y, w = mixed_rows(seed, n, classes, seed % 2 == 0, seed % 3 == 0)
    fits, differ = 0, []
    for of_family in families().values():
        estimator = of_family[seed % len(of_family)]
        if seed % 4 > 1:
            estimator = varied(clone(estimator), draw, classes)
        files = set()
        for name in _core.kernel_names():
            _core.use_kernels(name)
            for threads in THREADS:
                tree = estimator.set_params(n_jobs=threads).fit(X, y, w if seed % 8 < 4 else None)
                files.add(tree.model_.to_bytes())
                fits += 1
        if len(files) > 1:
            differ.append(f"seed {seed}: {len(files)} files of {estimator}")
    return fits, differ


def main() -> int:
    parser = options("same", __doc__)
    parser.add_argument("--sets", type=int, default=500, help="random tables (500)")
    given = parser.parse_args()
    began, fits, faults = time.monotonic(), 0, 0
    families()  # once, before there are processes
    for done in spread(range(given.seed, given.seed + given.sets), compared, given.jobs):
        found, differ = done.result or (0, [])
        fits += found
        for line in [*differ, *([f"seed {done.task}: {done.fault}"] if done.fault else [])]:
            faults += 1
            print(line, flush=True)
    kernels = ", ".join(_core.kernel_names())
    figure = f"{given.sets} tables, {len(families())} families, {fits:,} fits ({kernels}; threads {THREADS}): "
    what = "the same file for any number of threads and any set of kernels"
    return close("fuzz.same", given, what, figure + f"{faults} differ", faults, began)


if __name__ == "__main__":
    raise SystemExit(main())
