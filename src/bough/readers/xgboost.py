"""XGBoost: a model of one tree, or one tree's raw scores, from a booster, an estimator or the JSON of `save_model`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ParameterError, shown
from .build import Floats, Foreign, Node, below32, schema_of

LOGISTIC = ("binary:logistic", "reg:logistic")
PLAIN = ("reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror", "reg:quantileerror", "binary:logitraw")
LOGARITHMIC = ("count:poisson", "reg:gamma", "reg:tweedie")


def read(given: Any, tree: int | None) -> Foreign:
    booster = given.get_booster() if hasattr(given, "get_booster") else given
    dump = booster if isinstance(booster, Mapping) else json.loads(booster.save_raw("json"))
    learner = dump["learner"]
    trees = learner["gradient_booster"].get("model", {}).get("trees")
    if trees is None:
        raise ParameterError("bough.read knows XGBoost's booster 'gbtree' only.")
    if tree is None and len(trees) != 1:
        raise ParameterError(
            f"this XGBoost model has {len(trees)} trees whose sum it predicts; name one, tree=0 to "
            f"tree={len(trees) - 1}, to read its raw scores, or fit it with n_estimators=1."
        )
    if tree is not None and not 0 <= tree < len(trees):
        raise ParameterError(f"tree is {shown(tree)}; it must be an integer from 0 to {len(trees) - 1}.")
    objective = learner["objective"]["name"]
    if tree is not None and int(learner["gradient_booster"]["model"]["gbtree_model_param"]["num_parallel_tree"]) != 1:
        raise ParameterError("bough.read knows XGBoost's forests (num_parallel_tree) not tree by tree.")
    if tree is not None and int(learner["learner_model_param"]["num_class"]) > 1:
        raise ParameterError("bough.read knows XGBoost's models of many classes not tree by tree.")
    if tree is None and objective not in (*LOGISTIC, *PLAIN, *LOGARITHMIC):
        raise ParameterError(f"bough.read knows XGBoost's objective {objective!r} only tree by tree: name one, tree=0.")
    binary = tree is None and objective == "binary:logistic"
    base = 0.0 if tree is not None else base_of(learner, objective)
    one = trees[tree or 0]
    if any(one.get("split_type", ())):
        raise ParameterError("this XGBoost tree splits by categories, which bough.read does not know yet; encode them.")
    nodes = []
    for i in range(int(one["tree_param"]["num_nodes"])):
        weight = float(one["sum_hessian"][i])
        rows = max(1, round(weight))
        if one["left_children"][i] >= 0:
            # a row goes left whose number, rounded to float32, is below the threshold
            below = np.nextafter(np.float32(one["split_conditions"][i]), np.float32(-np.inf))
            cut, between = below32(float(below))
            left, right = one["left_children"][i], one["right_children"][i]
            gain = max(0.0, float(one["loss_changes"][i]))
            missing = bool(one["default_left"][i])
            nodes.append(Node(left, right, one["split_indices"][i], cut, None, missing, gain, between))
            continue
        raw = float(np.float32(np.float32(base) + np.float32(one["split_conditions"][i])))
        if binary:
            p = 1 / (1 + math.exp(-raw))
            nodes.append(Node(rows=rows, weights=[rows * (1 - p), rows * p]))
        else:
            mean = 1 / (1 + math.exp(-raw)) if tree is None and objective in LOGISTIC else raw
            mean = math.exp(raw) if tree is None and objective in LOGARITHMIC else mean
            nodes.append(Node(rows=rows, weight=max(weight, 1e-6), mean=mean))
    n = int(learner["learner_model_param"]["num_feature"])
    names = learner.get("feature_names") or None
    classes = np.asarray(getattr(given, "classes_", [0, 1])) if binary else None
    predict = None if isinstance(booster, Mapping) else predict_by(booster, tree, binary, objective)
    name = "XGBoost" if tree is None else "XGBoost, the raw score of one tree"
    criterion = "gini" if binary else "squared_error"
    return Foreign([nodes], schema_of(names, n), classes, criterion, name, predict)


def base_of(learner: Mapping[str, Any], objective: str) -> float:
    """The raw score that every row has to begin with."""
    base = float(str(learner["learner_model_param"]["base_score"]).strip("[]").split(",")[0])
    if objective in LOGISTIC:
        return math.log(base / (1 - base))
    return math.log(base) if objective in LOGARITHMIC else base


def predict_by(booster: Any, tree: int | None, binary: bool, objective: str) -> Any:
    def predict(cells: Floats) -> Any:
        from xgboost import DMatrix

        rows = DMatrix(cells, feature_names=booster.feature_names, feature_types=booster.feature_types)
        if tree is None:
            said = booster.predict(rows)
            return np.column_stack([1 - said.astype(float), said]) if binary else said
        base = base_of(json.loads(booster.save_config())["learner"], objective)
        return booster[tree : tree + 1].predict(rows, output_margin=True) - base

    return predict
