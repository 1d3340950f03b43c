"""The eigenproblem of thousands of columns is one call of LAPACK that takes seconds: Ctrl-C is heard meanwhile."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from bough import TreeClassifier
from support.interrupt import LIMIT, interrupted

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(1800, 1800)), rng.integers(0, 3, 1800)

LEAVES = """
import os, signal, threading
import numpy as np
from bough import TreeClassifier
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.normal(size=(1500, 1500)), rng.integers(0, 3, 1500)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    TreeClassifier(split="node_pca", max_depth=1).fit(X, y)
except KeyboardInterrupt:
    pass
print("left")
"""


@pytest.mark.parametrize("split", ["pca", "lda"])
def test_ctrl_c_is_heard_while_a_wide_eigenproblem_is_solved(split):
    waited = interrupted(lambda: TreeClassifier(split=split, max_depth=1).fit(X, Y), 0.8)
    assert waited is None or waited < LIMIT


def test_a_process_that_leaves_an_eigenproblem_ends_in_peace():
    run = subprocess.run([sys.executable, "-c", LEAVES], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stdout, run.stderr) == (0, "left\n", "")


def test_the_interrupted_fit_gives_its_tree_when_it_is_made_again():
    small = X[:500, :400]
    trees = [TreeClassifier(split="node_pca", max_depth=2).fit(small, Y[:500]) for _ in range(2)]
    assert trees[0].model_.to_bytes() == trees[1].model_.to_bytes()
