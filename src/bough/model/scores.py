"""How good a model is on rows with known targets, and what each column brought it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError
from .arrays import TreeArrays, tamed


class Scores:
    """What scikit-learn's users expect of anything that predicts."""

    def score(self, X: Any, y: Any) -> float:
        """The share of correct predictions; of numbers, R².

        Parameters
        ----------
        X : table
        y : array-like
            The true classes or numbers.

        Examples
        --------
        >>> import bough
        >>> model = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).model_
        >>> model.score([[0.0], [1.0], [2.0]], ["a", "b", "a"])
        0.6666666666666666
        """
        model: Any = self
        predicted = model.predict(X)
        truth = np.asarray(y)
        if truth.shape != predicted.shape:
            raise DataError(f"y has shape {truth.shape}; it must have one entry for each of the {len(predicted)} rows.")
        if not model.regression:
            return float(np.mean(predicted == truth))
        (truth, predicted), _ = tamed(np.array([truth, predicted], dtype=np.float64))
        wrong, spread = np.square(truth - predicted).sum(), np.square(truth - truth.mean()).sum()
        return float(1 - wrong / spread) if spread else float(wrong == 0)

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Decrease of impurity that each column brought, as a share of all: the mean of the trees that split; of
        boosted trees the sum of what their splits gain."""
        model: Any = self
        boosted = model.boosting is not None
        split = [nodes for nodes in model.all_nodes if len(nodes) > 1 or nodes.tree.linear]
        found = np.zeros(len(model.schema))
        for nodes in split:
            own = TreeArrays(nodes).compute_feature_importances(normalize=not boosted)
            found += own * nodes.total_weights[0] if boosted else own
        total = found.sum()
        return found / total if total > 0 else found
