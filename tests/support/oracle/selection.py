"""The naive reference of selection: c_quad in its general form, with the covariance matrix written out and
its pseudo-inverse taken, and trees grown by it. Nothing here knows a closed form."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import chi2

from support.oracle import trees as oracle


def transformed(kind, values, rows):
    """g(x) of each row: an indicator for each value; or the number, 0 where missing, and whether it is missing."""
    v = np.array([values[i] for i in rows], dtype=float)
    if kind == "nominal":
        return (v[:, None] == np.unique(v)).astype(float)
    gone = np.isnan(v)
    known = v[~gone]
    if len(known):  # an affine change of x changes nothing, and spares the pseudo-inverse large numbers
        v = (v - known.mean()) / (np.abs(known - known.mean()).max() or 1.0)
    return np.column_stack([np.where(gone, 0.0, v), gone.astype(float)])


def influence(y, rows, k):
    v = np.array([y[i] for i in rows], dtype=float)
    return v[:, None] - v.mean() if k == 0 else (v[:, None] == np.arange(k)).astype(float)


def cases(w, rows):
    """Row weights as numbers of cases: whole weights are that, others are brought to Kish's effective number."""
    v = np.array([w[i] for i in rows])
    return v if all(x == math.floor(x) for x in w) else v * v.sum() / (v**2).sum()


def c_quad(kind, values, y, w, k, rows):
    """The statistic and its degrees of freedom, as Hothorn, Hornik and Zeileis (2006) define them."""
    g, h, n = transformed(kind, values, rows), influence(y, rows, k), cases(w, rows)
    total = n.sum()
    if total <= 1:
        return 0.0, degrees(g, h, n, total)
    mean_h = n @ h / total
    var_h = (n[:, None] * (h - mean_h)).T @ (h - mean_h) / total
    t = (g.T @ (n[:, None] * h)).ravel(order="F")
    sum_g = n @ g
    mu = np.outer(sum_g, mean_h).ravel(order="F")
    sigma = total / (total - 1) * np.kron(var_h, g.T @ (n[:, None] * g))
    sigma -= 1 / (total - 1) * np.kron(var_h, np.outer(sum_g, sum_g))
    return float((t - mu) @ np.linalg.pinv(sigma, rcond=1e-9, hermitian=True) @ (t - mu)), degrees(g, h, n, total)


def degrees(g, h, n, total):
    def rank(a):
        centred = np.sqrt(n)[:, None] * (a - n @ a / total)
        return np.linalg.matrix_rank(centred, tol=1e-7)

    return int(rank(g) * rank(h))


def log_p(kind, values, y, w, k, rows):
    """The log p-value, None where there is nothing to test."""
    statistic, df = c_quad(kind, values, y, w, k, rows)
    return float(chi2.logsf(statistic, df)) if df > 0 else None


def passes(column, y, w, k, rows, chi2_filter, min_second_value):
    kind, values = column
    if kind == "numeric":
        return True
    counts = sorted((sum(values[i] == v for i in rows) for v in {values[i] for i in rows}), reverse=True)
    if min_second_value > 0 and (counts[1] if len(counts) > 1 else 0) < min_second_value:
        return False
    if chi2_filter >= 1:
        return True
    statistic, df = c_quad(kind, values, y, w, k, rows)
    total = cases(w, rows).sum()
    if df == 0 or total <= 1:
        return False
    return chi2.sf(statistic * total / (total - 1), df) < chi2_filter  # Pearson's own χ²


def choices(table, y, w, k, rows, selector, alpha=0.05, bonferroni=True, chi2_filter=1.0, min_second_value=0):
    """Sets of columns that may be split at a node: the next one only where no column of those before it can be."""
    pass_ = [c for c, col in enumerate(table) if passes(col, y, w, k, rows, chi2_filter, min_second_value)]
    if selector == "score":
        return [set(pass_)]
    tested = {c: log_p(*table[c], y, w, k, rows) for c in pass_}
    tested = {c: p for c, p in tested.items() if p is not None}
    adjustment = math.log(len(tested)) if bonferroni and tested else 0.0
    out = []
    while tested:
        least = min(tested.values())
        if alpha < 1 and not (alpha > 0 and least + adjustment <= math.log(alpha)):
            break
        surest = min(c for c, p in tested.items() if p <= least + 1e-10 * max(1.0, abs(least)))
        del tested[surest]
        out.append({surest})
    return out


def grow(table, y, w, k, criterion, nominal, min_samples_leaf=1, **selection):
    """`oracle.grow` with selection before every split."""
    out, stack, rules = [], [(list(range(len(y))), 0)], oracle.Rules(min_samples_leaf=min_samples_leaf)
    while stack:
        rows, depth = stack.pop()
        best = None
        if not oracle.stop(rows, depth, y, w, rules):
            offered = oracle.candidates(table, rows, y, w, k, criterion, nominal, min_samples_leaf)
            offered = [c for c in offered if c.gain > -math.inf]
            for columns in choices(table, y, w, k, rows, **selection):
                if found := [c for c in offered if c.column in columns]:
                    scale = oracle.unit(criterion, rows, y, w, k)
                    best = oracle.winner(found, scale, math.fsum(w[i] for i in rows))
                    break
        if best is None or not oracle.worth(best, rows, y, w, k, criterion, rules, math.fsum(w)):
            out.append(leaf(rows, y, w, k))
            continue
        out.append(best.split)
        stack.extend((sorted(child), depth + 1) for child in reversed(best.children))
    return out


def leaf(rows, y, w, k):
    if k == 0:
        total = math.fsum(w[i] for i in rows)
        return ("leaf", len(rows), math.fsum(w[i] / total * y[i] for i in rows))
    return ("leaf", len(rows), *oracle.class_weights(rows, y, w, k))
