"""Random forests are as good, and their trees as large, as scikit-learn's: ten sets, ten seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import bough

TREES, SEEDS = 40, 10


def made(n, d, classes, **given):
    return datasets.make_classification(n, d, n_informative=d // 2, n_classes=classes, random_state=1, **given)


def few_values():
    X, y = made(1500, 12, 3)
    return np.round(X), y


SETS = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "wine": lambda: datasets.load_wine(return_X_y=True),
    "breast cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "two classes": lambda: made(2000, 20, 2, flip_y=0.05),
    "five classes": lambda: made(2000, 16, 5),
    "few values": few_values,
    "moons": lambda: datasets.make_moons(1500, noise=0.3, random_state=1),
    "rings": lambda: datasets.make_gaussian_quantiles(n_samples=1500, n_features=6, n_classes=3, random_state=1),
    "noise": lambda: (np.random.default_rng(1).normal(size=(1000, 8)), np.random.default_rng(2).integers(0, 2, 1000)),
}


def measured(make, X, y):
    scores, nodes = [], []
    for seed in range(SEEDS):
        train, test, y_train, y_test = train_test_split(X, y, random_state=seed, stratify=y)
        forest = make(seed).fit(train, y_train)
        scores.append(forest.score(test, y_test))
        nodes += [tree.tree_.node_count for tree in forest.estimators_]
    return np.array(scores), np.array(nodes)


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_forests_are_as_good_and_as_large_as_scikit_learns(name):
    X, y = SETS[name]()
    ours, our_nodes = measured(lambda s: bough.system("random-forest", n_estimators=TREES, random_state=s), X, y)
    theirs, their_nodes = measured(lambda s: RandomForestClassifier(TREES, random_state=s), X, y)
    difference = ours - theirs  # of the same rows
    error = difference.std(ddof=1) / np.sqrt(SEEDS) + 1e-3
    assert abs(difference.mean()) < 4 * error, (ours.mean(), theirs.mean())
    assert ttest_ind(ours, theirs).pvalue > 1e-3 or np.ptp(difference) == 0
    by_chance = 3 * np.hypot(our_nodes.std(), their_nodes.std()) / np.sqrt(TREES * SEEDS)
    assert abs(our_nodes.mean() - their_nodes.mean()) < 0.01 * their_nodes.mean() + by_chance
