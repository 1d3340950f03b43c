"""Importances of columns by the decrease of impurity: numbers that add up to 1 whatever the size of the data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from bough import ForestClassifier, ForestRegressor, TreeClassifier, TreeRegressor
from bough.model.arrays import shares_of_terms

LINEAR = ["lda", "ridge", "pca", "node_pca", "node_means_pca", "hhcart_a", "hhcart_d", "cart_lc", "oc1"]


def table(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    return X, (X[:, 0] + rng.normal(size=n) * 0.2) / 2


@pytest.mark.parametrize("missing", ["either", "shared", "surrogate"])
@pytest.mark.parametrize("kind", [TreeRegressor, ForestRegressor])
@pytest.mark.parametrize("exponent", [-1060, -1000, -520, 400, 515, 700, 1022])
def test_importances_do_not_depend_on_the_unit_of_the_target(exponent, kind, missing):
    """Squares of numbers beyond 2^512 are more than a float64 holds."""
    X, y = table()
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    y = np.round(y * 1024) / 1024
    params = {"max_depth": 4, "missing": missing, "random_state": 0}
    params |= {"n_estimators": 3} if kind is ForestRegressor else {}
    plain, other = (kind(**params).fit(X, z).feature_importances_ for z in (y, np.ldexp(y, exponent)))
    assert np.isfinite(other).all()
    assert other.sum() == pytest.approx(1)
    assert (other >= 0).all()
    if exponent > -1000:  # smaller numbers are rounded
        np.testing.assert_allclose(other, plain, rtol=1e-9)


def test_importances_are_the_squared_error_that_splits_take_off():
    X, y = table()
    for missing in ("either", "shared", "surrogate"):
        tree = TreeRegressor(max_depth=3, missing=missing).fit(X, y)
        arrays, found = tree.tree_, np.zeros(3)
        squares = arrays.weighted_n_node_samples * arrays.impurity
        for node in np.flatnonzero(arrays.feature >= 0):
            found[arrays.feature[node]] += squares[node] - squares[arrays.children(node)].sum()
        np.testing.assert_allclose(arrays.compute_feature_importances(normalize=False), found / 60, rtol=1e-9)


@pytest.mark.parametrize("exponent", [-1000, -900, 600, 1000])
@pytest.mark.parametrize("split", LINEAR)
def test_terms_of_linear_splits_share_their_credit_at_any_size(split, exponent):
    X, y = table()
    X = np.ldexp(np.round(X * 1024), exponent)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in (TreeClassifier, ForestClassifier):
            fitted = kind(split=split, max_depth=3, standardize=False, random_state=0).fit(X, y > 0.1)
            assert np.isfinite(fitted.feature_importances_).all()
            assert fitted.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize("weight", [1e-310, 1e-300, 1e-160, 1e160, 1e300, 1e306])
@pytest.mark.parametrize(
    "params",
    [
        {"costs": {(0, 1): 7}},
        {"costs": {(0, 1): 7}, "cost_splits": "altered_priors"},
        {"priors": [0.2, 0.8], "criterion": "entropy"},
        {"criterion": "max_cut"},
    ],
    ids=str,
)
def test_importances_do_not_depend_on_the_unit_of_the_weights(params, weight):
    X, y = table()
    y = (y > 0.1).astype(int)
    plain, other = (
        TreeClassifier(max_depth=4, **params).fit(X, y, np.full(60, w)).feature_importances_ for w in (1.0, weight)
    )
    np.testing.assert_allclose(other, plain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weight", [1e-300, 1e300])
def test_impurities_by_costs_are_those_of_the_shares(weight):
    X, y = table()
    y = (y > 0.1).astype(int)
    plain, other = (
        TreeClassifier(max_depth=4, costs={(0, 1): 7}).fit(X, y, np.full(60, w)).tree_.impurity for w in (1.0, weight)
    )
    np.testing.assert_allclose(other, plain, rtol=1e-12)


@pytest.mark.parametrize(
    ("weights", "spreads", "shares"),
    [
        ([1e-300, 1.0], [1e-10, 0.0], [1.0, 0.0]),  # a term that tells nothing is no measure for the others
        ([1.0, 2.0], [0.0, 0.0], [0.5, 0.5]),
        ([3e-200, -4e-200], [1e-150, 1e-150], [0.36, 0.64]),
    ],
)
def test_terms_without_spread_have_shares_that_are_numbers(weights, spreads, shares):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert shares_of_terms(weights, spreads) == pytest.approx(np.array(shares))
