"""The estimators: those of bough itself, fitted on Dask collections."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..distributed.fit import Job
from ..distributed.scores import Score, score_of
from ..errors import DataError, ParameterError
from ..estimators import classifier, forest_classifier, forest_regressor, regressor
from ..estimators.criterion import AUTO, criterion_for
from ..estimators.fitting import parameters_of
from ..estimators.parameters import parameter, with_parameters
from ..estimators.plan import integer, parts_of
from .cluster import Cluster
from .collection import is_collection, is_frame, lazily, pieces_of
from .extra import client_of, told_in_a_sentence

OWN = ("client", "move_rows")


@with_parameters
class OnCluster:
    """What estimators on a cluster have besides those that they stand for."""

    _local: ClassVar[Any]  # the estimator of one machine
    client: Any = parameter(
        "dask.distributed.Client",
        "The client of the cluster; by default the one that was made last.",
        default=None,
    )
    move_rows: int | None = parameter(
        "int",
        """Rows that a node may have to be moved to one worker and grown there. By default what a worker has room for,
        and at most a sixteenth of what each thread has to do.""",
        default=None,
    )

    def __sklearn_clone__(self) -> Any:
        from sklearn.base import clone

        own = {n: getattr(self, n) for n in OWN}
        rest = {n: clone(getattr(self, n), safe=False) for n in self._local._get_param_names()}
        return type(self)(**own, **rest)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {**state, "client": None}  # a connection stays where it is

    def local(self) -> Any:
        """The same estimator for one machine, with these parameters; fitted if this one is."""
        twin = self._local(**{n: getattr(self, n) for n in self._local._get_param_names()})
        for name, value in vars(self).items():
            if (name.endswith("_") and name != "exchanged_") or name in ("_seeds", "_draws"):
                setattr(twin, name, value)
        return twin

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow the tree, or the trees, on the cluster.

        Parameters
        ----------
        X : dask DataFrame or array
            The table, in partitions of rows.
        y : str or dask collection
            What is to be predicted: the name of a column of X, or a collection with the partitions of X.
        sample_weight : str or dask collection, optional
            Weights of the rows, likewise.

        Returns
        -------
        self : object
            The fitted estimator. If the fit fails or is interrupted, the estimator stays as it was.
        """
        return super().fit(X, y, sample_weight)  # type: ignore[misc]

    def _grown(self, X: Any, y: Any, sample_weight: Any, progress: Any = None) -> dict[str, Any]:
        params = parameters_of(self._local(**{n: getattr(self, n) for n in self._local._get_param_names()}))
        regression = issubclass(self._local, regressor.TreeRegressor)
        criterion = params["criterion"]
        if isinstance(criterion, str) and criterion == AUTO:
            criterion = criterion_for(params, 0 if regression else 2)
        parts_of(criterion, params["split"], params["nominal"], params["selector"], regression)
        move_rows = self.move_rows
        if move_rows is not None:
            move_rows = integer("move_rows", move_rows, 0, "None or a non-negative integer")
        if params.get("warm_start"):
            raise ParameterError("warm_start=True keeps trees of another fit; on a cluster it must be False.")
        with self._cluster(X, y, sample_weight) as cluster:
            return Job(cluster, self.local(), move_rows, progress).fitted()

    @contextmanager
    def _cluster(self, X: Any, y: Any, sample_weight: Any) -> Iterator[Cluster]:
        """The partitions of a table, for as long as they are needed."""
        client, pieces = client_of(self.client), pieces_of(X, y, sample_weight)
        with told_in_a_sentence(client):
            cluster = Cluster(client, uuid.uuid4().hex[:12], pieces)
            try:
                yield cluster
            finally:
                cluster.end()

    # ---- predictions --------------------------------------------------------------------------------

    def _ask(self, what: str, X: Any, like: npt.NDArray[Any] | None = None, names: list[Any] | None = None) -> Any:
        if not is_collection(X):
            return getattr(super(), what)(X)
        twin = self.local()
        if is_frame(X) and (known := getattr(twin, "feature_names_in_", None)) is not None:
            X = X[columns_for(list(known), list(X.columns))]
        return lazily(X, partial(asked, twin, what), np.empty(0) if like is None else like, names)

    def predict(self, X: Any) -> Any:
        """The class or the number of each row: of a collection a lazy one, of a local table at once.

        Parameters
        ----------
        X : dask DataFrame or array, or a local table

        Returns
        -------
        y : dask Series or array, or ndarray
        """
        classes = getattr(self, "classes_", None)
        return self._ask("predict", X, np.empty(0, np.float64 if classes is None else classes.dtype))

    def apply(self, X: Any) -> Any:
        """The node in which each row ends, lazily of a collection.

        Parameters
        ----------
        X : dask DataFrame or array, or a local table

        Returns
        -------
        nodes : dask Series, DataFrame or array, or ndarray
        """
        model = getattr(self, "model_", None)
        many = model is not None and hasattr(self, "n_estimators")
        names = list(range(len(model.trees))) if many and model is not None else None
        like = np.empty((0, len(names)) if names is not None else 0, np.int64)
        return self._ask("apply", X, like, names)

    def judged(self, X: Any, y: Any, sample_weight: Any = None) -> Score:
        """How well predictions fit the rows of a collection: each partition is judged where it lies."""
        with self._cluster(X, y, sample_weight) as cluster:
            return sum(cluster.each(score_of, cluster.share(self.local())), Score())

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows that are predicted right, or R² of a regression, found where the rows lie.

        Parameters
        ----------
        X : dask DataFrame or array, or a local table
        y : str or dask collection, or local labels
            The true classes or numbers: the name of a column of X, or a collection with the partitions of X.
        sample_weight : str or dask collection, optional
            Weights of the rows, likewise.

        Returns
        -------
        score : float
        """
        if not is_collection(X):
            return float(super().score(X, y, sample_weight))  # type: ignore[misc]
        score = self.judged(X, y, sample_weight)
        if not score.rows:
            raise DataError("Found array with 0 sample(s): no partition of X has a row that weighs something.")
        return score.accuracy if hasattr(self, "classes_") else score.r2


def columns_for(names: list[Any], given: list[Any]) -> list[Any]:
    """The columns of the training table; a frame has to have them all and no other."""
    lacking, others = [n for n in names if n not in given], [n for n in given if n not in names]
    if lacking:
        raise DataError(f"X lacks column {lacking[0]!r} of the training table. It has: {given[:20]!r}.")
    if others:
        raise DataError(
            f"X has column {others[0]!r}, which the training table did not have; leave it out: "
            f"X.drop(columns={others[:20]!r})."
        )
    return names


def asked(estimator: Any, what: str, x: Any) -> Any:
    return getattr(estimator, what)(x)


class ProbaOnCluster(OnCluster):
    """What classifiers have besides."""

    def predict_proba(self, X: Any) -> Any:
        """The share of each class for each row, lazily of a collection.

        Parameters
        ----------
        X : dask DataFrame or array, or a local table

        Returns
        -------
        proba : dask DataFrame or array, or ndarray
        """
        classes = getattr(self, "classes_", np.empty(0))
        return self._ask("predict_proba", X, np.empty((0, len(classes))), classes.tolist())

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithm of `predict_proba`.

        Parameters
        ----------
        X : dask DataFrame or array, or a local table

        Returns
        -------
        log_proba : dask DataFrame or array, or ndarray
        """
        classes = getattr(self, "classes_", np.empty(0))
        return self._ask("predict_log_proba", X, np.empty((0, len(classes))), classes.tolist())


@with_parameters
class TreeClassifier(ProbaOnCluster, classifier.TreeClassifier):
    """`bough.TreeClassifier` for Dask collections: the same tree, whatever the partitions and workers.

    Attributes
    ----------
    exchanged_ : dict
        Bytes that travelled: ``levels``, of each level of large nodes its nodes, counts and numbers; ``moved``, rows.
    """

    _local = classifier.TreeClassifier


@with_parameters
class TreeRegressor(OnCluster, regressor.TreeRegressor):
    """`bough.TreeRegressor` for Dask collections; see `bough.dask.TreeClassifier`."""

    _local = regressor.TreeRegressor


@with_parameters
class ForestClassifier(ProbaOnCluster, forest_classifier.ForestClassifier):
    """`bough.ForestClassifier` for Dask collections; see `bough.dask.TreeClassifier`."""

    _local = forest_classifier.ForestClassifier


@with_parameters
class ForestRegressor(OnCluster, forest_regressor.ForestRegressor):
    """`bough.ForestRegressor` for Dask collections; see `bough.dask.TreeClassifier`."""

    _local = forest_regressor.ForestRegressor
