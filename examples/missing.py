"""Three ways to handle missing values

A growing share of cells is deleted at random. `either` tries both sides for the missing values of a node, `shared`
sends a row to both sides in proportion (C4.5), and `surrogate` lets similar columns decide (CART). If values are
missing at random, as here, sharing rows holds up best; if a missing value is itself informative, `either` can use
that.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score

import bough

X, y = load_breast_cancer(return_X_y=True)
shares = [0, 0.1, 0.2, 0.3, 0.4, 0.5]
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for missing in ["either", "shared", "surrogate"]:
    scores = []
    for share in shares:
        holes = X.copy()
        holes[np.random.default_rng(0).random(X.shape) < share] = np.nan
        tree = bough.TreeClassifier(missing=missing, min_samples_leaf=5)
        scores.append(cross_val_score(tree, holes, y, cv=5).mean())
    ax.plot(shares, scores, "o-", label=missing)
ax.set(xlabel="share of missing cells", ylabel="accuracy, 5-fold cross-validation")
ax.legend()
