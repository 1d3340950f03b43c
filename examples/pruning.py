"""How many leaves are worth it?

Cost-complexity pruning orders all subtrees by size. Cross-validation estimates the error of each of them, and the
1-SE rule takes the smallest one whose error is within one standard error of the best.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import bough

X, y = load_breast_cancer(return_X_y=True)
tree = bough.TreeClassifier(prune="cost_complexity_cv", random_state=0).fit(X, y)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
bough.plot_pruning(tree, ax=ax)
