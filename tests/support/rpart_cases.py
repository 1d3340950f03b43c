"""Makes tests/golden/rpart.json: what R's rpart says of small random tables.

    python -m support.rpart_cases tables OUT.json          # random tables, for rpart.R
    Rscript support/rpart.R OUT.json RESULTS.json          # needs R with rpart and jsonlite
    python -m support.rpart_cases keep OUT.json RESULTS.json

Kept are the cases where rpart is right: where the rules, step by step (oracle/rpart.py), give what it gives. The rest
are ties that the last bit of a sum decides, and its faults: held-out rows that no surrogate knows go right where both
sides are equal (in training they stay), nominal surrogates that agree with all rows but one are lost, unequal losses
are read transposed in cross-validation.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from support.oracle.rpart import Options, Rpart

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "rpart.json"
TABLES = 340


def random_table(rng):
    n, d, k = int(rng.integers(22, 60)), int(rng.integers(2, 5)), int(rng.choice([0, 2, 3]))
    columns, sizes = [], []
    for _ in range(d):
        size = int(rng.integers(2, 5)) if rng.random() < 0.3 else 0
        x = rng.integers(0, size, n) if size else rng.normal(size=n).round(int(rng.integers(1, 3)))
        columns.append([v.item() for v in x])
        sizes.append(size)
    z = np.array(columns[0], float) + np.array(columns[1], float) * np.array(columns[-1], float)
    z += rng.normal(size=n) * rng.choice([0.3, 1])
    y = z.round(2).tolist() if k == 0 else np.digitize(z, np.quantile(z, [0.55] if k == 2 else [0.4, 0.7])).tolist()
    surrogates = bool(rng.random() < 0.6)
    if surrogates:
        share = rng.choice([0.05, 0.15, 0.35])
        for x in columns:
            x[:] = [None if v else u for u, v in zip(x, rng.random(n) < share, strict=True)]
        for i in range(n):  # rpart leaves out rows without any value
            if all(x[i] is None for x in columns):
                columns[0][i] = 0
    case = {
        "columns": columns,
        "sizes": sizes,
        "y": y,
        "k": k,
        "folds": rng.permutation(np.arange(n) % 4 + 1).tolist(),
        "minsplit": int(rng.choice([5, 10, 20])),
        "cp": float(rng.choice([0.0, 0.01, 0.03])),
        "surrogates": surrogates,
    }
    if k:
        case["split"] = str(rng.choice(["gini", "information"]))
        if rng.random() < 0.35:
            case["priors"] = (rng.multinomial(14, np.ones(k) / k) + 2).tolist()
        if rng.random() < 0.35:
            case["loss"] = (rng.integers(1, 6, (k, k)) * (1 - np.eye(k, dtype=int))).tolist()
    if rng.random() < 0.2:
        case["weights"] = rng.integers(1, 4, n).tolist()
    return case


def judged(case):
    """The oracle of a case."""
    options = Options(
        minsplit=case["minsplit"],
        minbucket=max(1, round(case["minsplit"] / 3)),
        cp=case["cp"],
        criterion="gini" if case.get("split", "gini") == "gini" else "entropy",
        use_surrogates=case["surrogates"],
    )
    parts = (case["columns"], case["sizes"], case["y"], case["k"], case.get("weights"), case.get("priors"))
    return Rpart(*parts, case.get("loss"), options)


def symmetric(case):
    loss = np.array(case.get("loss", [[0]]))
    return (loss == loss.T).all()


def is_right(case, result):
    oracle = judged(case)
    table = np.array(result["cptable"])
    if oracle.root_risk == 0 or table.shape[1] < 5:
        return False
    own = np.array(oracle.table())
    if own.shape != table[:, :3].shape or not np.allclose(own, table[:, :3], rtol=1e-9, atol=1e-9):
        return False
    if symmetric(case) and not np.allclose(oracle.cross_validated(case["folds"]), table[:, 3:], rtol=1e-9, atol=1e-9):
        return False
    rows = [[x[i] for x in case["columns"]] for i in range(oracle.n)]
    told = [oracle.shares(r) if case["k"] else [oracle.down(oracle.tree, r).answer] for r in rows]
    return np.allclose(told, np.array(result["told"])[np.array(result["where"])], rtol=1e-9, atol=1e-9)


def short(v):
    return [short(u) for u in v] if isinstance(v, list) else float(f"{v:.10g}") if isinstance(v, float) else v


def main(what, cases, results=None):
    if what == "tables":
        rng = np.random.default_rng(11)
        Path(cases).write_text(json.dumps([random_table(rng) for _ in range(TABLES)]))
        return
    pairs = zip(json.loads(Path(cases).read_text()), json.loads(Path(results).read_text()), strict=True)
    kept = []
    for case, result in pairs:
        if not is_right(case, result):
            continue
        if not symmetric(case):
            result["cptable"] = [row[:3] for row in result["cptable"]]
        kept.append({**case, **{name: short(v) for name, v in result.items()}})
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in kept)
    GOLDEN.write_text(f"[\n{lines}\n]\n")
    print(f"{len(kept)} of {TABLES} tables, {GOLDEN.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
