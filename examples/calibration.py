"""Probabilities that mean something

The leaves of a full tree claim 0 % or 100 %. Shrinking each leaf towards the nodes above it
(`smoothing="hierarchical"`) turns the shares into usable probabilities: of the rows with a predicted probability of
70 %, about 70 % are positive.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import bough

X, y = make_classification(6000, 10, n_informative=5, flip_y=0.2, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
figure, ax = plt.subplots(figsize=(5.5, 4.5), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.8")
for smoothing in [None, "laplace", "hierarchical"]:
    tree = bough.TreeClassifier(smoothing=smoothing, random_state=0).fit(X_train, y_train)
    p = tree.predict_proba(X_test)[:, 1]
    actual, predicted = calibration_curve(y_test, p, n_bins=10)
    ax.plot(predicted, actual, "o-", label=f"{smoothing}: log-loss {log_loss(y_test, p):.2f}")
ax.set(xlabel="predicted probability", ylabel="share of positive rows")
ax.legend()
