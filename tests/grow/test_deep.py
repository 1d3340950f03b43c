"""Chains 100,000 nodes deep, on a stack of 256 KB: nothing may recurse over a tree."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import bough
from bough import Model, TreeClassifier

DEPTH = 100_000


def in_a_small_stack(work):
    """Runs ``work`` in a thread with 256 KB of stack and returns what it returns."""
    out = []
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=lambda: out.append(work()))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert out, "the thread died"
    return out[0]


@pytest.mark.slow
def test_a_chain_fits_predicts_prints_saves_loads_and_prunes(tmp_path):
    x = np.arange(DEPTH + 1.0).reshape(-1, 1)
    y = np.arange(DEPTH + 1) % 2

    def work():
        tree = TreeClassifier().fit(x, y)
        assert tree.get_depth() == DEPTH
        assert (tree.predict(x[-50:]) == y[-50:]).all()
        assert tree.show(max_nodes=None).count("\n") == 2 * DEPTH
        assert tree.show().count("\n") <= 60
        assert "more nodes" in tree.show(max_depth=3)
        assert sum(1 for _ in tree.rules()) == DEPTH + 1
        assert len(tree.why([DEPTH / 2]).splitlines()) > 1000
        tree.save(tmp_path / "chain.bough")
        model = bough.load(tmp_path / "chain.bough")
        assert (model.predict(x[::1000]) == y[::1000]).all()
        assert tree.decision_path(x[:2]).shape == (2, 2 * DEPTH + 1)
        pruned = model.tree.prune("cost_complexity", {"alpha": 1e-3}, "gini")
        assert pruned.n_leaves == 1
        alphas, risks = model.tree.pruning_path("gini")
        assert (np.diff(alphas) >= 0).all()
        assert len(alphas) == len(risks)
        assert model.tree.prune("collapse", {}, "gini").n_leaves == DEPTH + 1
        assert tree.feature_importances_.tolist() == [1.0]
        assert Model.from_bytes(model.to_bytes()) == model
        return True

    assert in_a_small_stack(work)
