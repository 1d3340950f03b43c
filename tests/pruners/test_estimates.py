"""What every pruner promises of its own estimate: the tree that it leaves is not worse by it, and, where the definition
says so, pruning again changes nothing. Tables have numbers, nominal values, gaps and weights; splits of every kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bough import TreeClassifier, TreeRegressor
from support.oracle.j48 import J48, Options

KINDS = {
    "axis": {},
    "multiway": {"nominal": "multiway", "criterion": "gain_ratio"},
    "linear": {"split": "node_pca"},
    "shared": {"missing": "shared", "nominal": "multiway"},
    "surrogate": {"missing": "surrogate"},
}
SEEDS = range(8)


def table(seed, n=140):
    """Three classes, of which the columns tell something; every other table has weights."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = pd.DataFrame(
        {
            "x": np.where(rng.random(n) < 0.1, np.nan, np.round(y + rng.normal(size=n) * 1.5, 1)),
            "a": np.array(list("pqrst"))[(y + rng.integers(0, 3, n)) % 5],
            "z": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "b": np.where(rng.random(n) < 0.1, None, np.where(rng.random(n) < 0.4, y > 1, y > 0).astype(str)),
        }
    )
    return X, y, rng.integers(1, 5, n) / 2 if seed % 2 else None


class Grown:
    """A fitted tree as arrays: class weights of the nodes, and their children."""

    def __init__(self, tree):
        nodes = tree.model_.nodes()
        self.weights = nodes.weights
        self.children = [nodes.tree.children(i) for i in range(len(nodes))]
        self.leaves = [i for i, c in enumerate(self.children) if not c]
        self.size = self.weights.sum(axis=1)
        self.errors = self.size - self.weights.max(axis=1)

    def below(self, i):
        """The leaves below a node."""
        found, stack = [], [i]
        while stack:
            here = stack.pop()
            stack += self.children[here]
            if not self.children[here]:
                found.append(here)
        return found

    def cut(self, full):
        """Pairs of a leaf of this tree and the node of the full one that it was, where that had children."""
        pairs, stack = [], [(0, 0)]
        while stack:
            a, b = stack.pop()
            if not self.children[a] and full.children[b]:
                pairs.append((a, b))
            stack += zip(self.children[a], full.children[b], strict=True) if self.children[a] else []
        return pairs


def expected_error(grown, m=2.0):
    """The m-estimate of the whole tree: errors of its leaves by their shares of the weight."""
    root = grown.weights[0] / grown.size[0]
    at = 1 - ((grown.weights + m * root) / (grown.size + m)[:, None]).max(axis=1)
    return float(at[grown.leaves] @ grown.size[grown.leaves])


def upper_errors_of(grown, nodes):
    """C4.5's estimate of the errors of nodes as leaves, together."""
    work = J48.__new__(J48)
    work.options = Options()
    return sum(work.estimate(grown.weights[i].tolist()) for i in nodes)


def fitted(kind, seed, **params):
    X, y, w = table(seed)
    return TreeClassifier(**KINDS[kind], **params).fit(X, y, w)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
class TestNotWorse:
    def test_training_errors_do_not_grow(self, kind, seed):
        full, small = Grown(fitted(kind, seed)), Grown(fitted(kind, seed, prune="training_errors"))
        assert len(small.leaves) <= len(full.leaves)
        slack = 1e-3 * (len(full.leaves) - len(small.leaves)) + 1e-9
        assert small.errors[small.leaves].sum() <= full.errors[full.leaves].sum() + slack

    def test_collapse_changes_no_answer(self, kind, seed):
        X, *_ = table(seed)
        full, small = fitted(kind, seed), fitted(kind, seed, prune="collapse")
        assert small.get_n_leaves() <= full.get_n_leaves()
        if kind != "shared":  # there the shares of leaves mix
            assert (small.predict(X) == full.predict(X)).all()

    def test_a_pessimistic_leaf_is_within_one_deviation_of_its_subtree(self, kind, seed):
        full, small = Grown(fitted(kind, seed)), Grown(fitted(kind, seed, prune="pessimistic"))
        pairs = small.cut(full)
        assert pairs
        for _, node in pairs:
            leaves = full.below(node)
            below = full.errors[leaves].sum() + len(leaves) / 2
            deviation = np.sqrt(max(0.0, below * (full.size[node] - below) / full.size[node]))
            assert full.errors[node] + 0.5 <= below + deviation + 1e-9

    def test_the_expected_error_does_not_grow(self, kind, seed):
        full, small = Grown(fitted(kind, seed)), Grown(fitted(kind, seed, prune="minimum_error"))
        assert expected_error(small) <= expected_error(full) + 1e-9

    @pytest.mark.parametrize("raising", [True, False])
    def test_the_upper_limit_of_errors_grows_by_no_more_than_its_slack(self, kind, seed, raising):
        how = {"prune": "error_based", "prune_params": {"raising": raising}}
        full, small = Grown(fitted(kind, seed)), Grown(fitted(kind, seed, **how))
        gone = sum(map(bool, full.children)) - sum(map(bool, small.children))
        assert gone >= 0
        assert upper_errors_of(small, small.leaves) <= upper_errors_of(full, full.leaves) + (0.1 + 1e-6) * gone + 1e-9

    @pytest.mark.parametrize("alpha", [0.002, 0.01, 0.05])
    def test_impurity_and_the_price_of_leaves_do_not_grow(self, kind, seed, alpha):
        full, small = fitted(kind, seed), fitted(kind, seed, ccp_alpha=alpha)

        def cost(tree):
            grown, nodes = Grown(tree), tree.model_.nodes()
            share = grown.size[grown.leaves] / grown.size[0]
            return float(nodes.impurities[grown.leaves] @ share) + alpha * len(grown.leaves)

        assert cost(small) <= cost(full) + 1e-9

    def test_the_chosen_subtree_is_the_best_for_its_price(self, kind, seed):
        how = {"prune": "cost_complexity_cv", "prune_params": {"folds": 4, "rule": "minimum"}, "random_state": seed}
        full, small = Grown(fitted(kind, seed)), fitted(kind, seed, **how)
        chosen = Grown(small)
        rows = small.pruning_table_
        row = rows["leaves"].tolist().index(len(chosen.leaves))
        error = chosen.errors[chosen.leaves].sum() / chosen.size[0]
        assert error == pytest.approx(rows["error"][row], abs=1e-9)
        price = rows["alpha"][row]
        every = full.errors[full.leaves].sum() / full.size[0]
        assert error + price * len(chosen.leaves) <= every + price * len(full.leaves) + 1e-9

    def test_errors_on_the_rows_kept_apart_do_not_grow(self, kind, seed):
        X, y, w = table(seed)
        apart = np.random.default_rng(seed).random(len(y)) < 0.35
        how = {"prune": "reduced_error", "prune_params": {"rows": apart}}
        small = TreeClassifier(**KINDS[kind], **how).fit(X, y, w)
        full = TreeClassifier(**KINDS[kind]).fit(X[~apart], y[~apart], None if w is None else w[~apart])
        weight = np.ones(len(y)) if w is None else w
        if kind == "shared":  # errors are counted by parts of rows
            return
        wrong = [float(weight[apart] @ (t.predict(X[apart]) != y[apart])) for t in (small, full)]
        assert wrong[0] <= wrong[1] + 1e-9


ONCE = {"collapse": {}, "training_errors": {}, "minimum_error": {"m": 2.0}, "cost_complexity": {"alpha": 0.01}}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pruner", ONCE)
def test_pruning_again_changes_nothing(kind, pruner):
    cut = 0
    for seed in SEEDS:
        once = fitted(kind, seed, prune=pruner, prune_params=ONCE[pruner] or None)
        cut += once.get_n_leaves() < fitted(kind, seed).get_n_leaves()
        criterion = KINDS[kind].get("criterion", "gini")
        again = once.model_.tree.prune(pruner, ONCE[pruner], criterion).parts()
        for name, part in once.model_.tree.parts().items():
            assert np.array_equal(part, again[name], equal_nan=True), (name, seed)
    assert cut > 0


@pytest.mark.parametrize("kind", KINDS)
def test_error_based_leaves_no_node_that_it_would_cut(kind):
    """It looks at rows, so that a tree alone cannot be pruned again: no node may be left that asks for it."""
    for seed in SEEDS:
        tree = Grown(fitted(kind, seed, prune="error_based", prune_params={"raising": False}))
        at = [upper_errors_of(tree, [i]) for i in range(len(tree.size))]
        for i, children in enumerate(tree.children):
            if children:
                assert at[i] > upper_errors_of(tree, tree.below(i)) + 0.1, (seed, i)


@pytest.mark.parametrize("seed", SEEDS)
def test_squares_and_the_price_of_leaves_do_not_grow(seed):
    X, y, w = table(seed)
    z = y + np.random.default_rng(seed).normal(size=len(y))
    full = TreeRegressor(missing="surrogate").fit(X, z, w)
    for alpha in (0.005, 0.05):
        small = TreeRegressor(missing="surrogate", ccp_alpha=alpha).fit(X, z, w)

        def cost(tree, price):
            grown, nodes = Grown(tree), tree.model_.nodes()
            share = nodes.weights[grown.leaves, 0] / nodes.weights[0, 0]
            return float(nodes.variances[grown.leaves] @ share) + price * len(grown.leaves)

        assert cost(small, alpha) <= cost(full, alpha) + 1e-9
