"""Explanations against shap's C code, and of models that are hard to explain; one thread:
`python -m benchmarks.explanations [--out FILE]`. shap has to be installed beside bough."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from bough import ForestRegressor, TreeClassifier, TreeRegressor

from .by_turns import command, least

TURNS = 3
# What may take at most so many seconds.
LIMITS = {
    "tree of 100 leaves, path-dependent": 1.0,
    "forest of 500 trees, path-dependent": 5.0,
    "forest of 500 trees, interventional": 30.0,
    "linear splits over 100 columns, contributions to 0.01": 10.0,
    "linear splits over 100 columns, why_not": 5.0,
}


def table(rows: int, columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(rows, columns)) * 64) / 64  # the same as float32
    return X, X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + X[:, 3] + 0.3 * rng.normal(size=rows)


def measured() -> dict[str, Any]:
    import shap
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.tree import DecisionTreeRegressor

    X, y = table(10_000, 20)
    params = {"max_leaf_nodes": 100, "min_samples_leaf": 20, "random_state": 0}
    tree, theirs = TreeRegressor(**params).fit(X, y), DecisionTreeRegressor(**params).fit(X, y)
    trees = {"n_estimators": 500, "min_samples_leaf": 5, "random_state": 0}
    forest = ForestRegressor(**trees).fit(X[:2000], y[:2000])
    their_forest = RandomForestRegressor(**trees).fit(X[:2000], y[:2000])
    found: dict[str, Any] = {}
    for name, ours, other, rows in (
        ("tree of 100 leaves", tree, theirs, X),
        ("forest of 500 trees", forest, their_forest, X[:20]),
    ):
        for kind, background in (("path-dependent", None), ("interventional", X[:100])):
            part = rows if background is None or ours is forest else rows[:2000]
            explain = shap.TreeExplainer(other, background).shap_values
            contestants = {
                "bough": lambda o=ours, p=part, b=background: o.contributions(p, b),
                "shap": lambda e=explain, p=part: e(p, check_additivity=False),
            }
            found[f"{name}, {kind}"] = {"rows": len(part), **least(contestants, TURNS)}
    wide = np.random.default_rng(0).normal(size=(1000, 100))
    linear = TreeClassifier(split="lda", max_depth=3).fit(wide, wide.sum(axis=1) > 0)
    low = wide[linear.predict(wide) == False][0]  # noqa: E712
    hard = {
        "contributions to 0.01": lambda: linear.contributions(wide[:1], wide[:100], precision=0.01),
        "why_not": lambda: linear.why_not(low, True, background=wide),
    }
    for name, seconds in least(hard, TURNS).items():
        found[f"linear splits over 100 columns, {name}"] = {"rows": 1, "bough": seconds}
    return found


def tables(found: dict[str, Any]) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    rows = [
        [
            title,
            f"{one['rows']:,}",
            f"{one['bough']:.3g} s",
            f"{one['shap']:.3g} s" if "shap" in one else "",
            f"{one['shap'] / one['bough']:.1f}" if "shap" in one else "",
            f"{LIMITS[title]:g} s: {'kept' if one['bough'] < LIMITS[title] else 'not kept'}" if title in LIMITS else "",
        ]
        for title, one in found.items()
    ]
    yield "Contributions, and the nearest change:", ["", "rows", "bough", "shap", "times as fast", "limit"], rows


if __name__ == "__main__":
    try:
        peers = {"shap": version("shap")}
    except ModuleNotFoundError:
        raise SystemExit("shap is not installed: pip install shap") from None
    command("explanations", __doc__, measured, tables, peers)
