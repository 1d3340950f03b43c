"""Every legal combination of criterion, family and search with weights, gaps, ties, threads and kernels, once each.

For sanitized builds (``make sanitize``), where ``BOUGH_CORE`` names the compiled core to be loaded; it works with the
usual one too: ``python -m fuzz.stress``.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

if core := os.environ.get("BOUGH_CORE"):
    spec = importlib.util.spec_from_file_location("bough._core", core)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["bough._core"] = module
    spec.loader.exec_module(module)

from bough import Model, _core
from support.combinations import legal_combinations, mixed_rows


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.stress", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    begin = time.process_time()
    kernels = _core.kernel_names()
    fits = 0
    for i, estimator in enumerate(legal_combinations(every=True, max_depth=4, random_state=0)):
        for again in range(given.rounds):
            number = i + 7 * again
            _core.use_kernels(kernels[number % len(kernels)])
            X, y, w = mixed_rows(number, 40 + number % 60, 2 + number % 4, number % 2 == 0, number % 3 == 0)
            tree = estimator.set_params(n_jobs=1 + number % 3, max_leaf_nodes=None if number % 5 else 6)
            tree.fit(X, y, w if number % 4 < 2 else None)
            model = Model.from_bytes(tree.model_.to_bytes())
            model.predict(X)
            fits += 1
    print(f"{fits} fits, {time.process_time() - begin:.0f} s of processor time, kernels {', '.join(kernels)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
