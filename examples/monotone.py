"""A prediction that may only rise

Domain knowledge often says that a prediction must not fall as a column rises. `monotonic_cst` makes the tree respect
that, and removes the steps that noise would cut into the curve.
"""

import matplotlib.pyplot as plt
import numpy as np

import bough

rng = np.random.default_rng(3)
x = np.sort(rng.uniform(0, 10, 200))
y = np.log1p(x) + 0.35 * rng.normal(size=200)
grid = np.linspace(0, 10, 500)[:, None]

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(x, y, ".", color="0.75", label="training rows")
for name, constraint in {"free": None, "never falls": [1]}.items():
    tree = bough.TreeRegressor(min_samples_leaf=6, monotonic_cst=constraint).fit(x[:, None], y)
    ax.plot(grid, tree.predict(grid), label=name)
ax.set(xlabel="x", ylabel="prediction")
ax.legend()
