"""The same answers elsewhere: ``python -m fuzz.elsewhere --rows 100000``.

Every published system is fitted to a table of numbers and words with gaps and to one of numbers alone, exported, and
asked about rows that it has not seen, with gaps and values that training never saw. ONNX (onnxruntime), SQL (SQLite,
DuckDB), JSON and Python source must answer as `predict` and `predict_proba` do, bit by bit. Exit code 1 if one differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import bough
from bough.estimators.systems import SYSTEMS
from support.elsewhere import differing, table

TRAINING = 2000


def numbers(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Whole numbers, so that many rows lie on a cut, in twelve columns, with gaps."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 9, (n, 12)).astype(float), columns=list("abcdefghijkl"))
    y = np.digitize(X.sum(axis=1) + 3 * rng.normal(size=n), [44, 52])
    return X.mask(rng.random(X.shape) < 0.03), y


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.elsewhere", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="rows that ONNX and SQL are asked about")
    parser.add_argument("--few", type=int, default=5_000, help="rows that JSON and Python source are asked about")
    parser.add_argument("--systems", nargs="*", default=list(SYSTEMS), help="all unless some are named")
    given = parser.parse_args()
    tables = {
        "mixed": (*table(TRAINING, 1)[:2], table(given.rows, 2, unseen=True)[0]),
        "numbers": (*numbers(TRAINING, 3), numbers(given.rows, 4)[0]),
    }
    wrong = 0
    for name in given.systems:
        for what, (X, y, rows) in tables.items():
            start = time.process_time()
            some = 300 if "elc" in name else TRAINING  # every hyperplane through the rows of a node is looked at
            model = bough.system(name, random_state=0).fit(X[:some], y[:some]).model_
            found = differing(model, rows, given.few)
            wrong += bool(found)
            told = f"different: {', '.join(found)}" if found else "the same"
            print(f"{name}, {what}: {model.n_nodes} nodes, {told} ({time.process_time() - start:.0f} s)", flush=True)
    print(f"{len(given.systems)} systems, {len(tables)} tables, {given.rows:,} rows: {wrong} different")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
