"""How many digits the numbers of a tree need in texts, so that a condition sends every training row where the tree
does. Found out from the training rows when a tree is fitted, and kept in its file; a model that lacks it prints its
numbers in full."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import ModelFileError

LINEAR = 2  # the kind of a linear node
MOST_DIGITS = 17  # of a float64
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


def printed(tree: _core.Tree, found: Floats) -> Printed:
    """From what `Tree.margins` found."""

    def make() -> tuple[npt.NDArray[np.uint8], Floats]:
        digits = tree.digits(found)
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
