"""What each column contributes to a prediction

Exact Shapley values: the contributions of a row and the mean prediction add up to its prediction. The waterfall
explains one row, the bar chart the model as a whole.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import bough

X, y = load_diabetes(return_X_y=True, as_frame=True)
tree = bough.TreeRegressor(max_depth=4, min_samples_leaf=15).fit(X, y)
found = tree.contributions(X)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
found.waterfall(0, ax=left)
found.bar(ax=right)
