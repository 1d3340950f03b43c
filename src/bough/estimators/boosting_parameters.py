"""The parameters of boosting: scikit-learn's names, and every part of a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .parameters import as_in_trees, parameter, with_parameters


@with_parameters
class BoostingParameters:
    """Parameters of boosted trees."""

    learning_rate: float = parameter(
        "float", "The step of every tree is shortened by this factor; smaller ones need more rounds.", default=0.1
    )
    max_iter: int = parameter(
        "int", "Most rounds. A round grows one tree, or one for each of more than two classes.", default=100
    )
    max_leaf_nodes: int | None = as_in_trees("max_leaf_nodes", 31)
    max_depth: int | None = as_in_trees("max_depth")
    min_samples_leaf: int | float = as_in_trees("min_samples_leaf", 20)
    l2_regularization: float = parameter(
        "float",
        """Shrinks the prediction of a leaf: it is multiplied by ``w / (w + l2_regularization)``, where ``w`` is the sum
        of second derivatives, or of row weights, in the leaf.""",
        default=0.0,
    )
    max_features: int | float | str | None = as_in_trees("max_features", 1.0)
    subsample: float = parameter(
        "float", "Share of the rows, drawn without replacement, that each round grows from.", default=1.0
    )
    max_bins: int | None = parameter(
        "int or None",
        """Most bins per column, with about equally many rows each; cuts lie between bins, which is many times faster.
        None: cuts lie between any two values. Bins are for ``split="axis"`` over numeric columns with
        ``missing="either"``; other trees use the values themselves.""",
        default=255,
    )
    split: Any = as_in_trees("split")
    split_params: Mapping[str, Any] | None = as_in_trees("split_params")
    nominal: Any = as_in_trees("nominal")
    nominal_params: Mapping[str, Any] | None = as_in_trees("nominal_params")
    selector: str = as_in_trees("selector")
    selector_params: Mapping[str, Any] | None = as_in_trees("selector_params")
    missing: str = as_in_trees("missing")
    standardize: bool | None = as_in_trees("standardize")
    simplify: bool = as_in_trees("simplify")
    monotonic_cst: Any = as_in_trees("monotonic_cst")
    interaction_cst: Any = as_in_trees("interaction_cst")
    categorical_features: Any = as_in_trees("categorical_features")
    ordinal_features: Mapping[Any, Any] | None = as_in_trees("ordinal_features")
    warm_start: bool = parameter(
        "bool", "Whether a further fit keeps its rounds and adds as many as ``max_iter`` asks for.", default=False
    )
    early_stopping: str | bool = parameter(
        '"auto" or bool',
        """Whether to stop once scores no longer improve; ``"auto"``: with more than 10,000 rows.""",
        default="auto",
    )
    scoring: str | Callable[..., float] | None = parameter(
        "str, callable or None",
        """How rounds are scored for early stopping: ``"loss"`` or a scikit-learn scorer; None: the estimator's own
        score.""",
        default="loss",
    )
    validation_fraction: int | float | None = parameter(
        "int, float or None",
        """Rows, or share of the rows, held out to score rounds for early stopping; None: score on the training
        rows.""",
        default=0.1,
    )
    n_iter_no_change: int = parameter("int", "Stop after this many rounds without a better score.", default=10)
    tol: float = parameter("float", "How much larger a score must be to count as better.", default=1e-7)
    verbose: int = parameter("int", "1 prints what was fitted; 2 also the scores of every round.", default=0)
    random_state: Any = as_in_trees("random_state")
    n_jobs: int | None = as_in_trees("n_jobs")
