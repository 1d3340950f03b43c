"""A fitted model: its trees, its file, its nodes. No import of scikit-learn."""
