"""Runs the experiment on every data set and writes defaults.md and defaults.json; docs/choosing.md has the page as a
section (`python -m experiments.methods --page`)."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wilcoxon
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

import bough
from experiments.beyond_greedy.run import rows
from experiments.choose.run import SETS
from experiments.common.each import each
from experiments.common.table import markdown, provenance, provenance_line

HERE = Path(__file__).resolve().parent
ROWS, FOLDS, SEED = {False: 400, True: 2000}, 5, 0
PRUNED = {"prune": "cost_complexity_cv", "prune_params": {"rule": "minimum"}}
SMOOTHING = {"none": None, "laplace": "laplace", "m = 2": 2.0, "hierarchical": "hierarchical"}
DEPTHS = (3, 4, 6)


def held_out(name: str, most: int) -> dict[str, Any]:
    """Mean over folds: accuracy and leaves of full and pruned trees, accuracy by criterion and depth, log-loss by
    smoothing."""
    X, y = rows(name, most)
    found: dict[str, list[float]] = {}

    def add(key: str, value: float) -> None:
        found.setdefault(key, []).append(value)

    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y):
        a, b, c, d = X.iloc[train], X.iloc[test], y[train], y[test]
        for kind, given in (("full", {}), ("pruned", PRUNED)):
            for label, smoothing in SMOOTHING.items():
                tree = bough.TreeClassifier(**given, smoothing=smoothing, random_state=SEED).fit(a, c)
                add(f"log-loss, {kind}, {label}", log_loss(d, tree.predict_proba(b), labels=tree.classes_))
                add(f"accuracy, {kind}, {label}", float(np.mean(tree.predict(b) == d)))
                add(f"leaves, {kind}", tree.get_n_leaves())
        for depth in DEPTHS:
            for criterion in ("gini", "twoing"):
                tree = bough.TreeClassifier(criterion=criterion, max_depth=depth, random_state=SEED).fit(a, c)
                add(f"{criterion}, depth {depth}", float(np.mean(tree.predict(b) == d)))
    return {"classes": len(set(y)), **{k: round(float(np.mean(v)), 5) for k, v in found.items()}}


def compared(found: dict[str, Any], one: str, other: str) -> tuple[np.ndarray, str]:
    """Differences in points by set, and their test."""
    d = np.array([100 * (of[one] - of[other]) for of in found.values()])
    return d, f"p = {wilcoxon(np.round(d, 9)).pvalue:.2g}" if np.count_nonzero(np.round(d, 9)) > 5 else "too few sets"


def extremes(found: dict[str, Any], d: np.ndarray) -> str:
    names = list(found)
    low, high = int(np.argmin(d)), int(np.argmax(d))
    return f"from {d[low]:+.1f} ({names[low]}) to {d[high]:+.1f} ({names[high]})"


def section(result: dict[str, Any]) -> str:
    """What stands in docs/choosing.md."""
    found, facts = result["data"], result["provenance"]

    def mean(key: str, of: dict[str, Any] = found) -> float:
        return float(np.mean([v[key] for v in of.values()]))

    d, p = compared(found, "accuracy, pruned, none", "accuracy, full, none")
    many = {n: v for n, v in found.items() if v["classes"] > 2}
    rows: list[list[object]] = []
    for depth in DEPTHS:
        t, q = compared(many, f"twoing, depth {depth}", f"gini, depth {depth}")
        pair = [f"{100 * mean(f'{c}, depth {depth}', many):.1f}" for c in ("gini", "twoing")]
        rows.append([depth, *pair, f"{t.mean():+.1f} ({q})", extremes(many, t)])
    losses: list[list[object]] = []
    for kind in ("full", "pruned"):
        pairs = [(mean(f"log-loss, {kind}, {s}"), 100 * mean(f"accuracy, {kind}, {s}")) for s in SMOOTHING]
        losses.append([kind, *(f"{loss:.2f} ({share:.1f})" for loss, share in pairs)])
    return f"""By `python -m experiments.defaults --full`: {len(found)} data sets, at most
{facts["rows"]:,} rows of each, {FOLDS} folds.

**Pruning.** `TreeClassifier()` grows to the end, as scikit-learn's does. Cut back by cross-validation
(`prune="cost_complexity_cv"`, `prune_params={{"rule": "minimum"}}`) it gains {d.mean():.1f} points ({p}) with
{mean("leaves, pruned"):.0f} leaves in place of {mean("leaves, full"):.0f}; by set {extremes(found, d)}.
Prune unless you know why not; `bough.choose` does.

**The criterion of small trees.** Gini takes the class that is easiest to part from the others, then the next one: a
tree of few levels may never come to the rest. Twoing parts the classes in two halves. Of the {len(many)} sets of three
or more classes:

{markdown(["depth", "gini, %", "twoing, %", "difference", "by set"], rows)}

`criterion="auto"` takes twoing where `max_depth` is at most 6 or `max_leaf_nodes` at most 64 and there are three or
more classes, else Gini. It is not the default: what it gains depends on the table (much where classes are many and
alike in size, little on these), and the default tree stays scikit-learn's. `bough.choose` (for `lda`), `tao` and
`sparse-oblique` use twoing; published systems keep their own criterion.

**Probabilities.** Log-loss (and accuracy, %) by `smoothing`:

{markdown(["tree", *SMOOTHING], losses)}

A leaf of a full tree says 0 or 1. `smoothing` is `None` by default, so that `predict_proba` has the shares of the leaf
and `predict` the class of most rows, as everywhere; whoever uses probabilities should pass `smoothing="hierarchical"`,
and `bough.choose` does. `predict` always is the class of the largest probability.

**Columns of many values.** An id, or a name, does not win by its number of values, in trees and in forests
([selection.md](selection.md)); published systems leave that out.

**Hyperplanes.** The system `cart-elc` stays as published (Gini, through the rows); `elc` is the same search by twoing
with the widest margin."""


def page(result: dict[str, Any]) -> str:
    return f"# Defaults\n\n{section(result)}\n\n{provenance_line(result['provenance'])}"


def main() -> int:
    warnings.simplefilter("ignore")
    return each(
        HERE,
        __doc__,
        SETS,
        lambda name, given: held_out(name, ROWS[given.full]),
        lambda given: provenance(SEED, given.full, rows=ROWS[given.full]),
        page,
        indent=1,
    )


def committed() -> str | None:
    """The section from the committed result, if there is one."""
    path = HERE / "results" / "defaults.json"
    return section(json.loads(path.read_text())) if path.exists() else None


if __name__ == "__main__":
    raise SystemExit(main())
