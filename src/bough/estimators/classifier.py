"""`TreeClassifier`: one tree for classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from .. import _core
from ..errors import DataError, ParameterError, shown
from ..model.stakes import NO_STAKES, Stakes
from ..registry import LARGEST, is_number
from ..tables import codes
from ..tables.arrays import check_target, real, unmasked
from ..tables.native import series_array
from ..tables.values import check_value, is_missing, plain
from ._base import BaseTree
from .costs import cost_splits_of, costs_of, priors_of, scale_of
from .data import Floats, Target


class TreeClassifier(ClassifierMixin, BaseTree):
    """A decision tree classifier in which every part can be chosen.

    Parameters
    ----------
    criterion : str, default="gini"
        How good a split is: see ``bough list criterion``.
    split : str or `directions`, default="axis"
        Which splits of numeric columns are tried: see ``bough list split``; or `bough.directions` of a
        function of your own.
    split_params : dict, optional
        Parameters of ``split``.
    nominal : str, default="auto"
        Which partitions of nominal columns are tried: see ``bough list nominal``.
    nominal_params : dict, optional
        Parameters of ``nominal``; every search has ``unseen`` ("heavier" or "stop").
    selector : str, default="score"
        Which columns may be split at a node: see ``bough list selector``.
    selector_params : dict, optional
        Parameters of ``selector``.
    missing : {"either", "shared", "surrogate"}, default="either"
        Where rows go that lack the value a node asks for: to the side where they help most; to every child with their
        share, as in C4.5; or where a surrogate split sends them, as in CART. See ``bough list missing``.
    prune : str, optional
        What is cut back after growing: see ``bough list prune``.
    prune_params : dict, optional
        Parameters of ``prune``.
    standardize : bool, optional
        Whether numeric columns count in units of their standard deviation where scale matters: for
        directions over several columns and for ``max_cut``. Stored with the model. By default they do not, and a
        warning tells if that matters.
    simplify : bool, default=False
        Whether a split over several columns loses those without which, with its cut put anew, every
        training row stays on its side.
    max_depth : int, optional
        Longest path from the root to a leaf.
    min_samples_split : int or float, default=2
        Rows that a node needs to be split; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Rows that every child needs; a float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Share of the total weight that every child needs.
    max_features : int, float, "sqrt", "log2" or None, default=None
        Columns tried at each node, drawn at random; beyond them only until one can be split.
    count_constant : bool, default=True
        Whether a drawn column that cannot be split at the node, as it is constant there, uses up one of
        ``max_features``, as in scikit-learn.
    max_leaf_nodes : int, optional
        Most leaves; the tree then grows best first.
    min_impurity_decrease : float, default=0.0
        Weighted decrease of impurity that a split needs.
    min_info_gain : float, optional
        A split is made only if its information gain, in bits, is larger. At 0 a split that tells
        nothing about the class is not made; by default it is, as in scikit-learn, where better ones
        may be found below.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    costs : array-like of shape (n_classes, n_classes) or dict {(true, predicted): cost}, optional
        What it costs to answer a row of one class, the first, with another: not negative, 0 on the diagonal; pairs
        that a dict does not list cost 1, and one listed one way only costs the same the other way. Leaves answer the
        class of least expected cost; `predict_proba` does not know costs.
    cost_splits : {"pairs", "altered_priors"}, default="pairs"
        How costs act on splits. ``"pairs"``: by what it costs to mix two classes, the mean of both ways: the
        generalised Gini impurity (``criterion="gini"``) or the cost of the pairs taken apart (``squared_gini``,
        ``max_cut``). ``"altered_priors"``, as in CART: a class weighs as much more as its wrong answers cost
        together; with every criterion.
    priors : array-like of shape (n_classes,) or dict {class: probability}, optional
        How frequent the classes are where the tree will be used; by default as in the training rows. Splits,
        answers, `predict_proba` and pruning follow.
    smoothing : "laplace", float or None, default=None
        What is added to the class weights of a leaf before `predict_proba` makes shares of them: 1 for each class, or
        this much weight in the shares of all training rows (m-estimate).
    ccp_alpha : float, default=0.0
        Price of a leaf: cuts back by ``cost_complexity``, after ``prune``.
    categorical_features : "from_dtype", array-like of bool, int or str, or None
        Which columns are nominal. By default those of text and categorical types; None: none.
    ordinal_features : dict {column: values in order}, optional
        Columns whose values have an order, lowest first: they are cut in that order (``size <= medium``). Ordered
        categories of pandas and arrow and Enums of polars are so by themselves, unless ``categorical_features`` names
        them.
    random_state : int, RandomState or None, default=None
        Seed of everything random. A tree that draws nothing is the same for every seed.
    n_jobs : int, optional
        Threads; -1 uses all processors. The tree does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X had column names.
    feature_importances_ : ndarray of shape (n_features_in_,)
    tree_ : TreeArrays
        The tree's arrays under scikit-learn's names.
    model_ : Model
        The tree and its schema.

    Examples
    --------
    >>> from bough import TreeClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = TreeClassifier(max_depth=3).fit(X, y)
    >>> round(tree.score(X, y), 3)
    0.973
    """

    def __init__(
        self,
        *,
        criterion: str = "gini",
        split: Any = "axis",
        split_params: Mapping[str, Any] | None = None,
        nominal: str = "auto",
        nominal_params: Mapping[str, Any] | None = None,
        selector: str = "score",
        selector_params: Mapping[str, Any] | None = None,
        missing: str = "either",
        prune: str | None = None,
        prune_params: Mapping[str, Any] | None = None,
        standardize: bool | None = None,
        simplify: bool = False,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        count_constant: bool = True,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        min_info_gain: float | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        costs: Any = None,
        cost_splits: str = "pairs",
        priors: Any = None,
        smoothing: str | float | None = None,
        ccp_alpha: float = 0.0,
        categorical_features: Any = "from_dtype",
        ordinal_features: Mapping[Any, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.split = split
        self.split_params = split_params
        self.nominal = nominal
        self.nominal_params = nominal_params
        self.selector = selector
        self.selector_params = selector_params
        self.missing = missing
        self.prune = prune
        self.prune_params = prune_params
        self.standardize = standardize
        self.simplify = simplify
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.count_constant = count_constant
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.min_info_gain = min_info_gain
        self.class_weight = class_weight
        self.costs = costs
        self.cost_splits = cost_splits
        self.priors = priors
        self.smoothing = smoothing
        self.ccp_alpha = ccp_alpha
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _target_of(self, y: Any, n: int) -> tuple[npt.NDArray[Any], Target]:
        y = labels_of(y)
        check_target(y, n)
        classes, coded = classes_of(y)
        if classes.dtype.kind in "OU":
            for c in classes.tolist():
                check_value(c, "y")
        costs, splits = costs_of(self.costs, classes), cost_splits_of(self.cost_splits)
        stakes = NO_STAKES if costs is None and splits == NO_STAKES.splits else Stakes(costs, splits)
        return y, Target(codes=coded.astype(np.uint32, copy=False), classes=classes, stakes=stakes)

    def _with_priors(self, target: Target, weights: Floats | None) -> Target:
        if self.priors is None:
            return target
        assert target.codes is not None
        assert target.classes is not None
        scale = scale_of(priors_of(self.priors, target.classes), target.codes, weights)
        return target._replace(stakes=replace(target.stakes, scale=scale))

    def _class_weights(self, y: npt.NDArray[Any], target: Target) -> Floats | None:
        given = self.class_weight
        if given is None:
            return None
        if isinstance(given, Mapping):
            classes = target.classes.tolist() if target.classes is not None else []
            unknown = [c for c in given if c not in classes]
            if unknown and any(c not in given for c in classes):  # else it names more classes than there are here
                raise ParameterError(
                    f"class_weight names {shown(unknown[0])}, which is not a class. "
                    f"Classes: {', '.join(map(shown, classes[:20]))}{', …' if len(classes) > 20 else ''}."
                )
            for c, w in given.items():
                if not is_number(w) or not 0 <= w <= LARGEST:
                    raise ParameterError(
                        f"class_weight of {shown(c)} is {shown(w)}; it must be a finite number, not negative."
                    )
        elif not isinstance(given, str) or given != "balanced":
            raise ParameterError(
                f"class_weight is {shown(given)}; it must be a dict {{class: weight}}, 'balanced' or None."
            )
        from sklearn.utils.class_weight import compute_class_weight

        per_class = compute_class_weight(given, classes=target.classes, y=y)
        weights: Floats = per_class[target.codes]
        return weights

    def predict_proba(self, X: Any) -> Floats:
        """The share of each class in the leaf of each row of X.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        return self._outputs(X).shares()

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        log_proba : ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def classes_of(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The classes in order, and the number of each row's class."""
    if y.dtype.kind == "i" or (y.dtype.kind == "u" and y.dtype.itemsize < 8):
        whole, places = np.ascontiguousarray(y, np.int64), np.empty(len(y), np.uint32)
        numbers = _core.number_classes(whole if whole.flags.aligned else whole.copy(), places)
        if numbers is not None:
            return np.array(numbers, dtype=y.dtype), places
    if y.dtype.kind in "OU":
        found = codes.in_order(codes.of_array(y))
        return np.array(found.values, dtype=y.dtype), found.codes
    return np.unique(y, return_inverse=True)


def labels_of(y: Any) -> npt.NDArray[Any]:
    """Class labels as one array, refused in scikit-learn's words if they are none."""
    if type(y) is not np.ndarray:
        given = series_array(y)
        y = unmasked(y, "y") if given is None else given
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iubU" and len(y):
        return y
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.")
    whole = getattr(getattr(y, "dtype", None), "numpy_dtype", None)  # of pandas' nullable types
    if whole is not None and whole.kind in "iub" and not y.isna().any():
        y = y.to_numpy(dtype=whole)
    given, y = y, column_or_1d(real(y, "y"), warn=True)
    if y.dtype.kind == "U" and isinstance(given, (list, tuple)) and not all(isinstance(v, str) for v in given):
        y = np.array(given, dtype=object)  # NumPy would make text of the numbers
    if y.dtype.kind not in "biufUO" or (y.dtype.itemsize > 8 and y.dtype.kind == "f"):
        raise DataError(
            f"Unknown label type: y is of type {y.dtype}, and classes are text, numbers or flags. "
            "Convert it: y.astype(str), or y.astype(float)."
        )
    check_target(y, len(y))
    if y.dtype.kind == "O":
        types = set(map(type, y))
        text = {t for t in types if issubclass(t, str)}
        if text == types:
            return np.asarray(y)
        missing = next((row for row, v in enumerate(y) if is_missing(v)), None)
        if missing is not None:
            raise DataError(f"Input y contains NaN: row {missing}. Leave out the rows that have no target.")
        for v in y:
            if not isinstance(v, (str, int, float, np.number, np.bool_)):
                raise DataError(
                    f"Unknown label type: y holds {shown(v)}, and classes are text, numbers or flags. "
                    "Convert it: y.astype(str)."
                )
            check_value(plain(v), "y")
        if text:
            mixed = ", ".join(sorted(t.__name__ for t in types))
            raise DataError(f"Unknown label type: y mixes text and other labels ({mixed}). Make all of them text.")
        kinds = ", ".join(sorted(t.__name__ for t in types))
        raise DataError(f"Unknown label type: y holds Python objects ({kinds}). Convert it: y.astype(int) or (str).")
    check_classification_targets(y)
    return np.asarray(y)
