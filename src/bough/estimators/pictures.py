"""Pictures of estimators and models: regions of a plane, and what pruning does."""

from __future__ import annotations

from typing import Any

from ..errors import ParameterError, shown
from ..explain import dependence
from ..model.model import Model
from ..model.pruning import points_of
from ..output import plane


def model_in(tree: Any) -> Model:
    found = tree if isinstance(tree, Model) else getattr(tree, "model_", None)
    if not isinstance(found, Model):
        raise ParameterError(f"a fitted tree or a model is needed, not {shown(tree)}")
    return found


def pruning_points(model: Model) -> list[tuple[float, ...]] | None:
    """Leaves, error, cross-validated error and its deviation, of a tree that was pruned by cross-validation."""
    return None if model.pruning_table is None else points_of(model.pruning_table)


def plot_regions(
    tree: Any, X: Any, y: Any = None, columns: tuple[Any, Any] | None = None, ax: Any = None, resolution: int = 300
) -> Any:
    """What a tree predicts over a plane of two columns; the others stay at their median or most frequent value.

    Parameters
    ----------
    tree : fitted estimator or Model
    X : table
        Gives the range of the plane and the usual values of the other columns.
    y : array-like, optional
        Classes or numbers of the rows of X, drawn as points.
    columns : pair of names or numbers, optional
        The first two numeric columns unless given.
    ax : matplotlib Axes, optional
    resolution : int
        Points along each side.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bough
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = bough.TreeClassifier(split="lda", max_depth=2).fit(X, y)
    >>> bough.plot_regions(tree, X, y, (2, 3)).get_xlabel()
    'x2'
    """
    return plane.plot_regions(model_in(tree), X, y, columns, ax, resolution)


def plot_dependence(
    tree: Any,
    X: Any,
    column: Any,
    *,
    of: Any = None,
    node: int | None = None,
    ice: int = 40,
    points: int = 60,
    ax: Any = None,
) -> Any:
    """What is predicted on average when a column has one value after the other and the rest of each row stays as it is
    (partial dependence), with a line for each of some rows (individual conditional expectation).

    Where the model asks the column by itself the curve has a step at every cut, and nowhere else: it is exact.

    Parameters
    ----------
    tree : fitted estimator or Model
    X : table
        The rows that are averaged over.
    column : name or number
    of : class, optional
        The share of which class; of two, the second unless given.
    node : int, optional
        Only the rows that come to this node, over the values that they have.
    ice : int
        Rows that get a line of their own, at most.
    points : int
        Values that are tried for a column of linear splits.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bough
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> tree = bough.TreeRegressor(max_depth=3).fit(X, y)
    >>> bough.plot_dependence(tree, X, "bmi").get_ylabel()
    'mean prediction'
    """
    return dependence.plot_dependence(model_in(tree), X, column, of, node, ice, ax, points)


def plot_pruning(tree: Any, X: Any = None, y: Any = None, ax: Any = None) -> Any:
    """Error by number of leaves: of a tree that was pruned by cross-validation from its table, of any other tree along
    its cost-complexity path over these rows.

    Parameters
    ----------
    tree : fitted estimator, or a Model that has a ``pruning_table``
    X, y : table and target, optional
        Needed unless the tree has a ``pruning_table_``.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    model = model_in(tree)
    points = pruning_points(model)
    if points is not None:
        return plane.plot_pruning(points, ax, model.tree.n_leaves)
    if X is None or y is None:
        raise ParameterError("this tree has no pruning_table_; give X and y to see its cost-complexity path")
    return plane.plot_pruning(path_points(tree, X, y), ax, tree.get_n_leaves())


def path_points(tree: Any, X: Any, y: Any) -> list[tuple[float, ...]]:
    from sklearn.base import clone

    points: dict[int, float] = {}
    for alpha in tree.cost_complexity_pruning_path(X, y)["ccp_alphas"]:
        pruned = clone(tree).set_params(ccp_alpha=float(alpha), prune=None).fit(X, y)
        points[pruned.get_n_leaves()] = 1 - pruned.score(X, y)
    return sorted(points.items())
