"""LightGBM: a model of one tree, or one tree's raw scores, from a booster, an estimator or the dict of `dump_model`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ParameterError, shown
from .build import Floats, Foreign, Node, schema_of

NOUGHT = float(np.float32(1e-35))
KINDS_OF_MISSING = ("None", "NaN")


def read(given: Any, tree: int | None) -> Foreign:
    booster = getattr(given, "booster_", given)
    dump = booster if isinstance(booster, Mapping) else booster.dump_model()
    trees = [t["tree_structure"] for t in dump["tree_info"]]
    if tree is None and len(trees) != 1:
        raise ParameterError(
            f"this LightGBM model has {len(trees)} trees whose sum it predicts; name one, tree=0 to "
            f"tree={len(trees) - 1}, to read its raw scores, or fit it with n_estimators=1."
        )
    if tree is not None and not 0 <= tree < len(trees):
        raise ParameterError(f"tree is {shown(tree)}; it must be an integer from 0 to {len(trees) - 1}.")
    objective = str(dump.get("objective", "")).split(" ")
    binary = tree is None and objective[0] == "binary"
    if tree is None and objective[0] in ("multiclass", "multiclassova", "cross_entropy", "lambdarank", "rank_xendcg"):
        raise ParameterError(
            f"bough.read knows LightGBM's objective {objective[0]!r} only tree by tree: name one, tree=0."
        )
    logarithm = tree is None and objective[0] in ("poisson", "gamma", "tweedie")
    slope = next((float(o.partition(":")[2]) for o in objective if o.startswith("sigmoid:")), 1.0)
    names, n = dump["feature_names"], dump["max_feature_idx"] + 1
    numbered = names == [f"Column_{i}" for i in range(n)]
    categories = categories_of(dump, trees)
    nodes: list[Node] = []
    waiting: list[tuple[Mapping[str, Any], int, bool]] = [(trees[tree or 0], -1, True)]
    while waiting:
        found, above, on_left = waiting.pop()
        if above >= 0 and on_left:
            nodes[above].left = len(nodes)
        elif above >= 0:
            nodes[above].right = len(nodes)
        if "leaf_value" in found:
            nodes.append(leaf_of(found, binary, logarithm, slope))
            continue
        nodes.append(inner_of(found, categories))
        waiting += [(found["right_child"], len(nodes) - 1, False), (found["left_child"], len(nodes) - 1, True)]
    classes = None
    if binary:
        classes = np.asarray(getattr(given, "classes_", [0, 1]))
    schema = schema_of(None if numbered else names, n, {c: v for c, (v, _) in categories.items()})
    predict = None if isinstance(booster, Mapping) else predict_by(booster, categories, tree, binary)
    name = "LightGBM" if tree is None else "LightGBM, the raw score of one tree"
    return Foreign([nodes], schema, classes, "gini" if binary else "squared_error", name, predict)


def categories_of(dump: Mapping[str, Any], trees: list[Any]) -> dict[int, tuple[tuple[Any, ...], list[int]]]:
    """Of each column that is split by categories: these, and LightGBM's number of each."""
    asked: dict[int, set[int]] = {}
    waiting = list(trees)
    while waiting:
        node = waiting.pop()
        if "split_feature" in node:
            waiting += [node["left_child"], node["right_child"]]
            if node["decision_type"] == "==":
                asked.setdefault(node["split_feature"], set()).update(numbers_of(node))
    if not asked:
        return {}
    tables = dump.get("pandas_categorical") or []
    info = dump.get("feature_infos", {})
    # pandas' categorical columns in their order; LightGBM does not say which, but a set of numbers, 0:1:2, tells
    nominal = [i for i, n in enumerate(dump["feature_names"]) if info.get(n, {}).get("values")]
    if tables and len(tables) == len(nominal):
        named = {c: tuple(table) for c, table in zip(nominal, tables, strict=True)}
        return {c: (named[c], list(range(len(named[c])))) for c in asked}
    if tables:
        raise ParameterError(
            "this LightGBM model does not tell which of its columns are categorical; pass the estimator."
        )
    found = {
        c: sorted(numbers | set(info.get(dump["feature_names"][c], {}).get("values") or ()))
        for c, numbers in asked.items()
    }
    return {c: (tuple(numbers), numbers) for c, numbers in found.items()}


def numbers_of(node: Mapping[str, Any]) -> list[int]:
    return [int(v) for v in str(node["threshold"]).split("||")]


def inner_of(found: Mapping[str, Any], categories: Mapping[int, tuple[tuple[Any, ...], list[int]]]) -> Node:
    column = int(found["split_feature"])
    node = Node(left=0, right=0, column=column, gain=max(0.0, float(found.get("split_gain") or 0.0)))
    if found["decision_type"] == "==":
        place = {number: i for i, number in enumerate(categories[column][1])}
        node.codes_left = frozenset(place[v] for v in numbers_of(found) if v in place)
        return node
    if found["decision_type"] != "<=":
        raise ParameterError(f"bough.read knows no decision of the type {shown(found['decision_type'])} of LightGBM.")
    if found["missing_type"] not in KINDS_OF_MISSING:
        raise ParameterError("this LightGBM model takes zeros for missing values; fit it with zero_as_missing=False.")
    node.cut = float(found["threshold"])
    if abs(node.cut) < NOUGHT or node.cut == -NOUGHT:  # what is as near to 0 as that is 0 to LightGBM
        node.cut = NOUGHT if node.cut >= 0 else math.nextafter(-NOUGHT, -math.inf)
    node.missing_left = bool(found["default_left"]) if found["missing_type"] == "NaN" else node.cut >= 0
    return node


def leaf_of(found: Mapping[str, Any], binary: bool, logarithm: bool, slope: float) -> Node:
    if "leaf_coeff" in found:
        raise ParameterError("this LightGBM model has linear leaves (linear_tree), which a model of bough has not.")
    raw = float(found["leaf_value"])
    rows = max(1, int(found.get("leaf_count", 1)))
    if binary:
        p = 1 / (1 + math.exp(-slope * raw))
        return Node(rows=rows, weights=[rows * (1 - p), rows * p])
    return Node(rows=rows, weight=float(rows), mean=math.exp(raw) if logarithm else raw)


def predict_by(
    booster: Any, categories: Mapping[int, tuple[tuple[Any, ...], list[int]]], tree: int | None, binary: bool
) -> Any:
    def predict(cells: Floats) -> Any:
        X = cells.copy()
        for column, (_, numbers) in categories.items():
            known = ~np.isnan(X[:, column])
            X[known, column] = np.array([*numbers, -1.0])[X[known, column].astype(int)]
        of_one = {} if tree is None else {"raw_score": True, "start_iteration": tree, "num_iteration": 1}
        if tree is not None and booster.num_model_per_iteration() > 1:
            k = booster.num_model_per_iteration()
            of_one.update(start_iteration=tree // k)
            return booster.predict(X, **of_one)[:, tree % k]
        said = booster.predict(X, validate_features=False, **of_one)
        return np.column_stack([1 - said, said]) if binary else said

    return predict
