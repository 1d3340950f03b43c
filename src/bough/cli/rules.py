"""Options of `bough fit` that constrain splits: --monotone, --interaction, --first-split, --column-cost."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..estimators.interactions import WORDS
from ..estimators.monotone import CLASS

SIGNS = {"1": 1, "+1": 1, "up": 1, "-1": -1, "down": -1, "0": 0}
CONDITION = re.compile(r"(?P<column>.+?)\s*(?P<sign><=|>=|==|!=|<|>|\snot in\s|\sin\s)\s*(?P<value>.+)", re.DOTALL)


def add_rules(group: Any) -> None:
    group.add_argument(
        "--monotone",
        type=sign,
        action="append",
        default=[],
        metavar="COL=up|down",
        help="predictions only rise, or only fall, with this column; class=NAME: for the probability of that class",
    )
    group.add_argument(
        "--interaction",
        action="append",
        default=[],
        metavar="COL,COL…",
        help="columns that may occur together on a path, one option per group; or pairwise, or no_interactions",
    )
    group.add_argument(
        "--column-cost",
        type=price,
        action="append",
        default=[],
        metavar="COL=PRICE",
        help="price of using this column, once per path, in units of the gain",
    )
    group.add_argument(
        "--first-split",
        metavar="COL|CONDITION",
        help="the split at the root: a column, a condition such as 'age <= 18', or JSON",
    )


def sign(text: str) -> tuple[str, Any]:
    name, equals, value = text.rpartition("=")
    if name == CLASS:
        return name, value
    if not equals or not name or value not in SIGNS:
        raise argparse.ArgumentTypeError(f"{text!r} is not COL=up, COL=down or class=NAME")
    return name, SIGNS[value]


def price(text: str) -> tuple[str, float]:
    name, equals, value = text.rpartition("=")
    try:
        if equals and name:
            return name, float(value)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is not COL=PRICE")


def rules_of(args: argparse.Namespace, names: Iterable[str], classes: Iterable[Any]) -> dict[str, Any]:
    """The parameters that these options stand for; ``names``: the columns of the table."""
    names = list(names)
    found: dict[str, Any] = {}
    if args.monotone:
        found["monotonic_cst"] = dict(args.monotone)
        if CLASS in found["monotonic_cst"] and CLASS not in names:
            by_name = {str(c): c for c in classes}
            wanted = found["monotonic_cst"][CLASS]
            found["monotonic_cst"][CLASS] = by_name.get(wanted, wanted)
        elif CLASS in found["monotonic_cst"]:
            found["monotonic_cst"][CLASS] = SIGNS.get(found["monotonic_cst"][CLASS])
    if len(args.interaction) == 1 and args.interaction[0] in WORDS and args.interaction[0] not in names:
        found["interaction_cst"] = args.interaction[0]
    elif args.interaction:
        found["interaction_cst"] = [group_of(text, names) for text in args.interaction]
    if args.column_cost:
        found["column_costs"] = dict(args.column_cost)
    if args.first_split is not None:
        found["first_split"] = first_of(args.first_split, names)
    return found


def in_places(rule: Any, places: Mapping[str, str]) -> Any:
    """The same with the names of columns of numbers in place of their own."""
    if isinstance(rule, dict):
        return {places.get(k, k): in_places(v, places) for k, v in rule.items()}
    if isinstance(rule, (list, tuple)):
        return type(rule)(in_places(v, places) for v in rule)
    return places.get(rule, rule) if isinstance(rule, str) else rule


def group_of(text: str, names: list[str]) -> list[str]:
    """A column whose own name has a comma is taken as it is."""
    return [text] if text in names else [n.strip() for n in text.split(",") if n.strip()]


def first_of(text: str, names: list[str]) -> Any:
    if text in names:
        return text
    if text[:1] in ("[", "{", '"'):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    match = CONDITION.fullmatch(text)
    if match is None:
        return text
    sign, value = match["sign"].strip(), match["value"]
    if sign in ("in", "not in"):
        return match["column"], sign, [v.strip() for v in value.strip("[]()").split(",")]
    try:
        return match["column"], sign, float(value)
    except ValueError:
        return match["column"], sign, value
