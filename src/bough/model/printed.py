"""How many digits the numbers of a tree need in texts, so that a condition sends every training row where the tree
does. Found out from the training rows when a tree is fitted, and kept in its file; a model that lacks it prints its
numbers in full."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import ModelFileError

LINEAR = 2  # the kind of a linear node
MOST_DIGITS = 17  # of a float64
ROUNDING = 2.0**-50  # of a sum of few terms, relative to the sum of their sizes
Floats = npt.NDArray[np.float64]
NOTHING: Floats = np.empty(0)


class Need(NamedTuple):
    """What the texts of one split need: digits of its cut, or of its weights (0: all of them), and, of a linear split,
    where the training rows next to the cut are."""

    digits: int = 0
    low: float = 0.0
    high: float = 0.0


UNKNOWN = Need()


class Printed:
    """Of each node its digits, of each linear node the positions of the training rows next to its cut. They are found
    out when somebody asks, which a fit of 150 rows feels."""

    def __init__(self, make: Callable[[], tuple[npt.NDArray[np.uint8], Floats]]) -> None:
        self._make = make

    @classmethod
    def of(cls, digits: npt.NDArray[np.uint8], margins: Floats) -> Printed:
        return cls(lambda: (digits, margins))

    @cached_property
    def _both(self) -> tuple[npt.NDArray[np.uint8], Floats]:
        return self._make()

    @property
    def digits(self) -> npt.NDArray[np.uint8]:
        return self._both[0]

    @property
    def margins(self) -> Floats:
        return self._both[1]

    def need(self, tree: _core.Tree, node: int) -> Need:
        if not self.margins.size or tree.kinds()[node] != LINEAR:
            return Need(int(self.digits[node]))
        at = 2 * int((tree.kinds()[:node] == LINEAR).sum())
        return Need(int(self.digits[node]), *self.margins[at : at + 2].tolist())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """As the file has them."""
        return {"digits": self.digits, "margins": self.margins}


def rounded(x: float, digits: int) -> float:
    return float(f"{x:.{digits - 1}e}")


def digits_of_cut(cut: float, low: float, high: float) -> int:
    """The fewest digits, such that any more of them part the same rows, too."""
    if not math.isfinite(cut):
        return 1
    room = min(cut - low, high - cut)  # half a unit of the last digit is no more than that
    digits = MOST_DIGITS
    if room > 0 and cut != 0:
        digits = 2 + math.floor(math.log10(abs(cut))) - math.floor(math.log10(min(room, 1e300)))
    digits = min(max(digits, 1), MOST_DIGITS)
    while digits > 1 and low <= rounded(cut, digits - 1) < high:
        digits -= 1
    return digits


def digits_of_weights(split: dict[str, Any], reach: list[float], low: float, high: float) -> int:
    """The fewest digits that leave half of the room between the rows to the cut; 0: no number is surely enough."""
    weights = split["term_weights"]
    size = abs(split["cut"]) + sum(
        abs(w) * (r + abs(c)) for w, r, c in zip(weights, reach, split["term_centers"], strict=True)
    )
    room = (high - low) / 8 - ROUNDING * size  # half of what the cut has on its narrower side
    for digits in range(1, MOST_DIGITS):
        if sum(abs(rounded(w, digits) - w) * r for w, r in zip(weights, reach, strict=True)) <= room:
            return digits
    return 0


def digits_of(tree: _core.Tree, found: Floats) -> npt.NDArray[np.uint8]:
    """Of each node the fewest significant digits of its cut, or of its weights, that part the same rows; 0: unknown."""
    n = tree.n_nodes
    digits = np.zeros(n, np.uint8)
    for node in np.flatnonzero(~np.isnan(found[:n])).tolist():
        low, high = found[[node, n + node]].tolist()
        split = tree.split(node)
        if split["kind"] != LINEAR:
            digits[node] = digits_of_cut(split["cut"], low, high)
        elif math.isfinite(high - low):
            digits[node] = digits_of_weights(split, found[2 * n :][split["term_columns"]].tolist(), low, high)
    return digits


def printed(tree: _core.Tree, found: Floats) -> Printed:
    """From what `Tree.margins` found."""

    def make() -> tuple[npt.NDArray[np.uint8], Floats]:
        digits = digits_of(tree, found)
        if len(found) == 2 * len(digits):  # no sum
            return digits, NOTHING
        linear = np.flatnonzero(tree.kinds() == LINEAR)
        return digits, found[[linear, len(digits) + linear]].T.ravel()

    return Printed(make)


def joined(tree: _core.Tree, found: list[Floats]) -> Floats:
    """The margins of all rows, from those of some rows each."""
    n = tree.n_nodes
    parts = np.array(found)
    return np.concatenate([parts[:, :n].max(axis=0), parts[:, n : 2 * n].min(axis=0), parts[:, 2 * n :].max(axis=0)])


def printed_of(arrays: dict[str, npt.NDArray[Any]], tree: _core.Tree) -> Printed | None:
    """What a file says, if it does; takes its arrays out of ``arrays``."""
    digits, margins = arrays.pop("digits"), arrays.pop("margins")
    if not digits.size and not margins.size:
        return None
    kinds = tree.kinds()
    linear = kinds == LINEAR
    if digits.size != tree.n_nodes or (digits > MOST_DIGITS).any() or margins.size != 2 * linear.sum():
        raise ModelFileError("the digits of printed numbers do not fit the nodes")
    low, high = margins.astype(np.float64).reshape(-1, 2).T
    cuts = tree.parts()["cuts"][linear[(kinds == 1) | linear]]
    known = digits[linear] > 0
    if not (np.isfinite(high - low) & (low <= cuts) & (cuts < high))[known].all():
        raise ModelFileError("a cut is not between the training rows next to it")
    return Printed.of(digits.astype(np.uint8), margins.astype(np.float64))
