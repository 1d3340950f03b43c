"""Regression with slanted cuts

The target rises along a diagonal. An axis tree needs many steps to follow it; hyperplanes over two columns (`elc`,
exact by squared error) and least-squares directions (`lda`) follow it directly. All trees have eight leaves.
"""

import matplotlib.pyplot as plt
import numpy as np

import bough

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, size=(400, 2))
y = np.tanh(3 * (X[:, 0] + X[:, 1])) + 0.1 * rng.normal(size=400)
figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained")
for ax, split in zip(axes, ["axis", "lda", "elc"]):
    tree = bough.TreeRegressor(split=split, max_leaf_nodes=8, random_state=0).fit(X, y)
    bough.plot_regions(tree, X, y=y, ax=ax, resolution=160)
    ax.set_title(f"{split}: R² {tree.score(X, y):.2f}", fontsize=10)
    ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
