"""Every kernel set gives the same files: portable loops, AVX2, AVX-512."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier

from bough import ForestClassifier, TreeClassifier, _core
from support.combinations import legal_combinations, mixed_rows

NAMES = _core.kernel_names()
several = pytest.mark.skipif(len(NAMES) == 1, reason="this machine has one kernel set only")


@pytest.fixture(autouse=True)
def _best_kernels_again():
    yield
    _core.use_kernels(NAMES[-1])


def by_kernels(fit):
    files = set()
    for name in NAMES:
        _core.use_kernels(name)
        files.add(fit().model_.to_bytes())
    return files


@several
@pytest.mark.parametrize("few", [False, True], ids=["numbers", "ties"])
@pytest.mark.parametrize(
    "estimator",
    list(legal_combinations(max_depth=4, random_state=0)),
    ids=lambda e: f"{e.criterion}-{e.split}-{e.nominal}",
)
def test_every_kernel_set_gives_the_same_file(estimator, few):
    X, y, w = mixed_rows(1, 150, few=few)
    assert len(by_kernels(lambda: estimator.fit(X, y))) == 1
    assert len(by_kernels(lambda: estimator.fit(X, y, w))) == 1


@several
@pytest.mark.parametrize("r", [2, 3])
def test_boosted_hyperplanes_are_the_same_with_every_kernel_set(r):
    """Weights of boosting: rows that one loop counts as open and another keeps must be the same rows."""
    for seed in range(3):
        X, y = make_classification(120 if r == 2 else 60, 4, n_informative=3, n_redundant=1, random_state=seed)
        tree = TreeClassifier(split="elc", split_params={"r": r}, max_depth=2)
        found = set()
        for name in NAMES:
            _core.use_kernels(name)
            boosted = AdaBoostClassifier(tree, n_estimators=5, random_state=0).fit(X, y)
            found.add(b"".join(t.model_.to_bytes() for t in boosted.estimators_))
        assert len(found) == 1


@several
def test_hyperplanes_over_weighted_grids_are_the_same_with_every_kernel_set():
    rng = np.random.default_rng(60)  # a table on which contracted products made another tree
    rng.integers(60, 260)
    X, y = rng.integers(0, 8, (60, 3)) / 7, rng.integers(0, 2, 60)
    w = np.exp(rng.normal(size=60) * 2)
    tree = TreeClassifier(split="elc", split_params={"r": 3}, max_depth=2)
    assert len(by_kernels(lambda: tree.fit(X, y, w))) == 1


@several
@pytest.mark.parametrize("n_classes", [3, 10, 16, 17, 40])
def test_blocks_of_classes_are_counted_alike_by_every_kernel_set(n_classes):
    """Long lists: runs of one class fill its count, noise fills them all; sixteen classes are the most in a word."""
    rng = np.random.default_rng(n_classes)
    X = np.column_stack([rng.normal(size=3000), rng.normal(size=3000).round(1), rng.random((3000, 4)) < 0.2])
    y = np.clip((X[:, 0] + 3) / 6 * n_classes, 0, n_classes - 1).astype(int)
    noisy = np.where(rng.random(3000) < 0.3, rng.integers(0, n_classes, 3000), y)
    for target in (y, noisy):
        assert len(by_kernels(lambda target=target: TreeClassifier().fit(X, target))) == 1
        assert len(by_kernels(lambda target=target: ForestClassifier(3, random_state=0).fit(X, target))) == 1


@pytest.mark.parametrize("name", [*NAMES, "sse9"])
def test_the_environment_chooses_the_kernels(name):
    run = subprocess.run(
        [sys.executable, "-c", "import support.core; from bough import _core; print(_core.kernels_in_use())"],
        env={**os.environ, "BOUGH_KERNELS": name},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    assert "no kernels called 'sse9'; it has portable" in run.stderr if name == "sse9" else run.stdout.strip() == name


def test_kernels_can_be_named_only_where_they_run():
    with pytest.raises(ValueError, match="no kernels called 'avx9'"):
        _core.use_kernels("avx9")
    assert NAMES[0] == "portable"
    assert np.unique(NAMES).size == len(NAMES)
