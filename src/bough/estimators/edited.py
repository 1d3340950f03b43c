"""Changes to a fitted tree: each method returns a new estimator and leaves the fitted one as it is."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..errors import DataError, shown
from ..model import edits
from ..model.model import Model
from .fitting import weights_of

Tree = TypeVar("Tree", bound="Edited")


class Edited:
    """How a fitted tree is changed by hand. The model keeps a sentence about every change, which `show` and the report
    print."""

    def pruned(self: Tree, rule: str, **params: Any) -> Tree:
        """The tree cut back by a rule that needs no rows, without a new fit.

        Parameters
        ----------
        rule : str
            A pruner, as ``prune=`` takes it (``bough list prune``), that needs no training rows.
        **params
            Its parameters.

        Returns
        -------
        A new estimator.

        Examples
        --------
        >>> from bough import TreeClassifier
        >>> from sklearn.datasets import load_iris
        >>> tree = TreeClassifier().fit(*load_iris(return_X_y=True))
        >>> tree.pruned("cost_complexity", alpha=0.02).get_n_leaves(), tree.get_n_leaves()
        (4, 9)
        """
        return self._with(edits.pruned(self._model(), rule, params))

    def pruned_to(self: Tree, leaves: int) -> Tree:
        """The best subtree of at most so many leaves, by cost-complexity and without a new fit.

        Parameters
        ----------
        leaves : int
            Leaves at most. The cost-complexity path does not have a subtree of every size.

        Returns
        -------
        A new estimator.

        Examples
        --------
        >>> from bough import TreeClassifier
        >>> from sklearn.datasets import load_iris
        >>> TreeClassifier().fit(*load_iris(return_X_y=True)).pruned_to(leaves=5).get_n_leaves()
        5
        """
        return self._with(edits.pruned_to(self._model(), leaves))

    def without(self: Tree, node: int) -> Tree:
        """The tree in which a node is a leaf.

        Parameters
        ----------
        node : int
            An internal node; ``tree.model_.nodes()`` and the report number them.

        Returns
        -------
        A new estimator.
        """
        return self._with(edits.without(self._model(), node))

    def with_split(
        self: Tree,
        node: int,
        condition: Any,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        missing: str | None = None,
    ) -> Tree:
        """The tree in which a leaf becomes a split on a condition, with a leaf on each side.

        Parameters
        ----------
        node : int
            A leaf, or an internal node, of which everything below is replaced.
        condition : tuple
            Column, sign and value: ``("age", "<=", 18)``, ``("job", "in", ["cook", "nurse"])``, or a sum,
            ``({"a": 1.0, "b": -0.5}, "<=", 3)``. Signs are ``<=``, ``<``, ``>``, ``>=`` for numbers and ordinal
            columns, ``in``, ``not in``, ``==``, ``!=`` for nominal ones.
        X, y, sample_weight : optional
            Rows, best those of training: those that reach the node decide what the two leaves predict. Without rows
            both predict what the node did, until `relabelled` or `updated` changes that.
        missing : {"yes", "no"}, optional
            The side of rows without the value; by default the one with more weight. For a nominal column it is the
            side of categories that the column did not have in training.

        Returns
        -------
        A new estimator.

        Examples
        --------
        >>> from bough import TreeClassifier
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> tree = TreeClassifier(max_depth=1).fit(X, y)
        >>> print(tree.with_split(2, ("petal width (cm)", "<=", 1.7), X, y).show())
        petal length (cm) <= 2.45
        ├─ yes: class 0 (50 rows)
        └─ no: petal width (cm) <= 1.7
           ├─ yes: class 1: 91 % (54 rows)
           └─ no: class 2: 98 % (46 rows)
        (changed by hand: node 2 was made to ask petal width (cm) <= 1.7)
        """
        model = self._model()
        rows = None if X is None else self._rows(X, y, sample_weight)
        return self._with(edits.with_split(model, node, condition, missing, rows))

    def relabelled(self: Tree, node: int, prediction: Any) -> Tree:
        """The tree in which a leaf predicts something else.

        Of classes, the weights of the class that the leaf predicted and of the wanted one change places, so that
        probabilities and exports agree with the prediction.

        Parameters
        ----------
        node : int
            A leaf.
        prediction : class or number

        Returns
        -------
        A new estimator.
        """
        return self._with(edits.relabelled(self._model(), node, prediction))

    def updated(self: Tree, X: Any, y: Any, sample_weight: Any = None) -> Tree:
        """The same splits with predictions from other rows: an honest tree, or one for a new year.

        Parameters
        ----------
        X, y, sample_weight
            Rows that were not used to choose the splits. A leaf that none of them reaches predicts the class of the
            nearest node above that some do; in regression it keeps its number.

        Returns
        -------
        A new estimator.
        """
        columns, target, weights = self._rows(X, y, sample_weight)
        return self._with(edits.updated(self._model(), columns, target, weights))

    def _model(self) -> Model:
        check_is_fitted(self, "model_")
        model: Model = self.__dict__["model_"]
        return model

    def _with(self: Tree, model: Model) -> Tree:
        new = copy.copy(self)
        new.__dict__["model_"] = model
        return new

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        """A table read as for a prediction, its target as classes of the model or numbers, and its weights."""
        estimator: Any = self
        model = self._model()
        columns = estimator._columns_of(X)
        n = columns.n_rows
        given, target = estimator._target_of(y, n)
        class_weights = estimator._class_weights(given, target)
        weights = weights_of(sample_weight, n, class_weights)
        weights = np.ones(n) if weights is None else weights
        if model.classes is None:
            return columns, target.numbers + target.offset, weights
        known = {c: k for k, c in enumerate(model.classes.tolist())}
        unknown = [c for c in target.classes.tolist() if c not in known]
        if unknown:
            raise DataError(
                f"y holds {shown(unknown[0])}, which is not a class of the tree; it has {shown(list(known))}."
            )
        places = np.array([known[c] for c in target.classes.tolist()])
        return columns, places[target.codes], weights
