"""PMML: a TreeModel of binary splits, as R's rpart and partykit write it by way of the package pmml."""

from __future__ import annotations

import math
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ..errors import DataError, shown
from ..tables.schema import Column, Schema
from .build import Foreign, Node

OPPOSITE = {"lessOrEqual": "greaterThan", "lessThan": "greaterOrEqual", "isIn": "isNotIn", "equal": "notEqual"}
STRATEGIES = ("none", "nullPrediction", "defaultChild", "lastPrediction")


def read(data: bytes, tree: int | None) -> Foreign:
    if tree not in (None, 0):
        raise DataError(f"tree is {tree}; a PMML TreeModel is one tree.")
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise DataError("this PMML file declares a document type or entities, which none needs; it is not read.")
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as e:
        raise DataError(f"this is not an XML file: {e}. bough.read takes PMML files.") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]  # without the namespace
    model = root.find("TreeModel")
    if model is None:
        raise DataError("this PMML file has no TreeModel; bough.read knows single trees.")
    strategy = model.get("missingValueStrategy", "none")
    if strategy not in STRATEGIES:
        raise DataError(
            f"the TreeModel has missingValueStrategy={shown(strategy)}; bough.read knows {', '.join(STRATEGIES)}."
        )
    fields = {f.get("name", ""): f for f in root.iterfind("DataDictionary/DataField")}
    usage = {f.get("name", ""): f.get("usageType", "active") for f in model.iterfind("MiningSchema/MiningField")}
    target = next((n for n, u in usage.items() if u in ("target", "predicted")), None)
    columns = tuple(column_of(n, fields) for n, u in usage.items() if u == "active")
    place = {c.name: i for i, c in enumerate(columns)}
    classes = None
    if model.get("functionName") == "classification":
        classes = np.array(classes_of(model, fields.get(target or "")), dtype=object)
    nodes = nodes_of(model, columns, place, classes, strategy)
    criterion = "squared_error" if classes is None else "gini"
    return Foreign([nodes], Schema(columns, True), classes, criterion, "PMML TreeModel")


def column_of(name: str, fields: dict[str, Any]) -> Column:
    if name not in fields:
        raise DataError(f"the field {shown(name)} is not in the DataDictionary.")
    if fields[name].get("optype") == "continuous":
        return Column(name, "numeric")
    return Column(name, "nominal", (*(v.get("value", "") for v in fields[name].iterfind("Value")), None))


def classes_of(model: Any, field: Any) -> list[str]:
    listed = [] if field is None else [v.get("value", "") for v in field.iterfind("Value")]
    seen = {d.get("value", "") for d in model.iter("ScoreDistribution")} | {
        n.get("score", "") for n in model.iter("Node")
    }
    return listed or sorted(seen - {""})


def nodes_of(model: Any, columns: tuple[Column, ...], place: dict[str, int], classes: Any, strategy: str) -> list[Node]:
    top = model.find("Node")
    if top is None:
        raise DataError("the TreeModel has no Node.")
    found: list[Node] = []
    waiting: list[tuple[Any, int, bool]] = [(top, -1, True)]
    while waiting:
        xml, above, on_left = waiting.pop()
        if above >= 0 and on_left:
            found[above].left = len(found)
        elif above >= 0:
            found[above].right = len(found)
        below = xml.findall("Node")
        if not below:
            found.append(leaf_of(xml, classes))
            continue
        if len(below) != 2:
            raise DataError(
                f"the node {shown(xml.get('id', ''))} has {len(below)} children; bough.read knows binary trees."
            )
        first, second = (condition_of(b) for b in below)
        if first[1] in OPPOSITE.values():
            below, first, second = below[::-1], second, first
        node = inner_of(first, second, columns, place)
        default = xml.get("defaultChild")
        node.missing_left = strategy == "defaultChild" and default is not None and below[0].get("id") == default
        found.append(node)
        waiting += [(below[1], len(found) - 1, False), (below[0], len(found) - 1, True)]
    return found


def condition_of(node: Any) -> tuple[str, str, tuple[str, ...]]:
    """Field, operator and values of the predicate of a child."""
    simple, sets = node.find("SimplePredicate"), node.find("SimpleSetPredicate")
    if simple is not None:
        return simple.get("field", ""), simple.get("operator", ""), (simple.get("value", ""),)
    if sets is not None:
        array = sets.find("Array")
        return (
            sets.get("field", ""),
            sets.get("booleanOperator", ""),
            words_of("" if array is None else array.text or ""),
        )
    kind = "CompoundPredicate" if node.find("CompoundPredicate") is not None else "no predicate that bough.read knows"
    raise DataError(
        f"the node {shown(node.get('id', ''))} has {kind}; surrogates are left out with rpart's maxsurrogate=0."
    )


def words_of(text: str) -> tuple[str, ...]:
    """The entries of an Array: words, or texts between quotes in which a quote is escaped."""
    found, word, quoted, begun, escaped = [], "", False, False, False
    for c in text:
        if escaped:
            word, escaped = word + c, False
        elif c == "\\" and quoted:
            escaped = True
        elif c == '"':
            quoted, begun = not quoted, True
        elif c.isspace() and not quoted:
            if begun:
                found.append(word)
            word, begun = "", False
        else:
            word, begun = word + c, True
    return (*found, word) if begun else tuple(found)


def inner_of(
    first: tuple[str, str, tuple[str, ...]],
    second: tuple[str, str, tuple[str, ...]],
    columns: tuple[Column, ...],
    place: dict[str, int],
) -> Node:
    name, operator, values = first
    if name not in place:
        raise DataError(f"a node asks for the field {shown(name)}, which is not among the active ones.")
    column = place[name]
    known = columns[column].values
    complete = set(first[2]) | set(second[2]) == set(known) - {None} and not set(first[2]) & set(second[2])
    opposite = (second[0], second[1], second[2]) == (name, OPPOSITE.get(operator), values)
    if not (opposite or (operator == "isIn" == second[1] and second[0] == name and complete)):
        raise DataError(f"the children of a node that asks for {shown(name)} are not each other's opposite.")
    if known:
        if operator not in ("isIn", "equal"):
            raise DataError(f"the operator {shown(operator)} is not for the categories of {shown(name)}.")
        codes = frozenset(known.index(v) for v in values if v in known)
        return Node(left=0, right=0, column=column, codes_left=codes)
    try:
        cut = float(values[0])
    except ValueError:
        raise DataError(f"{shown(values[0])} is not a number to compare {shown(name)} with.") from None
    if operator not in ("lessOrEqual", "lessThan"):
        raise DataError(f"the operator {shown(operator)} is not for the numbers of {shown(name)}.")
    return Node(
        left=0, right=0, column=column, cut=cut if operator == "lessOrEqual" else math.nextafter(cut, -math.inf)
    )


def leaf_of(xml: Any, classes: Any) -> Node:
    count = float(xml.get("recordCount", "1"))
    rows = max(1, round(count))
    if classes is None:
        return Node(rows=rows, weight=count, mean=float(xml.get("score", "nan")))
    counts = {d.get("value"): float(d.get("recordCount", "0")) for d in xml.iterfind("ScoreDistribution")}
    weights = [counts.get(c, 0.0) for c in classes]
    if not any(weights):
        weights = [count * (c == xml.get("score")) for c in classes]
    score = xml.get("score")
    if score is not None and classes[int(np.argmax(weights))] != score:
        raise DataError(
            f"a leaf predicts {shown(score)}, which is not its most frequent class: costs are not read from PMML."
        )
    return Node(rows=rows, weights=weights)
