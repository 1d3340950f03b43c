"""Boosting as its definition says it, in plain Python: a loop over single trees of the library, each fitted to what the
trees before it leave over."""

from __future__ import annotations

import numpy as np

from bough import TreeRegressor


def weighted_quantile(values, weights, share):
    """The number at or below which a share of the weight lies; between two, their middle."""
    order = np.argsort(values, kind="stable")
    values, sums = values[order], np.cumsum(weights[order])
    for i in range(len(values) - 1):
        if np.isclose(sums[i], share * sums[-1], rtol=1e-12):
            return values[i] / 2 + values[i + 1] / 2
        if sums[i] > share * sums[-1]:
            return values[i]
    return values[-1]


def softmax(raw):
    e = np.exp(raw - raw.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def start(loss, y, w, alpha, k):
    if loss == "log_loss":
        p = np.array([w[y == c].sum() for c in range(k)]) / w.sum()
        return np.array([np.log(p[1] / p[0])]) if k == 2 else np.log(p) - np.log(p).mean()
    if loss in ("absolute_error", "quantile"):
        return np.array([weighted_quantile(y, w, alpha)])
    mean = np.average(y, weights=w)
    return np.array([np.log(mean) if loss == "poisson" else mean])


def steps(loss, y, raw, alpha, k):
    """Slopes and curvatures of the loss of rows of weight 1, rows × outputs."""
    if loss == "log_loss" and k > 2:
        p = softmax(raw)
        return p - np.eye(k)[y], p * (1 - p)
    f = raw[:, 0]
    if loss == "log_loss":
        p = 1 / (1 + np.exp(-f))
        g, h = p - y, p * (1 - p)
    elif loss == "squared_error":
        g, h = f - y, np.ones(len(y))
    elif loss == "absolute_error":
        g, h = np.sign(f - y), np.ones(len(y))
    elif loss == "quantile":
        g, h = np.where(y >= f, -alpha, 1 - alpha), np.ones(len(y))
    else:
        g, h = np.exp(f) - y, np.exp(f)
    return g[:, None], h[:, None]


def boosted(X, y, loss, *, rounds, rate=0.1, alpha=0.5, l2=0.0, k=0, weights=None, **tree):
    """Raw sums of the training rows after the last round, and the trees."""
    w = np.ones(len(y)) if weights is None else weights
    begin = start(loss, y, w, alpha, k)
    raw = np.tile(begin, (len(y), 1))
    grown = []
    for _ in range(rounds):
        g, h = steps(loss, y, raw, alpha, k)
        said = np.empty_like(raw)
        for c in range(raw.shape[1]):
            least = (w * h[:, c]).max() * 2.0**-28
            weight = np.maximum(w * h[:, c], least)
            one = TreeRegressor(**tree).fit(X, -w * g[:, c] / weight, sample_weight=weight)
            leaves = one.apply(X)
            for leaf in np.unique(leaves):
                here = leaves == leaf
                value = one.tree_.value[leaf, 0, 0]
                if loss in ("absolute_error", "quantile"):
                    value = weighted_quantile(y[here] - raw[here, 0], w[here], alpha)
                said[here, c] = value * weight[here].sum() / (weight[here].sum() + l2)
            grown.append(one)
        raw = raw + rate * said
    return raw, grown
