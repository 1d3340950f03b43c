"""Fewer errors than greed can find

At the same depth, `refine="optimal"` finds the tree with the fewest training errors and proves it; `lookahead` comes
close in milliseconds. The bars show the share of errors at depth 3. Fewer training errors do not guarantee fewer test
errors: on small tables, let cross-validation choose the depth or the price of a leaf.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

import bough

X, y = load_wine(return_X_y=True)
X = X[:, [0, 1, 2, 3, 4]]  # the five columns that a winemaker measures first
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
trees = {
    "greedy": bough.TreeClassifier(max_depth=3),
    "lookahead": bough.system("lookahead", max_depth=3),
    "optimal": bough.system("optimal", max_depth=3),
}
for tree in trees.values():
    tree.fit(X_train, y_train)
errors = 1 - np.array([[tree.score(X_train, y_train), tree.score(X_test, y_test)] for tree in trees.values()])
figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
place = np.arange(3)
ax.bar(place - 0.2, errors[:, 0], 0.4, label="training")
ax.bar(place + 0.2, errors[:, 1], 0.4, label="test")
ax.set_xticks(place, list(trees))
ax.set_ylabel("share of errors")
ax.legend()
