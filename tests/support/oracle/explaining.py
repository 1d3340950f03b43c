"""Shapley values by their definition: every coalition of columns, one after the other."""

from __future__ import annotations

import itertools
import math

import numpy as np


def shapley(d, value):
    """Of a game of d players; ``value`` of a set of players is an array."""
    of = {s: value(frozenset(s)) for n in range(d + 1) for s in itertools.combinations(range(d), n)}
    found = []
    for i in range(d):
        total = 0
        for n in range(d):
            share = math.factorial(n) * math.factorial(d - n - 1) / math.factorial(d)
            for s in itertools.combinations([j for j in range(d) if j != i], n):
                total = total + share * (of[tuple(sorted((*s, i)))] - of[s])
        found.append(total)
    return np.array(found)


def against(predict, row, background):
    """A game against background rows: what is not known comes from each of them."""

    def value(known):
        mixed = background.copy()
        for j in known:
            mixed[mixed.columns[j]] = np.repeat(row.iloc[:, [j]], len(background), axis=0)[:, 0]
            mixed[mixed.columns[j]] = mixed[mixed.columns[j]].astype(row.dtypes.iloc[j])
        return predict(mixed).mean(axis=0)

    return value


def lacks(v):
    return v is None or v != v


def child_of(tree, schema, node, row, known):
    """The child of a row of which some columns are known: its number, None (it stops), or "weights"."""
    s = tree.split(node)

    def number(c):
        v, info = row[c], schema.columns[c]
        if info.ordinal:
            return math.nan if lacks(v) or v not in info.values else float(info.values.index(v))
        return math.nan if lacks(v) else float(v)

    def code(c):
        values = schema.columns[c].values
        v = None if lacks(row[c]) else row[c]
        return values.index(v) if v in values else None

    kind = ("leaf", "axis", "linear", "subset", "multiway")[s["kind"]]
    if any(c not in known for c in (s["term_columns"] if kind == "linear" else [s["column"]])):
        return "weights"
    found = None
    if kind == "axis" and not math.isnan(number(s["column"])):
        found = 0 if number(s["column"]) <= s["cut"] else 1
    elif kind == "linear":
        x = [number(c) - m for c, m in zip(s["term_columns"], s["term_centers"])]
        if s["gaps_at_center"]:
            x = [0.0 if math.isnan(v) else v for v in x]
        total = math.fsum(w * v for w, v in zip(s["term_weights"], x))
        found = None if any(map(math.isnan, x)) else (0 if total <= s["cut"] else 1)
    elif kind in ("subset", "multiway") and code(s["column"]) in s["values"]:
        place = s["values"].index(code(s["column"]))
        found = place if kind == "multiway" else (0 if s["goes_left"][place] else 1)
    if found is not None:
        return found
    if tree.missing == "shared":
        return "weights"
    for g in s["surrogates"]:
        if g["column"] not in known:
            continue
        if schema.columns[g["column"]].nominal:
            if code(g["column"]) in g["values"]:
                return 0 if g["goes_left"][g["values"].index(code(g["column"]))] else 1
        elif not math.isnan(number(g["column"])):
            return 0 if (number(g["column"]) <= g["cut"]) == g["low_left"] else 1
    if kind in ("subset", "multiway"):
        return s["other"]
    return None if s["stops"] else (0 if s["missing_left"] else 1)


def by_weights(nodes, row):
    """The path-dependent game of one tree: rows of which a column is not known follow all branches by their weight."""
    said = nodes.means[:, np.newaxis] if nodes.classes is None else nodes.shares

    def value(known, node=0):
        children = nodes[node].children
        if not children:
            return said[node]
        to = child_of(nodes.tree, nodes.schema, node, row, known)
        if to is None:
            return said[node]
        if to != "weights":
            return value(known, children[to])
        weights = [nodes[c].weight for c in children]
        stay = max(0.0, nodes[node].weight - sum(weights)) if nodes.tree.missing == "surrogate" else 0.0
        if stay < 1e-9 * nodes[node].weight:
            stay = 0.0
        if sum(weights) + stay == 0:
            return said[node]
        parts = [w * value(known, c) for w, c in zip(weights, children)]
        return (sum(parts) + stay * said[node]) / (sum(weights) + stay)

    return value
