"""The rules that the splits of a model had to keep, as its origin has them: an estimator can take them again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import shown
from ..tables.schema import Schema
from ..tables.values import plain
from .origin import MOST_CHARACTERS, MOST_PARAMETERS, Origin

NAMES = ("monotonic_cst", "interaction_cst", "column_costs", "first_split")
CLASS = "class"  # the key of monotonic_cst that names a class, where no column is called so
BY_COLUMN = ("monotonic_cst", "column_costs")  # a number for some of the columns
LONG = "too long to show"


def written(name: str, value: Any, schema: Schema) -> Any:
    """A rule as a model keeps it: a dict by column, a word, or JSON."""
    if name in BY_COLUMN:
        given = dict(value) if isinstance(value, Mapping) else dict(enumerate(value))
        class_key = CLASS not in schema.names  # whose value may be any class, 0 as well
        found = {
            name_of(c, schema): plain(v)
            for c, v in given.items()
            if isinstance(v, str) or v != 0 or (class_key and c == CLASS)
        }
        fits = len(found) <= MOST_PARAMETERS and all(len(c) <= MOST_CHARACTERS for c in found)
        return found if fits else LONG
    if name == "interaction_cst":
        value = value if isinstance(value, str) else [[name_of(c, schema) for c in group] for group in value]
        text = value if isinstance(value, str) else json.dumps(value)
    else:
        text = json.dumps(value, default=items_of)
    return text if len(text) <= MOST_CHARACTERS else LONG


def name_of(column: Any, schema: Schema) -> str:
    """The name of a column; what is none, such as the word that names a class, is as it is."""
    if not isinstance(column, str) and hasattr(column, "__index__"):
        return schema.columns[int(column)].name
    return str(column)


def items_of(value: Any) -> Any:
    """What JSON has no form for: numbers of NumPy's, sets."""
    return value.item() if getattr(value, "ndim", None) == 0 else list(value)


def rules_of(origin: Origin | None) -> dict[str, Any]:
    """The rules of a fit, by parameter; a text where one was too long."""
    given = {} if origin is None else origin.parameters
    return {name: read(given[name]) for name in NAMES if given.get(name) is not None}


def read(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("[", "{", '"'):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def condition_text(condition: Any) -> str:
    """A condition as people write it."""
    if isinstance(condition, (str, int)):
        return str(condition)
    about, sign, value = condition
    if isinstance(about, Mapping):
        about = " + ".join(f"{w:g}·{name}" for name, w in about.items()).replace("+ -", "- ")
    return f"{about} {sign} {shown(value)}"


def ruled_class(rules: Mapping[str, Any], names: Sequence[str], classes: list[Any]) -> int:
    """The place of the class whose share rises or falls with columns: the one that is named, or the second of two."""
    named = rules["monotonic_cst"].get(CLASS) if CLASS not in names else None
    return int(next((k for k, c in enumerate(classes) if c == named), len(classes) - 1))


def sentences(rules: Mapping[str, Any], names: Sequence[str], classes: list[Any] | None) -> list[list[str]]:
    """The rules as pairs of texts; ``names``: of the columns."""
    found: list[list[str]] = []
    ways = {1: "never falls as it rises", -1: "never rises as it rises"}
    signs = rules.get("monotonic_cst")
    if isinstance(signs, Mapping):
        what = "the prediction" if classes is None else f"the share of {classes[ruled_class(rules, names, classes)]}"
        found += [[str(c), f"{what} {ways[way]}"] for c, way in signs.items() if c in names and way in (1, -1)]
    elif signs is not None:
        found.append(["monotonic_cst", str(signs)])
    prices, groups, first = (rules.get(name) for name in ("column_costs", "interaction_cst", "first_split"))
    if isinstance(prices, Mapping):
        found += [[str(c), f"costs {price:g} to ask, once on a path"] for c, price in prices.items()]
    elif prices is not None:
        found.append(["column_costs", str(prices)])
    if isinstance(groups, list):
        found += [["may meet on a path", ", ".join(map(str, group))] for group in groups]
    elif groups is not None:
        words = {"pairwise": "at most two columns on a path", "no_interactions": "one column on a path"}
        found.append(["interaction_cst", words.get(groups, str(groups))])
    waiting = [("asked first", first)] if first is not None else []
    while waiting:
        where, what = waiting.pop()
        below = what if isinstance(what, Mapping) and "condition" in what else {"condition": what}
        text = condition_text(below["condition"])
        found.append([where, text])
        waiting += [
            (f"{'where' if side == 'left' else 'where not'} {text}", below[side])
            for side in ("right", "left")
            if below.get(side) is not None
        ]
    return found
