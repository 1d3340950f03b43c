"""What the classifier and the regressor share: the whole conduct of a scikit-learn tree."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import _core
from ..errors import DataError, ParameterError
from ..model.arrays import TreeArrays
from ..model.metadata import check_listed
from ..model.model import MOST_THREADS, Model
from ..model.outputs import Outputs
from ..model.printed import printed
from ..model.refinement import told
from ..model.smoothing import HIERARCHICAL
from ..output.html import Report
from ..output.text import Rule
from ..tables import frame
from ..tables.arrays import as_matrix, at_hand, numbers_of, unmasked
from ..tables.native import names_of
from ..tables.schema import Schema
from .advice import advise
from .bases import BaseEstimator, CallbackSupportMixin
from .blas import calls_blas, one_thread
from .data import Data, Floats, Target
from .edited import Edited
from .explained import Explained
from .origins import origin_of
from .parameters import TreeParameters
from .plan import Plan, has_gaps, must, plan_of, smoothing_of
from .progress import Progress, with_callbacks
from .refined import Refined
from .shrinkage import chosen_strength
from .stumps import Stumps

Grown = TypeVar("Grown")
PARAMETERS: dict[Any, frozenset[str]] = {}  # their names, by estimator class


class BaseTree(TreeParameters, Edited, Refined, Explained, CallbackSupportMixin, BaseEstimator):
    """Base of the tree estimators; not to be used by itself."""

    # ---- fit ------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grow a tree.

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
        told = "_skl_callbacks" in self.__dict__
        fitted = self._grown_with_callbacks(X, y, sample_weight) if told else self._grown(X, y, sample_weight)
        self.__dict__.pop("feature_names_in_", None)
        self.__dict__.update(fitted)
        return self

    @with_callbacks
    def _grown_with_callbacks(self, X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
        return self._grown(X, y, sample_weight, Progress(self, X, y))

    def _grown(self, X: Any, y: Any, sample_weight: Any, progress: Any = None, *trees_from: Any) -> dict[str, Any]:
        """The attributes of a fitted estimator; nothing is set on the way. `trees_from`: see `BaseForest`."""
        params = parameters_of(self)
        params["smoothing"] = smoothing_of(params)
        data = self._data_of(X, y, sample_weight)
        check_listed(data.schema, data.target.classes, data.target.stakes.costs)
        advise(params, data)
        return self._attributes(params, data, progress, *trees_from)

    def _attributes(self, params: dict[str, Any], data: Data, progress: Progress | None) -> dict[str, Any]:
        """What a fit finds out, from what has been read."""
        out: dict[str, Any] = {}

        def grow(core: _core.Data, sample: _core.Sample | None, plan: Plan) -> _core.Tree:
            return _core.grow(core, sample, plan, progress.update if progress else None, out)

        seed = seeded(params)
        tree = grown(params, data, grow, seed)
        if params["smoothing"] == HIERARCHICAL:
            seen = 0 if params["random_state"] is None else seed

            def grow_part(sample: _core.Sample) -> _core.Tree:
                return grown(params, data, lambda core, _, plan: _core.grow(core, sample, plan), seen)

            params["smoothing"] = {HIERARCHICAL: chosen_strength(params, data, grow_part, seen)}
        out["printed"] = printed(tree, tree.margins(data.columns, data.weighing))
        return attributes_of(self, params, data, (tree,), progress, out)

    def _data_of(self, X: Any, y: Any, sample_weight: Any = None) -> Data:
        """The table, the target and the weights, read once."""
        columns, schema = frame.read(X, self.categorical_features, self.ordinal_features, has_gaps(self.missing))
        n = columns.n_rows
        y, target = self._target_of(y, n)
        weights = weights_of(sample_weight, n, self._class_weights(y, target))
        return Data(columns, schema, self._with_priors(target, weights), weights)

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
        if not hasattr(X, "shape") or getattr(X, "ndim", 2) != 2 or hasattr(X, "nnz"):
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
        return self._outputs(X).answers()

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
    def pruning_table_(self) -> dict[str, Floats]:
        """The subtrees that ``prune="cost_complexity_cv"`` chose from; see `Model.pruning_table`."""
        table = self.model_.pruning_table if "model_" in self.__dict__ else None
        if table is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'pruning_table_'; prune='cost_complexity_cv' makes it"
            )
        return table

    @property
    def feature_importances_(self) -> Floats:
        """Decrease of impurity that each column brought, as a share of all."""
        check_is_fitted(self, "model_")
        return self.tree_.compute_feature_importances()

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

    # ---- words and files --------------------------------------------------------------------------

    def show(
        self,
        max_depth: int | None = None,
        digits: int | None = None,
        max_values: int = 8,
        p_values: bool = False,
        max_nodes: int | None = 60,
        surrogates: bool = False,
    ) -> str:
        """The tree as text; see `Model.show`."""
        check_is_fitted(self, "model_")
        text = self.model_.show(max_depth, digits, max_values, p_values, max_nodes, surrogates=surrogates)
        return self._with_seconds(text)

    def rules(self, digits: int | None = None, max_values: int = 8) -> Iterator[Rule]:
        """One rule for each leaf."""
        check_is_fitted(self, "model_")
        return self.model_.rules(digits, max_values)

    def why(self, row: Any, digits: int | None = None) -> str:
        """The path of one row in words; see `Model.why`."""
        check_is_fitted(self, "model_")
        return self.model_.why(row, digits)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file, whole or not at all; `bough.load` reads it."""
        check_is_fitted(self, "model_")
        self.model_.save(path)

    def plot(self, ax: Any = None, max_depth: int | None = None, digits: int = 3) -> Any:
        """The tree as a matplotlib figure; see `Model.plot`."""
        check_is_fitted(self, "model_")
        return self.model_.plot(ax, max_depth, digits=digits)

    def report(self, X: Any = None, y: Any = None, *, target: str | None = None, include_rows: bool = False) -> Report:
        """A page that shows the tree, node by node; see `Model.report`."""
        check_is_fitted(self, "model_")
        return self.model_.report(X, y, target=target, include_rows=include_rows, others=Stumps)

    def _repr_html_inner(self) -> str:
        """scikit-learn's box and, of a fitted tree, the tree below it."""
        box: str = super()._repr_html_inner()
        return box + self.model_._repr_html_() if "model_" in self.__dict__ else box

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def to_dot(self, max_depth: int | None = None, digits: int | None = None, max_values: int = 8) -> str:
        """The tree in DOT, for graphviz; see `Model.to_dot`."""
        check_is_fitted(self, "model_")
        return self.model_.to_dot(0, max_depth, digits, max_values)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = False
        tags.input_tags.categorical = True
        return tags


# ---- helpers ------------------------------------------------------------------------------------------


def grown(params: dict[str, Any], data: Data, grow: Callable[..., Grown], seed: int) -> Grown:
    """What the core grows from the data, the sample and the plan of an estimator with these parameters."""
    raised: list[BaseException] = []  # by a function of the user's own: passed on as it is
    plan = plan_of(params, data, seed=seed, threads=threads_of(params["n_jobs"]), raised=raised)
    try:
        if not calls_blas(plan, data.schema):
            return grow(data.for_core(), data.sample(), plan)
        with one_thread:
            return grow(data.for_core(), data.sample(), plan)
    except ValueError as e:
        if e in raised or isinstance(e, ParameterError):
            raise
        raise ParameterError(named_columns(str(e), data.schema)) from None


def attributes_of(
    estimator: BaseTree,
    params: dict[str, Any],
    data: Data,
    trees: tuple[_core.Tree, ...],
    progress: Progress | None,
    out: Mapping[str, Any],
) -> dict[str, Any]:
    """The attributes that every fitted estimator has; ``out`` is what the core said besides the trees."""
    schema, target = data.schema, data.target
    model = Model(
        trees,
        schema,
        target.classes,
        params["criterion"],
        target.stakes.costs,
        bool(params["standardize"]),
        params["smoothing"],
        out.get("pruning_table"),
        target.stakes.splits,
        target.stakes.scale,
        origin_of(type(estimator), params, schema),
        out.get("printed"),
        told(out.get("refinement")),
    )
    if progress:
        progress.finish({"model_": model})
    attributes: dict[str, Any] = {"model_": model, "n_features_in_": len(schema), "_engine": out.get("engine")}
    if "refinement" in out and out["refinement"]["seconds"] > 0:
        attributes["_search_seconds"] = out["refinement"]["seconds"]
    if schema.named:
        attributes["feature_names_in_"] = np.array(schema.names, dtype=object)
    if target.classes is not None:
        attributes["classes_"] = target.classes
        attributes["n_classes_"] = len(target.classes)
    return attributes


def parameters_of(estimator: BaseEstimator) -> dict[str, Any]:
    """An estimator's parameters by name, and what else it holds: quicker than to pick them, or scikit-learn's
    get_params, which reads the signature anew each time."""
    kind, held = type(estimator), vars(estimator)
    if kind not in PARAMETERS:
        PARAMETERS[kind] = frozenset(kind._get_param_names())
    names = PARAMETERS[kind]
    return held.copy() if names <= held.keys() else {name: getattr(estimator, name) for name in names}


def seeded(params: dict[str, Any]) -> int:
    """The seed of a fit. One that was given, as a number or a generator, is what ``params`` has from here on; one that
    nobody gave is not told, so that the same call makes the same file."""
    seed = seed_of(params["random_state"])
    if params["random_state"] is not None:
        params["random_state"] = seed
    return seed


def seed_of(random_state: Any) -> int:
    if random_state is None:
        return int(np.random.randint(0, 2**31 - 1))
    if isinstance(random_state, (int, np.integer)) and 0 <= random_state < 2**32:
        return int(random_state)  # to start a generator for it would cost more than a fit of 150 rows
    try:
        return int(check_random_state(random_state).randint(0, 2**31 - 1))
    except Exception:  # whatever its repr, which the error would show, raises
        raise must("random_state", random_state, "None, a non-negative integer or a numpy RandomState") from None


def threads_of(n_jobs: Any) -> int:
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise must("n_jobs", n_jobs, "None or an integer other than 0 (−1: all processors)")
    if n_jobs == 1:
        return 1
    from joblib import effective_n_jobs

    return min(int(effective_n_jobs(n_jobs)), MOST_THREADS)


def weights_of(sample_weight: Any, n: int, class_weights: Floats | None) -> Floats | None:
    """Row weights as positive numbers or zero, or None if every row weighs the same 1."""
    if sample_weight is None and class_weights is None:
        return None
    if sample_weight is None:
        w = np.ones(n)
    else:
        w = numbers_of(unmasked(at_hand(sample_weight, "sample_weight"), "sample_weight"), "sample_weight")
        if w.ndim == 0:
            w = np.full(n, float(w))
        if w.shape != (n,):
            raise DataError(f"sample_weight has shape {w.shape}; it must have one weight for each of the {n} rows.")
    if class_weights is not None:
        w = w * class_weights
    if not np.isfinite(w).all() or (w < 0).any():
        bad = int(np.flatnonzero(~(np.isfinite(w) & (w >= 0)))[0])
        raise DataError(f"sample_weight[{bad}] is {w[bad]}; weights must be finite and not negative.")
    if not w.any():
        raise DataError("All sample_weight are zero; at least one must be positive.")
    with np.errstate(over="ignore"):
        if not np.isfinite(w.sum()):
            raise DataError(
                f"sample_weight add up to more than a float64 holds (the largest is {w.max()}); divide them all."
            )
    return None if (w == 1).all() else np.require(w, requirements=["C", "A"])


def named_columns(message: str, schema: Schema) -> str:
    """The core speaks of column <#3>; the user knows its name."""
    return re.sub(r"<#(\d+)>", lambda m: repr(schema.columns[int(m[1])].name), message)
