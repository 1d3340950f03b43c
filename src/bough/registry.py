"""What can be plugged in, as the core lists it: names, one-line docs, parameters with limits."""

from __future__ import annotations

import difflib
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from . import _core
from .errors import ParameterError, shown

LARGEST = sys.float_info.max
KINDS = ("criterion", "split", "nominal", "selector", "missing", "leaf", "refine", "prune")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a plug-in and the values it may have."""

    name: str
    doc: str
    type: str
    default: Any
    low: float
    high: float
    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        """The words that may stand for a number, behind its range."""
        return "".join(f" or {c if c == 'None' else repr(c)}" for c in self.choices)

    def encode(self, value: Any, owner: str) -> float:
        """The number that the core is given for ``value``."""
        where = f"{owner}: {self.name}"
        if self.type in ("integer", "real") and self.choices:  # a number or a word
            word = "None" if value is None else value
            if isinstance(word, str) and word in self.choices:
                return -1.0 - self.choices.index(word)
        if self.type == "choice":
            if not isinstance(value, str) or value not in self.choices:
                raise ParameterError(
                    f"{where} is {shown(value)}; it must be one of {', '.join(map(repr, self.choices))}."
                )
            return float(self.choices.index(value))
        if self.type == "flag":
            if not isinstance(value, (bool, np.bool_)):
                raise ParameterError(f"{where} is {shown(value)}; it must be True or False.")
            return float(bool(value))
        fits = is_number(value) and (self.type != "integer" or is_whole(value))
        if not fits or not self.low <= value <= self.high:  # NaN is not
            what = "an integer" if self.type == "integer" else "a number"
            raise ParameterError(
                f"{where} is {shown(value)}; it must be {what}{in_range(self.low, self.high)}{self.words}."
            )
        return float(value)


@dataclass(frozen=True)
class Plugin:
    """One entry of the registry."""

    kind: str
    name: str
    doc: str
    source: str
    params: tuple[Parameter, ...]
    traits: Mapping[str, Any]

    def encode(self, given: Mapping[str, Any] | None, argument: str) -> dict[str, float]:
        """The parameters given by the user, as the core takes them."""
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            raise ParameterError(f"{argument} is {shown(given)}; it must be a dict of parameters or None.")
        known = {p.name: p for p in self.params}
        out = {}
        for name, value in given.items():
            if name not in known:
                takes = ", ".join(known) or "none"
                near = did_you_mean(name, known)
                raise ParameterError(
                    f"{self.kind} {self.name!r} has no parameter {shown(name)}{near} It takes: {takes}."
                )
            out[name] = known[name].encode(value, f"{self.kind} {self.name!r}")
        return out


def is_number(value: Any) -> bool:
    """One number of Python's or NumPy's that float64 has room for."""
    if type(value) is float:
        return True
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    return not isinstance(value, int) or -LARGEST <= value <= LARGEST


def is_whole(value: Any) -> bool:
    if type(value) is int:
        return -LARGEST <= value <= LARGEST
    return is_number(value) and math.isfinite(value) and value == int(value)


def in_range(low: float, high: float) -> str:
    if low == -math.inf:
        return "" if high == math.inf else f" of at most {high:,.15g}"
    return f" of at least {low:,.15g}" if high == math.inf else f" from {low:,.15g} to {high:,.15g}"


def did_you_mean(name: Any, known: Any) -> str:
    if not isinstance(name, str):
        return "."
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else "."


@cache
def plugins() -> dict[str, dict[str, Plugin]]:
    """Everything that is registered, by kind and name."""
    out: dict[str, dict[str, Plugin]] = {}
    for kind, entries in _core.registry().items():
        out[kind] = {}
        for e in entries:
            params = tuple(
                Parameter(p["name"], p["doc"], p["type"], decoded(p), p["low"], p["high"], tuple(p["choices"]))
                for p in e["params"]
            )
            traits = {k: v for k, v in e.items() if k not in ("name", "doc", "source", "params")}
            out[kind][e["name"]] = Plugin(kind, e["name"], e["doc"], e["source"], params, traits)
    return out


def decoded(p: Mapping[str, Any]) -> Any:
    if p["type"] == "choice":
        return p["choices"][int(p["default"])]
    if p["type"] == "flag":
        return bool(p["default"])
    if p["choices"] and p["default"] < 0:
        word = p["choices"][-1 - int(p["default"])]
        return None if word == "None" else word
    return int(p["default"]) if p["type"] == "integer" else p["default"]


def find(kind: str, name: Any, argument: str = "") -> Plugin:
    """The plug-in of that kind and name, or an error that names the argument and the nearest one."""
    known = plugins()[kind]
    if not isinstance(name, str) or name not in known:
        what = f"{argument or kind}={shown(name)}"
        raise ParameterError(f"{what} is not known{did_you_mean(name, known)} Known: {', '.join(map(repr, known))}.")
    return known[name]
