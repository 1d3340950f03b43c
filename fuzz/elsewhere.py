"""The same answers elsewhere: ``python -m fuzz.elsewhere --rows 100000``.

Every published system, and some that have more of what exports must know (costs, shared rows and surrogates in forests,
sums that share), is fitted to a table of numbers and words with gaps and to one of numbers alone, exported, and asked
about rows that it has not seen, with gaps and values that training never saw. ONNX (onnxruntime), SQL (SQLite,
DuckDB), JSON and Python source must answer as `predict` and `predict_proba` do, bit by bit. Exit code 1 if one differs.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

import bough
from bough.estimators.systems import SYSTEMS

from .campaign import close, options, spread

from support.elsewhere import differing, system, table  # isort: skip (campaign says where support is)

TRAINING = 2000
COSTS = {"costs": [[0, 1, 9], [5, 0, 1], [0.5, 20, 0]]}
FEW = {"n_estimators": 6, "random_state": 0}
OTHERS = {
    "tree that shares, with costs": lambda: bough.TreeClassifier(missing="shared", max_depth=7, **COSTS),
    "sums that share": lambda: bough.TreeClassifier(split="lda", missing="shared", max_depth=7),
    "sums with surrogates": lambda: bough.TreeClassifier(split="pca", missing="surrogate"),
    "forest that shares": lambda: bough.ForestClassifier(missing="shared", max_depth=6, **FEW),
    "forest with surrogates": lambda: bough.ForestClassifier(missing="surrogate", **FEW),
    "forest with costs": lambda: bough.ForestClassifier(**COSTS, **FEW),
    "forest that shares, with costs": lambda: bough.ForestClassifier(missing="shared", max_depth=6, **COSTS, **FEW),
}


def numbers(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Whole numbers, so that many rows lie on a cut, in twelve columns, with gaps."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 9, (n, 12)).astype(float), columns=list("abcdefghijkl"))
    y = np.digitize(X.sum(axis=1) + 3 * rng.normal(size=n), [44, 52])
    return X.mask(rng.random(X.shape) < 0.03), y


def main() -> int:
    parser = options("elsewhere", __doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="rows that ONNX and SQL are asked about")
    parser.add_argument("--few", type=int, default=5_000, help="rows that JSON and Python source are asked about")
    parser.add_argument("--systems", nargs="*", default=[*SYSTEMS, *OTHERS], help="all unless some are named")
    given = parser.parse_args()
    began, wrong = time.monotonic(), 0
    tables = {
        "mixed": (*table(TRAINING, given.seed + 1)[:2], table(given.rows, given.seed + 2, unseen=True)[0]),
        "numbers": (*numbers(TRAINING, given.seed + 3), numbers(given.rows, given.seed + 4)[0]),
    }

    def ask(task: tuple[str, str]) -> tuple[int, list[str]]:
        name, what = task
        X, y, rows = tables[what]
        some = 300 if "elc" in name else TRAINING  # every hyperplane through the rows of a node is looked at
        estimator = OTHERS[name]() if name in OTHERS else system(name, random_state=0)
        model = estimator.fit(X[:some], y[:some]).model_
        return model.n_nodes, differing(model, rows, given.few)

    for done in spread([(name, what) for name in given.systems for what in tables], ask, given.jobs):
        nodes, found = done.result or (0, [done.fault])
        wrong += bool(found)
        told = f"different: {', '.join(found)}" if found else "the same"
        print(f"{', '.join(done.task)}: {nodes} nodes, {told}", flush=True)
    figure = f"{len(given.systems)} kinds of model, {len(tables)} tables, {given.rows:,} rows: {wrong} different"
    what = "ONNX, SQL, JSON and Python source answer as predict does, bit by bit"
    return close("fuzz.elsewhere", given, what, figure, wrong, began)


if __name__ == "__main__":
    raise SystemExit(main())
