"""The parameters of the estimators, each with its default and its description; `plan.py` and the files that read a
parameter check its values.

An estimator is a class with fields, as a dataclass is: the fields of its bases and its own make its ``__init__``, which
scikit-learn, type checkers and editors read, and the section "Parameters" of its docstring.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar

if sys.version_info >= (3, 11):
    from typing import dataclass_transform
else:  # type checkers of Python 3.10 see no signature

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        return lambda function: function


Class = TypeVar("Class", bound=type)
WIDTH = 112  # characters of a line of a docstring, without what it is indented by


def parameter(kind: str, doc: str, *, default: Any, kw_only: bool = True) -> Any:
    """A parameter: its type, its meaning and its default."""
    return field(default=default, kw_only=kw_only, metadata={"kind": kind, "doc": " ".join(doc.split())})


@dataclass_transform(kw_only_default=True, field_specifiers=(parameter,))
def with_parameters(cls: Class) -> Class:
    """Give a class the ``__init__`` of its fields and describe them in its docstring."""
    dataclass(kw_only=True, eq=False, repr=False, match_args=False)(cls)
    before, attributes, after = (cls.__doc__ or "").partition("\n    Attributes\n")
    if attributes:
        cls.__doc__ = f"{before}\n{textwrap.indent(described(cls), '    ')}{attributes}{after}"
    return cls


def described(cls: Any) -> str:
    """The section "Parameters" of a class."""
    given = sorted(fields(cls), key=lambda f: f.kw_only is True)  # those that may be passed by place come first
    return "\n".join(["Parameters", "----------", *(entry(cls, f) for f in given), ""])


def entry(cls: Any, given: Field[Any]) -> str:
    """One parameter; a class that only changes its default has the description of its base."""
    described = (c.__dict__.get("__dataclass_fields__", {}).get(given.name) for c in cls.__mro__)
    about = next(f.metadata for f in described if f is not None and f.metadata)
    usual = f'"{given.default}"' if isinstance(given.default, str) else repr(given.default)
    end = "optional" if given.default is None and "None" not in about["kind"] else f"default={usual}"
    doc = textwrap.fill(about["doc"], WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    return f"{given.name} : {about['kind']}, {end}\n{doc}"


@with_parameters
class TreeParameters:
    """Parameters of every tree."""

    criterion: Any = parameter(
        "str or `edge_weights`",
        """How good a split is: see ``bough list criterion``; or `bough.edge_weights` of your own function; or
        ``"auto"``: ``twoing`` if ``max_depth`` is at most 6 or ``max_leaf_nodes`` at most 64 and there are three or
        more classes, otherwise ``gini`` (regression: ``squared_error``).""",
        default="gini",
    )
    criterion_params: Mapping[str, Any] | None = parameter(
        "dict",
        'Parameters of ``criterion``: ``quantile`` has ``alpha``, as ``{"alpha": 0.9}``.',
        default=None,
    )
    split: Any = parameter(
        "str or `directions`",
        """Which splits of numeric columns are tried: see ``bough list split``; or `bough.directions` of your own
        function.""",
        default="axis",
    )
    split_params: Mapping[str, Any] | None = parameter("dict", "Parameters of ``split``.", default=None)
    nominal: Any = parameter(
        "str or `partitioner`",
        """Which partitions of nominal columns are tried: see ``bough list nominal``; or `bough.partitioner` of your
        own function.""",
        default="auto",
    )
    nominal_params: Mapping[str, Any] | None = parameter(
        "dict",
        'Parameters of ``nominal``; every search has ``unseen`` ("heavier" or "stop").',
        default=None,
    )
    selector: str = parameter(
        "str", "Which columns may be split at a node: see ``bough list selector``.", default="score"
    )
    selector_params: Mapping[str, Any] | None = parameter("dict", "Parameters of ``selector``.", default=None)
    missing: str = parameter(
        '{"either", "shared", "surrogate"}',
        """Where rows with a missing value go: to the side where they help most; to every child, weighted by its share
        of the rows, as in C4.5; or where a surrogate split sends them, as in CART. See ``bough list missing``.""",
        default="either",
    )
    refine: str | None = parameter(
        "str",
        """How the whole tree is improved once it is grown: see ``bough list refine``. None: it stays as it was
        grown. Not for forests.""",
        default=None,
    )
    refine_params: Mapping[str, Any] | None = parameter("dict", "Parameters of ``refine``.", default=None)
    prune: str | None = parameter("str", "What is pruned afterwards: see ``bough list prune``.", default=None)
    prune_params: Mapping[str, Any] | None = parameter("dict", "Parameters of ``prune``.", default=None)
    standardize: bool | None = parameter(
        "bool",
        """Whether numeric columns count in units of their standard deviation where scale matters: for directions over
        several columns and for ``max_cut``. Stored with the model. By default they do not; a warning says if that
        matters.""",
        default=None,
    )
    simplify: bool = parameter(
        "bool",
        """Drop columns from a linear split as long as every training row stays on its side once the cut is
        re-placed.""",
        default=False,
    )
    max_depth: int | None = parameter("int", "Longest path from the root to a leaf.", default=None)
    min_samples_split: int | float = parameter(
        "int or float", "Rows that a node needs to be split; a float is a share of all rows.", default=2
    )
    min_samples_leaf: int | float = parameter(
        "int or float", "Rows that every child needs; a float is a share of all rows.", default=1
    )
    min_weight_fraction_leaf: float = parameter(
        "float", "Share of the total weight that every child needs.", default=0.0
    )
    max_features: int | float | str | None = parameter(
        'int, float, "sqrt", "log2" or None',
        """Columns tried at each node, drawn at random. If none of them can be split, more are drawn until one can. A
        float is a share of all columns; None tries all of them.""",
        default=None,
    )
    count_constant: bool = parameter(
        "bool",
        """Whether a drawn column that is constant at the node uses up one of ``max_features``, as in scikit-learn.
        Where many columns are mostly constant, False makes better forests.""",
        default=True,
    )
    max_leaf_nodes: int | None = parameter("int", "Most leaves; the tree then grows best first.", default=None)
    min_impurity_decrease: float = parameter("float", "Weighted decrease of impurity that a split needs.", default=0.0)
    monotonic_cst: Any = parameter(
        "array-like of shape (n_features,) or dict {column: -1, 0 or 1}",
        """Columns with which the prediction may only rise (1) or only fall (-1). For two classes that is the
        probability of the second; for more, that of the class named in the dict: ``{"class": "good", "income":
        1}``.""",
        default=None,
    )
    interaction_cst: Any = parameter(
        'list of groups of columns, "pairwise" or "no_interactions"',
        """Groups of columns, by name or position, that may occur together on a path from the root to a leaf. Columns in
        no group form one more. ``"pairwise"``: any two; ``"no_interactions"``: one column per path.""",
        default=None,
    )
    column_costs: Any = parameter(
        "array-like of shape (n_features,) or dict {column: price}",
        """Price of using a column, in units of the criterion: it is subtracted from the gain of the first split on that
        column along a path, and a split that does not pay for it is not made. Columns not named are free.""",
        default=None,
    )
    first_split: Any = parameter(
        "str, tuple or dict",
        """The split at the root: a column (its best split is taken), a condition such as ``("age", "<=", 18)``, or a
        dict with one of these as ``"condition"`` and the next split, in the same form, for rows that meet it
        (``"left"``) and rows that do not (``"right"``). A tree of a forest does without it where its rows cannot be
        split that way.""",
        default=None,
    )
    ccp_alpha: float = parameter(
        "float", "Price of a leaf: prunes by ``cost_complexity``, after ``prune``.", default=0.0
    )
    smoothing: Any = parameter(
        '"hierarchical", {"hierarchical": float}, "laplace", float or None',
        """How the predictions of small leaves are smoothed. ``"hierarchical"`` shrinks what each node adds to its
        parent by 1/(1 + λ/weight of the parent), along the path; pass λ, or it is chosen by cross-validation (forests
        need it passed). ``"laplace"`` adds a weight of 1 to every class; a number is a weight added in the class shares
        of all training rows (m-estimate). Predictions follow `predict_proba`.""",
        default=None,
    )
    categorical_features: Any = parameter(
        '"from_dtype", array-like of bool, int or str, or None',
        "Which columns are nominal. By default those of text and categorical types; None: no column.",
        default="from_dtype",
    )
    ordinal_features: Mapping[Any, Any] | None = parameter(
        "dict {column: values in order}",
        """Columns whose categories have an order, lowest first: they are cut in that order (``size <= medium``).
        Ordered categories of pandas and arrow and Enums of polars are ordinal by default, unless
        ``categorical_features`` names them.""",
        default=None,
    )
    random_state: Any = parameter(
        "int, RandomState or None",
        "Seed of everything random. A tree without random choices is the same for every seed.",
        default=None,
    )
    n_jobs: int | None = parameter(
        "int", "Threads; -1 uses all processors. The result does not depend on it.", default=None
    )


def as_in_trees(name: str, *default: Any) -> Any:
    """A parameter of trees that other estimators share, optionally with another default."""
    of = TreeParameters if name in TreeParameters.__dataclass_fields__ else ClassParameters
    own = of.__dataclass_fields__[name]
    return field(default=default[0] if default else own.default, kw_only=True, metadata=own.metadata)


@with_parameters
class ClassParameters:
    """Parameters of classification trees."""

    min_info_gain: float | None = parameter(
        "float",
        """A split is made only if its information gain, in bits, exceeds this. With 0, a split that does not separate
        the classes at all is not made; by default it is, as in scikit-learn, since better ones may be found below
        it.""",
        default=None,
    )
    class_weight: Mapping[Any, float] | str | None = parameter(
        'dict, "balanced" or None', "Weights of the classes.", default=None
    )
    costs: Any = parameter(
        "array-like of shape (n_classes, n_classes) or dict {(true, predicted): cost}",
        """Cost of predicting the second class for a row of the first: not negative, 0 on the diagonal; pairs that a
        dict does not list cost 1, and one listed one way only costs the same the other way. Leaves predict the class of
        least expected cost; `predict_proba` does not depend on costs.""",
        default=None,
    )
    cost_splits: str = parameter(
        '{"pairs", "altered_priors"}',
        """How costs act on splits. ``"pairs"``: by the cost of mixing two classes, the mean of both directions: the
        generalised Gini impurity (``criterion="gini"``) or the cost of the pairs separated (``squared_gini``,
        ``max_cut``). ``"altered_priors"``, as in CART: a class is weighted by the total cost of its wrong
        predictions; works with every criterion.""",
        default="pairs",
    )
    priors: Any = parameter(
        "array-like of shape (n_classes,) or dict {class: probability}",
        """How frequent the classes are where the tree will be used; by default as in the training rows. Splits,
        predictions, `predict_proba` and pruning use them.""",
        default=None,
    )


@with_parameters
class ForestParameters:
    """Parameters of forests beyond those of their trees."""

    n_estimators: int = parameter("int", "The number of trees.", default=100, kw_only=False)
    bootstrap: bool = parameter(
        "bool",
        "Whether each tree grows from a bootstrap sample, drawn with replacement; otherwise from all rows.",
        default=True,
    )
    max_samples: int | float | None = parameter(
        "int, float or None",
        "Rows in a bootstrap sample; a float is a share of all rows, None as many as there are.",
        default=None,
    )
    oob_score: bool | Callable[..., float] = parameter(
        "bool or callable",
        """Whether rows are predicted by the trees for which they are out-of-bag. A callable ``f(y_true, y_pred)``
        replaces the usual score: accuracy for classes, R² for numeric targets.""",
        default=False,
    )
    warm_start: bool = parameter(
        "bool",
        "Whether a further fit keeps its trees and adds as many as ``n_estimators`` asks for.",
        default=False,
    )
