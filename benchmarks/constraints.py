"""What constraints cost: fits with and without them, one thread: `python -m benchmarks.constraints [--out FILE]`.

Trees with a constraint are other trees, so that their leaves are counted, too: a fit that makes twice as many does
twice as much."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bough import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor

from .by_turns import command, least
from .timing import short

TURNS = 5
MOST = 1.15  # times as long as a fit without
RULES: dict[str, dict[str, Any]] = {
    "free": {},
    "monotonic_cst": {"monotonic_cst": {0: 1, 1: -1, 4: 1}},
    "against the data": {"monotonic_cst": {0: -1, 1: 1, 4: -1}},
    "interaction_cst": {"interaction_cst": [[0, 1], [2, 3], [1, 4, 5]]},
    "column_costs": {"column_costs": {0: 1e-3, 1: 1e-3}},
    "first_split": {"first_split": (4, "<=", 0.0)},
}


def table(rows: int, columns: int) -> tuple[Any, Any]:
    """Numbers of which the first ones matter in one direction, as columns with a constraint do."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return X, X[:, 0] - X[:, 1] + X[:, 2] * X[:, 3] + 0.5 * X[:, 4] + rng.normal(size=rows)


def fits() -> Iterator[tuple[str, Any, Any, dict[str, Any]]]:
    """Title, kind, target of the numbers, parameters."""
    trees = {
        "depth 6": {"max_depth": 6, "min_samples_leaf": 20},
        "full": {},
        "60 leaves": {"max_leaf_nodes": 60, "min_samples_leaf": 20},
    }
    for how, params in trees.items():
        yield f"2 classes, {how}", TreeClassifier, lambda y: y > 0, params
        yield f"numbers, {how}", TreeRegressor, lambda y: y, params
    yield "2 classes, forest of 10", ForestClassifier, lambda y: y > 0, {"n_estimators": 10}
    yield "numbers, forest of 10", ForestRegressor, lambda y: y, {"n_estimators": 10, "max_features": 6}


def measured() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for rows in (20_000, 100_000):
        X, y = table(rows, 20)
        for title, kind, of, params in fits():
            target = of(y)
            made = {name: kind(random_state=0, n_jobs=1, **params, **rule) for name, rule in RULES.items()}
            seconds = least({name: partial(m.fit, X, target) for name, m in made.items()}, TURNS)
            leaves = {name: sum(t.n_leaves for t in m.model_.trees) for name, m in made.items()}
            found[f"{rows:,} × 20, {title}"] = {
                name: {
                    "seconds": seconds[name],
                    "ratio": short(seconds[name] / seconds["free"]),
                    "leaves": leaves[name],
                }
                for name in made
            }
    return found


def tables(found: dict[str, Any]) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    def cell(one: dict[str, Any], free: dict[str, Any]) -> str:
        more = one["leaves"] / free["leaves"]
        return f"{one['ratio']:.2f}" + (f" ({more:.2f})" if abs(more - 1) > 0.05 else "")

    rows = [
        [title, f"{fits['free']['seconds'] * 1e3:.3g} ms", *(cell(fits[r], fits["free"]) for r in RULES if r != "free")]
        for title, fits in found.items()
    ]
    yield (
        f"Time of a fit over that of a free one (asked: at most {MOST}), and in brackets how many times as many leaves "
        "it makes where that differs by more than 5 %:",
        ["", "free", *(r for r in RULES if r != "free")],
        rows,
    )


if __name__ == "__main__":
    command("constraints", __doc__, measured, tables)
