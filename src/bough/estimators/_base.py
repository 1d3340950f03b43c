"""What the classifier and the regressor share: the whole conduct of a scikit-learn tree."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import _core
from ..errors import DataError
from ..model.arrays import TreeArrays
from ..model.metadata import check_listed
from ..model.model import Model
from ..model.outputs import Outputs
from ..model.printed import printed
from ..model.pruning import PruningTable
from ..model.smoothing import HIERARCHICAL
from ..model.spoken import Text
from ..output.html import Report
from ..output.text import Rule
from ..tables import frame
from ..tables.arrays import as_matrix, is_sparse
from ..tables.native import names_of
from .advice import advise
from .bases import BaseEstimator, CallbackSupportMixin
from .conformal import Calibrated
from .criterion import AUTO, criterion_for
from .data import Data, Floats, Target, data_of
from .edited import Edited
from .explained import Explained
from .exported import Exported
from .fitting import attributes_of, grown, parameters_of, planned, seeded, threads_of, weights_of
from .parameters import TreeParameters
from .plan import Plan, missing_apart, smoothing_of
from .progress import Progress, with_callbacks
from .refined import Refined
from .scored import Scored, fitted_by
from .shrinkage import chosen_strength
from .stumps import Stumps

if TYPE_CHECKING:
    from typing_extensions import Self

LOG = logging.getLogger("bough")


class Conduct(Exported, Explained, CallbackSupportMixin, BaseEstimator):
    """What every estimator does, whatever it grows; it has no parameters."""

    _of_one_fit: tuple[str, ...] = ("feature_names_in_", "calibration_scores_")  # which the next fit need not have

    # ---- fit ------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree or the trees.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table. Numbers may be missing (NaN); text and categorical columns are nominal.
        y : array-like of shape (n_samples,)
            What is to be predicted.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows. A row that weighs nothing is left out.

        Returns
        -------
        self : object
            The fitted estimator. If the fit fails or is interrupted, the estimator stays as it was.
        """
        with_callbacks = "_skl_callbacks" in self.__dict__
        fitted = self._grown_with_callbacks(X, y, sample_weight) if with_callbacks else self._grown(X, y, sample_weight)
        for name in self._of_one_fit:
            self.__dict__.pop(name, None)
        self.__dict__.update(fitted)
        if LOG.isEnabledFor(logging.INFO):
            LOG.info("%s: %s rows, %s", type(self).__name__, fitted["model_"].nodes().rows[0], self.origin_["engine"])
        return self

    @with_callbacks
    def _grown_with_callbacks(self, X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
        return self._grown(X, y, sample_weight, Progress(self, X, y))

    def _grown(self, X: Any, y: Any, sample_weight: Any, progress: Any = None) -> dict[str, Any]:
        """The attributes of a fitted estimator; nothing is set on the way."""
        raise AssertionError("defined by every estimator")

    def _data_of(self, X: Any, y: Any, sample_weight: Any = None) -> Data:
        """The table, the target and the weights, read once."""
        own: Any = self
        columns, schema = frame.read(X, own.categorical_features, own.ordinal_features, missing_apart(own.missing))
        n = columns.n_rows
        y, target = self._target_of(y, n)
        weights = weights_of(sample_weight, n, self._class_weights(y, target))
        return data_of(columns, schema, self._with_priors(target, weights), weights)

    def _target_of(self, y: Any, n: int) -> tuple[npt.NDArray[Any], Target]:
        raise AssertionError("defined by classifier and regressor")

    def _with_priors(self, target: Target, weights: Floats | None) -> Target:
        return target

    def _class_weights(self, y: npt.NDArray[Any], target: Target) -> Floats | None:
        return None

    @property
    def origin_(self) -> dict[str, Any]:
        """How the model was grown: ``estimator``, the ``parameters`` that were not defaults, and the ``engine``, the
        store of rows that it grew from and why. The engine changes the time a fit takes and never the tree, so a model
        file does not keep it.

        Examples
        --------
        >>> from bough import TreeClassifier
        >>> TreeClassifier(max_depth=2).fit([[1.0], [2.0]], [0, 1]).origin_["engine"]
        'lists: nodes look at all columns'
        """
        check_is_fitted(self, "model_")
        origin = self.model_.origin
        return {
            "estimator": origin.estimator if origin else type(self).__name__,
            "parameters": dict(origin.parameters) if origin else {},
            "engine": getattr(self, "_engine", None),
        }

    # ---- prediction -----------------------------------------------------------------------------

    def _columns_of(self, X: Any) -> _core.Columns:
        check_is_fitted(self, "model_")
        if isinstance(X, dict) and not is_sparse(X):  # a DOK array is a dict
            return self.model_.columns_of(X)
        if not hasattr(X, "shape") or getattr(X, "ndim", 2) != 2:
            X = as_matrix(X)  # says what a table looks like
        schema = self.model_.schema
        same = names_of(X) == schema.names if schema.named else type(X) is np.ndarray and X.shape[1] == len(schema)
        if not same:  # scikit-learn takes 0.3 ms to compare names, and for an array as long as the prediction
            frame.frame_of(X)  # refuses names that are no names in our own words
            validate_data(self, X, reset=False, skip_check_array=True)
        return self.model_.columns_of(X, by_name=False)

    def _outputs(self, X: Any) -> Outputs:
        columns = self._columns_of(X)
        return self.model_.outputs(columns, threads_of(self.n_jobs))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class, or the number, of each row of X.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            A table with the columns of the training table.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return self._outputs(X).predictions()

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """The node in which each row of X ends.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        nodes : ndarray of shape (n_samples,)
        """
        return self._outputs(X).nodes()

    @property
    def feature_importances_(self) -> Floats:
        """Decrease of impurity that each column brought, as a share of all."""
        check_is_fitted(self, "model_")
        return self.model_.feature_importances_

    # ---- words and files --------------------------------------------------------------------------

    def show(
        self,
        max_depth: int | None = None,
        digits: int | None = None,
        max_values: int = 8,
        p_values: bool = False,
        max_nodes: int | None = 60,
        surrogates: bool = False,
    ) -> Text:
        """The tree as text; see `Model.show`."""
        check_is_fitted(self, "model_")
        text = self.model_.show(max_depth, digits, max_values, p_values, max_nodes, surrogates=surrogates)
        return Text(self._with_seconds(text))

    def rules(self, digits: int | None = None, max_values: int = 8) -> Iterator[Rule]:
        """One rule for each leaf."""
        check_is_fitted(self, "model_")
        return self.model_.rules(digits, max_values)

    def why(self, row: Any, digits: int | None = None) -> Any:
        """The path of one row in words; of several rows, a data frame with a reason for each. See `Model.why`."""
        check_is_fitted(self, "model_")
        return self.model_.why(row, digits)

    def save(self, path: str | os.PathLike[str], metadata: Mapping[str, Any] | None = None) -> None:
        """Write the fitted model to a file, whole or not at all; `bough.load` reads it. See `Model.save`."""
        check_is_fitted(self, "model_")
        self.model_.save(path, metadata)

    def plot(self, ax: Any = None, max_depth: int | None = None, digits: int = 3) -> Any:
        """The tree as a matplotlib figure; see `Model.plot`."""
        check_is_fitted(self, "model_")
        return self.model_.plot(ax, max_depth, digits=digits)

    def report(
        self,
        X: Any = None,
        y: Any = None,
        *,
        target: str | None = None,
        include_rows: bool = False,
        groups: Any = None,
    ) -> Report:
        """A page that shows the tree, node by node; see `Model.report`. After a proof of at most three levels it tells
        which other trees are nearly as good, as far as two seconds of search find them."""
        check_is_fitted(self, "model_")
        more = {"others": Stumps, "near": self._near(), "groups": groups}
        return self.model_.report(X, y, target=target, include_rows=include_rows, **more)

    def _repr_html_inner(self) -> str:
        """scikit-learn's box and, of a fitted tree, the tree below it."""
        box: str = super()._repr_html_inner()
        return box + self.model_._repr_html_() if "model_" in self.__dict__ else box

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        return tags


class BaseTree(TreeParameters, Calibrated, Edited, Refined, Conduct):
    """Base of the trees and forests; not to be used by itself."""

    # ---- fit ------------------------------------------------------------------------------------

    def _grown(self, X: Any, y: Any, sample_weight: Any, progress: Any = None, *trees_from: Any) -> dict[str, Any]:
        """The attributes of a fitted estimator; nothing is set on the way. `trees_from`: see `BaseForest`."""
        params = parameters_of(self)
        params["smoothing"] = smoothing_of(params)
        data = self._data_of(X, y, sample_weight)
        check_listed(data.schema, data.target.classes, data.target.stakes.costs)
        if not isinstance(params["criterion"], str):
            if isinstance(params["criterion"], Scored):
                return fitted_by(self, params, data, X)
        elif params["criterion"] == AUTO:
            params["criterion"] = criterion_for(params, data.target.n_classes)
        advise(params, data)
        return self._attributes(params, data, progress, *trees_from)

    def _attributes(self, params: dict[str, Any], data: Data, progress: Progress | None) -> dict[str, Any]:
        """What a fit finds out, from what has been read."""
        out: dict[str, Any] = {}

        def grow(core: _core.Data, sample: _core.Sample | None, plan: Plan) -> _core.Tree:
            return _core.grow(core, sample, plan, progress.update if progress else None, out)

        seed = seeded(params)
        kept = planned(self, params, data, seed)
        tree = grown(params, data, grow, seed, kept and kept.plan)
        if params["smoothing"] == HIERARCHICAL:
            seen = 0 if params["random_state"] is None else seed

            def grow_part(sample: _core.Sample) -> _core.Tree:
                return grown(params, data, lambda core, _, plan: _core.grow(core, sample, plan), seen)

            params["smoothing"] = {HIERARCHICAL: chosen_strength(params, data, grow_part, seen)}
            kept = None  # its origin does not know the strength
        out["printed"] = printed(tree, out["margins"])
        found = attributes_of(self, params, data, (tree,), progress, out, kept and kept.origin)
        keeps = params["refine"] == "optimal" and (params["max_depth"] or 3) <= 3
        found["_fitted_on"] = (params, data, seed) if keeps else None  # for alternatives_
        if "keep_leaves" in params:
            found |= self._kept(found["model_"], data, [np.ones(data.columns.n_rows, np.uint32)])
        return found

    def _kept(self, model: Model, data: Data, times: Iterable[npt.NDArray[np.uint32]]) -> dict[str, Any]:
        """What else a fit keeps of its data; ``times``: how often each tree has drawn each row."""
        return {}

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row of X passes, as a sparse indicator matrix.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        indicator : scipy.sparse.csr_matrix of shape (n_samples, n_nodes)
        """
        from scipy.sparse import csr_matrix

        if "model_" in self.__dict__ and self.model_.missing == "shared":  # every node that some of a row comes to
            starts, nodes, _ = self.model_.tree.reach(self._columns_of(X))
            ones = np.ones(len(nodes), dtype=np.int64)
            return csr_matrix((ones, nodes.astype(np.int64), starts), shape=(len(starts) - 1, self.model_.n_nodes))
        leaves = self._outputs(X).nodes()
        paths = {leaf: self.model_.nodes().path(leaf) for leaf in np.unique(leaves).tolist()}
        lengths = np.array([len(paths[leaf]) for leaf in leaves.tolist()], dtype=np.int64)
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        indices = np.concatenate([np.asarray(paths[leaf]) for leaf in leaves.tolist()])
        ones = np.ones(len(indices), dtype=np.int64)
        return csr_matrix((ones, indices, indptr), shape=(len(leaves), self.model_.n_nodes))

    # ---- the tree -------------------------------------------------------------------------------

    @property
    def tree_(self) -> TreeArrays:
        """The arrays of the tree under scikit-learn's names."""
        if "model_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'tree_'; call fit first")
        return TreeArrays(self.model_.nodes())

    @property
    def pruning_table_(self) -> PruningTable:
        """The subtrees that ``prune="cost_complexity_cv"`` chose from; see `Model.pruning_table`."""
        table = self.model_.pruning_table if "model_" in self.__dict__ else None
        if table is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'pruning_table_'; prune='cost_complexity_cv' makes it"
            )
        return PruningTable(table)

    def get_depth(self) -> int:
        """The length of the longest path from the root to a leaf."""
        check_is_fitted(self, "model_")
        return self.model_.tree.max_depth

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        check_is_fitted(self, "model_")
        return self.model_.tree.n_leaves

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The pruning path of the full tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        ccp_path : Bunch
            ``ccp_alphas``: the prices of a leaf at which a subtree is given up, ascending;
            ``impurities``: the impurity of all leaves of the tree pruned by each of them.
        """
        from sklearn.base import clone

        full = clone(self).set_params(ccp_alpha=0.0, prune=None, prune_params=None).fit(X, y, sample_weight)
        try:
            alphas, impurities = full.model_.tree.pruning_path(full.model_.criterion, full.model_.stakes.for_core)
        except ValueError as e:
            raise DataError(str(e)) from None
        return Bunch(ccp_alphas=alphas, impurities=impurities)
