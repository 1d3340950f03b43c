"""One tree on a local cluster of processes, measured, beside the same tree of one process with as many threads."""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

import bough
import bough.dask

SEED = 1


@dataclass(frozen=True)
class Case:
    """What is measured."""

    rows: int
    columns: int
    partitions: int
    workers: int
    depth: int | None


def piece(i: int, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """A partition: normal numbers, two classes that depend on four of the columns and on chance."""
    rng = np.random.default_rng([SEED, i])
    X = rng.normal(size=(n, d))
    score = X[:, 0] + X[:, 1 % d] * X[:, 2 % d] + 0.5 * np.sin(3 * X[:, 3 % d]) + 0.5 * rng.normal(size=n)
    return X, (score > 0.2).astype(np.int64)


def collection(case: Case) -> tuple[Any, Any]:
    import dask.array as da

    import dask

    n = case.rows // case.partitions
    parts = [dask.delayed(piece)(i, n, case.columns) for i in range(case.partitions)]
    X = da.concatenate([da.from_delayed(p[0], (n, case.columns), float) for p in parts])
    y = da.concatenate([da.from_delayed(p[1], (n,), np.int64) for p in parts])
    return X, y


def peak() -> int:
    """The largest memory of this process so far; getrusage would tell that of the process which began it."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def measured(case: Case, memory: str, others: bool = False, local: bool = True) -> dict[str, Any]:
    """Seconds, bytes of the largest worker, bytes that travel for each row, column and level."""
    import distributed

    with (
        distributed.LocalCluster(
            processes=True,
            n_workers=case.workers,
            threads_per_worker=1,
            memory_limit=memory,
            dashboard_address=":0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        warm = collection(Case(400, 2, 2 * case.workers, case.workers, 2))
        bough.dask.TreeClassifier(max_depth=2, client=client, move_rows=0).fit(*warm)  # workers import what they need
        X, y = client.persist(collection(case))
        distributed.wait([X, y])
        before = max(client.run(peak).values())
        began = time.perf_counter()
        tree = bough.dask.TreeClassifier(max_depth=case.depth, client=client).fit(X, y)
        seconds = time.perf_counter() - began
        found: dict[str, Any] = {
            "seconds": seconds,
            "worker_bytes": max(client.run(peak).values()),
            "worker_bytes_before": before,
            "levels_of_tree": tree.get_depth(),
            "nodes": tree.model_.n_nodes,
            **traffic(tree, case),
        }
        if others:
            found["others"] = {name: rival(name, client, X, y) for name in ("lightgbm", "xgboost")}
        del X, y
    if local:
        found |= beside(tree, case)
    return found


def traffic(tree: Any, case: Case) -> dict[str, float]:
    """Bytes for each row, column and level of the tree."""
    cells = case.rows * case.columns * tree.get_depth()
    levels = tree.exchanged_["levels"]
    return {
        "levels": len(levels),
        "counts": sum(level.counts for level in levels) / cells,
        "numbers": sum(level.numbers for level in levels) / cells,
        "moved": tree.exchanged_["moved"] / cells,
    }


def beside(tree: Any, case: Case) -> dict[str, Any]:
    """The tree of one process from the same rows."""
    n = case.rows // case.partitions
    X, y = np.empty((n * case.partitions, case.columns)), np.empty(n * case.partitions, np.int64)
    for i in range(case.partitions):
        X[i * n : (i + 1) * n], y[i * n : (i + 1) * n] = piece(i, n, case.columns)
    began = time.perf_counter()
    local = bough.TreeClassifier(max_depth=case.depth, n_jobs=case.workers).fit(X, y)
    seconds = time.perf_counter() - began
    return {"local_seconds": seconds, "same_file": tree.model_.to_bytes() == local.model_.to_bytes()}


def rival(name: str, client: Any, X: Any, y: Any) -> float | None:
    """Seconds of one approximate tree of depth 12 of another library on the same cluster; None: it is not there."""
    if find_spec(name) is None:
        return None
    began = time.perf_counter()
    if name == "lightgbm":
        import lightgbm

        lightgbm.DaskLGBMClassifier(n_estimators=1, max_depth=12, num_leaves=4096, client=client).fit(X, y)
    else:
        import xgboost

        xgboost.dask.train(
            client, {"max_depth": 12, "objective": "binary:logistic"}, xgboost.dask.DaskDMatrix(client, X, y), 1
        )
    return time.perf_counter() - began
