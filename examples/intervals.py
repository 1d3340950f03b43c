"""Intervals with a guarantee

`calibrated` turns any tree into one whose intervals contain the true value as often as promised (split-conformal
prediction). Forests can also predict quantiles, which follow the spread of the data.
"""

import matplotlib.pyplot as plt
import numpy as np

import bough

rng = np.random.default_rng(0)
x = rng.uniform(0, 10, 1200)
y = np.sin(x) + (0.1 + 0.06 * x) * rng.normal(size=1200)
X = x[:, None]
grid = np.linspace(0, 10, 400)[:, None]

tree = bough.TreeRegressor(min_samples_leaf=20).fit(X[:700], y[:700]).calibrated(X[700:], y[700:])
forest = bough.ForestRegressor(keep_leaves=True, min_samples_leaf=10, random_state=0).fit(X, y)
bands = {
    "tree, conformal": tree.predict_interval(grid, alpha=0.1),
    "forest, quantiles": forest.predict_quantiles(grid, [0.05, 0.95]),
}
figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, (name, band) in zip(axes, bands.items()):
    ax.plot(x[:400], y[:400], ".", color="0.75", markersize=3)
    ax.fill_between(grid[:, 0], band[:, 0], band[:, 1], alpha=0.3)
    ax.set(title=f"{name}: 90 % interval", xlabel="x")
