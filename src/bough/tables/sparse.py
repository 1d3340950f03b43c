"""Sparse matrices of SciPy, column by column: each becomes dense when the core reads it, and there is no other copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrays import fits_as_columns
from .sources import ArraySource, Source


def sparse_sources(x: Any, names: Sequence[str] | None = None) -> list[Source]:
    """The columns of a sparse matrix; a cell that is not stored is 0. ``names``: those of training, to predict."""
    fits_as_columns(x, x.shape[1] if names is None and len(x.shape) == 2 else 0)
    x = x.tocsc(copy=not x.has_canonical_format) if x.format == "csc" else x.tocsc()
    x.sum_duplicates()
    if names is not None:  # a fit puts all columns in order, a prediction only reads those with entries
        fits_as_columns(x, int(np.count_nonzero(np.diff(x.indptr))))
    zeros = np.zeros(x.shape[0])  # of all columns without an entry
    ends = zip(x.indptr[:-1].tolist(), x.indptr[1:].tolist(), strict=True)
    return [
        SparseSource(names[j] if names else f"x{j}", zeros, x.indices[begin:end], x.data[begin:end])
        for j, (begin, end) in enumerate(ends)
    ]


class SparseSource(ArraySource):
    """A column of a sparse matrix."""

    def __init__(self, name: str, zeros: npt.NDArray[Any], rows: npt.NDArray[Any], cells: npt.NDArray[Any]) -> None:
        self.name, self.kind = name, "numeric"
        self.zeros, self.rows, self.cells = zeros, rows, cells

    @property
    def column(self) -> npt.NDArray[Any]:  # type: ignore[override]
        if len(self.rows) == 0:
            return self.zeros
        found = np.zeros(len(self.zeros), self.cells.dtype)
        found[self.rows] = self.cells
        return found
