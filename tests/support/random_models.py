"""Random models of random tables with hostile names, and rows to ask them about; for the fuzzing of exports. Everything
follows from one seed."""

from __future__ import annotations

import random
import warnings
from functools import cache

import numpy as np
import pandas as pd

import bough
from bough.estimators.systems import SYSTEMS
from bough.output.lower import Compare, lowered
from bough.output.sql_dialect import folded

from .combinations import legal_combinations, varied
from .elsewhere import system
from .hostile import NAMES

WORDS = """
    true false null TRUE None NaN Infinity current_date current_user current_timestamp rowid _rowid_ oid select
    from where case when then else end user table order group limit t data stage stage0 stage_0 node0 node_0
    column0 key0 share0 cost0 rounded0 MAX least prediction probabilities probability X Y v1 c1 zero table0
    tree0_at answers bough_v1 bough_ row COLUMNS TREES predict class def lambda yield import self __import__ exec
    constructor prototype this undefined
"""
SIGNS = """
    a"b a'b a`b [a] a;-- /*a \\ \\n ı ſ a.b a,b $1 :a ? %s {0} а \u212a \u200b e\u0301 é 🌳 0 1e5 -1
"""
OTHERS = [" ", "\u00a0", "a\nb", "a\tb", "x" * 50]
EXTREMES = [
    1e300,
    -1e300,
    1e-300,
    -1e-300,
    5e-324,
    -5e-324,
    0.0,
    -0.0,
    1.0,
    2.2250738585072014e-308,
    1 + 2**-52,
    0.1,
    1 / 3,
]


def names_of(draw, n):
    """So many names that no database takes for one."""
    found = {}
    while len(found) < n:
        name = draw.choice(draw.choice([WORDS.split(), SIGNS.split(), NAMES, OTHERS, list("abcd")]))
        name = name if draw.random() < 0.8 else name + draw.choice(SIGNS.split())
        if name and len(name.encode()) < 60:  # PostgreSQL cuts names after 63 bytes
            found.setdefault(folded(name), name)
    return list(found.values())


def column_of(draw, rng, n):
    """A way to make so many cells of a column, those of further rows also with values that training has not."""
    kind = draw.choice(["normal", "normal", "ties", "extreme", "flag", "text", "text", "code", "ordinal", "constant"])
    gaps = draw.choice([0, 0, 0.02, 0.3])
    texts = names_of(draw, draw.choice([2, 3, 8, 30]))
    codes = [draw.randint(-5, 5) * draw.choice([1, 10**6]) for _ in range(draw.choice([2, 5, 12]))]

    def cells(n, more):
        if kind == "ordinal":
            values = np.array(rng.choice(texts, n), dtype=object)
            values[rng.random(n) < gaps] = None
            return pd.Categorical(values, categories=texts, ordered=True)
        values = {
            "normal": lambda: rng.normal(size=n),
            "ties": lambda: rng.integers(0, 5, n).astype(float),
            "extreme": lambda: rng.choice(EXTREMES, n) * (rng.random(n) if draw.random() < 0.5 else 1.0),
            "flag": lambda: rng.random(n) < 0.5,
            "text": lambda: rng.choice([*texts, "never seen"][: len(texts) + more], n),
            "code": lambda: rng.choice([*codes, 99, 100][: len(codes) + 2 * more], n),
            "constant": lambda: np.full(n, 7.0),
        }[kind]()
        if values.dtype.kind == "f":
            return np.where(rng.random(n) < gaps, np.nan, values)
        values = np.array(values.tolist(), dtype=object)
        if kind != "flag":
            values[rng.random(n) < gaps] = None
        return values if kind != "flag" else values.astype(bool)

    return kind, cells


@cache
def combinations():
    """The legal combinations of each family."""
    found = {}
    for estimator in legal_combinations(max_depth=5, random_state=0):
        found.setdefault(estimator.split, []).append(estimator)
    return found


def estimator_of(draw, classes, seed):
    if draw.random() < 0.25:
        name = draw.choice([*SYSTEMS])
        return system(name, random_state=seed)
    from sklearn.base import clone

    family = combinations()[draw.choice([*combinations()])]
    estimator = clone(draw.choice(family)).set_params(max_depth=draw.choice([1, 4, 7, 12]), random_state=seed)
    return varied(estimator, draw, classes) if draw.random() < 0.8 else estimator


def random_model(seed):
    """A fitted model and rows for it; None where its parts refuse the table."""
    warnings.simplefilter("ignore")
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    n, d, classes = draw.choice([20, 80, 200]), draw.randint(1, 8), draw.choice([2, 2, 3, 5, 12])
    columns = dict(zip(names_of(draw, d), (column_of(draw, rng, n) for _ in range(d)), strict=True))
    codes = [name for name, (kind, _) in columns.items() if kind == "code"]
    X = pd.DataFrame({name: cells(n, 0) for name, (_, cells) in columns.items()})
    estimator = estimator_of(draw, classes, seed)
    regression = isinstance(estimator, bough.TreeRegressor)
    signal = sum(pd.factorize(X[c])[0] * draw.choice([0, 1, 2]) for c in X) + rng.normal(size=n)
    if regression:
        y = signal * draw.choice([1.0, 1 / 3, 1e-8, 1e100])
    else:
        y = np.argsort(np.argsort(signal)) * classes // n
        labels = draw.choice(["number", "text", "flag"])
        if labels == "text":
            y = np.array(names_of(draw, classes), dtype=object)[y]
        elif labels == "flag" and classes == 2:
            y = y.astype(bool)
    try:
        if codes:
            texts = [name for name, (kind, _) in columns.items() if kind == "text"]
            estimator.set_params(categorical_features=codes + texts)
        model = estimator.fit(X, y).model_
    except bough.BoughError:
        return None
    rows = pd.DataFrame({name: cells(60, 1) for name, (_, cells) in columns.items()})
    rows = pd.concat([rows, X[:40]], ignore_index=True)
    return model, on_cuts(model, rows, draw)


def on_cuts(model, rows, draw):
    """Some numbers made those of cuts."""
    for tree in lowered(model).trees:
        for step in tree.steps[:20]:
            if isinstance(step, Compare) and step.single and np.isfinite(step.cut):
                column = model.schema.columns[step.columns[0]]
                if column.kind == "numeric":
                    rows.loc[draw.randrange(len(rows)), column.name] = step.cut
    return rows
