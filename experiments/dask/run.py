"""One tree on a local cluster of processes, measured, beside the same tree of one process with as many threads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

import bough
import bough.dask

SEED = 1
RIVALS = ("lightgbm", "xgboost")


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


def held(client: Any, case: Case) -> tuple[Any, Any]:
    """The table, made by the workers and held by them, as many partitions by each."""
    import dask.array as da

    import dask
    import distributed

    n, workers, parts = case.rows // case.partitions, list(client.nthreads()), []
    for i in range(case.partitions):
        with dask.annotate(workers=[workers[i % len(workers)]]):
            parts.append(dask.delayed(piece)(i, n, case.columns))
    X = da.concatenate([da.from_delayed(p[0], (n, case.columns), float) for p in parts])
    y = da.concatenate([da.from_delayed(p[1], (n,), np.int64) for p in parts])
    X, y = client.persist((X, y), optimize_graph=False)  # which would forget where they are to be
    distributed.wait([X, y])
    return X, y


def memory_of(name: str) -> int:
    """The memory of this process: VmRSS now, VmHWM at most; getrusage would tell that of the process which began it."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(name))


def forget_peak() -> int:
    """From now on VmHWM is that of now."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return memory_of("VmRSS")


@contextmanager
def cluster_of(workers: int, memory: str | None) -> Iterator[Any]:
    """A client of a local cluster of processes with one thread each."""
    import distributed

    with (
        distributed.LocalCluster(
            processes=True, n_workers=workers, threads_per_worker=1, memory_limit=memory, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def measured(case: Case, memory: str, others: bool = False, local: bool = True) -> dict[str, Any]:
    """Seconds, bytes of the largest worker and of the driver, bytes that travel for each row, column and level."""
    with cluster_of(case.workers, memory) as client:
        warm = held(client, Case(400, 2, 2 * case.workers, case.workers, 2))
        bough.dask.TreeClassifier(max_depth=2, client=client, move_rows=0).fit(*warm)  # workers import what they need
        empty = max(client.run(memory_of, "VmRSS").values())
        X, y = held(client, case)
        client.run(forget_peak)
        driver = forget_peak()
        began = time.perf_counter()
        tree = bough.dask.TreeClassifier(max_depth=case.depth, client=client).fit(X, y)
        seconds = time.perf_counter() - began
        found: dict[str, Any] = {
            "seconds": seconds,
            "worker_bytes": max(client.run(memory_of, "VmHWM").values()),
            "worker_bytes_empty": empty,
            "driver_bytes_more": memory_of("VmHWM") - driver,
            "levels_of_tree": tree.get_depth(),
            "nodes": tree.model_.n_nodes,
            **traffic(tree, case),
        }
        del X, y
    if local:
        found |= beside(tree, case)
    if others:
        found["others"] = {name: rival(name, case) for name in RIVALS}
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


def rival(name: str, case: Case) -> dict[str, float] | None:
    """One approximate tree of depth 12 of another library on such a cluster, whose workers may take as much memory as
    they need: seconds, bytes of the largest worker; None: it is not there."""
    if find_spec(name) is None:
        return None
    with cluster_of(case.workers, None) as client:
        X, y = held(client, case)
        client.run(forget_peak)
        began = time.perf_counter()
        if name == "lightgbm":
            from lightgbm import DaskLGBMClassifier

            DaskLGBMClassifier(n_estimators=1, max_depth=12, num_leaves=4096, client=client, verbosity=-1).fit(X, y)
        else:
            from xgboost.dask import DaskDMatrix, train

            train(client, {"max_depth": 12, "objective": "binary:logistic"}, DaskDMatrix(client, X, y), 1)
        seconds = time.perf_counter() - began
        return {"seconds": seconds, "worker_bytes": max(client.run(memory_of, "VmHWM").values())}
