"""scikit-learn: decision trees, forests of them, and single trees of histogram boosting."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError, shown
from ..registry import plugins
from .build import Foreign, Node, below32, schema_of

CRITERIA = {"log_loss": "entropy", "friedman_mse": "squared_error"}
SCORES = "the raw score of one tree"


def read(estimator: Any, tree: int | None) -> Foreign:
    kind = type(estimator).__name__
    if not hasattr(estimator, "n_features_in_"):
        raise ParameterError(f"this {kind} is not fitted; call fit first.")
    if hasattr(estimator, "_predictors"):
        return read_boosted(estimator, tree)
    trees = [estimator] if hasattr(estimator, "tree_") else getattr(estimator, "estimators_", None)
    if not isinstance(trees, list) or not all(hasattr(t, "tree_") for t in trees):
        raise ParameterError(f"bough.read knows no {kind}; it reads decision trees, forests of them and boosted trees.")
    if estimator.n_outputs_ != 1:
        raise ParameterError(f"this {kind} predicts {estimator.n_outputs_} targets; a model of bough predicts one.")
    if tree is not None:
        if not 0 <= tree < len(trees):
            raise ParameterError(f"tree is {tree}; it must be an integer from 0 to {len(trees) - 1}.")
        trees = [trees[tree]]
        estimator = trees[0] if len(trees) == 1 and not hasattr(estimator, "tree_") else estimator
    from sklearn.utils import get_tags

    classes = getattr(estimator, "classes_", None)
    names = getattr(estimator, "feature_names_in_", None)
    found = [nodes_of(t.tree_, classes is not None) for t in trees]
    criterion = CRITERIA.get(estimator.criterion, estimator.criterion)
    numeric = "squared_error" if classes is None else "gini"
    own = plugins()["criterion"].get(criterion)
    if own is None or own.traits["regression"] != (classes is None):
        criterion = numeric
    takes_missing = bool(get_tags(trees[0]).input_tags.allow_nan)
    return Foreign(
        found,
        schema_of(None if names is None else names.tolist(), estimator.n_features_in_),
        classes,
        criterion,
        kind,
        estimator.predict_proba if classes is not None else estimator.predict,
        takes_missing,
        {} if hasattr(estimator, "tree_") else {"n_estimators": len(found)},
    )


def nodes_of(tree: Any, classes: bool) -> list[Node]:
    found = []
    weights = tree.weighted_n_node_samples
    left_of = getattr(tree, "missing_go_to_left", np.zeros(tree.node_count, np.uint8))
    for i in range(tree.node_count):
        n = Node(rows=int(tree.n_node_samples[i]))
        if tree.children_left[i] >= 0:
            n.left, n.right = int(tree.children_left[i]), int(tree.children_right[i])
            n.column = int(tree.feature[i])
            n.cut, n.between = below32(float(tree.threshold[i]))
            n.missing_left = bool(left_of[i])
            below = sum(weights[c] * tree.impurity[c] for c in (n.left, n.right))
            n.gain = float(tree.impurity[i] - below / weights[i])
        elif classes:
            n.weights = whole(tree.value[i, 0] / tree.value[i, 0].sum() * weights[i])
        else:
            n.weight = float(weights[i])
        if not classes:
            n.mean, n.spread = float(tree.value[i, 0, 0]), float(max(tree.impurity[i], 0) * weights[i])
        found.append(n)
    return found


def whole(weights: npt.NDArray[np.float64]) -> list[float]:
    """Weights of rows that were counted are integers again."""
    near = np.round(weights)
    counted = np.abs(weights - near).max() < 1e-9 * max(1.0, near.max())
    return [float(w) for w in (near if counted else weights)]


# ---- histogram boosting --------------------------------------------------------------------------------


def read_boosted(estimator: Any, tree: int | None) -> Foreign:
    kind = type(estimator).__name__
    rounds = estimator._predictors
    classes = getattr(estimator, "classes_", None)
    single = len(rounds) == 1 and len(rounds[0]) == 1
    if tree is None and not single:
        n = sum(map(len, rounds))
        raise ParameterError(
            f"this {kind} has {n} trees whose sum it predicts; name one, tree=0 to tree={n - 1}, to read its raw "
            "scores, or fit it with max_iter=1."
        )
    if estimator.is_categorical_ is not None and np.any(estimator.is_categorical_):
        raise ParameterError(f"this {kind} has categorical columns, which bough.read does not know yet.")
    flat = [p for r in rounds for p in r]
    if tree is not None and not 0 <= tree < len(flat):
        raise ParameterError(f"tree is {shown(tree)}; it must be an integer from 0 to {len(flat) - 1}.")
    predictor = flat[tree or 0]
    names = getattr(estimator, "feature_names_in_", None)
    schema = schema_of(None if names is None else names.tolist(), estimator.n_features_in_)
    nodes = [
        Node(
            missing_left=bool(n["missing_go_to_left"]), rows=max(1, int(n["count"])), weight=max(1.0, float(n["count"]))
        )
        for n in predictor.nodes
    ]
    base = 0.0 if tree is not None else float(np.ravel(estimator._baseline_prediction)[0])
    link = estimator._loss.link.inverse
    for node, n in zip(nodes, predictor.nodes, strict=True):
        if not n["is_leaf"]:
            node.left, node.right, node.column = int(n["left"]), int(n["right"]), int(n["feature_idx"])
            node.cut, node.gain = float(n["num_threshold"]), float(max(n["gain"], 0.0))
            continue
        raw = base + float(n["value"])
        if tree is not None:
            node.mean = raw
        elif classes is None:
            node.mean = float(link(np.array([raw]))[0])
        else:
            p = float(link(np.array([raw]))[0])
            node.weights = [node.weight * (1 - p), node.weight * p]
    if tree is not None:

        def score(X: Any) -> Any:
            from sklearn.ensemble._hist_gradient_boosting.common import X_DTYPE

            cats, mapped = estimator._bin_mapper.make_known_categories_bitsets()
            return predictor.predict(np.ascontiguousarray(X, X_DTYPE), cats, mapped, 1)

        return Foreign([nodes], schema, None, "squared_error", f"{kind}, {SCORES}", score)
    predict = estimator.predict if classes is None else estimator.predict_proba
    criterion = "squared_error" if classes is None else "gini"
    return Foreign([nodes], schema, classes, criterion, kind, predict)
