"""The best tree of three levels beside pycontree (cuts anywhere) and pystreed (columns of zeros and ones), in one run.

The peers are optional: pip install pycontree pystreed. Without one, its columns stay empty.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import statistics
import sys
import time
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from experiments.common import data
from sklearn.model_selection import train_test_split

from bough import TreeClassifier, _core

from .machine import commit, machine, pin, versions
from .workloads import Array

RESULTS = Path(__file__).resolve().parent / "results"
SETS = (
    "iris", "breast_cancer_original_683", "breast_cancer_diagnostic", "housing", "diabetes", "contraceptive", "car",
    "mushroom", "nursery", "phonemes", "wine_red", "wine_white", "wine_both", "shelter_15",
)  # fmt: skip
MOST_ROWS, MOST_COLUMNS = 4000, 300
DEPTH, LIMIT, SEED = 3, 120.0, 0
CUTS = 5  # of a column that becomes zeros and ones


def table(name: str) -> tuple[Array, Array]:
    """70 % of the rows, of larger sets of the first 4,000 drawn; categories as columns of zeros and ones."""
    found = data.load(name)
    known = ~found.X.isna().any(axis=1).to_numpy()
    X, y = pd.get_dummies(found.X[known], dtype=float), np.unique(found.y[known], return_inverse=True)[1]
    order = np.random.RandomState(SEED).permutation(len(y))[:MOST_ROWS]
    A, b = X.to_numpy(float)[order], y[order]
    A, _, b, _ = train_test_split(A, b, train_size=0.7, random_state=SEED)
    varies = (A[0] != A).any(axis=0)
    return np.ascontiguousarray(A[:, varies][:, :MOST_COLUMNS]), np.unique(b, return_inverse=True)[1].astype(np.int32)


def binary(X: Array) -> Array:
    """A column of zeros and ones for each of a few quantiles of each column."""
    found = []
    for x in X.T:
        values = np.unique(x)
        cuts = (values[:-1] + values[1:]) / 2
        if len(cuts) > CUTS:
            cuts = np.unique(np.quantile(x, np.arange(1, CUTS + 1) / (CUTS + 1), method="lower"))
        found += [x <= c for c in cuts if 0 < (x <= c).sum() < len(x)]
    return np.unique(np.array(found), axis=0).T.astype(float)


def bough(X: Array, y: Array, kernels: str) -> dict[str, Any]:
    _core.use_kernels(kernels)
    best: dict[str, Any] = {}
    for _ in range(3):
        tree = TreeClassifier(refine="optimal", max_depth=DEPTH, refine_params={"max_seconds": LIMIT})
        began = time.process_time()
        tree.fit(X, y)
        took = time.process_time() - began
        if not best or took < best["seconds"]:
            wrong = int((tree.predict(X) != y).sum())
            best = {"seconds": took, "errors": wrong, "bound": tree.bound_, "proven": tree.proven_}
    return best


def contree(X: Array, y: Array) -> dict[str, Any]:
    from pycontree import ConTree

    tree = ConTree(max_depth=DEPTH, time_limit=LIMIT)
    return judged(tree, pd.DataFrame(X), y)


def streed(X: Array, y: Array) -> dict[str, Any]:
    from pystreed import STreeDClassifier

    return judged(STreeDClassifier(max_depth=DEPTH, time_limit=LIMIT), X.astype(int), y)


def judged(tree: Any, X: Any, y: Array) -> dict[str, Any]:
    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        tree.fit(X, y)
    took = time.process_time() - began
    return {"seconds": took, "errors": int((np.asarray(tree.predict(X)) != y).sum()), "proven": took < LIMIT}


def measured(name: str, peers: dict[str, str]) -> dict[str, Any]:
    X, y = table(name)
    Z = binary(X)
    out: dict[str, Any] = {"rows": len(y), "columns": X.shape[1], "binary": Z.shape[1], "classes": int(y.max()) + 1}
    out["bough"] = {k: bough(X, y, k) for k in _core.kernel_names()}
    out["bough on zeros and ones"] = bough(Z, y, _core.kernel_names()[-1])
    if "pycontree" in peers:
        out["pycontree"] = contree(X, y)
    if "pystreed" in peers:
        out["pystreed"] = streed(Z, y)
    return out


def page(result: dict[str, Any]) -> str:
    facts, found = result["facts"], result["data"]
    m, c = facts["machine"], facts["commit"]
    kernels = list(next(iter(found.values()))["bough"])
    head = ["", "rows × columns, classes", "errors", *kernels, "pycontree", "its errors", "factor"]
    rows, ratios = [], []
    for name, of in found.items():
        ours, peer = of["bough"], of.get("pycontree")
        factor = peer["seconds"] / ours[kernels[-1]]["seconds"] if peer else None
        if peer and peer["seconds"] > 0.1:
            ratios.append(factor)
        cells = [f"{ours[k]['seconds']:.4f}" for k in kernels]
        best = ours[kernels[-1]]
        rows.append(
            [name, f"{of['rows']} × {of['columns']}, {of['classes']}", f"{best['errors']}" + proof(best), *cells]
            + ([f"{peer['seconds']:.3f}", str(peer["errors"]) + proof(peer), f"{factor:.0f}"] if peer else ["", "", ""])
        )
    text = [
        "# The best tree of three levels",
        "",
        f"Processor seconds of a fit on one core, 70 % of the rows (at most {MOST_ROWS:,}), categories as columns of "
        "zeros and ones; bough the least of three fits, a peer once. Errors are those on the training rows; * marks a "
        f"tree that was not proven within {LIMIT:.0f} s. The factor is that of the last kernel set.",
        "",
        grid(head, rows),
    ]
    if ratios:
        text += [
            "",
            f"Where pycontree takes more than 0.1 s ({len(ratios)} sets): the least factor is {min(ratios):.0f}, the "
            f"median {statistics.median(ratios):.0f}.",
        ]
    head = ["", "columns of zeros and ones", "errors", "bough", "pystreed", "its errors", "factor"]
    rows = []
    for name, of in found.items():
        if (peer := of.get("pystreed")) is None:
            continue
        ours = of["bough on zeros and ones"]
        factor = peer["seconds"] / ours["seconds"]
        rows.append(
            [
                *(name, str(of["binary"]), f"{ours['errors']}" + proof(ours), f"{ours['seconds']:.4f}"),
                *(f"{peer['seconds']:.4f}", str(peer["errors"]) + proof(peer), f"{factor:.2g}"),
            ]
        )
    if rows:
        text += ["", f"The same rows, {CUTS} cuts of a column at most, as pystreed needs them:", "", grid(head, rows)]
    peers = ", ".join(f"{k} {v}" for k, v in facts["peers"].items()) or "no peers"
    text += [
        "",
        f"{facts['date']}, {m['cpu']}, {m['cores']} cores, load {m['load_average']}; bough {c['commit'][:10]}"
        f"{', changed' if c['dirty'] else ''}; {peers}.",
    ]
    return "\n".join(text) + "\n"


def proof(found: dict[str, Any]) -> str:
    return "" if found["proven"] else "*"


def grid(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(r) + " |" for r in [head, ["---"] * len(head), *rows])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.optimal", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--out", type=Path, help="result file; default: benchmarks/results/DATE-optimal.json")
    given = parser.parse_args()
    pin(1)
    peers = {}
    for name in ("pycontree", "pystreed"):
        with contextlib.suppress(PackageNotFoundError):
            peers[name] = version(name)
    today = datetime.now(timezone.utc).date().isoformat()
    facts = {"date": today, "machine": machine(), "commit": commit(), "versions": versions(), "peers": peers}
    out = given.out or RESULTS / f"{today}-optimal.json"
    result: dict[str, Any] = {"facts": facts, "data": {}}
    for name in given.only:
        print(name, file=sys.stderr, flush=True)
        try:
            result["data"][name] = measured(name, peers)
        except data.DataMissing as e:
            print(f"{name}: {e}", file=sys.stderr)
            continue
        out.write_text(json.dumps(result, indent=1) + "\n")
        out.with_suffix(".md").write_text(page(result))
    print(page(result))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
