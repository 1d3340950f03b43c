"""Forests and boosted trees of exact hyperplanes: the future work of the CART-ELC paper."""
