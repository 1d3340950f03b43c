"""The same file for any number of threads and any set of vector instructions: ``python -m fuzz.same --sets 500``.

Random tables (ties, gaps, values, weights) are fitted with every legal combination of criterion and family, nominal
searches in turn, once for each set of kernels and number of threads. Exit code 1 if any two files differ.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from bough import _core
from support.combinations import legal_combinations, mixed_rows

THREADS = (1, 2, 4, 8)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.same", description=__doc__)
    parser.add_argument("--sets", type=int, default=500, help="random tables")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    estimators = list(legal_combinations(max_depth=5, random_state=0))
    kernels = _core.kernel_names()
    fits = different = 0
    for seed in range(given.seed, given.seed + given.sets):
        rng = np.random.default_rng(seed)
        X, y, w = mixed_rows(seed, int(rng.integers(20, 300)), int(rng.integers(2, 6)), seed % 2 == 0, seed % 3 == 0)
        # One criterion of each family for a table; after as many tables as there are criteria all have met.
        families: dict[str, list[object]] = {}
        for estimator in estimators:
            families.setdefault(estimator.split, []).append(estimator)
        for of_family in families.values():
            estimator = of_family[seed % len(of_family)]
            files = set()
            for name in kernels:
                _core.use_kernels(name)
                for threads in THREADS:
                    tree = estimator.set_params(n_jobs=threads).fit(X, y, w if seed % 4 < 2 else None)
                    files.add(tree.model_.to_bytes())
                    fits += 1
            if len(files) > 1:
                different += 1
                print(f"seed {seed}: {len(files)} files of {estimator}", flush=True)
    print(f"{given.sets} tables, {fits} fits ({', '.join(kernels)}; threads {THREADS}): {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
