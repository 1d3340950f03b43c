"""Forests beside scikit-learn's and those of peers: processor time of fit and predict, accuracy, nodes and bytes."""

from __future__ import annotations

import json
import pickle
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor

import bough
from bough import _core

from .forest_peers import FOREST_PEERS
from .install import HERE, PeerFailure, interpreter, reason_of, rscript
from .machine import CORES, pinned
from .measure import BUDGET, Options
from .peers import PEERS
from .timing import short
from .workloads import Data, DataMissing, breast_cancer, covertype, iris, mnist, synthetic

PEER_TREES = 10  # of a peer's forest, for each 100 of ours: some take minutes for 100
PEER_LIMIT = 60.0  # seconds of the clock that a peer may take for one forest
TWO_THREADS = 1.8  # times one
BUSY = 0.9  # of its cores that a fit had: with less, two threads cannot be told by the clock
FILE = {"covertype 100k × 54": 40.0}  # MB of 100 trees, at most
NODES = 0.01  # share by which the number of nodes may differ from scikit-learn's


def numbers(rows: int) -> Data:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 20))
    return X, X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] + rng.normal(size=rows)


# title: data, rows to fit, rows to predict, kind of forest, and how many times faster fit and predict have to be
WORK: dict[str, tuple[Callable[[int], Data], int, int, str, float, float]] = {
    "20k × 20, 2 classes": (synthetic(20, 10, 2, 0.01), 20_000, 20_000, "random", 10, 2.2),
    "100k × 20, 2 classes": (synthetic(20, 10, 2, 0.01), 100_000, 50_000, "random", 12, 2.2),
    "MNIST 20k × 784": (mnist, 20_000, 10_000, "random", 3.3, 2.8),
    "covertype 100k × 54": (covertype, 100_000, 50_000, "random", 4.3, 2.2),
    "breast cancer 569 × 30": (breast_cancer, 569, 569, "random", 15, 0),
    "iris 150 × 4": (iris, 150, 150, "random", 30, 0),
    "Extra-Trees, 20k × 20": (synthetic(20, 10, 2, 0.01), 20_000, 20_000, "extra", 1.6, 2.2),
    "Extra-Trees, 100k × 20": (synthetic(20, 10, 2, 0.01), 100_000, 50_000, "extra", 1.5, 2.2),
    "Extra-Trees, MNIST": (mnist, 20_000, 10_000, "extra", 2, 2.8),
    "Extra-Trees, covertype": (covertype, 100_000, 50_000, "extra", 2.5, 2.2),
    "numbers, 50k × 20": (numbers, 50_000, 20_000, "numbers", 6, 2),
}


def forests(kind: str, trees: int, threads: int = 1) -> dict[str, Callable[[int], Any]]:
    """By name, a function of a seed that makes a forest."""
    common = {"n_estimators": trees, "n_jobs": threads}
    if kind == "numbers":
        return {
            "sklearn": lambda seed: RandomForestRegressor(**common, random_state=seed),
            "bough": lambda seed: bough.ForestRegressor(**common, random_state=seed),
        }
    name, theirs = (
        ("random-forest", RandomForestClassifier) if kind == "random" else ("extra-trees", ExtraTreesClassifier)
    )
    return {
        "sklearn": lambda seed: theirs(**common, random_state=seed),
        "bough": lambda seed: bough.system(name, **common, random_state=seed),
    }


def spent(work: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> tuple[float, Any]:
    began = clock()
    result = work()
    return clock() - began, result


def contest(kind: str, data: tuple[Any, ...], trees: int, rounds: int) -> dict[str, Any]:
    """scikit-learn and bough by turns; the least times count."""
    X, y, new, truth = data
    found: dict[str, dict[str, Any]] = {}
    for seed in range(rounds):
        for who, forest in forests(kind, trees).items():
            entry = found.setdefault(who, {"fit": [], "predict": [], "score": [], "nodes": []})
            if sum(entry["fit"]) > BUDGET:
                continue
            fit, fitted = spent(lambda f=forest, s=seed: f(s).fit(X, y))
            entry["fit"].append(short(fit))
            entry["predict"].append(short(min(spent(lambda f=fitted: f.predict(new))[0] for _ in range(2))))
            entry["score"].append(short(fitted.score(new, truth)))
            entry["nodes"].append(short(float(np.mean([t.tree_.node_count for t in fitted.estimators_]))))
            if "bytes" not in entry:
                entry["bytes"] = len(fitted.model_.to_bytes() if who == "bough" else pickle.dumps(fitted))
    return found


def two_threads(kind: str, data: tuple[Any, ...], trees: int) -> dict[str, float]:
    """How many times faster a fit is with two threads, by the clock; by turns, least of two. Then the same from
    processor time, which other work on the machine hardly changes: of one thread, for that of the first of two, which
    works from the beginning to the end. And the share of its cores that the fit had, at least."""
    best: dict[int, dict[str, float]] = {}
    for _ in range(2):
        for threads in (1, 2):
            with pinned(threads):
                forest = forests(kind, trees, threads)["bough"](0)
                began = time.perf_counter(), time.process_time(), time.thread_time()
                forest.fit(*data[:2])
                ended = time.perf_counter(), time.process_time(), time.thread_time()
            took = dict(zip(("clock", "all", "first"), np.subtract(ended, began).tolist(), strict=True))
            if threads not in best or took["clock"] < best[threads]["clock"]:
                best[threads] = took
    return {
        "two_threads": short(best[1]["clock"] / best[2]["clock"]),
        "two_threads_work": short(best[1]["all"] / best[2]["first"]),
        "two_threads_share": short(min(best[n]["all"] / best[n]["clock"] / n for n in best)),
    }


def command_of(name: str, folder: Path, data: tuple[Any, ...], trees: int) -> list[str]:
    """What fits a peer's forest to data that it finds in the folder."""
    X, y, new, truth = data
    if name == "ranger":
        for file, numbers in (("X", X), ("new", new)):
            np.ravel(numbers, order="F").tofile(folder / file)
        for file, classes in (("y", y), ("truth", truth)):
            classes.astype(np.int32).tofile(folder / file)
        sizes = map(str, (len(X), len(new), X.shape[1], trees))
        return [str(rscript(name)), str(HERE / "ranger.R"), str(folder), *sizes]
    path = folder / "data.npz"
    np.savez(path, X=X, y=y, new=new, truth=truth)
    return [str(interpreter(FOREST_PEERS[name][0])), "-m", "benchmarks.forest_peers", name, str(path), str(trees)]


def peer(name: str, data: tuple[Any, ...], trees: int) -> dict[str, Any]:
    try:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                command_of(name, Path(folder), data, trees),
                cwd=HERE.parent,
                capture_output=True,
                text=True,
                timeout=PEER_LIMIT,
            )
        if done.returncode != 0:
            return {"error": reason_of((done.stderr.strip().splitlines() or ["no message"])[-1])}
        found: dict[str, Any] = json.loads(done.stdout)
        return {"trees": trees, **{k: short(v) if isinstance(v, float) else v for k, v in found.items()}}
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {PEER_LIMIT:g} s"}
    except PeerFailure as failure:
        return {"error": str(failure)}


def section(options: Options) -> dict[str, Any]:
    """Forests of 100 trees unless told, one thread, portable kernels."""
    trees = options.trees or (10 if options.quick else 100)
    _core.use_kernels("portable")
    found: dict[str, Any] = {}
    for title, (make, n, n_new, kind, fit, predict) in WORK.items():
        small = n < 1000
        if options.quick and not small:
            n, n_new = n // 10, n_new // 10
        print(f"  {title} ...", flush=True)
        try:
            X, y = make(n if small else n + n_new)
        except DataMissing as missing:
            found[title] = {"error": str(missing)}
            continue
        data = (X, y, X, y) if small else (X[:n], y[:n], X[n:], y[n:])
        entry: dict[str, Any] = {"trees": trees, "required": {"fit": fit, "predict": predict}}
        entry |= contest(kind, data, trees, options.rounds(20 if small else 3))
        for what in ("fit", "predict"):
            entry[f"{what}_ratio"] = short(min(entry["sklearn"][what]) / min(entry["bough"][what]))
        entry["nodes_ratio"] = short(float(np.mean(entry["bough"]["nodes"]) / np.mean(entry["sklearn"]["nodes"])))
        if kind == "random" and not small:
            if len(CORES) > 1:
                entry |= two_threads(kind, data, trees)
            asked = {*options.peers} | ({p[0] for p in FOREST_PEERS.values()} - {*PEERS} if options.peers else set())
            wanted = [p for p, (package, _, _) in FOREST_PEERS.items() if package in asked]
            few = max(1, trees * PEER_TREES // 100)
            entry["peers"] = {name: peer(name, data, few) for name in wanted}
            for said in entry["peers"].values():
                if "fit" in said:  # for each tree
                    said["fit_ratio"] = short(min(entry["sklearn"]["fit"]) / trees / (said["fit"] / few))
                    said["predict_ratio"] = short(min(entry["sklearn"]["predict"]) / trees / (said["predict"] / few))
        found[title] = entry
    return found


SECTIONS = {"forests": section}
