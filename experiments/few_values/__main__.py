"""Runs the experiment and writes few_values.md and few_values.json."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from bough import TreeClassifier
from experiments.common.data import DataMissing, load, manifest
from experiments.common.table import PAGE, arguments, markdown, place, provenance, provenance_line, remade, write_json

HERE = Path(__file__).resolve().parent
SEED, FOLDS = 0, 5
ROWS, REPEATS = {False: 600, True: 3000}, {False: 1, True: 3}
XOR, NOISE = {False: 10, True: 40}, (0, 4)  # tables of two flags alone, and beside so many columns of noise
# min_ratio acts on columns of more than so many values at a node; "off": on none
FEW = {"all columns": 1, "more than 10 values": 10, "off": None}
PRUNED: dict[str, dict[str, Any]] = {"grown to the end": {}, "pruned": {"prune": "pessimistic"}}


def made(rows: int) -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """Sets that are the point: the XOR of two flags, alone and beside noise, and an id beside one flag."""
    rng = np.random.default_rng(SEED)
    a, b = rng.choice(["no", "yes"], (2, rows))
    noise = {f"n{i}": rng.choice(list("pqrs"), rows) for i in range(4)}
    flags = pd.DataFrame({"a": a, "b": b})
    xor = np.where((a == b) ^ (rng.random(rows) < 0.05), "u", "v")
    one = np.where((a == "yes") ^ (rng.random(rows) < 0.2), "u", "v")
    names = pd.DataFrame({"name": [f"n{i}" for i in rng.permutation(rows)], "a": a})
    return {"made: xor": (flags, xor), "made: xor and noise": (flags.assign(**noise), xor), "made: id": (names, one)}


def real(rows: int) -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """Every set of classes with a nominal column, a sample of its rows."""
    found = {}
    for name, entry in manifest().items():
        if entry["task"] != "classification" or not entry["nominal"]:
            continue
        try:
            data = load(name)
        except DataMissing as e:
            print(f"{name}: {e}", file=sys.stderr)
            continue
        keep = np.sort(np.random.default_rng(SEED).permutation(len(data.y))[:rows])
        X, y = data.X.iloc[keep].reset_index(drop=True), data.y[keep]
        common = pd.Series(y).map(pd.Series(y).value_counts()).to_numpy() >= FOLDS
        found[name] = (X[common].reset_index(drop=True), y[common])
    return found


def xor_tables(tables: int, noise: int, few: int | None) -> dict[str, float]:
    """Tables of the XOR of two flags, each drawn anew: mean held-out accuracy, and how many were not learned."""
    scores = []
    for seed in range(tables):
        rng = np.random.default_rng([SEED, seed])
        a, b = rng.choice(["no", "yes"], (2, 600))
        X = pd.DataFrame({"a": a, "b": b, **{f"n{i}": rng.choice(list("pqrs"), 600) for i in range(noise)}})
        y = np.where((a == b) ^ (rng.random(600) < 0.05), "u", "v")
        tree = TreeClassifier(selector_params=ratio(few)).fit(X[:400], y[:400])
        scores.append(tree.score(X[400:], y[400:]))
    return {"accuracy": float(np.mean(scores)), "not learned": int(np.sum(np.array(scores) < 0.7))}


def accuracy(X: pd.DataFrame, y: np.ndarray, params: dict[str, Any], repeats: int) -> float:
    scores = []
    for repeat in range(repeats):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED + repeat)
        for train, test in folds.split(X, y):
            tree = TreeClassifier(**params).fit(X.iloc[train], y[train])
            scores.append(tree.score(X.iloc[test], y[test]))
    return float(np.mean(scores))


def main() -> int:
    given = arguments("experiments.few_values", __doc__, page=PAGE)
    out = place(given, HERE)
    if given.page:
        remade(out, "few_values", page)
        return 0
    warnings.simplefilter("ignore")  # ids are the point
    rows, repeats = ROWS[given.full], REPEATS[given.full]
    result: dict[str, Any] = {"provenance": {}, "accuracy": {}}
    result["provenance"] = provenance(SEED, given.full, rows=rows, repeats=repeats, xor_tables=XOR[given.full])
    tables = result["provenance"]["xor_tables"]
    result["xor"] = {str(noise): {few: xor_tables(tables, noise, most) for few, most in FEW.items()} for noise in NOISE}
    for name, (X, y) in (made(rows) | real(rows)).items():
        print(name, file=sys.stderr, flush=True)
        result["accuracy"][name] = {
            pruned: {few: accuracy(X, y, {**how, "selector_params": ratio(most)}, repeats) for few, most in FEW.items()}
            for pruned, how in PRUNED.items()
        }
    write_json(out, "few_values", result)
    print(remade(out, "few_values", page))
    return 0


def ratio(most: int | None) -> dict[str, Any]:
    return {"min_ratio": 0} if most is None else {"few_values": most}


def page(result: dict[str, Any]) -> str:
    facts, real_ones = result["provenance"], {n: a for n, a in result["accuracy"].items() if not n.startswith("made")}
    alike: dict[str, list[str]] = {}
    for name, accuracies in real_ones.items():
        alike.setdefault(str(accuracies), []).append(name)
    twice = [" and ".join(names) for names in alike.values() if len(names) > 1]
    lines = [
        "# min_ratio and columns of few values",
        "",
        f"**What is not there**: more than {facts['rows']:,} rows of a set, for time; classes of fewer than {FOLDS} "
        "rows, which the folds cannot share; sets without a nominal column, which `min_ratio` does not touch; single "
        "folds: the JSON has means.",
        "",
        f"Held-out accuracy in per cent, {facts['repeats']} × {FOLDS} folds, with `min_ratio=1.5` on columns of more "
        f"than so many values. Some of the {len(real_ones)} real sets are variants of others"
        + (f"; {', '.join(twice)} have the same figures and count twice in the mean." if twice else "."),
        "",
    ]
    for pruned in PRUNED:
        found = {n: a[pruned] for n, a in result["accuracy"].items()}
        rows = [[n, *(f"{100 * a[f]:.1f}" for f in FEW)] for n, a in found.items()]
        of_real = [a for n, a in found.items() if not n.startswith("made")]
        if of_real:
            rows.append(["mean of the real sets", *(f"{100 * np.mean([a[f] for a in of_real]):.2f}" for f in FEW)])
        lines += [f"## {pruned.capitalize()}", "", markdown(["set", *FEW], rows), ""]
    xor = [
        [
            f"two flags and {noise} columns of noise",
            *(f"{100 * a[f]['accuracy']:.1f} ({a[f]['not learned']})" for f in FEW),
        ]
        for noise, a in result["xor"].items()
    ]
    lines += [
        f"## XOR of two flags, {result['provenance']['xor_tables']} tables of 600 rows drawn anew",
        "",
        "Mean held-out accuracy, and in how many tables it was not learned (below 70 %).",
        "",
        markdown(["tables", *FEW], xor),
        "",
        provenance_line(facts),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
