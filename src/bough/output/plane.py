"""Pictures with matplotlib: what a tree predicts over a plane, and what pruning does to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, ParameterError, shown
from ..tables.like import columns_like
from ..tables.moments import moment_text
from .plot import COLOURS, INK, REST, colours_of, pyplot

if TYPE_CHECKING:
    from ..model.model import Model
    from ..tables.schema import Column

# ---- a plane --------------------------------------------------------------------------------------------


def plot_regions(
    model: Model, X: Any, y: Any = None, columns: tuple[Any, Any] | None = None, ax: Any = None, resolution: int = 300
) -> Any:
    """See `bough.plot_regions`."""
    plt = pyplot(ax)
    from matplotlib.colors import ListedColormap

    schema = model.schema
    a, b = chosen(schema, columns)
    if not isinstance(resolution, int) or isinstance(resolution, bool) or not 2 <= resolution <= 4000:
        raise ParameterError(f"resolution must be an integer from 2 to 4000, not {shown(resolution)}")
    table = columns_like(X, schema)
    axes = [line_over(table[i], resolution) for i in (a, b)]
    grid_a, grid_b = np.meshgrid(*axes)
    cells = np.empty((grid_a.size, len(schema)), dtype=object)
    for i, column in enumerate(schema.columns):
        cells[:, i] = usual(table[i], column)
    cells[:, a], cells[:, b] = grid_a.ravel(), grid_b.ravel()
    predicted = model.predict(cells if schema.any_values else cells.astype(np.float64))
    if ax is None:
        _, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
    target = None if y is None else np.asarray(y)
    if target is not None and target.shape != table[a].shape:
        shape = f"X has {len(table[a])} rows, but y has the shape {target.shape}"
        raise DataError(f"{shape}; give one value per row")
    if model.classes is None:
        found = predicted.reshape(grid_a.shape).astype(float)
        numbers = found if target is None else np.append(found, target.astype(float))
        scale = {"cmap": "viridis", "vmin": numbers.min(), "vmax": numbers.max()}
        mesh = ax.pcolormesh(*axes, found, shading="nearest", **scale)
        if target is not None:
            ax.scatter(table[a], table[b], c=target.astype(float), s=12, lw=0.5, ec="white", **scale)
        ax.figure.colorbar(mesh, ax=ax, label="prediction")
    else:
        place = {c: k for k, c in enumerate(model.classes.tolist())}
        codes = np.array([place[t] for t in predicted.tolist()]).reshape(grid_a.shape)
        colours = colours_of(model)
        limits = {"vmin": -0.5, "vmax": len(colours) - 0.5}
        ax.pcolormesh(*axes, codes, cmap=ListedColormap(colours), alpha=0.35, shading="nearest", **limits)
        if target is not None:
            for k, c in enumerate(model.classes.tolist()):
                here = target == c
                ax.scatter(table[a][here], table[b][here], s=10, color=colours[k], lw=0.4, ec="white", label=str(c))
            ax.legend(frameon=False, fontsize=8, loc="upper left")
    ax.set_xlabel(schema.columns[a].name)
    ax.set_ylabel(schema.columns[b].name)
    dated(ax.xaxis, schema.columns[a])
    dated(ax.yaxis, schema.columns[b])
    ax.set_xlim(axes[0][0], axes[0][-1])
    ax.set_ylim(axes[1][0], axes[1][-1])
    return ax


def dated(axis: Any, column: Column) -> None:
    """Writes numbers of days along an axis as the dates, times or durations that they stand for."""
    if column.moment:
        axis.set_major_formatter(lambda x, _: moment_text(round(x), column.moment).removesuffix(" 00:00 UTC"))


def chosen(schema: Any, columns: Any) -> tuple[int, int]:
    numeric = [i for i, c in enumerate(schema.columns) if not c.values]
    if columns is None:
        if len(numeric) < 2:
            raise DataError(f"a plane needs two numeric columns, and the model has {len(numeric)}")
        return numeric[0], numeric[1]
    found: list[int] = []
    for c in columns:
        if isinstance(c, str) and c in schema.names:
            found.append(schema.names.index(c))
        elif isinstance(c, (int, np.integer)) and not isinstance(c, bool) and 0 <= c < len(schema):
            found.append(int(c))
        else:
            raise ParameterError(f"columns must be two columns of the model by name or number, and {shown(c)} is none")
    if len(found) != 2 or found[0] == found[1] or not set(found) <= set(numeric):
        raise ParameterError(f"columns must be two different numeric columns, not {shown(columns)}")
    return found[0], found[1]


def line_over(x: npt.NDArray[Any], n: int) -> npt.NDArray[np.float64]:
    known = x[~np.isnan(x)]
    if len(known) == 0:
        raise DataError("a column of the plane has no values")
    low, high = float(known.min()), float(known.max())
    pad = 0.05 * (high - low) or max(abs(high), 1.0) * 0.05
    return np.linspace(low - pad, high + pad, n)


def usual(x: npt.NDArray[Any], column: Column) -> Any:
    """The median of numbers, the commonest of values: where the plane lies along the other columns."""
    names = column.values
    if not column.nominal:
        known = x[~np.isnan(x)]
        middle = float(np.median(known)) if len(known) else math.nan
        return names[int(middle)] if names and len(known) else middle
    seen = x[x >= 0]
    return names[int(np.bincount(seen).argmax())] if len(seen) else names[0]


# ---- pruning --------------------------------------------------------------------------------------------


def plot_pruning(points: list[tuple[float, ...]], ax: Any = None, chosen_leaves: int | None = None) -> Any:
    """Errors by number of leaves: points are (leaves, error in training[, cross-validated error[, its deviation]])."""
    plt = pyplot(ax)
    if ax is None:
        _, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
    leaves = [p[0] for p in points]
    ax.plot(leaves, [p[1] for p in points], color=REST, ls="--", label="training")
    if len(points[0]) > 2:
        spread = [p[3] for p in points] if len(points[0]) > 3 else None
        ax.errorbar(
            leaves,
            [p[2] for p in points],
            yerr=spread,
            color=INK,
            marker="o",
            ms=3,
            lw=1.2,
            capsize=2,
            label="cross-validated",
        )
    if chosen_leaves is not None:
        ax.axvline(chosen_leaves, color=COLOURS[1], lw=1, label=f"chosen: {chosen_leaves} leaves")
    if max(leaves) > 20:
        ax.set_xscale("log")
    ax.set_xlabel("leaves")
    ax.set_ylabel("error")
    ax.legend(frameon=False, fontsize=8)
    return ax
