"""The pictures of docs/gallery.md: every numeric family on the same rows of a plane, with the leaves it needs."""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import bough
from bough.registry import plugins

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
FAMILIES = [name for name in plugins()["split"] if name != "directions"]  # which needs a function

BEYOND = {
    "cart": bough.TreeClassifier(max_depth=4, min_samples_leaf=6),
    "lda by twoing": bough.TreeClassifier(split="lda", criterion="twoing", max_depth=4, min_samples_leaf=6),
    "tao": bough.system("tao", max_depth=4, min_samples_leaf=6),
    "sparse-oblique": bough.system("sparse-oblique", max_depth=4, min_samples_leaf=6),
    "lookahead": bough.system("lookahead", max_depth=4, min_samples_leaf=6),
    "optimal, depth 3": bough.system("optimal", max_depth=3, min_samples_leaf=6),
}


def plane(n: int = 360, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Three classes: two beside a slanted border, one in a corner of its own."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 2))
    y = np.where(X[:, 1] > 0.9 * X[:, 0] + 0.1, 0, 1)
    y[(X[:, 0] > 0.25) & (X[:, 1] < -0.3)] = 2
    noise = rng.random(n) < 0.03
    y[noise] = rng.integers(0, 3, noise.sum())
    return X, y


def main() -> None:
    X, y = plane()
    trees = {
        split: bough.TreeClassifier(split=split, max_depth=4, min_samples_leaf=6, random_state=0) for split in FAMILIES
    }
    draw("gallery.png", trees, X, y, 4)
    draw("beyond_greedy.png", BEYOND, X, y, 2)


def draw(name: str, trees: dict[str, bough.TreeClassifier], X: np.ndarray, y: np.ndarray, n_rows: int) -> None:
    """Regions of each tree, with its leaves and its accuracy on these rows."""
    figure, axes = plt.subplots(n_rows, 3, figsize=(9.6, 3 * n_rows), layout="constrained")
    for ax, (label, tree) in zip(axes.flat, trees.items(), strict=False):
        tree.fit(X, y)
        bough.plot_regions(tree, X, (0, 1), y, ax=ax, resolution=160)
        ax.get_legend().remove()
        ax.set_title(f"{label}: {tree.get_n_leaves()} leaves, {tree.score(X, y):.2f}", fontsize=10)
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
    for ax in axes.flat[len(trees) :]:
        ax.set_axis_off()
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=70)
    (FOLDER / name).write_bytes(drawn.getvalue())
    print(f"{name}: {drawn.tell():,} bytes")


if __name__ == "__main__":
    main()
