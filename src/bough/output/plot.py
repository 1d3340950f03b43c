"""Pictures with matplotlib: a tree as a figure for a paper, what it does to a plane, what pruning does to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import DataError, ParameterError, printable, shown
from ..model.conditions import Among, Range, Sum
from ..tables.like import columns_like
from .words import (
    bounds_of,
    bounds_text,
    checked_digits,
    checked_optional,
    class_text,
    condition_text,
    number,
    numbers_text,
    percent,
    sum_text,
    value_text,
)

if TYPE_CHECKING:
    from ..model.conditions import Condition
    from ..model.model import Model
    from ..model.nodes import NodeView
    from ..model.splits import Split
    from ..tables.schema import Column

# Of the first four every two differ by ΔE 22 or more for every kind of colour vision; grey is for the rest.
COLOURS = ("#1f539b", "#d9780c", "#2fa187", "#73305a", "#3b95d2", "#8a5a2c", "#c9b42f")
REST, INK, SOFT = "#8c929b", "#1d2126", "#5a6068"
WIDTH, GAP, LEAF, SPLIT, BETWEEN = 1.9, 0.75, 0.42, 0.56, 0.12  # inches
FONT = 7.0  # points
MOST_CARDS = 20_000  # of a picture, which takes half a minute then, and is read by nobody


def pyplot(ax: Any = None) -> Any:
    """matplotlib.pyplot, if it is there and ``ax`` is a place to draw, or none."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
    except ImportError:
        raise DataError('pictures need matplotlib: pip install "bough-trees[plot]"') from None
    if ax is not None and not isinstance(ax, Axes):
        raise ParameterError(f"ax is {shown(ax)}; it must be the Axes of a matplotlib figure, or None")
    return plt


def colours_of(model: Model) -> list[Any]:
    """A colour for each class, the seven heaviest ones by themselves; for numbers a ramp over the means."""
    if model.classes is None:
        return []
    weights = model.nodes().weights[0]
    own = sorted(np.argsort(-weights, kind="stable")[: len(COLOURS)].tolist())
    found = [REST] * len(weights)
    for colour, k in zip(COLOURS, own, strict=False):
        found[k] = colour
    return found


def mean_colour(means: tuple[float, float], mean: float) -> Any:
    """A colour for a mean; ``means``: the least and the largest."""
    from matplotlib import colormaps

    low, high = means
    return colormaps["Blues"](0.25 + 0.65 * (mean - low) / ((high - low) or 1.0))


# ---- words in a small room ------------------------------------------------------------------------------


def branch_text(c: Condition, digits: int) -> str:
    """What is true of the rows of a child, without the name of the column."""
    if isinstance(c, Among):
        return ", ".join(value_text(v) for v in c.values)
    if isinstance(c, Range) and (c.only_missing or c.only_known or c.boolean):
        return condition_text(c, digits).removeprefix(printable(c.name)).strip()
    if isinstance(c, Range) and c.levels:
        left = math.isinf(c.low)
        text = f"{'≤' if left else '>'} {value_text(c.level(c.high if left else c.low))}"
    else:
        text = bounds_text("", *bounds_of(c, digits)).strip().replace("<=", "≤").replace(">=", "≥")
    return f"{text} or missing" if c.saw_missing else text


def question_text(split: Split, digits: int) -> str:
    first = split.conditions[0]
    if len(split.conditions) > 2 and isinstance(first, Among):
        return f"{first.name} is …"
    if isinstance(first, Sum):
        return sum_text(first, digits, 2).replace("-", "−")
    return numbers_text(first, digits, 3).replace("<=", "≤")


def answer_text(node: NodeView, digits: int) -> str:
    if node.nodes.classes is None:
        return number(node.mean, digits)
    between = " " if isinstance(node.answer, str) else ": "
    return f"{class_text(node.answer)}{between}{percent(node.sure)}"


# ---- the tree -------------------------------------------------------------------------------------------


@dataclass
class Card:
    node: NodeView
    x: float
    y: float = 0.0
    below: list[Card] = field(default_factory=list)
    hidden: int = 0

    @property
    def height(self) -> float:
        return SPLIT if self.below else LEAF


def cards_of(model: Model, tree: int, max_depth: int | None) -> list[Card]:
    """Cards of the nodes that are shown, in preorder; y from the leaves up, without recursion."""
    nodes = model.nodes(tree)
    cards: dict[int, Card] = {}
    for node in nodes:
        parent = None if node.parent is None else cards.get(node.parent)
        if node.number and (parent is None or (max_depth is not None and node.depth > max_depth)):
            continue
        card = Card(node, node.depth * (WIDTH + GAP))
        cards[node.number] = card
        if parent is not None:
            parent.below.append(card)
        if max_depth is not None and node.depth == max_depth:
            card.hidden = nodes.sizes[node.number] - 1
    found = list(cards.values())
    at = 0.0
    for card in found:
        if not card.below:
            card.y = at
            at += LEAF + BETWEEN
    for card in reversed(found):
        if card.below:
            card.y = (card.below[0].y + card.below[-1].y) / 2
    return found


def plot(model: Model, ax: Any = None, max_depth: int | None = None, tree: int = 0, digits: int = 3) -> Any:
    """See `Model.plot`."""
    checked_optional("max_depth", max_depth, 0)
    checked_digits(digits)
    plt = pyplot(ax)
    cards = cards_of(model, tree, max_depth)
    if len(cards) > MOST_CARDS:
        raise ParameterError(
            f"the picture would have {len(cards):,} nodes, and {MOST_CARDS:,} are drawn at most; set max_depth."
        )
    width = max(c.x for c in cards) + WIDTH
    top, bottom = -SPLIT / 2 - 0.1, max(c.y for c in cards) + SPLIT / 2 + 0.1
    if ax is None:
        figure, ax = plt.subplots(figsize=(min(width + 0.2, 200), min(bottom - top, 200)))
        figure.subplots_adjust(left=0, right=1, top=1, bottom=0)
    ax.set_xlim(-0.1, width + 0.1)
    ax.set_ylim(bottom, top)
    ax.set_axis_off()
    box = ax.get_window_extent()
    dots = ax.figure.dpi
    scale = min(1.0, box.width / dots / (width + 0.2), box.height / dots / (bottom - top))
    painter = Painter(model, ax, FONT * scale, digits)
    for card in cards:
        painter.branches(card)
    for card in cards:
        painter.card(card)
    return ax


class Painter:
    def __init__(self, model: Model, ax: Any, size: float, digits: int) -> None:
        self.model, self.ax, self.size, self.digits = model, ax, size, digits
        self.colours = colours_of(model)
        means = model.nodes().means if model.classes is None else np.zeros(1)
        self.means = float(means.min()), float(means.max())
        self.rows = max(1, model.nodes().rows[0])

    def colour(self, node: NodeView) -> Any:
        if self.model.classes is None:
            return mean_colour(self.means, node.mean)
        return self.colours[self.model.classes.tolist().index(node.answer)]

    def fitting(self, text: str, width: float, weight: str = "normal") -> str:
        """A text cut to a width in inches at the size of the whole picture."""
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import TextPath

        text = "".join(c if c.isprintable() else "�" for c in text)
        font = FontProperties(weight=weight)

        def wide(t: str) -> float:
            if not t.strip():  # matplotlib makes no path of it
                return 0.0
            return float(TextPath((0, 0), t.replace("$", r"\$"), size=FONT, prop=font).get_extents().width) / 72

        if wide(text) <= width:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if wide(text[:middle].rstrip() + "…") <= width else (low, middle - 1)
        return text[:low].rstrip() + "…"

    def write(self, x: float, y: float, text: str, **options: Any) -> None:
        style = {"fontsize": self.size, "color": INK, "va": "center", "parse_math": False, **options}
        self.ax.text(x, y, text, **style)

    def branches(self, card: Card) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        start = card.x + WIDTH
        split = card.node.split
        for below, condition in zip(card.below, split.conditions if split else (), strict=False):
            thick = max(0.008, 0.3 * below.node.rows / self.rows)
            middle = (start + below.x) / 2
            a, b = card.y, below.y
            points = [
                (start, a - thick / 2),
                (middle, a - thick / 2),
                (middle, b - thick / 2),
                (below.x, b - thick / 2),
            ]
            points += [(x, y + thick) for x, y in reversed(points)]
            codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3]
            path = PathPatch(Path(points, codes), facecolor=self.colour(below.node), alpha=0.45, linewidth=0, zorder=1)
            self.ax.add_patch(path)
            text = self.fitting(branch_text(condition, self.digits), GAP - 0.06)
            above = below.y <= card.y
            y = below.y - thick / 2 - 0.07 if above else below.y + thick / 2 + 0.07
            self.write(below.x - 0.03, y, text, ha="right", color=SOFT, fontsize=self.size * 0.86)

    def card(self, card: Card) -> None:
        from matplotlib.patches import FancyBboxPatch, Rectangle

        node, h = card.node, card.height
        shape = "round,pad=0,rounding_size=0.05"
        self.ax.add_patch(
            FancyBboxPatch(
                (card.x, card.y - h / 2), WIDTH, h, boxstyle=shape, fc="white", ec="#b9b4a8", lw=0.6, zorder=2
            )
        )
        stripe = Rectangle((card.x, card.y - h / 2 + 0.05), 0.035, h - 0.1, color=self.colour(node), lw=0, zorder=3)
        self.ax.add_patch(stripe)
        left, room = card.x + 0.1, WIDTH - 0.18
        rows = f"{node.rows:,}"
        title = question_text(node.split, self.digits) if card.below and node.split else answer_text(node, self.digits)
        if card.hidden:
            title = f"{title}  (+{card.hidden:,})"
        y = card.y - h / 2 + 0.13
        self.write(left, y, self.fitting(title, room - 0.35, "bold"), weight="bold", zorder=4)
        self.write(card.x + WIDTH - 0.07, y, rows, ha="right", color=SOFT, fontsize=self.size * 0.9, zorder=4)
        self.bar(node, left, card.y + h / 2 - 0.15, room)
        if card.below and self.model.classes is not None:
            told = self.fitting(answer_text(node, self.digits), room)
            self.write(left, card.y + 0.02, told, color=SOFT, fontsize=self.size * 0.9, zorder=4)

    def bar(self, node: NodeView, x: float, y: float, width: float) -> None:
        from matplotlib.patches import Rectangle

        if self.model.classes is None:
            self.ax.add_patch(Rectangle((x, y), width, 0.07, color=self.colour(node), lw=0, zorder=3))
            return
        for share, colour in zip(node.shares, self.colours, strict=True):
            if share > 0:
                self.ax.add_patch(Rectangle((x, y), width * share, 0.07, color=colour, lw=0, zorder=3))
                x += width * share


# ---- a plane --------------------------------------------------------------------------------------------


def plot_regions(
    model: Model, X: Any, columns: tuple[Any, Any] | None = None, y: Any = None, ax: Any = None, resolution: int = 300
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
    told = model.predict(cells if schema.any_values else cells.astype(np.float64))
    if ax is None:
        _, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
    if model.classes is None:
        ax.pcolormesh(*axes, told.reshape(grid_a.shape).astype(float), cmap="Blues", shading="nearest")
    else:
        place = {c: k for k, c in enumerate(model.classes.tolist())}
        codes = np.array([place[t] for t in told.tolist()]).reshape(grid_a.shape)
        colours = colours_of(model)
        limits = {"vmin": -0.5, "vmax": len(colours) - 0.5}
        ax.pcolormesh(*axes, codes, cmap=ListedColormap(colours), alpha=0.35, shading="nearest", **limits)
        if y is not None:
            answers = np.asarray(y)
            if answers.shape != table[a].shape:
                shape = f"X has {len(table[a])} rows, but y has the shape {answers.shape}"
                raise DataError(f"{shape}; give one answer for each row")
            for k, c in enumerate(model.classes.tolist()):
                here = answers == c
                ax.scatter(table[a][here], table[b][here], s=10, color=colours[k], lw=0.4, ec="white", label=str(c))
            ax.legend(frameon=False, fontsize=8, loc="upper left")
    ax.set_xlabel(schema.columns[a].name)
    ax.set_ylabel(schema.columns[b].name)
    ax.set_xlim(axes[0][0], axes[0][-1])
    ax.set_ylim(axes[1][0], axes[1][-1])
    return ax


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
