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
    figure, axes = plt.subplots(4, 3, figsize=(9.6, 12), layout="constrained")
    for ax, split in zip(axes.flat, FAMILIES, strict=False):
        tree = bough.TreeClassifier(split=split, max_depth=4, min_samples_leaf=6, random_state=0).fit(X, y)
        bough.plot_regions(tree, X, (0, 1), y, ax=ax, resolution=160)
        ax.get_legend().remove()
        ax.set_title(f"{split}: {tree.get_n_leaves()} leaves, {tree.score(X, y):.2f}", fontsize=10)
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
    for ax in axes.flat[len(FAMILIES) :]:
        ax.set_axis_off()
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=70)
    (FOLDER / "gallery.png").write_bytes(drawn.getvalue())
    print(f"gallery.png: {drawn.tell():,} bytes")


if __name__ == "__main__":
    main()
