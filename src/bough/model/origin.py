"""How a model was grown: its estimator and the parameters that were not defaults. A model file keeps them to show,
by pages and commands; nothing is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..errors import ModelFileError
from .metadata import check_texts, plain_value

MOST_PARAMETERS = 100  # of an estimator, and in a dict that is one of them
MOST_CHARACTERS = 200  # of a text
MOST_LISTED = 1_000  # places of the origin in all
FIELDS = ("estimator", "parameters", "search", "alpha")


class Origin(NamedTuple):  # quicker to make than a dataclass, which a fit of 150 rows feels
    """How a model was grown, as far as its file tells.

    Attributes
    ----------
    estimator : str
        The name of the estimator's class.
    parameters : dict
        Parameters that were not defaults: texts, numbers, truth values, None, or a dict of these. An array or a
        function is described in words. Parameters that leave the model as it is, such as ``n_jobs``, are not among
        them; ``random_state`` is, if one was given.
    search : str or None
        The nominal search; None of a table without nominal columns.
    alpha : float or None
        The p-value above which a column was not split; None if there were no tests.
    """

    estimator: str
    parameters: Mapping[str, Any]
    search: str | None = None
    alpha: float | None = None

    def __str__(self) -> str:
        return f"{self.estimator}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"

    def described(self) -> dict[str, Any]:
        """As the file has it."""
        return {name: value for name in FIELDS if (value := getattr(self, name)) is not None}


def origin_of(meta: Mapping[str, Any]) -> Origin | None:
    """What a file tells of how its model was grown, if it does."""
    found = meta.get("origin")
    if found is None:
        return None
    if not isinstance(found, dict) or not {"estimator", "parameters"} <= found.keys() <= set(FIELDS):
        raise ModelFileError("the origin is not described")
    parameters = found["parameters"]
    if not is_group(parameters, inner=True) or sum(size(v) for v in parameters.values()) > MOST_LISTED:
        raise ModelFileError("the origin has parameters that are not plain, too many or too long")
    estimator, search, alpha = found["estimator"], found.get("search"), found.get("alpha")
    if not is_text(estimator) or not (search is None or is_text(search)):
        raise ModelFileError("the origin has a name that is not a short text")
    if not (alpha is None or (type(alpha) in (int, float) and 0 <= alpha <= 1)):
        raise ModelFileError("the origin has an alpha that is not a number from 0 to 1")
    check_texts(estimator, search)
    return Origin(estimator, parameters, search, alpha)


def is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_CHARACTERS


def size(value: Any) -> int:
    return 1 + len(value) if isinstance(value, dict) else 1


def is_group(value: Any, inner: bool) -> bool:
    """A dict of plain values; ``inner``: some of them may be such dicts themselves."""
    if not isinstance(value, dict) or len(value) > MOST_PARAMETERS or not all(map(is_text, value)):
        return False
    check_texts(*value, *value.values())
    return all(is_plain(v) or (inner and is_group(v, inner=False)) for v in value.values())


def is_plain(value: Any) -> bool:
    return is_text(value) if isinstance(value, str) else plain_value(value)
