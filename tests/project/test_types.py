"""Code of users passes ``mypy --strict``: what is public has types that say what comes back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import bough
from bough.estimators.systems import SYSTEMS, Forests

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import numpy as np

import bough
from bough import ForestClassifier, Model, TreeClassifier, TreeRegressor, load

X = np.zeros((4, 2))
tree = TreeClassifier(max_depth=2).fit(X, ["a", "b", "a", "b"])
reveal_type(tree)
print(tree.show().upper())
reveal_type(TreeRegressor().fit(X, [1.0, 2.0, 3.0, 4.0]))
reveal_type(ForestClassifier(n_estimators=3).fit(X, [0, 1, 0, 1]))
reveal_type(bough.system("cart"))
reveal_type(bough.system("c4.5", max_depth=3).fit(X, [0, 1, 0, 1]))
reveal_type(bough.system("random-forest"))
reveal_type(bough.system("cart", task="regression"))
tree.save("t.bough", metadata={"author": "me"})
model: Model = load("t.bough")
print(model.user_metadata["author"], model.predict(X).shape, model.to_sql("t"))
for rule in tree.rules():
    print(rule.prediction, rule.rows + 1)
"""
REVEALED = [
    "TreeClassifier", "TreeRegressor", "ForestClassifier", "TreeClassifier", "TreeClassifier", "ForestClassifier",
    "TreeRegressor",
]  # fmt: skip


@pytest.mark.slow
def test_code_of_a_user_passes_mypy_strict_and_fit_gives_the_estimator_back(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", "", str(tmp_path / "program.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"MYPYPATH": str(ROOT / "src"), "PATH": "", "MYPY_FORCE_COLOR": "0"},
    )
    own = [x for x in done.stdout.splitlines() if x.startswith("program.py")]
    assert not [x for x in own if ": error:" in x], done.stdout
    notes = [x.rsplit(".", 1)[-1].rstrip('"') for x in own if "Revealed type" in x]
    assert notes == REVEALED


def test_the_forests_that_type_checkers_know_are_those_of_the_registry():
    assert set(get_args(Forests)) == {n for n, s in SYSTEMS.items() if s.forest}
    assert isinstance(bough.system("extra-trees"), bough.ForestClassifier)
