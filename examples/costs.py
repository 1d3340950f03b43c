"""When one error is worse than the other

Missing a malignant tumour costs more than a false alarm. With `costs`, a leaf predicts the class with the lowest
expected cost, and splits are chosen accordingly. The picture shows both kinds of errors on test rows as a missed
tumour becomes more expensive.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict

import bough

X, y = load_breast_cancer(return_X_y=True)  # 0: malignant, 1: benign
prices = [1, 2, 5, 10, 20, 50]
missed, alarms = [], []
for price in prices:
    tree = bough.TreeClassifier(costs={(0, 1): price, (1, 0): 1}, min_samples_leaf=10)
    predicted = cross_val_predict(tree, X, y, cv=10)
    missed.append(int(((y == 0) & (predicted == 1)).sum()))
    alarms.append(int(((y == 1) & (predicted == 0)).sum()))
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(prices, missed, "o-", label="missed tumours")
ax.plot(prices, alarms, "o-", label="false alarms")
ax.set(xscale="log", xticks=prices, xticklabels=prices, xlabel="cost of a missed tumour", ylabel="rows")
ax.minorticks_off()
ax.legend()
