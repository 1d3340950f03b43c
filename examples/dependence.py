"""How a prediction depends on one column

Partial dependence replaces one column of every row by one value after another and averages the predictions. A tree
jumps at its cuts and nowhere else, so the curve is exact. The thin lines are single rows.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import bough

X, y = load_diabetes(return_X_y=True, as_frame=True)
forest = bough.ForestRegressor(n_estimators=50, min_samples_leaf=5, random_state=0).fit(X, y)
figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, column in zip(axes, ["bmi", "s5"]):
    bough.plot_dependence(forest, X, column, ax=ax)
