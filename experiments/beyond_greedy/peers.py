"""One peer on the splits of one data set, in the environment of install.py: reads a file of arrays, writes a line of
JSON for each depth and split. It imports nothing of this repository.

    python peers.py PEER ARRAYS.npz SPLITS DEPTH…
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

CUTS = 8  # of a column, at most one less
Fitted = tuple[Callable[[Any], Any], Callable[[], tuple[float, float]]]  # predict, (leaves, columns of a split)


def tao(X: Any, y: Any, depth: int) -> Fitted:
    from imodels import TaoTreeClassifier

    model = TaoTreeClassifier(model_args={"max_depth": depth, "random_state": 0}).fit(X, y)
    return model.predict, lambda: (float(model.model.get_n_leaves()), 1.0)


def figs(X: Any, y: Any, depth: int) -> Fitted:
    """As many splits as a full tree of that depth."""
    from imodels import FIGSClassifier

    model = FIGSClassifier(max_rules=2**depth - 1, random_state=0).fit(X, y)
    return model.predict, lambda: (float(model.complexity_ + len(model.trees_)), 1.0)


def sgt(X: Any, y: Any, depth: int) -> Fitted:
    """A split is a shape: a small tree of one column with up to eight leaves."""
    from sgtlearn import SGTClassifier

    model = SGTClassifier(max_depth=depth, random_state=0).fit(X, y)
    return model.predict, lambda: (float("nan"), 1.0)


def lickety(X: Any, y: Any, depth: int) -> Fitted:
    """Binary columns by quantiles, which count as part of the fit: its own guess of thresholds takes seconds on the
    smallest sets."""
    from licketysplit import LicketySPLITClassifier

    cuts = [np.unique(np.quantile(x, np.arange(1, CUTS) / CUTS, method="lower")) for x in X.T]
    cuts = [c[(c >= x.min()) & (c < x.max())] for c, x in zip(cuts, X.T, strict=True)]

    def binary(T: Any) -> Any:
        return np.column_stack([x <= c for x, some in zip(T.T, cuts, strict=True) for c in some]).astype(np.uint8)

    model = LicketySPLITClassifier(depth_budget=depth).fit(binary(X), y)
    return lambda T: model.predict(binary(T)), lambda: (float(len(model.leaf_paths())), 1.0)


def contree(X: Any, y: Any, depth: int) -> Fitted:
    from pycontree import ConTree

    model = ConTree(max_depth=depth, time_limit=60)
    model.fit(X, y)
    return model.predict, lambda: (float(model.get_num_leaf_nodes()), 1.0)


PEERS = {
    "imodels TAO": tao,
    "imodels FIGS": figs,
    "sgtlearn": sgt,
    "LicketySPLIT": lickety,
    "pycontree": contree,
}


def main() -> None:
    warnings.simplefilter("ignore")
    peer, path, splits, *depths = sys.argv[1:]
    with np.load(path) as arrays:
        data = {k: arrays[k] for k in arrays.files}
    for depth in map(int, depths):
        for s in range(int(splits)):
            X, y, X_test, y_test = (data[f"{name}{s}"] for name in ("X", "y", "T", "t"))
            record: dict[str, Any] = {"depth": depth, "split": s}
            try:
                begin = time.process_time()
                predict, size = PEERS[peer](X, y, depth)
                seconds = time.process_time() - begin
                score = float(np.mean(np.asarray(predict(X_test)) == y_test))
                record["found"] = [score, *size(), seconds]
            except Exception as e:  # of whatever library: a failure is a result
                record["failure"] = " ".join(f"{type(e).__name__}: {e}".split())[:120]
            print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
