"""Scores by group: accuracy and AUC, or error, of the rows with each value of a column."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ...registry import did_you_mean
from ...tables import frame, values
from .measure import area
from .numbers import short

if TYPE_CHECKING:
    from ...model.model import Model

MOST_GROUPS = 12  # the rarest beyond are one group
Z = 1.959964  # of a 95 % interval


def by_group(model: Model, X: Any, y: Any, groups: Any) -> dict[str, Any]:
    """The name of the groups and, of each, its label, rows, score, 95 % interval and AUC (None: there is none)."""
    if X is None or y is None:
        raise ParameterError("groups needs X and y; pass the rows to score.")
    name, names, places = labels_of(X, len(y), groups)
    outputs = model.outputs(model.columns_of(X))
    truth, predicted = np.asarray(y), outputs.predictions()
    second = outputs.shares()[:, 1] if model.classes is not None and len(model.classes) == 2 else None
    lines: list[list[Any]] = []
    for place, label in enumerate(names):
        here = places == place
        n = int(here.sum())
        if n == 0:
            continue
        if model.classes is None:
            squares = np.square(truth[here].astype(np.float64) - predicted[here])
            mean = float(squares.mean())
            off = Z * float(squares.std(ddof=1)) / math.sqrt(n) if n > 1 else math.inf
            bounds = [math.sqrt(max(0.0, mean - off)), math.sqrt(mean + off)]
            lines.append([label, n, short(math.sqrt(mean), 4), *(short(b, 4) for b in bounds)])
            continue
        known = np.array([values.plain(a) for a in truth[here].tolist()], dtype=object)
        right = known == predicted[here].astype(object)
        of_second = known == values.plain(model.classes.tolist()[-1])
        auc = short(area(second[here], of_second), 4) if second is not None and 0 < of_second.sum() < n else None
        share = float(right.mean())
        lines.append([label, n, short(share, 4), *(short(b, 4) for b in wilson(share, n)), auc])
    return {"n": name, "v": lines}


def labels_of(X: Any, n_rows: int, groups: Any) -> tuple[str, list[str], npt.NDArray[np.intp]]:
    """What the groups are called, the label of each and the group of each row."""
    if isinstance(groups, str):
        sources = frame.sources_of(X)
        names = [] if sources is None else [s.name for s in sources[0]]
        if sources is None or groups not in names:
            near = did_you_mean(groups, names) or "."
            raise ParameterError(f"groups={groups!r} is no column of X{near} Name a column, or pass a value per row.")
        source = sources[0][names.index(groups)]
    elif isinstance(groups, frame.Source):
        source = groups
    else:
        source = frame.ArraySource(str(getattr(groups, "name", None) or "group"), np.asarray(groups))
        if np.shape(groups) != (n_rows,):
            raise ParameterError(f"groups has the shape {np.shape(groups)}; it must have one value per row of X.")
    if source.kind != "nominal" and len(set((x := source.numbers())[~np.isnan(x)].tolist())) > MOST_GROUPS:
        return source.name, *ranges(x)
    labels = ["missing" if values.is_missing(v) else str(values.plain(v)) for v in source.items()]
    counts = Counter(labels)
    kept = [v for v, _ in counts.most_common(MOST_GROUPS if len(counts) <= MOST_GROUPS else MOST_GROUPS - 1)]
    place = {v: k for k, v in enumerate(kept)}
    places = np.array([place.get(v, len(kept)) for v in labels], dtype=np.intp)
    return source.name, [*kept, f"{len(counts) - len(kept)} others"], places


def ranges(x: npt.NDArray[np.float64]) -> tuple[list[str], npt.NDArray[np.intp]]:
    """Numbers by their quarters."""
    cuts = np.unique(np.quantile(x[~np.isnan(x)], [0.25, 0.5, 0.75]))
    texts = [f"{c:.4g}" for c in cuts]
    labels = [f"up to {texts[0]}", *(f"{a} to {b}" for a, b in pairwise(texts)), f"over {texts[-1]}", "missing"]
    return labels, np.where(np.isnan(x), len(labels) - 1, np.searchsorted(cuts, x)).astype(np.intp)


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of n rows."""
    middle, room = share + Z * Z / (2 * n), Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return max(0.0, (middle - room) / (1 + Z * Z / n)), min(1.0, (middle + room) / (1 + Z * Z / n))
