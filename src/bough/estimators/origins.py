"""What a model keeps of how it was grown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import compress
from operator import is_not, itemgetter
from typing import Any

from ..errors import shown
from ..model import rules
from ..model.origin import MOST_CHARACTERS, MOST_PARAMETERS, Origin, is_plain
from ..registry import plugins
from ..tables.schema import Schema
from .functions import Own

LEFT_OUT = ("n_jobs", "warm_start", "oob_score", "keep_leaves", "verbose")  # the model is the same, whatever they are


@lru_cache(maxsize=64)
def defaults_of(estimator: Any) -> tuple[dict[str, Any], Callable[[Any], tuple[Any, ...]]]:
    """The parameters that a model keeps if they are not these, and what takes their values out of a dict."""
    defaults = {name: value for name, value in estimator().get_params().items() if name not in LEFT_OUT}
    return defaults, itemgetter(*defaults)


def origin_of(estimator: Any, params: Mapping[str, Any], schema: Schema) -> Origin:
    """The origin of a model that an estimator of this class grew with these parameters."""
    defaults, values_in = defaults_of(estimator)
    kept = {
        name: rules.written(name, params[name], schema) if name in rules.NAMES else written(params[name])
        for name in compress(defaults, map(is_not, values_in(params), defaults.values()))
        if differs(params[name], defaults[name])
    }
    nominal = schema.any_values and any(c.nominal for c in schema.columns)
    search = scalar(params["nominal"]) if nominal else None
    return Origin(cut(estimator.__name__), kept, search, alpha_of(params))


def alpha_of(params: Mapping[str, Any]) -> float | None:
    default = usual_alphas().get(params["selector"])
    return None if default is None else float((params["selector_params"] or {}).get("alpha", default))


@lru_cache(maxsize=1)
def usual_alphas() -> dict[str, float]:
    """The usual alpha of selectors that have one."""
    return {s.name: float(p.default) for s in plugins()["selector"].values() for p in s.params if p.name == "alpha"}


def differs(value: Any, default: Any) -> bool:
    """Is it not the default? An array never is."""
    return type(value) is not type(default) or hasattr(value, "__array__") or bool(value != default)


# ---- values ---------------------------------------------------------------------------------------------


def written(value: Any) -> Any:
    """A parameter as a model keeps it. The same value gives the same words: none has an address in memory."""
    if type(value) not in PLAIN and isinstance(value, Mapping) and len(value) <= MOST_PARAMETERS:
        return {cut(str(name)): scalar(v) for name, v in value.items()}
    return scalar(value)


PLAIN = frozenset((str, bool, int, float, type(None)))


def scalar(value: Any) -> Any:
    if type(value) not in PLAIN and getattr(value, "ndim", None) == 0:  # a number or a text of NumPy's
        value = value.item()
    if type(value) in PLAIN:
        return cut(value) if isinstance(value, str) else value if is_plain(value) else shown(value)
    if isinstance(value, Own):
        return cut(f"{value.plugin}({name_of(value.fn)})")
    if isinstance(value, (list, tuple)) and len(value) <= MOST_PARAMETERS:
        texts = (str(scalar(v)) if isinstance(v, (list, tuple)) else repr(scalar(v)) for v in value)
        return cut(f"[{', '.join(texts)}]")
    return name_of(value)


def name_of(thing: Any) -> str:
    """A function by its name, anything else by its kind and its size."""
    own, shape = getattr(thing, "__qualname__", None), getattr(thing, "shape", None)
    of = f" of shape {shape}" if isinstance(shape, tuple) else f" of {len(thing)}" if hasattr(thing, "__len__") else ""
    return cut(own if isinstance(own, str) else f"{type(thing).__name__}{of}")


def cut(text: str) -> str:
    """Valid Unicode, and no longer than a file may have it."""
    return (text if text.isascii() else text.encode(errors="backslashreplace").decode())[:MOST_CHARACTERS]
