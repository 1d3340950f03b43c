"""A table like that of training, as plain arrays: for pictures and pages, which look at the rows themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import arrays, frame, ordered, values
from .schema import Schema


def columns_like(X: Any, schema: Schema) -> list[npt.NDArray[Any]]:
    """The columns of a table as numbers, or as numbers of values (−1: not a value of training)."""
    found = frame.sources_of(X)
    if found is None:
        a = arrays.as_matrix(X)
        frame.same_width(a.shape[1], schema)
        sources: list[frame.Source] = [frame.ArraySource(c.name, a[:, i]) for i, c in enumerate(schema.columns)]
    else:
        sources, named = found
        if named and schema.named:
            sources = frame.matched(sources, schema)
        frame.same_width(len(sources), schema)
    return [
        values.codes_of(s.coded(), c.values).astype(np.int64)
        if c.nominal
        else ordered.places_of(s.coded(), c.values)
        if c.ordinal
        else frame.numbers_as(s, c)
        for s, c in zip(sources, schema.columns, strict=True)
    ]
