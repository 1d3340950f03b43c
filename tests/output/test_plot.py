"""Pictures: nothing lies over anything else, every kind of node is drawn, bad words are named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bough

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def mixed(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a long name of a column": rng.normal(size=n), "b": rng.normal(size=n)})
    X["colour $x$"] = rng.choice(["red", "green", "blue"], n)
    X.loc[::9, "b"] = np.nan
    y = np.where(X["a long name of a column"] + (X["colour $x$"] == "red") > 0.5, "yes", "no")
    return X, np.where(rng.random(n) < 0.25, "perhaps", y)


TREES = {
    "axis": lambda: bough.TreeClassifier(max_depth=4).fit(*mixed()),
    "multiway": lambda: bough.TreeClassifier(nominal="multiway", max_depth=4).fit(*mixed()),
    "linear": lambda: bough.TreeClassifier(split="lda", max_depth=4).fit(*mixed()),
    "numbers": lambda: bough.TreeRegressor(max_depth=4).fit(mixed()[0], mixed()[0]["a long name of a column"]),
    "one leaf": lambda: bough.TreeClassifier().fit([[0.0], [1.0]], [1, 1]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("own_axes", [False, True])
def test_no_card_and_no_text_lies_over_another(name, own_axes):
    tree = TREES[name]()
    ax = tree.plot(plt.subplots(figsize=(9, 7))[1]) if own_axes else tree.plot()
    ax.figure.canvas.draw()
    from matplotlib.patches import FancyBboxPatch

    cards = [p.get_window_extent() for p in ax.patches if isinstance(p, FancyBboxPatch)]
    assert len(cards) == tree.model_.n_nodes
    texts = [t.get_window_extent() for t in ax.texts]
    for boxes in (cards, texts):
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                over = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
                assert min(over) < 2.0, (name, a, b)


def test_a_figure_of_its_own_has_a_legend_and_cuts_no_text():
    for name in ("axis", "numbers"):
        tree = TREES[name]()
        texts = [t.get_text() for t in tree.plot().texts]
        assert not any("…" in t for t in texts), texts
        sizes = {t.get_fontsize() for t in tree.plot().texts if t.get_weight() == "bold"}
        assert min(sizes) >= 8
        if name == "axis":
            assert {"yes", "no", "perhaps"} <= set(texts)
        else:
            assert any(t.startswith("mean ") for t in texts)
    linear = " ".join(t.get_text() for t in TREES["linear"]().plot().texts)
    assert "·b" in linear or "·a long" in linear  # weights


def test_a_plane_of_numbers_has_a_colour_bar_and_y_comes_third():
    X, _ = mixed()
    numbers = X[["a long name of a column"]].assign(c=np.arange(len(X)) % 7)
    tree = bough.TreeRegressor(max_depth=3).fit(numbers, numbers.c * 2.0)
    ax = bough.plot_regions(tree, numbers, numbers.c * 2.0, resolution=20)
    assert len(ax.figure.axes) == 2
    assert ax.figure.axes[1].get_ylabel() == "prediction"
    assert len(ax.collections) == 2


def test_max_depth_shows_fewer_cards_and_counts_the_rest():
    tree = TREES["axis"]()
    ax = tree.plot(max_depth=1)
    told = " ".join(t.get_text() for t in ax.texts)
    assert len(ax.texts) < 15
    hidden = [tree.model_.nodes().sizes[i] - 1 for i in tree.model_.nodes()[0].children]
    assert all(f"(+{n})" in told for n in hidden if n)


def test_a_plane_has_the_colour_of_the_answer_and_the_names_of_its_columns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + X[:, 2] > 0).astype(int)
    tree = bough.TreeClassifier(split="lda", max_depth=1).fit(X, y)
    ax = bough.plot_regions(tree, X, y, (0, 2), resolution=50)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x2")
    codes = np.asarray(ax.collections[0].get_array()).reshape(50, 50)
    assert codes[0, 0] == 0
    assert codes[-1, -1] == 1
    assert codes[5].sum() < codes[25].sum() < codes[45].sum()  # the border is not along an axis


def test_a_plane_of_a_table_with_text_keeps_the_commonest_value():
    X, y = mixed()
    tree = TREES["axis"]()
    ax = bough.plot_regions(tree, X, y, ("a long name of a column", "b"))
    assert ax.get_legend() is not None


def test_pruning_is_drawn_from_the_path():
    X, y = mixed()
    ax = bough.plot_pruning(TREES["axis"](), X, y)
    leaves, errors = ax.lines[0].get_data()
    assert list(leaves) == sorted(leaves)
    assert errors[0] >= errors[-1]


def test_a_picture_of_very_many_nodes_is_refused_with_the_way_out(monkeypatch):
    from bough.output import plot

    tree = bough.TreeClassifier().fit([[float(i)] for i in range(20)], [i % 2 for i in range(20)])
    monkeypatch.setattr(plot, "MOST_CARDS", 38)
    with pytest.raises(bough.ParameterError, match="39 nodes, and 38 are drawn at most; set max_depth"):
        tree.plot()
    assert tree.plot(max_depth=3)


def test_wrong_words_are_named():
    tree, (X, _) = TREES["axis"](), mixed()
    for call, words in (
        (lambda: tree.plot(max_depth=-1), "-1"),
        (lambda: bough.plot_regions(tree, X, columns=("b", "nothing")), "'nothing'"),
        (lambda: bough.plot_regions(tree, X, columns=("b", "colour $x$")), "two different numeric columns"),
        (lambda: bough.plot_regions(tree, X, resolution=1), "resolution"),
        (lambda: bough.plot_regions("tree", X), "'tree'"),
        (lambda: bough.plot_pruning(tree), "give X and y"),
        (lambda: tree.plot(ax=5), "ax is 5; it must be the Axes"),
        (lambda: bough.plot_regions(tree, X, y=["u", "v"]), r"y has the shape \(2,\)"),
    ):
        with pytest.raises(bough.BoughError, match=words):
            call()


def test_a_notebook_shows_the_box_and_the_tree():
    tree = TREES["axis"]()
    page = tree._repr_html_()
    assert "TreeClassifier" in page
    assert "line-height:1.25" in page
    assert "line-height:1.25" in tree._repr_mimebundle_()["text/html"]
    assert "a long name of a column" in tree.model_._repr_html_()
    assert "line-height:1.25" not in bough.TreeClassifier()._repr_html_()
    hostile = bough.TreeClassifier().fit(pd.DataFrame({"<script>alert(1)</script>": [0.0, 1.0]}), [0, 1])
    assert "<script>alert" not in hostile.model_._repr_html_()


def test_classes_that_are_numbers_read_as_classes():
    tree = bough.TreeClassifier().fit([[0.0], [1.0]], [0, 1])
    assert "class 1: 100 %" in [t.get_text() for t in tree.plot().texts]
