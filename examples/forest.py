"""Watch a forest converge

`warm_start` adds trees to a forest that is already there. The out-of-bag error needs no test rows: every row is
predicted by the trees that did not see it.
"""

import warnings

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

import bough

X, y = load_breast_cancer(return_X_y=True)
sizes = [5, 10, 20, 40, 80, 160]
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for split in ["axis", "lda"]:
    forest = bough.ForestClassifier(split=split, oob_score=True, warm_start=True, random_state=0)
    errors = []
    for size in sizes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a few rows are in every bootstrap sample of a small forest
            forest.set_params(n_estimators=size).fit(X, y)
        errors.append(1 - forest.oob_score_)
    ax.plot(sizes, errors, "o-", label=f'split="{split}"')
ax.set(xscale="log", xticks=sizes, xticklabels=sizes, xlabel="trees", ylabel="out-of-bag error")
ax.minorticks_off()
ax.legend()
