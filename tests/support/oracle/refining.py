"""Refinement, as plainly as possible: every node is solved again with the rest of the tree fixed, all in loops."""

from __future__ import annotations

import math

import numpy as np

from .logistic import newton, score

TIED = 1e-11  # as a share of what is at stake
BLUR = 1e-9  # positions along a sum of columns that are one
VAIN = 4  # terms in turn that bring nothing


class Node:
    """A leaf until it has children; ``only`` is the side that all rows go to, if they do."""

    def __init__(self, depth=0, value=None, label=0):
        self.depth, self.value, self.label = depth, value, label
        self.split = self.left = self.right = self.only = None
        self.terms = 0

    def leaves(self):
        return [self] if self.left is None else self.left.leaves() + self.right.leaves()

    def all(self):
        return [self] if self.left is None else [self, *self.left.all(), *self.right.all()]

    def live_terms(self):
        if self.left is None:
            return 0
        if self.only is not None:
            return (self.left, self.right)[self.only].live_terms()
        return self.terms + self.left.live_terms() + self.right.live_terms()


class Refining:
    """A tree over ``columns``: arrays of float, NaN where a number is missing, or of int, the codes of a nominal one.

    ``y`` are numbers, or classes from 0 to k − 1; ``stump(rows)`` is the split that growth makes of some rows, as the
    core tells it, or None.
    """

    def __init__(
        self, columns, y, stump, k=0, weights=None, costs=None, terms=1, price=2.0, passes=20, min_value_rows=5
    ):
        self.columns, self.y, self.k, self.stump = columns, y, k, stump
        self.n = len(y)
        self.w = np.ones(self.n) if weights is None else weights
        self.costs = 1 - np.eye(k) if costs is None else costs
        self.terms, self.price, self.passes, self.min_value_rows = terms, price, passes, min_value_rows
        self.sharp, self.root, self.told = False, Node(), []
        self.moments = [self.moments_of(x) for x in columns]

    def moments_of(self, x):
        known = ~np.isnan(x)
        if x.dtype.kind == "i" or not known.any():
            return 0.0, 1.0
        mean = np.average(x[known], weights=self.w[known])
        spread = math.sqrt(np.average((x[known] - mean) ** 2, weights=self.w[known]))
        return mean, spread if spread > 1e-15 * abs(x[known] - mean).max() else 1.0

    # ---- losses -----------------------------------------------------------------------------------------------

    def unit(self):
        if self.sharp:
            return float(sum(self.w[i] * self.costs[self.y[i]].max() for i in range(self.n))) / self.n
        if self.k:
            return float(self.w.sum()) / self.n
        mean = np.average(self.y, weights=self.w)
        return float((self.w * (self.y - mean) ** 2).sum()) / self.n

    def loss(self, i, leaf):
        if self.sharp:
            return self.w[i] * self.costs[self.y[i], leaf.label]
        if not self.k:
            return self.w[i] * (self.y[i] - leaf.value) ** 2
        return self.w[i] * float(
            ((np.arange(self.k) == self.y[i]) - leaf.value) @ ((np.arange(self.k) == self.y[i]) - leaf.value)
        )

    def fit(self, leaf, rows):
        if not rows:
            return 0.0
        if self.sharp:
            cost = [sum(self.w[i] * self.costs[self.y[i], c] for i in rows) for c in range(self.k)]
            best = int(np.argmin(cost))
            if cost[best] < cost[leaf.label] - 1e-9:
                leaf.label = best
        elif self.k:
            weights = np.array([sum(self.w[i] for i in rows if self.y[i] == c) for c in range(self.k)])
            leaf.value = weights / weights.sum()
        else:
            leaf.value = sum(self.w[i] * self.y[i] for i in rows) / sum(self.w[i] for i in rows)
        return sum(self.loss(i, leaf) for i in rows)

    # ---- the tree ---------------------------------------------------------------------------------------------

    def goes_left(self, split, i):
        kind = split[0]
        if kind == "axis":
            _, c, cut, missing_left = split
            x = self.columns[c][i]
            return missing_left if math.isnan(x) else x <= cut
        if kind == "subset":
            return bool(split[2][self.columns[split[1]][i]])
        _, columns, weights, cut = split
        return self.along(columns, weights, i) <= cut

    def along(self, columns, weights, i):
        total = 0.0
        for c, a in zip(columns, weights, strict=True):
            x = self.columns[c][i]
            if self.columns[c].dtype.kind == "i":
                total += a[x]
            else:
                total += 0.0 if math.isnan(x) else a * (x - self.moments[c][0])
        return total

    def leaf_of(self, node, i):
        while node.left is not None:
            side = (0 if self.goes_left(node.split, i) else 1) if node.only is None else node.only
            node = (node.left, node.right)[side]
        return node

    def reach(self):
        rows = {id(node): [] for node in self.root.all()}
        for i in range(self.n):
            node = self.root
            while True:
                rows[id(node)].append(i)
                if node.left is None:
                    break
                side = (0 if self.goes_left(node.split, i) else 1) if node.only is None else node.only
                node = (node.left, node.right)[side]
        return rows

    def note(self, stage):
        rows = self.reach()
        total = sum(self.fit(leaf, rows[id(leaf)]) for leaf in self.root.leaves())
        self.told.append((stage, total + self.price * self.unit() * self.root.live_terms()))

    # ---- the stages -------------------------------------------------------------------------------------------

    def run(self, max_depth):
        """(stage, objective) after each pass."""
        self.note("start")
        self.told.clear()
        for depth in range(1, max_depth + 1):
            if not self.grow():
                break
            self.note(depth)
            self.repeat(depth, False)
        if self.k:
            for leaf in self.root.all():
                leaf.label = 0 if leaf.value is None else int(np.argmax(leaf.value))
            self.sharp = True
        self.note("end")
        for _ in range(2):
            self.repeat("end", True)
            self.collapse(self.root, self.reach())
            self.compact()
            self.note("end")
        return self.told

    def grow(self):
        rows, any_grown = self.reach(), False
        for leaf in self.root.leaves():
            split = self.stump(rows[id(leaf)]) if rows[id(leaf)] else None
            if split is None:
                continue
            any_grown = True
            leaf.split, leaf.terms = split, 1
            leaf.left, leaf.right = (Node(leaf.depth + 1, leaf.value, leaf.label) for _ in range(2))
        return any_grown

    def repeat(self, stage, to_the_end):
        for _ in range(self.passes):
            if not self.one_pass():
                return
            self.note(stage)
            if not to_the_end and self.told[-2][1] - self.told[-1][1] < self.price * self.unit():
                return

    def one_pass(self):
        rows, any_changed = self.reach(), False
        inner = [node for node in self.root.all() if node.left is not None]
        for node in sorted(inner, key=lambda node: -node.depth):
            if len(rows[id(node)]) > 1:
                any_changed |= self.solve(node, rows[id(node)])
        return any_changed

    def collapse(self, node, rows):
        """Loss and terms below a node, once it is a leaf if that costs no more."""
        here = rows[id(node)]
        if node.left is None:
            return self.fit(node, here), 0
        left, right = self.collapse(node.left, rows), self.collapse(node.right, rows)
        if node.only is None and not rows[id(node.left)]:
            node.only = 1
        if node.only is None and not rows[id(node.right)]:
            node.only = 0
        if node.only is not None:
            return (left, right)[node.only]
        own = Node(node.depth, node.left.value, node.left.label)
        cost = self.fit(own, here)
        loss, terms = left[0] + right[0], left[1] + right[1] + node.terms
        price = self.price * self.unit()
        if cost > loss + price * terms + TIED * self.unit():
            return loss, terms
        node.left = node.right = node.only = None
        node.value, node.label = own.value, own.label
        return cost, 0

    def compact(self):
        def without(node, depth):
            while node.left is not None and node.only is not None:
                node = (node.left, node.right)[node.only]
            node.depth = depth
            if node.left is not None:
                node.left, node.right = without(node.left, depth + 1), without(node.right, depth + 1)
            return node

        self.root = without(self.root, 0)

    # ---- a node -----------------------------------------------------------------------------------------------

    def solve(self, node, rows):
        gains = {}
        for i in rows:
            g = self.loss(i, self.leaf_of(node.right, i)) - self.loss(i, self.leaf_of(node.left, i))
            if abs(g) > TIED * self.unit():
                gains[i] = g
        price = self.price * self.unit()
        total, size = sum(gains.values()), sum(map(abs, gains.values()))
        slack = TIED * (size + price)
        left, right = price * node.left.live_terms(), price * node.right.live_terms()
        if node.only is None:
            worth = sum(g for i, g in gains.items() if self.goes_left(node.split, i)) - price * node.terms
        else:
            worth = total + right if node.only == 0 else left
        start, taken = worth, None
        for only, value in ((0, total + right), (1, left)):
            if value > worth + slack:
                worth, taken = value, ("only", only)
        gain, split = self.cut(gains, total, TIED * size)
        if split is not None and gain - price > worth + slack:
            worth, taken = gain - price, split
        if self.terms > 1 and min(size + total, size - total) / 2 > price:
            found = self.linear(gains, price, worth, (size + total) / 2, TIED * size)
            if found is not None and found[0] > worth + slack:
                worth, taken = found
        if taken is None or worth <= start + slack:
            return False
        if taken[0] == "only":
            node.only = taken[1]
            return True
        if taken[0] == "missing":  # rows without a value against all others; the children change places
            if taken[2]:
                node.left, node.right = node.right, node.left
            taken = ("axis", taken[1], math.inf, False)
        node.split, node.only = taken, None
        node.terms = len(taken[1]) if taken[0] == "linear" else 1
        return True

    def cut(self, gains, total, slack):
        """The best cut or subset of a column: its gain and the split."""
        best, split = -math.inf, None
        for c, x in enumerate(self.columns):
            gain, found = self.subset(c, gains) if x.dtype.kind == "i" else self.axis(c, gains, total, slack)
            if found is not None and gain > best + slack:
                best, split = gain, found
        return best, split

    def axis(self, c, gains, total, slack):
        x = self.columns[c]
        known = sorted((x[i], i) for i in gains if not math.isnan(x[i]))
        missing = sum(g for i, g in gains.items() if math.isnan(x[i]))
        best, cut = sweep([(v, gains[i]) for v, i in known], slack, 0.0)
        gain, split = -math.inf, None
        if cut is not None:
            gain, split = best + max(missing, 0.0), ("axis", c, cut, missing > 0)
        alone = max(missing, total - missing)
        if len(known) < len(gains) and alone > gain + slack:
            gain, split = alone, ("missing", c, missing > total - missing)
        return gain, split

    def subset(self, c, gains):
        x = self.columns[c]
        sums, counts = {}, {}
        for i, g in gains.items():
            sums[x[i]] = sums.get(x[i], 0.0) + g
            counts[x[i]] = counts.get(x[i], 0) + 1
        common = [v for v in sorted(sums) if counts[v] >= self.min_value_rows]
        left = [v for v in common if sums[v] > 0]
        if not left or len(left) == len(common):
            return -math.inf, None
        heavy = [sum(counts[v] for v in common if (sums[v] > 0) == side) for side in (True, False)]
        others_left = heavy[0] >= heavy[1]
        sides = np.full(int(x.max()) + 1, others_left)
        for v in common:
            sides[v] = sums[v] > 0
        gain = sum(sums[v] for v in left)
        return gain + (sum(sums[v] for v in sorted(sums) if counts[v] < self.min_value_rows) if others_left else 0.0), (
            "subset",
            c,
            sides,
        )

    # ---- linear splits ----------------------------------------------------------------------------------------

    def linear(self, gains, price, worth, most, slack):
        """(worth, split) of the best split of two terms and more, if it is worth more than that."""
        rows = list(gains)
        usable = [c for c, x in enumerate(self.columns) if x.dtype.kind == "i" or self.varies(c)]
        if len(usable) < 2:
            return None
        g = np.array([gains[i] for i in rows])
        weight = abs(g) / (abs(g).sum() / len(g))
        right = (g < 0).astype(float)
        share = float(weight @ right) / len(g)
        slope, curve = weight * (right - share), weight * share * (1 - share)
        b, chosen, found, last, vain = np.array([math.log(share / (1 - share))]), [], None, -math.inf, 0
        z, unit = {}, {}
        while len(chosen) < self.terms and most - price * max(len(chosen) + 1, 2) > worth:
            best, top = None, 1e-8
            for c in usable:
                if c in chosen:
                    continue
                z[c], unit[c], values = self.term(c, rows, slope, curve)
                s = score(z[c], weight, slope, curve) - (values - 2)
                if s > top:
                    best, top = c, s
            if best is None:
                break
            chosen.append(best)
            x = np.column_stack([np.ones(len(g)), *(z[c] for c in chosen)])
            b, slope, curve = newton(x, weight, right, np.append(b, 0.0))
            if len(chosen) < 2:
                continue
            value, split = self.placed(chosen, b, unit, rows, gains, slack)
            value -= price * len(chosen)
            if value > worth + slack:
                worth, found = value, (value, split)
            if value > last + slack:
                last, vain = value, 0
            else:
                vain += 1
                if vain == VAIN:
                    break
        return found

    def varies(self, c):
        known = self.columns[c][~np.isnan(self.columns[c])]
        return len(known) > 0 and (known != 0).any()

    def scaled(self, c, rows):
        mean, spread = self.moments[c]
        z = (self.columns[c][rows] - mean) / spread
        return np.where(np.isnan(z), 0.0, z)

    def term(self, c, rows, slope, curve):
        """What a column is in the model, what multiplies its coefficient (if nominal, by code), and its values."""
        x = self.columns[c]
        if x.dtype.kind != "i":
            return self.scaled(c, rows), 1 / self.moments[c][1], 2
        codes, scores = x[rows], np.zeros(int(x.max()) + 1)
        common = [v for v in set(codes) if sum(codes == v) >= self.min_value_rows]
        for v in common if len(common) > 1 else ():
            scores[v] = slope[codes == v].sum() / (curve[codes == v].sum() + 2 * curve.mean())
        return scores[codes], scores, max(2, len(common))

    def placed(self, chosen, b, unit, rows, gains, slack):
        top = max(abs(b[t + 1]) * (1 if np.ndim(unit[c]) == 0 else abs(unit[c]).max()) for t, c in enumerate(chosen))
        order = sorted(range(len(chosen)), key=lambda t: chosen[t])
        columns = [chosen[t] for t in order]
        weights = [b[t + 1] / top * unit[chosen[t]] for t in order]
        along = sorted((self.along(columns, weights, i), i) for i in rows)
        gain, cut = sweep([(v, gains[i]) for v, i in along], slack, BLUR)
        return (-math.inf, None) if cut is None else (gain, ("linear", columns, weights, cut))


def sweep(pairs, slack, blur):
    """The largest sum of gains before a cut of (value, gain) in order, and the cut; of equals the widest gap."""
    total, best, cut, gap = 0.0, -math.inf, None, 0.0
    for at in range(len(pairs) - 1):
        total += pairs[at][1]
        low, high = pairs[at][0], pairs[at + 1][0]
        if not (high > low and high - low > blur * (abs(high) + abs(low))):
            continue
        if total > best + slack or (total > best - slack and high - low > gap):
            best, gap, cut = max(best, total), high - low, (low + high) / 2
            if not low <= cut < high:
                cut = low
    return best, cut
