"""Linear leaves (PILOT) by their definition: every model of every cut by least squares, judged by BIC."""

from __future__ import annotations

import itertools
import math

import numpy as np

PRICE = {"con": 1, "lin": 2, "pcon": 5, "blin": 5, "plin": 7}


class Pilot:
    """A tree as a list of nodes. Columns are arrays: floats (NaN: missing), or ints (categories)."""

    def __init__(self, columns, y, w, broken=True, min_rows=5, min_values=5, lines=100, margin=0.0, max_depth=None):
        self.columns, self.y, self.w = columns, y, w
        self.broken, self.min_rows, self.min_values, self.lines = broken, min_rows, min_values, lines
        self.margin, self.max_depth = margin, max_depth
        self.centers = [
            np.average(c[~np.isnan(c)], weights=w[~np.isnan(c)]) if c.dtype.kind == "f" and (~np.isnan(c)).any() else 0
            for c in columns
        ]
        self.nodes = []
        self.grow()

    def x(self, column, rows, columns=None):
        """Numbers above their center, missing ones at it."""
        values = (self.columns if columns is None else columns)[column][rows]
        return np.where(np.isnan(values), 0.0, values - self.centers[column])

    def grow(self):
        rows = np.arange(len(self.y))
        start = np.average(self.y, weights=self.w)
        stack = [(rows, self.y - start, [(start, None, 0.0)], 0, None)]
        while stack:
            rows, residual, terms, depth, above = stack.pop()
            number = len(self.nodes)
            node = {"rows": rows, "split": None, "children": []}
            self.nodes.append(node)
            if above is not None:
                self.nodes[above]["children"].append(number)
            y = self.y[rows]
            node["range"] = (y.min() - self.margin * np.ptp(y), y.max() + self.margin * np.ptp(y))
            stop = (
                np.ptp(y) == 0
                or len(rows) < max(2, 2 * self.min_rows)
                or (self.max_depth is not None and depth >= self.max_depth)
            )
            split = None
            while not stop and self.error(residual, rows) > 1e-24 * np.abs(self.y).max() ** 2 * len(rows):
                line, split = self.best(rows, residual)
                used = sum(t[1] is not None and t[3:] == ("line", number) for t in terms)
                if line is None or used >= self.lines or (split is not None and split[0] > line[0] + 1e-12):
                    break
                fitted = self.fit([np.ones(len(rows)), self.x(line[1], rows)], residual, rows)
                residual = residual - fitted[0] - fitted[1] * self.x(line[1], rows)
                terms = [*terms, (fitted[0], line[1], fitted[1], "line", number)]
                split = None
            node["terms"] = terms
            node["error"] = self.error(residual, rows)
            if split is None:
                continue
            _, kind, column, cut, gone_left, left = split
            node["split"] = (column, cut, gone_left)
            parts = self.models(kind, column, cut, left, rows, residual)
            below = []
            for side, (offset, slope) in zip((left, ~left), parts):
                after = residual[side] - offset - slope * (self.x(column, rows[side]) if slope else 0)
                more = [*terms, (offset, column if slope else None, slope)]
                below.append((rows[side], after, more, depth + 1, number))
            stack += below[::-1]

    def error(self, residual, rows):
        return float((self.w[rows] * residual**2).sum())

    def fit(self, design, residual, rows):
        root = np.sqrt(self.w[rows])
        design = np.column_stack(design)
        scale = np.sqrt((design**2).sum(axis=0))
        scale[scale == 0] = 1
        found = np.linalg.lstsq(design / scale * root[:, None], residual * root, rcond=1e-11)[0]
        return found / scale

    def design(self, kind, column, cut, left, rows):
        one, right = np.ones(len(rows)), (~left).astype(float)
        if kind == "pcon":
            return [left.astype(float), right]
        x = self.x(column, rows)
        if kind == "blin":
            return [one, x, right * (x - (cut - self.centers[column]))]
        return [left.astype(float), left * x, right, right * x]

    def models(self, kind, column, cut, left, rows, residual):
        """(offset, slope) of both sides."""
        b = self.fit(self.design(kind, column, cut, left, rows), residual, rows)
        if kind == "pcon":
            return [(b[0], 0.0), (b[1], 0.0)]
        if kind == "plin":
            return [(b[0], b[1]), (b[2], b[3])]
        return [(b[0], b[1]), (b[0] - b[2] * (cut - self.centers[column]), b[1] + b[2])]

    def gain(self, kind, design, rows, residual):
        """By how much a model lowers the mean squared error, each times n^(parameters / n)."""
        n = len(rows)
        b = self.fit(design, residual, rows)
        after = self.error(residual - np.column_stack(design) @ b, rows)
        mean = np.average(residual, weights=self.w[rows])
        before = self.error(residual - mean, rows) * n ** (PRICE["con"] / n)
        return (before - after * n ** (PRICE[kind] / n)) / self.w[rows].sum()

    def best(self, rows, residual):
        """The best line (gain, column), and the best cut (gain, kind, column, cut, missing left, rows on the left)."""
        lines, cuts = [], []
        for c, values in enumerate(self.columns):
            if values.dtype.kind == "f":
                self.of_numbers(c, rows, residual, lines, cuts)
            else:
                self.of_categories(c, rows, residual, cuts)
        mean = np.average(residual, weights=self.w[rows])
        unit = 1e-12 * self.error(residual - mean, rows) / self.w[rows].sum()
        lines = [line for line in lines if line[0] > unit]
        cuts = [cut for cut in cuts if cut[0] > unit]
        line = min((t for t in lines if t[0] >= max(lines)[0] - 100 * unit), key=lambda t: t[1]) if lines else None
        if not cuts:
            return line, None
        top = max(t[0] for t in cuts)
        tied = [t for t in cuts if t[0] >= top - 100 * unit]
        balance = [min(self.w[rows[t[5]]].sum(), self.w[rows[~t[5]]].sum()) for t in tied]
        keys = [(b < max(balance) - 1e-9 * sum(self.w[rows]), t[2], i) for i, (b, t) in enumerate(zip(balance, tied))]
        return line, tied[keys.index(min(keys))]

    def of_numbers(self, c, rows, residual, lines, cuts):
        values = self.columns[c][rows]
        known = np.unique(values[~np.isnan(values)])
        if len(known) < 2:
            return
        straight = len(known) >= self.min_values
        if straight:
            lines.append((self.gain("lin", [np.ones(len(rows)), self.x(c, rows)], rows, residual), c))
        gone = np.isnan(values)
        for low, high in itertools.pairwise(known):
            cut = low + (high - low) / 2
            for gone_left in (True, False) if gone.any() else (True,):
                left = np.where(gone, gone_left, values <= cut).astype(bool)
                if not gone.any():  # rows without a value follow the heavier side
                    gone_left = self.w[rows[left]].sum() >= self.w[rows[~left]].sum()
                if min(left.sum(), (~left).sum()) < self.min_rows:
                    continue
                kinds = ["pcon"]
                if straight and self.broken:
                    kinds.append("blin")
                    if all(len(np.unique(self.x(c, rows[side]))) > 1 for side in (left, ~left)):
                        kinds.append("plin")
                found = [self.gain(k, self.design(k, c, cut, left, rows), rows, residual) for k in kinds]
                best = max(range(len(kinds)), key=lambda i: found[i] - 1e-13 * i * abs(found[i]))
                cuts.append((found[best], kinds[best], c, cut, gone_left, left))

    def of_categories(self, c, rows, residual, cuts):
        values = self.columns[c][rows]
        here = np.unique(values)
        means = [np.average(residual[values == v], weights=self.w[rows][values == v]) for v in here]
        order = here[np.argsort(means, kind="stable")]
        for i in range(1, len(order)):
            left = np.isin(values, order[:i])
            if min(left.sum(), (~left).sum()) >= self.min_rows:
                gain = self.gain("pcon", [left.astype(float), (~left).astype(float)], rows, residual)
                cuts.append((gain, "pcon", c, set(order[:i].tolist()), None, left))

    def leaf(self, columns, row):
        at = 0
        while self.nodes[at]["split"] is not None:
            column, cut, gone_left = self.nodes[at]["split"]
            value = columns[column][row]
            if isinstance(cut, set):
                left = value in cut
            else:
                left = gone_left if math.isnan(value) else value <= cut
            at = self.nodes[at]["children"][0 if left else 1]
        return at

    def predict(self, columns):
        found = []
        for row in range(len(columns[0])):
            node = self.nodes[self.leaf(columns, row)]
            total = math.fsum(
                t[0] + (0.0 if t[1] is None else t[2] * float(self.x(t[1], np.array([row]), columns)[0]))
                for t in node["terms"]
            )
            found.append(min(max(total, node["range"][0]), node["range"][1]))
        return np.array(found)
