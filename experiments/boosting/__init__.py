"""Boosted trees of axis, oblique and nominal splits beside LightGBM, XGBoost, CatBoost and scikit-learn's."""
