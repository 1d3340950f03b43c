"""Trees in DOT: valid for graphviz whatever things are called, and drawn node for node."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from bough import ParameterError, TreeClassifier, TreeRegressor
from bough.errors import printable
from bough.output.words import value_text
from support.command import run
from support.hostile import NAMES
from support.models import linear_model, mixed_table


def drawn(dot):
    """The texts of every node and edge, as graphviz draws them."""
    if shutil.which("dot") is None:
        pytest.skip("graphviz is not installed")
    done = subprocess.run(["dot", "-Tsvg"], input=dot.encode(), capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    groups = ET.fromstring(done.stdout).iter("{http://www.w3.org/2000/svg}g")
    found = {"node": [], "edge": []}
    for g in groups:
        if g.get("class") in found:
            found[g.get("class")].append("".join(t.text or "" for t in g.iter("{http://www.w3.org/2000/svg}text")))
    return found


def squeezed(text):
    return re.sub(r"\s", "", text)


def models():
    table, y = mixed_table()
    return {
        "classes": TreeClassifier().fit(table, y).model_,
        "multiway": TreeClassifier(nominal="multiway").fit(table, y).model_,
        "numbers": TreeRegressor().fit(table, y * 1.5).model_,
        "linear": linear_model(),
        "leaf": TreeClassifier().fit([[1.0], [2.0]], [0, 0]).model_,
    }


@pytest.mark.parametrize(("name", "model"), models().items(), ids=lambda m: m if isinstance(m, str) else "")
def test_graphviz_draws_every_node_and_every_branch(name, model):
    found = drawn(model.to_dot())
    assert len(found["node"]) == model.n_nodes, name
    assert len(found["edge"]) == model.n_nodes - 1
    told = sum("row" in text for text in found["node"])
    assert told == model.n_nodes


def test_names_values_and_classes_are_drawn_letter_by_letter_whatever_they_are():
    names = [n for n in NAMES if n.strip()]
    y = np.array([f'{n}"\\N\\l&amp;' for n in names])
    table = pd.DataFrame({f'{n}\\n"': np.arange(len(names)) == i for i, n in enumerate(names)})
    tree = TreeClassifier().fit(table, y)
    found = drawn(tree.to_dot())
    shown = squeezed(" ".join(found["node"]))
    for c in tree.classes_:
        assert squeezed(printable(c)) in shown
    for node in tree.model_.nodes():
        if node.split is not None:
            assert squeezed(printable(node.split.name)) in shown
    values = pd.DataFrame({"v": [n for n in names for _ in range(3)]})
    many = TreeClassifier(nominal="multiway", selector_params={"min_ratio": 0}).fit(values, np.repeat(y, 3))
    edges = {squeezed(e) for e in drawn(many.to_dot())["edge"]}
    assert edges == {squeezed(value_text(n)) for n in names}


def test_deeper_levels_are_summed_up():
    X, y = load_iris(return_X_y=True)
    tree = TreeClassifier().fit(X, y)
    found = drawn(tree.to_dot(max_depth=1))
    assert len(found["node"]) == 3
    assert any("14 more nodes" in text for text in found["node"])
    with pytest.raises(ParameterError, match="max_depth is -1"):
        tree.to_dot(max_depth=-1)


def test_the_command_prints_what_graphviz_takes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("fit", "iris", "--quiet")[0] == 0
    code, out, _ = run("show", "iris.bough", "--dot", "--max-depth", 2)
    assert code == 0
    assert len(drawn(out)["node"]) == 5


def test_a_deep_tree_is_written_without_recursion():
    n = 3000
    tree = TreeClassifier().fit(np.arange(n).reshape(-1, 1), np.arange(n) % 2)
    assert tree.to_dot().count(" -> ") == tree.model_.n_nodes - 1
