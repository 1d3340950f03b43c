"""Fits of full trees: scikit-learn and bough in this process, the peers in theirs, all taking turns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from bough import TreeClassifier, _core

from .install import PeerFailure
from .machine import CORES, pinned
from .peers import PEERS
from .remote import Remote
from .timing import Burst, alternate, short, timed
from .workloads import Array, Data, Workload

PEER_LIMIT = 45.0  # seconds that a peer may take for one answer
BUDGET = 15.0  # seconds after which a contestant is not measured again


@dataclass(frozen=True)
class Options:
    """What a run measures."""

    quick: bool
    workloads: tuple[str, ...]
    peers: tuple[str, ...]
    repeats: int | None = None
    trees: int | None = None  # of a forest

    def rounds(self, usual: int) -> int:
        return self.repeats or (min(usual, 2) if self.quick else usual)

    def wants(self, *names: str) -> list[str]:
        return [name for name in names if name in self.workloads]


class Local:
    """An estimator of this process; it keeps the last tree to be judged."""

    def __init__(self, make: Callable[[], Any], X: Array, y: Array, kernels: str | None = None, cores: int = 1) -> None:
        self.make, self.X, self.y, self.kernels, self.cores = make, X, y, kernels, cores
        self.tree: Any = None

    def burst(self, times: int) -> list[float]:
        self.tree = None
        if self.kernels is not None:
            _core.use_kernels(self.kernels)
        with pinned(self.cores):
            seconds, self.tree = timed(lambda: self.make().fit(self.X, self.y), times)
        return seconds

    def judge(self) -> dict[str, Any]:
        return {"nodes": int(self.tree.tree_.node_count), "accuracy": float(self.tree.score(self.X, self.y))}


def best_kernels() -> str:
    return str(_core.kernel_names()[-1])


def locals_of(X: Array, y: Array) -> dict[str, Local]:
    def bough(n_jobs: int, kernels: str) -> Local:
        return Local(lambda: TreeClassifier(random_state=0, n_jobs=n_jobs), X, y, kernels, cores=n_jobs)

    found = {
        "sklearn": Local(lambda: DecisionTreeClassifier(random_state=0), X, y),
        "bough_portable": bough(1, "portable"),
        "bough": bough(1, best_kernels()),
    }
    if len(CORES) > 1:
        found["bough_2_threads"] = bough(2, best_kernels())
    return found


@contextmanager
def saved(data: Data) -> Iterator[tuple[Path, Path]]:
    """The data as files that other interpreters can read."""
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder) / "X.npy", Path(folder) / "y.npy"
        for path, array in zip(paths, data, strict=True):
            np.save(path, array)
        yield paths


def fits(workload: Workload, options: Options) -> dict[str, Any]:
    """Times, nodes and training accuracy of every contestant on one table."""
    X, y = workload.data(options.quick)
    contestants: dict[str, Local | Remote] = {**locals_of(X, y)}
    failed: dict[str, dict[str, Any]] = {}
    with saved((X, y)) as paths, ExitStack() as stack:
        for name in options.peers:
            try:
                remote = contestants[name] = Remote(name, *paths, PEER_LIMIT)
                stack.callback(remote.close)
            except PeerFailure as failure:
                failed[name] = {"error": str(failure)}
        bursts: dict[str, Burst] = {name: c.burst for name, c in contestants.items()}
        found = alternate(bursts, options.rounds(workload.repeats), workload.burst, BUDGET)
        for name, contestant in contestants.items():
            found[name].update(judged(contestant, found[name]))
    return {
        "title": workload.title,
        "rows": len(X),
        "columns": X.shape[1],
        "classes": int(y.max()) + 1,
        "fits_in_a_turn": workload.burst,
        "contestants": {**found, **failed},
    }


def judged(contestant: Local | Remote, measured: dict[str, Any]) -> dict[str, Any]:
    """Nodes and accuracy of the last tree, if there is one; for a peer also its version and preparation."""
    found: dict[str, Any] = {}
    if isinstance(contestant, Remote):
        ready = contestant.ready
        found = {"version": ready["version"], "prepare_seconds": short(ready["prepare_seconds"])}
    if "error" not in measured:
        try:
            found.update(contestant.judge())
        except PeerFailure as failure:
            found["not_judged"] = str(failure)
    return found


def threads(fits: dict[str, Any], large: list[str]) -> dict[str, Any]:
    """Two threads against one, from the turns of the fits."""
    found = {}
    for name in large:
        contestants = fits.get(name, {}).get("contestants", {})
        if "bough_2_threads" in contestants:
            one, two = contestants["bough"]["min"], contestants["bough_2_threads"]["min"]
            found[name] = {"one": one, "two": two, "ratio": short(one / two)}
    return found


def titles() -> dict[str, str]:
    """What contestants are called in a table, in the order of its columns."""
    return {
        "sklearn": "scikit-learn",
        "bough_portable": "bough, portable",
        "bough": "bough",
        "bough_2_threads": "bough, 2 threads",
        **{name: peer.title for name, peer in PEERS.items()},
    }
