"""Published systems by name. Each is a combination of parts that the registry has; nothing here adds a way
to grow a tree. A further system is one entry in a list below, and ``tools/docs.py`` puts it in the docs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, overload

from ..errors import ParameterError, shown
from ..registry import did_you_mean
from .boosting_systems import BOOSTED
from .combination import System, estimator_class

if TYPE_CHECKING:
    from .classifier import TreeClassifier
    from .forest_classifier import ForestClassifier
    from .forest_regressor import ForestRegressor
    from .regressor import TreeRegressor

Forests = Literal["random-forest", "extra-trees", "max-cut-forest", "lda-forest"]  # for type checkers


def check_scc461(params: Mapping[str, Any]) -> None:
    """The report's rule: a node that may be split can be split into two leaves that are large enough."""
    split, leaf = params["min_samples_split"], params["min_samples_leaf"]
    if type(split) is type(leaf) and isinstance(split, (int, float)) and split < 2 * leaf:
        raise ParameterError(
            f"system 'scc461': min_samples_split is {shown(split)} and min_samples_leaf is {shown(leaf)}; "
            f"min_samples_split must be at least twice as large, here {shown(2 * leaf)}."
        )


C45 = {
    "criterion": "gain_ratio",
    "split": "axis",
    "split_params": {"sides": "tenth", "price": True, "cut": "value"},
    "nominal": "multiway",
    "nominal_params": {"branches": "all"},
    "selector": "average_gain",
    "missing": "shared",
    "min_samples_leaf": 2,
    "prune": "error_based",
}
SQUARES = {"criterion": "squared_error"}
CART = {
    "criterion": "gini",
    "split": "axis",
    "nominal": "auto",
    "missing": "surrogate",
    "cost_splits": "altered_priors",
    "prune": "cost_complexity_cv",
}
COMMON = [
    System(
        "cart",
        "Gini (or criterion='twoing'), pruned by 10-fold cross-validation and the 1-SE rule",
        "Breiman et al. 1984",
        CART,
        numbers=SQUARES,
    ),
    System(
        "rpart",
        "R's rpart with its defaults: 20 rows to split, 7 in a leaf, cp 0.01; choose a subtree from its table, or by "
        "prune_params={'rule': 'one_se'}",
        "Therneau & Atkinson 2022 (rpart 4.1.19)",
        {
            **CART,
            "split_params": {"cut": "below"},
            "selector": "score",
            "selector_params": {"min_ratio": 0, "first": True},
            "max_depth": 30,
            "min_samples_split": 20,
            "min_samples_leaf": 7,
            "min_info_gain": 0.0,
            "prune_params": {"cp": 0.01, "path": "rpart", "rule": "none"},
        },
        numbers={**SQUARES, "min_impurity_decrease": 1e-300},
    ),
    System(
        "id3",
        "information gain, one child per category; numeric columns are cut in two",
        "Quinlan 1986",
        {"criterion": "entropy", "split": "axis", "nominal": "multiway"},
    ),
    System(
        "c4.5",
        "gain ratio among columns of at least average gain, a branch per category, error-based pruning",
        "Quinlan 1993, as WEKA's J48 computes it",
        C45,
    ),
    System("j48", "another name of c4.5", "Quinlan 1993, as WEKA's J48 computes it", C45),
    System(
        "mlpack",
        "best binary cut of numeric columns, one child per category, at least 10 rows in a leaf",
        "mlpack's DecisionTree",
        {"criterion": "gini", "split": "axis", "nominal": "multiway", "min_samples_leaf": 10},
    ),
    System(
        "scc461",
        "Gini, best cuts, depth 50; the report's other three cases: criterion='entropy', split='random'",
        "SCC.461 report 2020",
        {
            "criterion": "gini",
            "split": "axis",
            "max_depth": 50,
            "min_samples_split": 2,
            "min_samples_leaf": 1,
            "min_info_gain": 0.0,
        },
        check=check_scc461,
    ),
]

# name: what it is, source, criterion, nominal search
PARTITIONS = {
    "twoing": ("two superclasses of classes, the best of all", "Breiman et al. 1984", "twoing", "superclass"),
    "glsg": ("GreedyCut and local search for Squared Gini", "Mello Pereira 2018", "squared_gini", "greedy"),
    "glchi2": ("GreedyCut and local search for pairwise χ²", "Mello Pereira 2018", "chi2_cut", "greedy"),
    "gwsg": ("Goemans–Williamson for Squared Gini", "Mello Pereira 2018", "squared_gini", "gw"),
    "gwchi2": ("Goemans–Williamson for pairwise χ²", "Mello Pereira 2018", "chi2_cut", "gw"),
    "pc-ext": ("categories by their first principal component", "Coppersmith et al. 1999", "gini", "pc_ext"),
    "hcc": ("Hypercube Cover: all superclasses, judged by all classes", "Laber et al. 2018", "gini", "hypercube_cover"),
    "lca": ("Largest Class Alone against the others", "Laber et al. 2018", "gini", "largest_class_alone"),
    "list-scheduling": ("two balanced superclasses", "Laber et al. 2018", "entropy", "list_scheduling"),
    "sliq": ("one category moved at a time, greedily", "Mehta et al. 1996", "gini", "sliq"),
    "sliq-ext": ("one category moved at a time, to the end", "Coppersmith et al. 1999", "gini", "sliq_ext"),
    "flip-flop": ("categories and classes divided in turn until stable", "Nádas et al. 1991", "entropy", "flip_flop"),
}
# As the dissertation ran all of them: a nominal column is split where its χ² test has p < 0.1 and at least 15 rows have
# its second most frequent value.
FILTERS = {"chi2_filter": 0.1, "min_second_value": 15}
NOMINAL = [
    System(
        name,
        doc,
        source,
        {
            "criterion": criterion,
            "split": "axis",
            "nominal": nominal,
            **({"nominal_params": {"projection": "counts"}} if nominal == "pc_ext" else {}),  # as in the published runs
            "selector": "score",
            "selector_params": {"min_ratio": 0, **FILTERS},
        },
    )
    for name, (doc, source, criterion, nominal) in PARTITIONS.items()
]
CTREE = [
    System(
        "ctree",
        "columns by conditional inference, cut where the two sides differ most by χ²",
        "Hothorn, Hornik & Zeileis 2006",
        {
            "criterion": "chi2",
            "split": "axis",
            "nominal": "auto",
            "selector": "conditional_inference",
            "min_samples_split": 20,
            "min_samples_leaf": 7,
        },
        numbers=SQUARES,
    ),
    *(
        System(
            f"{s.name}-ctree",
            f"{s.name}, columns chosen by conditional inference; the first of those whose p-value 1 − cdf is 0",
            s.source,
            {
                **s.params,
                "selector": "conditional_inference",
                "selector_params": {"alpha": 1.0, "p_values": "saturated", **FILTERS},
            },
        )
        for s in NOMINAL
    ),
]

BASES = {
    "features": ("axis", "along the columns themselves"),
    "pre-pca": ("pca", "along the principal components of all training rows"),
    "node-pca": ("node_pca", "along the principal components of the node's rows"),
    "node-means-pca": ("node_means_pca", "along the principal components of the node's rest means"),
}
MAX_CUT = [
    System(
        f"{criterion.replace('_', '-')}-{basis}",
        f"{'Gini' if criterion == 'gini' else 'Max-Cut'} {doc}",
        "Bodine & Hochbaum 2022",
        {"criterion": criterion, "split": split},
    )
    for criterion in ("gini", "max_cut")
    for basis, (split, doc) in BASES.items()
]
MAX_CUT.append(System("max-cut", "another name of max-cut-node-means-pca", MAX_CUT[-1].source, MAX_CUT[-1].params))

OBLIQUE = [
    System(
        "cart-elc",
        "the best hyperplane through 2 rows over 2 columns, by Gini, as published; not pruned",
        "Laack 2025",
        {
            "criterion": "gini",
            "split": "elc",
            "split_params": {"r": 2, "touching": "above", "place": "through", "fallback": False},
        },
    ),
    System(
        "elc",
        "the best hyperplane over 2 columns, by twoing, in the middle of the widest gap; prune by `ccp_alpha`",
        "Laack 2025",
        {"criterion": "twoing", "split": "elc", "selector": "score"},
    ),
    System(
        "hhcart-a",
        "axis cuts in spaces reflected along all eigenvectors of each class, by twoing, prune by `ccp_alpha`",
        "Wickramarachchi et al. 2016",
        {"criterion": "twoing", "split": "hhcart_a"},
    ),
    System(
        "hhcart-d",
        "axis cuts in spaces reflected along the dominant eigenvector of each class, by twoing, prune by `ccp_alpha`",
        "Wickramarachchi et al. 2016",
        {"criterion": "twoing", "split": "hhcart_d"},
    ),
    System(
        "cart-lc",
        "linear combinations of CART, one coefficient at a time, by Gini, prune by `ccp_alpha`",
        "Breiman et al. 1984",
        {"criterion": "gini", "split": "cart_lc", "split_params": {"deletion": 0.2}},
    ),
    System(
        "oc1",
        "hill climbing with 20 restarts and 5 random jumps, by twoing, prune by `ccp_alpha`",
        "Murthy, Kasif, Salzberg 1994",
        {"criterion": "twoing", "split": "oc1", "split_params": {"restarts": 20, "jumps": 5}},
    ),
    System(
        "oc1-ap",
        "OC1 with axis cuts only, by twoing, prune by `ccp_alpha`",
        "Murthy, Kasif, Salzberg 1994",
        {"criterion": "twoing", "split": "axis"},
    ),
    System(
        "fact",
        "cuts along discriminant coordinates, components below 5 % of the largest dropped; two children at every node",
        "Loh, Vanichsetakul 1988",
        {"criterion": "gini", "split": "lda", "split_params": {"drop": 0.05}},
    ),
]

REFINED = [
    System(
        "tao",
        "axis cuts and subsets; re-solves each node with the rest of the tree fixed; a term must save two rows",
        "Carreira-Perpiñán & Tavallali 2018",
        {"criterion": "twoing", "split": "axis", "nominal": "one_vs_rest", "refine": "axis", "max_depth": 6},
        numbers={**SQUARES, "nominal": "auto"},
    ),
    System(
        "sparse-oblique",
        "as tao, with linear splits over at most three columns",
        "Carreira-Perpiñán & Tavallali 2018",
        {
            "criterion": "twoing",
            "split": "axis",
            "nominal": "one_vs_rest",
            "refine": "linear",
            "refine_params": {"terms": 3},
            "max_depth": 6,
        },
        numbers={**SQUARES, "nominal": "auto"},
    ),
    System(
        "lookahead",
        "splits every node as the best tree of two or three levels would",
        "Babbar et al. 2025",
        {"refine": "lookahead", "max_depth": 4},
    ),
    System(
        "optimal",
        "no tree of three levels makes fewer errors on the training rows, with a proof; ten seconds at most",
        "Mazumder, Meng & Wang 2022; Briţa, van der Linden & Demirović 2025",
        {"refine": "optimal", "max_depth": 3},
    ),
]

PILOT = "for regression: leaves predict a sum of lines along the path, each added as long as BIC says it helps"
LINES = [System("pilot", PILOT, "Raymaekers et al. 2024", {"leaf": "linear"}, numbers={}, classes=False)]

FORESTS = [
    System(
        "random-forest",
        "100 trees by Gini, each from a bootstrap of the rows, √d columns drawn at every node (regression: a third)",
        "Breiman 2001",
        {"criterion": "gini", "split": "axis", "max_features": "sqrt", "bootstrap": True},
        forest=True,
        numbers={**SQUARES, "max_features": 1 / 3},
    ),
    System(
        "extra-trees",
        "100 trees by Gini from all rows, one random cut for each of √d drawn columns (regression: of all columns)",
        "Geurts, Ernst & Wehenkel 2006",
        {
            "criterion": "gini",
            "split": "random",
            "split_params": {"candidates": 0},
            "max_features": "sqrt",
            "bootstrap": False,
        },
        forest=True,
        numbers={**SQUARES, "max_features": 1.0},
    ),
    System(
        "max-cut-forest",
        "100 trees of max-cut along the components of rest means, standardised, each from a bootstrap of the rows",
        "Bodine & Hochbaum 2022, Breiman 2001",
        {**MAX_CUT[-1].params, "standardize": True, "max_features": "sqrt", "bootstrap": True},
        forest=True,
    ),
    System(
        "lda-forest",
        "100 trees of cuts along discriminant coordinates of √d drawn columns, each from a bootstrap of the rows",
        "Loh & Vanichsetakul 1988, Breiman 2001",
        {"criterion": "gini", "split": "lda", "max_features": "sqrt", "bootstrap": True},
        forest=True,
    ),
]


def as_published(s: System) -> System:
    """No published system holds columns of many values back by ``min_ratio``, which is ours."""
    if "selector" in s.params or not s.classes:
        return s
    return replace(s, params={**s.params, "selector": "score", "selector_params": {"min_ratio": 0}})


SYSTEMS: dict[str, System] = {
    s.name: as_published(s) for s in [*COMMON, *NOMINAL, *CTREE, *MAX_CUT, *OBLIQUE, *REFINED, *LINES, *FORESTS]
} | {s.name: s for s in BOOSTED}


def find_system(name: Any) -> System:
    """The system of that name, or an error that names the nearest one."""
    if not isinstance(name, str) or name not in SYSTEMS:
        near = did_you_mean(name, SYSTEMS)
        raise ParameterError(f"no system is called {shown(name)}{near} Known: {', '.join(map(repr, SYSTEMS))}.")
    return SYSTEMS[name]


@overload
def system(name: Forests, *, task: Literal["classification"] = ..., **overrides: Any) -> ForestClassifier: ...
@overload
def system(name: Forests, *, task: Literal["regression"], **overrides: Any) -> ForestRegressor: ...
@overload
def system(name: str, *, task: Literal["classification"] = ..., **overrides: Any) -> TreeClassifier: ...
@overload
def system(name: str, *, task: Literal["regression"], **overrides: Any) -> TreeRegressor: ...
@overload
def system(name: str, *, task: str, **overrides: Any) -> Any: ...
def system(name: str, *, task: str = "classification", **overrides: Any) -> Any:
    """A published system as an estimator, ready to fit.

    Parameters
    ----------
    name : str
        The name of the system: see ``bough list systems``.
    task : {"classification", "regression"}, default="classification"
        Classification or regression. Systems for classification only say so, and what there is for regression;
        ``"pilot"`` is for numbers only and always a regressor.
    **overrides
        Parameters of the estimator that are to differ. ``split_params``, ``nominal_params``,
        ``selector_params``, ``leaf_params``, ``refine_params`` and ``prune_params`` are merged with those of the
        system, unless the part they belong to is itself replaced.

    Returns
    -------
    A tree, a forest or boosted trees, for classes or numbers

    Examples
    --------
    >>> import bough
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = bough.system("cart", random_state=0).fit(X, y)
    >>> tree.get_n_leaves(), round(tree.score(X, y), 3)
    (3, 0.96)
    >>> bough.system("ctree", task="regression").criterion
    'squared_error'
    """
    found = find_system(name).for_task(task)
    params = found.with_overrides(overrides)
    estimator = estimator_class(found, task)
    known = estimator().get_params()
    for given in params:
        if given not in known:
            near = did_you_mean(given, known)
            raise ParameterError(f"system {name!r}: {estimator.__name__} has no parameter {given!r}{near}")
    return estimator(**params)
