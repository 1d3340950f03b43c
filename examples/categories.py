"""Hundreds of categories

A column of 200 towns, each with its own default rate. One-hot codes allow only "this town or not"; a partition
divides all towns into two groups at once. For two classes it is the best of all 2^199 partitions. As trees grow,
partitions reach a good accuracy with a handful of leaves.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

import bough

rng = np.random.default_rng(0)
rate = rng.beta(0.6, 0.6, 200)
town = rng.integers(0, 200, 8000)
y = rng.random(8000) < rate[town]
X = pd.DataFrame({"town": [f"town {i:03}" for i in town], "age": rng.integers(18, 80, 8000)})
dummies = pd.get_dummies(X, dtype=float)

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
leaves = [2, 4, 8, 16, 32, 64]
for name, table in {"partition of the towns": X, "one-hot codes": dummies}.items():
    X_train, X_test, y_train, y_test = train_test_split(table, y, random_state=0)
    scores = [bough.TreeClassifier(max_leaf_nodes=n).fit(X_train, y_train).score(X_test, y_test) for n in leaves]
    ax.plot(leaves, scores, "o-", label=name)
ax.set(xscale="log", xticks=leaves, xticklabels=leaves, xlabel="leaves", ylabel="accuracy on test rows")
ax.minorticks_off()
ax.legend()
