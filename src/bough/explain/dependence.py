"""Partial dependence: what is predicted on average when one column has a value and the others stay as they are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..errors import DataError, ParameterError, shown, whole_number
from ..model.model import Model
from ..output.plane import dated
from ..output.plot import COLOURS, INK, REST, SOFT, pyplot
from ..output.words import class_text, value_text
from ..tables.like import columns_like
from .plots import cut
from .shapley import predictions
from .usual import axis_cuts
from .why_not import column_of

Floats = npt.NDArray[np.float64]
MOST_CUTS = 400  # of a column, between each two of which predictions are made; of more, at some values


class Dependence(NamedTuple):
    """Predictions by value of a column, as `Model.dependence` returns them.

    Attributes
    ----------
    values : ndarray
        Values of the column: numbers, places of categories among the column's, or 0 and 1.
    edges : ndarray or None
        Where the steps begin and end whose values these are; None where predictions are no step function of the column.
    mean : ndarray of shape (values, outputs)
        The mean prediction of all rows: a number, or the share of each class.
    rows : ndarray of shape (rows, values, outputs)
        The predictions of some of the rows.
    """

    values: npt.NDArray[Any]
    edges: Floats | None
    mean: Floats
    rows: Floats


def dependence(
    model: Model,
    X: Any,
    column: Any,
    *,
    node: int | None = None,
    ice: int = 40,
    points: int = 60,
    threads: int = 1,
) -> Dependence:
    """See `Model.dependence`."""
    column = column_of(model, column, "column")
    whole_number("ice", ice, 0)
    whole_number("points", points, 2)
    if node is not None and len(model.trees) > 1:
        raise ParameterError(f"node is {shown(node)}, but a model of {len(model.trees)} trees has no node of its own.")
    cells = columns_like(X, model.schema)
    if node is not None:
        cells = [c[here] for here in [rows_at(model, X, node)] for c in cells]
    own = cells[column]
    known = own[own >= 0] if model.schema.columns[column].nominal else own[~np.isnan(own)]
    if not len(known):
        raise DataError(f"no row has a value of {model.schema.names[column]!r}; give rows that have.")
    values, edges = grid_of(model, column, known, points)
    shown_rows = np.linspace(0, len(own) - 1, min(ice, len(own))).astype(int)
    k = 1 if model.classes is None else len(model.classes)
    mean, rows = np.empty((len(values), k)), np.empty((len(shown_rows), len(values), k))
    for i, v in enumerate(values.tolist()):
        columns = _core.Columns()
        for c, (info, x) in enumerate(zip(model.schema.columns, cells, strict=True)):
            x = np.full(len(own), v) if c == column else x
            if info.nominal:
                columns.add_nominal(x.astype(np.int32), len(info.values))
            else:
                columns.add_numeric(x.astype(np.float64))
        said = predictions(model, columns, threads, raw=False)
        mean[i], rows[:, i] = said.mean(axis=0), said[shown_rows]
    return Dependence(values, edges, mean, rows)


def rows_at(model: Model, X: Any, node: int) -> npt.NDArray[np.intp]:
    """The rows of a table that come to a node."""
    nodes = model.nodes()
    node = whole_number("node", node, 0, len(nodes) - 1)
    leaves = np.atleast_1d(model.apply(X))
    found = np.flatnonzero((leaves >= node) & (leaves < node + nodes.sizes[node]))
    if not len(found):
        raise DataError(f"no row of X comes to node {node}; give rows that do.")
    return found


def grid_of(model: Model, column: int, known: npt.NDArray[Any], points: int) -> tuple[npt.NDArray[Any], Floats | None]:
    """At which values predictions are made: in every interval between the cuts of the column, or, where it stands in
    sums, at quantiles."""
    info = model.schema.columns[column]
    if info.nominal or info.ordinal or info.kind == "boolean":
        return np.unique(known), None
    low, high = float(known.min()), float(known.max())
    cuts: set[float] = set()
    for tree in model.trees:
        of, here = axis_cuts(tree)
        cuts |= set(here[(of == column) & (low < here) & (here < high)].tolist())
        if column in tree.parts()["term_columns"] or len(cuts) > MOST_CUTS:
            return np.unique(np.quantile(known, np.linspace(0, 1, points))), None
    edges = np.array([low, *sorted(cuts), high])
    return np.append(edges[1:-1], high), edges


def plot_dependence(
    model: Model,
    X: Any,
    column: Any,
    of: Any = None,
    node: int | None = None,
    ice: int = 40,
    ax: Any = None,
    points: int = 60,
) -> Any:
    """See `bough.plot_dependence`."""
    plt = pyplot(ax)
    place = column_of(model, column, "column")
    output, what = output_of(model, of)
    found = dependence(model, X, place, node=node, ice=ice, points=points)
    found = found._replace(mean=found.mean[:, output], rows=found.rows[:, :, output])
    if ax is None:
        _, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
    info = model.schema.columns[place]
    if info.values or info.kind == "boolean":
        at = np.arange(len(found.values))
        rng = np.random.default_rng(0)
        for row in found.rows:
            ax.scatter(at + rng.uniform(-0.18, 0.18, len(at)), row, s=5, color=REST, alpha=0.45, lw=0)
        ax.scatter(at, found.mean, s=42, color=COLOURS[0], zorder=3)
        names = [value_text(info.values[int(v)] if info.values else bool(v)) for v in found.values]
        ax.set_xticks(at, [cut(n, 18) for n in names], rotation=30 if sum(map(len, names)) > 40 else 0)
    elif found.edges is not None:
        for row in found.rows:
            ax.stairs(row, found.edges, baseline=None, color=REST, alpha=0.4, lw=0.7)
        ax.stairs(found.mean, found.edges, baseline=None, color=COLOURS[0], lw=2.2)
    else:
        ax.plot(found.values, found.rows.T, color=REST, alpha=0.4, lw=0.7)
        ax.plot(found.values, found.mean, color=COLOURS[0], lw=2.2)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(labelsize=8, labelcolor=INK)
    dated(ax.xaxis, info)
    ax.set_xlabel(cut(info.name), fontsize=8, color=SOFT)
    ax.set_ylabel(what if node is None else f"{what} (node {node})", fontsize=8, color=SOFT)
    return ax


def output_of(model: Model, of: Any) -> tuple[int, str]:
    """Which output is drawn, and its name."""
    if model.classes is None:
        if of is not None:
            raise ParameterError(f"of is {shown(of)}, but the model predicts numbers; leave it out.")
        return 0, "mean prediction"
    known = model.classes.tolist()
    if of is None and len(known) == 2:
        of = known[1]
    if of not in known:
        names = ", ".join(map(shown, known[:10]))
        problem = f"there are {len(known)} classes" if of is None else f"{shown(of)} is not a class of the model"
        raise ParameterError(f"{problem}; choose one with of=: {names}.")
    return known.index(of), f"mean share of {cut(class_text(of), 24)}"
