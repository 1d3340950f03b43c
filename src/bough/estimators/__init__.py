"""Estimators that behave as scikit-learn users expect, and what their parameters mean."""
