"""Grown trees together with their schema: all that is needed to predict, explain and save. No
scikit-learn here, so that a saved model can be used without it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._version import __version__
from ..errors import ModelFileError, ParameterError, shown, whole_number
from ..tables import frame
from ..tables.arrays import is_sparse
from ..tables.row import one_row
from ..tables.schema import Schema
from . import file, metadata, trees
from .boosting import Boosting, boosting_of
from .forms import Forms
from .history import edits_of
from .nodes import Nodes
from .origin import Origin, origin_of
from .outputs import Outputs
from .printed import Printed, printed_of
from .pruning import described_pruning, pruning_of
from .pvalues import column_tests
from .refinement import Refinement, refinement_of
from .scores import Scores
from .smoothing import Smoothing
from .splits import Split
from .spoken import Spoken
from .stakes import Stakes, described_stakes, stakes_of
from .user import checked_user, library_of, user_of
from .writing import save

MOST_THREADS = 256  # more would only wait for each other


@dataclass(frozen=True, eq=False, repr=False)
class Model(Forms, Spoken, Scores):
    """A fitted tree, or several, as `load` returns it and as estimators keep it in ``model_``.

    Attributes
    ----------
    trees : tuple of Tree
        The trees; the model predicts their mean.
    schema : Schema
        The columns of the training table.
    classes : ndarray or None
        The classes in the order of their shares; None if numbers are predicted.
    criterion : str
        The criterion by which the trees were grown.
    costs : ndarray or None
        Cost of a prediction, [true, predicted]; None: a wrong one costs 1.
    standardize : bool
        Whether numeric columns were counted in units of their standard deviation.
    smoothing : "laplace", float, {"hierarchical": float} or None
        What is added to the class weights of a leaf before they are shares; or how strongly values shrink along
        the path.
    pruning_table : dict of arrays or None
        The subtrees among which ``prune="cost_complexity_cv"`` chose, smallest first: ``alpha``, the price of a leaf
        from which on the subtree is the best one; its ``leaves``; its ``error`` for each row in training (costs and
        priors counted; of numbers, the mean square); ``cv_error``, the same by cross-validation; ``cv_deviation``, the
        standard deviation of that.
    cost_splits : "pairs" or "altered_priors"
        How the costs acted on splits.
    class_scale : ndarray or None
        Prior of each class over its share of the training rows.
    origin : Origin or None
        How it was grown: the estimator and the parameters that were not defaults.
    printed : Printed or None
        With how many digits numbers are printed, so that each condition parts the training rows as the tree does; None,
        as of forests: in full.
    refinement : Refinement or None
        How ``refine`` went: the objective after each pass, and what is proven.
    edits : tuple of str
        What was changed by hand since, a sentence for each change.
    user_metadata : dict
        What the user gave to `save`: anything that JSON can hold.
    saved_by : str or None
        The version of bough that wrote the file; None of a model that came from none.
    criterion_params : dict
        Parameters of the criterion that were given.
    boosting : Boosting or None
        Of boosted trees, which are added up: start, learning rate, loss, scores of each round; see `stage`.

    Examples
    --------
    >>> import bough
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = bough.TreeClassifier(max_depth=2).fit(X, y).model_
    >>> print(model.show())
    petal length (cm) <= 2.45
    ├─ yes: class 0 (50 rows)
    └─ no: petal width (cm) <= 1.75
       ├─ yes: class 1: 91 % (54 rows)
       └─ no: class 2: 98 % (46 rows)
    >>> [(node.number, node.rows) for node in model.nodes() if node.is_leaf]
    [(1, 50), (3, 54), (4, 46)]
    """

    trees: tuple[_core.Tree, ...]
    schema: Schema
    classes: npt.NDArray[Any] | None
    criterion: str
    costs: npt.NDArray[np.float64] | None = None
    standardize: bool = False
    smoothing: Smoothing = None
    pruning_table: dict[str, npt.NDArray[np.float64]] | None = None
    cost_splits: str = "pairs"
    class_scale: npt.NDArray[np.float64] | None = None
    origin: Origin | None = None
    printed: Printed | None = None
    refinement: Refinement | None = None
    edits: tuple[str, ...] = ()
    user_metadata: dict[str, Any] = field(default_factory=dict)
    saved_by: str | None = None
    criterion_params: Mapping[str, float] = field(default_factory=dict)
    boosting: Boosting | None = None

    def __post_init__(self) -> None:
        shape = (len(self.schema), 0 if self.classes is None or self.boosting else len(self.classes))
        if self.boosting is not None and len(self.trees) % self.boosting.n_outputs:
            raise ValueError(f"boosting needs {self.boosting.n_outputs} trees in every round")
        if not self.trees or [t for t in self.trees if (t.n_columns, t.n_classes) != shape]:
            raise ValueError(f"a model needs trees, each of {shape[0]} columns and {shape[1]} classes")

    # ---- what it is -----------------------------------------------------------------------------

    @property
    def regression(self) -> bool:
        return self.classes is None

    @property
    def missing(self) -> str:
        """Where rows with a missing value go: "either", "shared" or "surrogate"."""
        return self.trees[0].missing

    @property
    def tree(self) -> _core.Tree:
        """The tree of a model that has one."""
        if len(self.trees) != 1:
            raise AttributeError(f"this model has {len(self.trees)} trees; choose one: model.trees[i]")
        return self.trees[0]

    @property
    def n_nodes(self) -> int:
        return sum(t.n_nodes for t in self.trees)

    @cached_property
    def all_nodes(self) -> tuple[Nodes, ...]:
        """The nodes of each tree."""
        labels = None if self.boosting else self.classes
        return tuple(
            Nodes(t, self.schema, labels, self.losses, self.stakes, self.smoothing, self.printed) for t in self.trees
        )

    def stage(self, tree: int) -> Model:
        """One of the boosted trees as a model of its own, which predicts the step of that tree on the raw scale.

        The trees stand round by round; of more than two classes a round has one for each class.
        """
        if self.boosting is None:
            raise AttributeError("this model has no stages; its trees are not boosted")
        own = self.trees[whole_number("tree", tree, 0, len(self.trees) - 1)]
        return replace(self, trees=(own,), classes=None, boosting=None, origin=None, printed=None)

    @cached_property
    def mean(self) -> _core.MeanOfTrees:
        """The combined prediction of the trees."""
        if self.boosting is not None:
            return _core.MeanOfTrees(list(self.trees), list(self.boosting.start), self.boosting.learning_rate)
        plain = self.smoothing is None and self.class_scale is None
        values = [] if plain else [nodes.means if self.regression else nodes.shares for nodes in self.all_nodes]
        smoothed = [v.ravel().tolist() for v in values]
        return _core.MeanOfTrees(list(self.trees), smoothed)

    def nodes(self, tree: int = 0) -> Nodes:
        """The nodes of a tree, in preorder: a sequence of `NodeView`.

        Parameters
        ----------
        tree : int
            Which tree, of a model that has several.
        """
        return self.all_nodes[whole_number("tree", tree, 0, len(self.trees) - 1)]

    def split(self, node: int) -> Split | None:
        """The question of a node, or None for a leaf."""
        return self.nodes()[node].split

    @cached_property
    def stakes(self) -> Stakes:
        """Costs and priors."""
        return Stakes(self.costs, self.cost_splits, self.class_scale)

    def __repr__(self) -> str:
        task = "regression" if self.classes is None else f"{len(self.classes)} classes"
        trees = "" if len(self.trees) == 1 else f"{len(self.trees)} {'boosted ' if self.boosting else ''}trees, "
        return f"<bough.Model: {task}, {len(self.schema)} columns, {trees}{self.n_nodes} nodes>"

    def __eq__(self, other: object) -> bool:
        """Are they the same in all but how they were grown?"""
        if not isinstance(other, Model):
            return False
        one, two = replace(self, origin=None), replace(other, origin=None)
        return one.to_bytes() == two.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    # ---- tests of columns -----------------------------------------------------------------------

    @property
    def log_p_values(self) -> npt.NDArray[np.float64] | None:
        """Natural logarithm of the p-value of every node and column, NaN where a column was not tested; None
        if the tree was grown without tests. As logarithms they tell columns apart whose p-values are all 0."""
        return self.nodes().log_p_values

    def p_values(self, node: int, adjusted: bool = True) -> dict[str, float]:
        """The p-values of the columns that were tested at a node, smallest first.

        Parameters
        ----------
        node : int
            The number of a node.
        adjusted : bool
            Whether they are multiplied by the number of columns tested (Bonferroni).
        """
        return {t.name: t.p for t in column_tests(self.nodes(), node, adjusted)}

    # ---- prediction -----------------------------------------------------------------------------

    def columns_of(self, X: Any, by_name: bool = True) -> _core.Columns:
        """A table, or a row as a dict, as the trees take it; ``by_name``: data frames are matched by column names."""
        X = one_row(X, self.schema, "predict()") if isinstance(X, dict) and not is_sparse(X) else X
        return frame.read_like(X, self.schema, by_name)

    def outputs(self, columns: _core.Columns, threads: int = 1) -> Outputs:
        """Predictions for the rows of a table: all prediction goes through here."""
        threads = whole_number("threads", threads, 1, MOST_THREADS)
        return Outputs(self, columns, threads)

    def apply(self, X: Any, threads: int = 1) -> npt.NDArray[np.int64]:
        """The node in which each row of X ends."""
        return self.outputs(self.columns_of(X), threads).nodes()

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class, or the number, predicted for each row of X.

        A data frame is matched by column names: any order will do, and columns that the model does
        not know are left aside.
        """
        return self.outputs(self.columns_of(X)).predictions()

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """The share of each class in the leaf of each row."""
        if self.regression:
            raise AttributeError("a regression model has no class probabilities")
        return self.outputs(self.columns_of(X)).shares()

    # ---- files ----------------------------------------------------------------------------------

    def metadata(self) -> dict[str, Any]:
        """What the file holds besides the tree; see `schema_of` for the shape of the columns."""
        n_classes = 0 if self.classes is None else len(self.classes)
        meta: dict[str, Any] = {"n_classes": n_classes, "criterion": self.criterion}
        meta |= {"criterion_params": dict(self.criterion_params)} if self.criterion_params else {}
        if self.schema == Schema.of_matrix(len(self.schema)):
            meta["columns"] = len(self.schema)
        else:
            meta["named"] = self.schema.named
            meta["columns"] = [metadata.described(c) for c in self.schema.columns]
        if self.standardize:
            meta["standardize"] = True
        if self.smoothing is not None:
            meta["smoothing"] = self.smoothing
        if self.classes is not None:
            meta["classes"] = metadata.described_classes(self.classes)
        meta.update(described_stakes(self.stakes))
        if self.pruning_table is not None:
            meta["pruning"] = described_pruning(self.pruning_table)
        if self.refinement is not None:
            meta["refinement"] = self.refinement.described()
        if self.origin is not None:
            meta["origin"] = self.origin.described()
        if self.edits:
            meta["edits"] = list(self.edits)
        if self.boosting is not None:
            meta["boosting"] = self.boosting.described()
        if self.user_metadata:
            meta["user"] = dict(self.user_metadata)
        meta["library"] = __version__
        return meta

    def to_bytes(self) -> bytes:
        """The bytes of the model's file; the same model gives the same bytes."""
        arrays = file.arrays_of(self.tree) if len(self.trees) == 1 else trees.arrays_of(self.trees)
        return file.to_bytes(arrays | (self.printed.arrays() if self.printed else {}), self.metadata())

    def save(self, path: str | os.PathLike[str], metadata: Mapping[str, Any] | None = None) -> None:
        """Writes the model to a file, whole or not at all.

        Parameters
        ----------
        path : path-like
        metadata : dict, optional
            What the file is to keep of your own, such as author, data version or a ticket: texts, numbers, flags, None,
            and lists and dicts of them. `load` gives it back as ``user_metadata``.

        Examples
        --------
        >>> import bough, os, tempfile
        >>> tree = bough.TreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
        >>> path = os.path.join(tempfile.mkdtemp(), "t.bough")
        >>> tree.save(path, metadata={"data": "2024-03", "approved": True})
        >>> bough.load(path).user_metadata
        {'data': '2024-03', 'approved': True}
        """
        model = self if metadata is None else replace(self, user_metadata=checked_user(metadata))
        save(path, model.to_bytes())

    @staticmethod
    def from_bytes(data: file.Buffer) -> Model:
        """The model in the bytes of a file, or a `ModelFileError`."""
        arrays, meta = file.from_bytes(data)
        schema, n_classes = metadata.schema_of(meta), file.whole_of(meta, "n_classes")
        classes, boosting = metadata.classes_of(meta, n_classes), boosting_of(meta, n_classes)
        labels = None if boosting else classes  # by trees
        if "tree_nodes" in arrays:
            found, printed = trees.trees_of(arrays, 0 if boosting else n_classes, schema.n_values()), None
        else:
            found = (file.tree_of(arrays, 0 if boosting else n_classes, schema.n_values()),)
            printed = printed_of(arrays, found[0])
        if boosting is not None and len(found) % boosting.n_outputs:
            raise ModelFileError(f"the file has {len(found):,} trees, and a round has {boosting.n_outputs:,}")
        criterion = metadata.criterion_of(meta, labels)
        stakes = stakes_of(meta, labels, criterion)
        return Model(
            found,
            schema,
            classes,
            criterion.name,
            stakes.costs,
            metadata.standardize_of(meta),
            metadata.smoothing_of(meta, labels),
            pruning_of(meta),
            stakes.splits,
            stakes.scale,
            origin_of(meta),
            printed,
            refinement_of(meta),
            edits_of(meta),
            user_of(meta),
            library_of(meta),
            metadata.criterion_params_of(meta, criterion),
            boosting,
        )

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
    if not isinstance(path, (str, os.PathLike)):  # a number would be taken for an open file
        raise ParameterError(f"path is {shown(path)}; it must be the path of a model file.")
    with open(path, "rb") as f:
        return Model.from_bytes(f.read())
