"""Pictures with matplotlib: a tree as a figure for a paper."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, ParameterError, printable, shown
from ..model.conditions import Among, Range, Sum
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
    predicted_text,
    sum_text,
    value_text,
)

if TYPE_CHECKING:
    from ..model.conditions import Condition
    from ..model.model import Model
    from ..model.nodes import NodeView
    from ..model.splits import Split

# Of the first four every two differ by ΔE 22 or more for every kind of colour vision; grey is for the rest.
COLOURS = ("#1f539b", "#d9780c", "#2fa187", "#73305a", "#3b95d2", "#8a5a2c", "#c9b42f")
REST, INK, SOFT = "#8c929b", "#1d2126", "#5a6068"
LEAF, SPLIT, BETWEEN, LEGEND = 0.46, 0.62, 0.12, 0.26  # inches
WIDTH, GAP = 1.5, 0.6  # of cards and of the room between them at least, by what is written there
WIDEST, WIDEST_INSIDE = (4.2, 2.4), (1.9, 0.75)  # in a figure of its own, and in axes that somebody has made
FONT = 8.0  # points
MOST_MEASURED = 40  # of the longest texts, whose width is found out
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


def wide(text: str, weight: str = "normal") -> float:
    """The width of a text in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    # ink alone has a path: measured as a text, blanks and characters without a glyph, such as U+200B, have a width, too
    found = text_to_path.get_text_width_height_descent(text, FontProperties(weight=weight, size=FONT), ismath=False)
    return float(found[0]) / 72


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
        return sum_text(first, digits, 3).replace("-", "−")
    return numbers_text(first, digits, 3).replace("<=", "≤")


def leaf_text(node: NodeView, digits: int) -> str:
    if node.nodes.classes is None:
        return predicted_text(node, digits)
    between = " " if isinstance(node.prediction, str) else ": "
    return f"{class_text(node.prediction)}{between}{percent(node.sure)}"


# ---- the tree -------------------------------------------------------------------------------------------


@dataclass
class Card:
    node: NodeView
    x: float = 0.0
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
        card = Card(node)
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
    painter = Painter(model, digits)
    painter.measure(cards, *(WIDEST if ax is None else WIDEST_INSIDE))
    width = max(c.x for c in cards) + painter.width
    top, bottom = -SPLIT / 2 - 0.1 - LEGEND, max(c.y for c in cards) + SPLIT / 2 + 0.1
    if ax is None:
        figure, ax = plt.subplots(figsize=(min(width + 0.2, 200), min(bottom - top, 200)))
        figure.subplots_adjust(left=0, right=1, top=1, bottom=0)
    ax.set_xlim(-0.1, width + 0.1)
    ax.set_ylim(bottom, top)
    ax.set_axis_off()
    box = ax.get_window_extent()
    dots = ax.figure.dpi
    scale = min(1.0, box.width / dots / (width + 0.2), box.height / dots / (bottom - top))
    painter.ax, painter.size = ax, FONT * scale
    painter.legend(top + 0.1, width)
    for card in cards:
        painter.branches(card)
    for card in cards:
        painter.card(card)
    return ax


class Painter:
    ax: Any
    size = FONT

    def __init__(self, model: Model, digits: int) -> None:
        self.model, self.digits = model, digits
        self.width, self.gap = WIDTH, GAP
        self.colours = colours_of(model)
        means = model.nodes().means if model.classes is None else np.zeros(1)
        self.means = float(means.min()), float(means.max())
        self.rows = max(1, model.nodes().rows[0])

    def colour(self, node: NodeView) -> Any:
        if self.model.classes is None:
            return mean_colour(self.means, node.mean)
        return self.colours[self.model.classes.tolist().index(node.prediction)]

    def measure(self, cards: list[Card], width: float, gap: float) -> None:
        """Makes cards, and the room between them, as wide as the longest text in them, within reason."""
        titles = sorted({self.title(c) for c in cards}, key=len)[-MOST_MEASURED:]
        self.width = min(max([WIDTH, *(wide(t, "bold") + 0.65 for t in titles)]), width)
        texts = {
            branch_text(condition, self.digits)
            for c in cards
            if c.below and c.node.split
            for condition in c.node.split.conditions
        }
        longest = sorted(texts, key=len)[-MOST_MEASURED:]
        self.gap = min(max([GAP, *(wide(t) + 0.1 for t in longest)]), gap)
        for card in cards:
            card.x = card.node.depth * (self.width + self.gap)

    def title(self, card: Card) -> str:
        node = card.node
        title = question_text(node.split, self.digits) if card.below and node.split else leaf_text(node, self.digits)
        return f"{title}  (+{card.hidden:,})" if card.hidden else title

    def legend(self, y: float, width: float) -> None:
        """Which colour is which class; of numbers, the range of the means."""
        from matplotlib.patches import Rectangle

        x = 0.0
        if self.model.classes is None:
            low, high = (number(m, self.digits) for m in self.means)
            entries = [
                (mean_colour(self.means, self.means[0]), f"mean {low}"),
                (mean_colour(self.means, self.means[1]), high),
            ]
        else:
            names = [class_text(c) for c in self.model.classes.tolist()]
            entries = [(c, n) for c, n in zip(self.colours, names, strict=True) if c != REST]
            entries += [(REST, "other classes")] if len(entries) < len(names) else []
        for colour, name in entries:
            text = self.fitting(name, 1.6)
            if x + 0.2 + wide(text) > width:
                break
            self.ax.add_patch(Rectangle((x, y - 0.05), 0.1, 0.1, color=colour, lw=0))
            self.write(x + 0.15, y, text, color=SOFT, fontsize=self.size)
            x += 0.15 + wide(text) + 0.25

    def fitting(self, text: str, width: float, weight: str = "normal") -> str:
        """A text cut to a width in inches at the size of the whole picture."""
        text = "".join(c if c.isprintable() else "�" for c in text)
        if wide(text, weight) <= width:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if wide(text[:middle].rstrip() + "…", weight) <= width else (low, middle - 1)
        return text[:low].rstrip() + "…"

    def write(self, x: float, y: float, text: str, **options: Any) -> None:
        style = {"fontsize": self.size, "color": INK, "va": "center", "parse_math": False, **options}
        self.ax.text(x, y, text, **style)

    def branches(self, card: Card) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        start = card.x + self.width
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
            text = self.fitting(branch_text(condition, self.digits), self.gap - 0.06)
            above = below.y <= card.y
            y = below.y - thick / 2 - 0.07 if above else below.y + thick / 2 + 0.07
            self.write(below.x - 0.03, y, text, ha="right", color=SOFT, fontsize=self.size * 0.86)

    def card(self, card: Card) -> None:
        from matplotlib.patches import FancyBboxPatch, Rectangle

        node, h = card.node, card.height
        shape = "round,pad=0,rounding_size=0.05"
        self.ax.add_patch(
            FancyBboxPatch(
                (card.x, card.y - h / 2), self.width, h, boxstyle=shape, fc="white", ec="#b9b4a8", lw=0.6, zorder=2
            )
        )
        stripe = Rectangle((card.x, card.y - h / 2 + 0.05), 0.035, h - 0.1, color=self.colour(node), lw=0, zorder=3)
        self.ax.add_patch(stripe)
        left, room = card.x + 0.1, self.width - 0.18
        rows = f"{node.rows:,}"
        title = self.title(card)
        y = card.y - h / 2 + 0.13
        self.write(left, y, self.fitting(title, room - 0.45, "bold"), weight="bold", zorder=4)
        self.write(card.x + self.width - 0.07, y, rows, ha="right", color=SOFT, fontsize=self.size * 0.9, zorder=4)
        self.bar(node, left, card.y + h / 2 - 0.15, room)
        if card.below:
            text = self.fitting(leaf_text(node, self.digits), room)
            self.write(left, card.y + 0.02, text, color=SOFT, fontsize=self.size * 0.9, zorder=4)

    def bar(self, node: NodeView, x: float, y: float, width: float) -> None:
        from matplotlib.patches import Rectangle

        if self.model.classes is None:
            low, high = self.means
            at = x + width * (node.mean - low) / ((high - low) or 1.0)
            spread = width * min(1.0, node.spread / ((high - low) or 1.0))
            left, right = max(x, at - spread), min(x + width, at + spread)
            self.ax.add_patch(Rectangle((x, y + 0.03), width, 0.01, color="#d5d2c8", lw=0, zorder=3))
            self.ax.add_patch(Rectangle((left, y + 0.01), right - left, 0.05, color=self.colour(node), lw=0, zorder=3))
            self.ax.add_patch(Rectangle((at - 0.01, y), 0.02, 0.07, color=INK, lw=0, zorder=4))
            return
        for share, colour in zip(node.shares, self.colours, strict=True):
            if share > 0:
                self.ax.add_patch(Rectangle((x, y), width * share, 0.07, color=colour, lw=0, zorder=3))
                x += width * share
