"""What forests share: many trees grown by one call of the core, each from rows of its own."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from .. import _core
from ..errors import DataError, ParameterError, shown
from ..model.arrays import TreeArrays
from ..model.model import Model
from ._base import BaseTree
from .apart import must
from .data import Data, Floats
from .fitting import attributes_of, grown, seed_of, seeded
from .functions import plugin_name
from .importances import by_permutation
from .origins import origin_of
from .out_of_bag import Draws, Times, out_of_bag, r_squared
from .parameters import ForestParameters
from .plan import Plan, flag, integer, is_float, plan_of
from .progress import Progress
from .room import warn_of_memory
from .several import SeveralTrees
from .stumps import Stumps

if TYPE_CHECKING:
    pass

MOST_TREES = 1_000_000

TreesFrom = Callable[..., list[_core.Tree]]  # called as `grown_trees` is


OUT_OF_BAG = (
    "oob_score_",
    "oob_decision_function_",
    "oob_prediction_",
    "oob_errors_",
    "oob_feature_importances_",
    "_oob_scores",
)


class BaseForest(SeveralTrees, ForestParameters, BaseTree):
    """Base of the forests; not to be used by itself."""

    _others = Stumps
    _of_one_fit = (*BaseTree._of_one_fit, "estimators_", *OUT_OF_BAG)

    # ---- fit ------------------------------------------------------------------------------------

    def _attributes(
        self,
        params: dict[str, Any],
        data: Data,
        progress: Progress | None,
        trees_from: TreesFrom | None = None,
    ) -> dict[str, Any]:
        number = integer("n_estimators", params["n_estimators"], 1, "a positive integer")
        if number > MOST_TREES:
            raise must("n_estimators", params["n_estimators"], f"at most {MOST_TREES:,}")
        if params["refine"] is not None:
            raise ParameterError(
                f"refine={shown(params['refine'])} improves a tree by itself; a forest grows many. Leave it out."
            )
        bootstrap, warm = flag("bootstrap", params["bootstrap"]), flag("warm_start", params["warm_start"])
        judge = judge_of(params["oob_score"], bootstrap, data.target.n_classes == 0)
        own = Draws(data.columns.n_rows, data.weighing, drawn_rows(params["max_samples"], bootstrap, data.n_rows))
        before = self._trees_before(number, params, data) if warm else ()
        seeds, draws = seeds_of(seeded(params), number), [own] * number
        update = progress.update if progress else None
        out: dict[str, Any] = {}
        trees = (trees_from or grown_trees)(params, data, seeds[len(before) :], own.size, update, out)
        if before:  # trees that are kept have their bootstrap samples already
            seeds[: len(before)], draws[: len(before)] = self._seeds, self._draws
        found = attributes_of(self, params, data, (*before, *trees), progress, out)
        found |= {"n_outputs_": 1, "_seeds": seeds, "_draws": draws}
        times = Times(seeds, draws)
        kept = self._kept(found["model_"], data, times)
        return found | kept | (out_of_bag(found["model_"], data, times, judge) if judge else {})

    def _trees_before(self, number: int, params: dict[str, Any], data: Data) -> tuple[_core.Tree, ...]:
        """The trees that ``warm_start`` keeps."""
        model: Model | None = self.__dict__.get("model_")
        if model is None:
            return ()
        if number < len(model.trees):
            raise ParameterError(
                f"n_estimators={number} must be larger or equal to the {len(model.trees)} trees there are when "
                "warm_start=True"
            )
        plan_of(params, data, seed=0, threads=1)  # wrong values are refused as ever
        check_alike(model, self._draws[0], params, data)
        if number == len(model.trees):
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.", UserWarning, stacklevel=5
            )
        return model.trees

    # ---- prediction -----------------------------------------------------------------------------

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row of X passes, as a sparse indicator matrix.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        indicator : scipy.sparse.csr_matrix of shape (n_samples, n_nodes)
            The nodes of all trees, one tree after the other.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Where the nodes of each tree begin.
        """
        from scipy.sparse import hstack

        paths = [tree.decision_path(X) for tree in self.estimators_]
        return hstack(paths).tocsr(), np.cumsum([0, *(p.shape[1] for p in paths)])

    @property
    def cost_complexity_pruning_path(self) -> Any:
        """A forest has many trees."""
        raise AttributeError(
            f"a forest has many trees; choose one: {type(self).__name__}.estimators_[i].cost_complexity_pruning_path"
        )

    # ---- the trees ------------------------------------------------------------------------------

    _tree: Any  # the estimator of one tree

    @cached_property
    def estimators_(self) -> list[Any]:
        """The trees as estimators of their own; they share the forest's memory."""
        if "model_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'estimators_'; call fit first")
        shared = {n: v for n, v in self.__dict__.items() if n in SHARED}
        given = {n: getattr(self, n) for n in self._tree._get_param_names()}
        if is_balanced_subsample(given):
            given["class_weight"] = "balanced"
        views = []
        for tree, seed in zip(self.model_.trees, self._seeds, strict=True):
            own = {**given, "random_state": seed}
            origin = origin_of(self._tree, own, self.model_.schema)
            view = self._tree(**own)
            view.__dict__.update(shared, model_=replace(self.model_, trees=(tree,), origin=origin))
            views.append(view)
        return views

    @property
    def estimators_samples_(self) -> list[npt.NDArray[np.int64]]:
        """The rows that each tree was grown from, ascending; a row that was drawn twice appears twice."""
        check_is_fitted(self, "model_")
        return [np.repeat(np.arange(len(t)), t) for t in Times(self._seeds, self._draws)]

    @property
    def tree_(self) -> TreeArrays:
        """A forest has many."""
        raise AttributeError(f"a forest has many trees; choose one: {type(self).__name__}.estimators_[i].tree_")

    @property
    def feature_importances_(self) -> Floats:
        """Decrease of impurity that each column brought, as a share of all: the mean of the trees that split."""
        check_is_fitted(self, "model_")
        return self.model_.feature_importances_

    def oob_permutation_importances(self, X: Any, y: Any, random_state: Any = 0) -> Bunch:
        """How much worse the trees predict their out-of-bag rows once a column of those rows is shuffled.

        A column without information has a mean of 0, whatever its values; a mean of more than two standard errors
        is hardly chance.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table that the forest was fitted on, its rows in the same order.
        y : array-like of shape (n_samples,)
            The target it was fitted on.
        random_state : int, RandomState or None, default=0
            Seed of the shuffling.

        Returns
        -------
        importances : Bunch
            ``importances_mean``: the loss of accuracy (with costs: the increase of the cost), or the increase of the
            squared error, of each column;
            ``importances_standard_error``: its standard error over trees; ``importances``: columns × trees.

        Examples
        --------
        >>> import numpy as np
        >>> from bough import ForestClassifier
        >>> X = np.random.default_rng(0).normal(size=(200, 3))
        >>> forest = ForestClassifier(random_state=0).fit(X, X[:, 1] > 0)
        >>> int(forest.oob_permutation_importances(X, X[:, 1] > 0).importances_mean.argmax())
        1
        """
        check_is_fitted(self, "model_")
        data = self._data_of(X, y)
        n_rows = self._draws[0].n_rows
        if data.columns.n_rows != n_rows or data.schema != self.model_.schema:
            raise DataError(
                f"this is not the table that the forest was fitted on, which had {n_rows} rows and columns "
                f"as X of fit; give X and y of fit."
            )
        if not any(draws.size for draws in self._draws):
            raise ParameterError("every tree has seen all rows; importances out of bag need bootstrap=True.")
        unseen = [times == 0 for times in Times(self._seeds, self._draws)]
        return by_permutation(self.model_, data, unseen, np.random.default_rng(seed_of(random_state)))

    def __getitem__(self, number: int) -> Any:
        return self.estimators_[number]


SHARED = ("classes_", "n_classes_", "n_features_in_", "feature_names_in_")


# ---- helpers ------------------------------------------------------------------------------------------


def check_alike(model: Model, draws: Draws, params: Mapping[str, Any], data: Data) -> None:
    """Refuses to add trees to those of a model that would not be one model with them."""
    classes, target = model.classes, data.target
    if model.schema != data.schema or (classes is not None and classes.tolist() != np.asarray(target.classes).tolist()):
        raise DataError("warm_start=True: this table has other columns or classes than the trees there are.")
    if draws.n_rows != data.columns.n_rows or not same(draws.weighing, data.weighing):
        raise DataError(
            f"warm_start=True: the trees there are come from a table of {draws.n_rows} rows; this one has "
            f"{data.columns.n_rows} rows, or others without weight. Give the same table, or set warm_start=False."
        )
    for name, before, now in (
        ("criterion", model.criterion, plugin_name(params["criterion"])),
        ("criterion_params", dict(model.criterion_params), dict(params["criterion_params"] or {})),
        ("missing", model.missing, params["missing"]),
        ("standardize", model.standardize, bool(params["standardize"])),
        ("cost_splits", model.cost_splits, target.stakes.splits),
    ):
        if before != now:
            raise ParameterError(
                f"{name} is {shown(now)} and warm_start=True, but the trees there are were grown with "
                f"{name}={before!r}; set it back, or set warm_start=False."
            )
    for name, given, is_now in (
        ("costs", model.costs, target.stakes.costs),
        ("priors, or the weights of the classes that they alter,", model.class_scale, target.stakes.scale),
    ):
        if not same(given, is_now):
            raise ParameterError(
                f"{name} are not those of the trees there are, which warm_start=True keeps; set them back, or set "
                "warm_start=False."
            )


def same(one: npt.NDArray[Any] | None, other: npt.NDArray[Any] | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)


def seeds_of(seed: int, number: int) -> list[int]:
    """A seed for each tree; the first is the forest's own, and more trees leave those before them as they are."""
    return [seed, *np.random.SeedSequence(seed).generate_state(max(1, number - 1)).tolist()][:number]


def drawn_rows(max_samples: Any, bootstrap: bool, n_rows: int) -> int:
    """How many rows a tree draws; 0: it takes all of them."""
    what = "None, a positive integer, or a share of the rows above 0 and at most 1"
    if max_samples is None:
        return n_rows if bootstrap else 0
    if not bootstrap:
        raise ParameterError(
            f"max_samples is {max_samples!r} and bootstrap=False: every tree takes all rows. "
            "Set bootstrap=True, or leave max_samples out."
        )
    if is_float(max_samples):
        if not 0 < max_samples <= 1:
            raise must("max_samples", max_samples, what)
        return max(round(n_rows * float(max_samples)), 1)
    number = integer("max_samples", max_samples, 1, what)
    if number > n_rows:
        raise must("max_samples", max_samples, f"at most {n_rows}, the number of rows")
    return number


def judge_of(oob_score: Any, bootstrap: bool, regression: bool) -> Callable[..., Any] | None:
    """What scores out-of-bag predictions; None: not requested."""
    if not callable(oob_score) and not flag("oob_score", oob_score):
        return None
    if not bootstrap:
        raise ParameterError("Out of bag estimation only available if bootstrap=True")
    if callable(oob_score):
        return oob_score
    from sklearn.metrics import accuracy_score

    return r_squared if regression else accuracy_score


def is_balanced_subsample(params: Mapping[str, Any]) -> bool:
    given = params.get("class_weight")
    return isinstance(given, str) and given == "balanced_subsample"


def grown_trees(
    params: dict[str, Any],
    data: Data,
    seeds: list[int],
    size: int,
    progress: Callable[[float], None] | None,
    out: dict[str, Any] | None = None,
) -> list[_core.Tree]:
    """One tree for each seed, from ``size`` rows that it draws; ``out`` gets the engine."""
    balanced = is_balanced_subsample(params)

    def grow(core: _core.Data, sample: _core.Sample | None, plan: Plan) -> list[_core.Tree]:
        warn_of_memory(plan, size or data.n_rows, data.target.n_classes, len(seeds))
        return _core.grow_forest(core, sample, plan, seeds, size, balanced, progress, out)

    return grown(params, data, grow, seeds[0]) if seeds else []
