"""A grown tree together with its schema: all that is needed to predict, explain and save. No
scikit-learn here, so that a saved model can be used without it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError, ParameterError
from ..output import text
from ..tables import frame
from ..tables.schema import Schema
from ..tables.values import plain
from . import file
from .metadata import classes_of, costs_of, criterion_of, described, schema_of, standardize_of
from .pvalues import column_tests
from .splits import Split, split_of
from .writing import save


class Model:
    """A fitted tree, as `load` returns it and as estimators keep it in ``model_``.

    Examples
    --------
    >>> import bough
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = bough.TreeClassifier(max_depth=2).fit(X, y).model_
    >>> print(model.show())
    petal length (cm) <= 2.45
    ├─ yes: 0 (50 rows)
    └─ no: petal width (cm) <= 1.75
       ├─ yes: 1 91 % (54 rows)
       └─ no: 2 98 % (46 rows)
    """

    def __init__(
        self,
        tree: _core.Tree,
        schema: Schema,
        classes: npt.NDArray[Any] | None,
        criterion: str,
        costs: npt.NDArray[np.float64] | None = None,
        standardize: bool = False,
    ) -> None:
        self.tree = tree
        self.schema = schema
        self.classes = classes
        self.criterion = criterion
        self.costs = costs
        self.standardize = standardize  # numeric columns counted in units of their standard deviation

    # ---- what it is -----------------------------------------------------------------------------

    @property
    def regression(self) -> bool:
        return self.classes is None

    @property
    def n_nodes(self) -> int:
        return self.tree.n_nodes

    def split(self, node: int) -> Split | None:
        """The question of a node, or None for a leaf."""
        return split_of(self.tree, self.schema, node)

    def children(self, node: int) -> list[int]:
        return self.tree.children(node)

    @cached_property
    def parents(self) -> list[int]:
        found: list[int] = self.tree.parents().tolist()
        return found

    @cached_property
    def node_rows(self) -> npt.NDArray[np.int64]:
        return self.tree.rows()

    @cached_property
    def node_weights(self) -> npt.NDArray[np.float64]:
        """Class weights of every node; of a regression tree, the weight of every node."""
        return self.tree.weights().reshape(self.n_nodes, -1)

    @cached_property
    def node_means(self) -> npt.NDArray[np.float64]:
        return self.tree.means()

    @cached_property
    def node_shares(self) -> npt.NDArray[np.float64]:
        """Class shares of every node."""
        w = self.node_weights
        shares: npt.NDArray[np.float64] = w / w.sum(axis=1, keepdims=True)
        return shares

    @cached_property
    def node_answers(self) -> npt.NDArray[Any]:
        """What every node predicts."""
        if self.classes is None:
            return self.node_means
        answers: npt.NDArray[Any] = self.classes[self.node_weights.argmax(axis=1)]
        return answers

    def answer(self, node: int) -> Any:
        return self.node_answers[node]

    @cached_property
    def impurities(self) -> npt.NDArray[np.float64]:
        return self.tree.impurities(self.criterion, self.flat_costs)

    @property
    def flat_costs(self) -> list[float]:
        """Costs of mixing two classes, row by row; empty if there are none."""
        return [] if self.costs is None else self.costs.ravel().tolist()

    def __repr__(self) -> str:
        task = "regression" if self.regression else f"{self.tree.n_classes} classes"
        return f"<bough.Model: {task}, {len(self.schema)} columns, {self.n_nodes} nodes>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    # ---- tests of columns -----------------------------------------------------------------------

    @cached_property
    def log_p_values(self) -> npt.NDArray[np.float64] | None:
        """Natural logarithm of the p-value of every node and column, NaN where a column was not tested; None
        if the tree was grown without tests. As logarithms they tell columns apart whose p-values are all 0."""
        found = self.tree.parts()["log_p"]
        return found.reshape(self.n_nodes, -1) if found.size else None

    def p_values(self, node: int, adjusted: bool = True) -> dict[str, float]:
        """The p-values of the columns that were tested at a node, smallest first.

        Parameters
        ----------
        node : int
            The number of a node.
        adjusted : bool
            Whether they are multiplied by the number of columns tested (Bonferroni).
        """
        return {t.name: min(1.0, math.exp(t.log_p)) for t in column_tests(self, node, adjusted)}

    # ---- prediction -----------------------------------------------------------------------------

    def columns_of(self, X: Any, by_name: bool = True) -> _core.Columns:
        return frame.read_like(X, self.schema, by_name)

    def apply(self, X: Any, threads: int = 1) -> npt.NDArray[np.int64]:
        """The node in which each row of X ends."""
        return self.tree.apply(self.columns_of(X), threads).astype(np.int64)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class, or the number, predicted for each row of X.

        A data frame is matched by column names: any order will do, and columns that the model does
        not know are left aside.
        """
        return self.node_answers[self.tree.apply(self.columns_of(X))]

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """The share of each class in the leaf of each row."""
        if self.regression:
            raise AttributeError("a regression model has no class probabilities")
        return self.node_shares[self.tree.apply(self.columns_of(X))]

    # ---- words ----------------------------------------------------------------------------------

    def show(self, max_depth: int | None = None, digits: int = 6, max_values: int = 8, p_values: bool = False) -> str:
        """The tree as text.

        Parameters
        ----------
        max_depth : int, optional
            Levels that are shown; what is below is summed up.
        digits : int
            Significant digits of numbers.
        max_values : int
            Values or terms of one split that are written out; the others are counted.
        p_values : bool
            Whether the adjusted p-values of the columns are written behind each node, smallest first. Only a tree
            grown with ``selector="conditional_inference"`` has any.
        """
        if p_values and self.log_p_values is None:
            raise ParameterError(
                "p_values=True: no column was tested when this tree was grown; use selector='conditional_inference'."
            )
        return text.show(self, max_depth, digits, max_values, p_values)

    def rules(self, digits: int = 6, max_values: int = 8) -> Iterator[text.Rule]:
        """One rule for each leaf."""
        return text.rules(self, digits, max_values)

    def path(self, row: Any) -> tuple[list[int], list[Any]]:
        """The nodes that one row passes, and its values."""
        table = one_row(row, self.schema)
        node = int(self.tree.apply(self.columns_of(table))[0])
        nodes = [node]
        while nodes[-1] != 0:
            nodes.append(self.parents[nodes[-1]])
        sources = frame.sources_of(table)
        if sources is None:
            values = list(np.asarray(table, dtype=object)[0])
        else:
            found = {s.name: s.items()[0] for s in sources[0]}
            values = [found.get(c.name) for c in self.schema.columns] if self.schema.named else list(found.values())
        return nodes[::-1], [plain(v) for v in values]

    def why(self, row: Any, digits: int = 6) -> str:
        """The path of one row in words.

        Parameters
        ----------
        row : sequence, dict, Series, or table of one row
            The row to explain.
        """
        nodes, values = self.path(row)
        return text.why(self, nodes, values, digits)

    # ---- files ----------------------------------------------------------------------------------

    def metadata(self) -> dict[str, Any]:
        """What the file holds besides the tree; see `schema_of` for the shape of the columns."""
        meta: dict[str, Any] = {"n_classes": self.tree.n_classes, "criterion": self.criterion}
        if self.schema == Schema.of_matrix(len(self.schema)):
            meta["columns"] = len(self.schema)
        else:
            meta["named"] = self.schema.named
            meta["columns"] = [described(c) for c in self.schema.columns]
        if self.standardize:
            meta["standardize"] = True
        if self.classes is not None:
            meta["classes"] = {"dtype": self.classes.dtype.str, "values": self.classes.tolist()}
        if self.costs is not None:
            meta["costs"] = self.flat_costs
        return meta

    def to_bytes(self) -> bytes:
        return file.to_bytes(self.tree, self.metadata())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file, whole or not at all."""
        save(path, self.to_bytes())

    @staticmethod
    def from_bytes(data: file.Buffer) -> Model:
        """The model in the bytes of a file, or a `ModelFileError`."""
        parts, meta = file.from_bytes(data)
        schema = schema_of(meta)
        tree = file.tree_of(parts, file.whole_of(meta, "n_classes"), schema.n_values())
        classes = classes_of(meta, tree.n_classes)
        criterion = criterion_of(meta, classes)
        return Model(tree, schema, classes, criterion.name, costs_of(meta, classes, criterion), standardize_of(meta))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Model.from_bytes, (self.to_bytes(),))


def load(path: str | os.PathLike[str]) -> Model:
    """Reads a model file.

    Parameters
    ----------
    path : path-like
        A file that ``save`` of an estimator or a `Model` wrote.

    Returns
    -------
    Model

    Raises
    ------
    ModelFileError
        If the file is not a model file, or a damaged one.

    Examples
    --------
    >>> import bough, tempfile, os
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.bough")
    >>> bough.TreeClassifier().fit(X, y).save(path)
    >>> bough.load(path).predict(X[:3])
    array([0, 0, 0])
    """
    with open(path, "rb") as f:
        return Model.from_bytes(f.read())


def one_row(row: Any, schema: Schema) -> Any:
    """A row given in any way as a table of one row."""
    if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # a pandas Series
        row = row.to_dict()
    if isinstance(row, dict):
        lacking = [c.name for c in schema.columns if c.name not in row]
        if lacking:
            raise DataError(f"the row lacks {', '.join(map(repr, lacking[:10]))}")
        row = [row[c.name] for c in schema.columns]
    if np.ndim(row) == 0:
        raise DataError(
            f"why() explains one row, but {row!r} is none; give a list, a dict, a Series or a table of one row"
        )
    if isinstance(row, (list, tuple)) or (isinstance(row, np.ndarray) and row.ndim == 1):
        table = np.empty((1, len(row)), dtype=object)
        table[0] = list(row)
        return table
    if hasattr(row, "shape") and row.shape[0] != 1:
        raise DataError(f"why() explains one row, but {row.shape[0]} were given; use X.iloc[[i]] or X[i : i + 1]")
    return row
