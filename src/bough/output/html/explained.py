"""What the page about the model tells of explanations: importances by contributions, constraints, and costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import DataError, ParameterError
from ...model.rules import rules_of, sentences
from ...tables.frame import frame_of
from .numbers import short

if TYPE_CHECKING:
    from ...model.model import Model

MOST_WORK = 20_000_000  # leaves × rows: about a second
MOST_ROWS = 2_000
DRAWN, MOST_DRAWN_ROWS, MOST_CLASSES, MOST_VALUES = 4, 300, 7, 60  # of dependence: columns, rows, classes, values
MOST_COSTS = 30  # pairs of classes that are listed


def contributions_of(model: Model, X: Any) -> dict[str, Any] | None:
    """The mean size of each column's contributions to the predictions of rows, and of how many; None where it would
    take too long, or where only a background could tell."""
    columns = model.columns_of(X)
    leaves = sum(t.n_leaves for t in model.trees) * (1 if model.classes is None else len(model.classes))
    n = min(columns.n_rows, MOST_ROWS, MOST_WORK // leaves)
    if n < min(columns.n_rows, 20):
        return None
    try:
        found = model.contributions(part_of(X, columns.n_rows, n)).importances
    except ParameterError:  # linear splits over many columns
        return None
    order = np.argsort(-found, kind="stable").tolist()
    return {"n": n, "c": [[c, short(float(found[c]), 4)] for c in order if found[c] > 0][:40]}


def part_of(X: Any, rows: int, most: int) -> Any:
    """Rows of a table that lie evenly in it."""
    if rows <= most:
        return X
    places = np.linspace(0, rows - 1, most).astype(int).tolist()
    frame = frame_of(X)
    if frame is not None:
        return frame[0][places].to_native()
    return X[places] if hasattr(X, "shape") else [X[i] for i in places]


def dependences_of(model: Model, X: Any, importances: list[Any]) -> list[dict[str, Any]]:
    """Partial dependence on the most important columns: places, and the mean of each output there."""
    n_classes = 1 if model.classes is None else len(model.classes)
    if n_classes > MOST_CLASSES:
        return []
    rows, found = model.columns_of(X).n_rows, []
    part = part_of(X, rows, max(20, min(MOST_DRAWN_ROWS, MOST_WORK // (MOST_VALUES * 20 * len(model.trees)))))
    order = sorted((c for c, x in enumerate(importances) if x), key=lambda c: -importances[c])
    for column in order[:DRAWN]:
        try:
            curve = model.dependence(part, column, ice=0)
        except DataError:  # no row has a value
            continue
        values, edges, mean = curve.values, curve.edges, curve.mean
        if len(values) > MOST_VALUES:  # more steps than a small picture shows
            some = np.unique(np.linspace(0, len(values) - 1, MOST_VALUES).astype(int))
            values, mean = values[some], mean[some]
            edges = None if edges is None else np.append(edges[some], edges[-1])
        entry: dict[str, Any] = {"c": column, "y": [[short(float(y), 3) for y in line] for line in mean.T]}
        info = model.schema.columns[column]
        if info.values or info.kind == "boolean":
            entry["v"] = [int(v) for v in values]
        else:
            entry["x"] = [short(float(v)) for v in (values if edges is None else edges)]
        found.append(entry)
    return found


def constraints_of(model: Model) -> list[list[str]]:
    """What the fit was constrained to, and what wrong predictions cost, as pairs of texts."""
    classes = None if model.classes is None else model.classes.tolist()
    found = sentences(rules_of(model.origin), model.schema.names, classes)
    if model.costs is not None and model.classes is not None:
        known = model.classes.tolist()
        pairs = [(i, j) for i in range(len(known)) for j in range(len(known)) if i != j and model.costs[i, j] != 1]
        for i, j in pairs[:MOST_COSTS]:
            found.append([f"{known[i]} predicted as {known[j]}", f"costs {short(float(model.costs[i, j]))}"])
    return found
