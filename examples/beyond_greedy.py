"""Greedy, refined and optimal trees

The same plane, with at most four levels. A greedy tree chooses each split as if it were the last. `tao` and
`sparse-oblique` re-solve every node with the rest of the tree fixed, `lookahead` looks a few levels ahead, and
`optimal` finds the tree of three levels that makes the fewest errors, with a proof.
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

trees = {
    "cart, greedy": bough.TreeClassifier(max_depth=4, min_samples_leaf=6),
    "lda by twoing": bough.TreeClassifier(split="lda", criterion="twoing", max_depth=4, min_samples_leaf=6),
    "tao": bough.system("tao", max_depth=4, min_samples_leaf=6),
    "sparse-oblique": bough.system("sparse-oblique", max_depth=4, min_samples_leaf=6),
    "lookahead": bough.system("lookahead", max_depth=4, min_samples_leaf=6),
    "optimal, depth 3": bough.system("optimal", max_depth=3, min_samples_leaf=6),
}
figure, axes = plt.subplots(2, 3, figsize=(9, 6), layout="constrained")
for ax, (name, tree) in zip(axes.flat, trees.items()):
    tree.fit(X, y)
    bough.plot_regions(tree, X, y=y, ax=ax, resolution=160)
    ax.get_legend().remove()
    ax.set_title(f"{name}: {tree.get_n_leaves()} leaves, {tree.score(X, y):.2f}", fontsize=10)
    ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
