"""Every kind of numeric split on one plane

Two classes lie on either side of a slanted border, a third in a corner, with 3 % noise. All trees have at most four
levels and at least six rows per leaf. An axis tree approximates the border by stairs. Linear splits cut it once:
`lda`, `hhcart_a`, `oc1` and `elc` look for the direction that separates the classes, while `pca` and `node_pca` use
the directions of largest variance, which need not be the same.
"""

import matplotlib.pyplot as plt
import numpy as np

import bough

rng = np.random.default_rng(1)
X = rng.uniform(-1, 1, size=(360, 2))
y = np.where(X[:, 1] > 0.9 * X[:, 0] + 0.1, 0, 1)
y[(X[:, 0] > 0.25) & (X[:, 1] < -0.3)] = 2
noise = rng.random(360) < 0.03
y[noise] = rng.integers(0, 3, noise.sum())

splits = ["axis", "random", "pca", "node_pca", "node_means_pca", "lda", "hhcart_a", "hhcart_d", "cart_lc", "oc1", "elc"]
figure, axes = plt.subplots(4, 3, figsize=(9, 11), layout="constrained")
for ax, split in zip(axes.flat, splits):
    tree = bough.TreeClassifier(split=split, max_depth=4, min_samples_leaf=6, random_state=0).fit(X, y)
    bough.plot_regions(tree, X, y=y, ax=ax, resolution=160)
    ax.get_legend().remove()
    ax.set_title(f"{split}: {tree.get_n_leaves()} leaves, {tree.score(X, y):.2f}", fontsize=10)
    ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
axes.flat[-1].set_axis_off()
