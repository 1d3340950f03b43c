"""The tree as the page reads it: kinds in preorder, splits, and what the leaves hold. Nodes above the leaves are
added up in the page, so a node costs about a hundred bytes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...errors import printable
from ...model.arrays import TreeArrays
from ...model.conditions import Condition, Range, Sum
from ...model.nodes import parts_of
from ...model.splits import terms_of
from ..words import DIGITS, bounds_of, condition_text, model_text, percent, weight_digits
from .numbers import exact, short, sparse

if TYPE_CHECKING:
    from ...model.lines import LinearModel
    from ...model.model import Model
    from ...model.nodes import Nodes

LETTERS = ".alsm"  # leaf, axis, linear, subset, multiway: the order of the core
MOST_TESTED = 2000  # nodes whose p-values are shown


def structure(nodes: Nodes) -> dict[str, Any]:
    kinds = nodes.kinds
    if not nodes.schema.numbered and any(c.ordinal for c in nodes.schema.columns):
        kinds = [asked(nodes, i)["kind"] for i in range(len(nodes))]
    leaves = [i for i, k in enumerate(kinds) if k == 0]
    found: dict[str, Any] = {
        "k": "".join(LETTERS[k] for k in kinds),
        "n": [int(nodes.rows[i]) for i in leaves],
        "s": [split_of(nodes, i) for i, k in enumerate(kinds) if k],
        "g": [short(float(g), 5) for g, k in zip(nodes.gains, kinds, strict=True) if k],
    }
    if texts := cuts_of(nodes):
        found["c"] = texts
    if nodes.classes is None:
        found["w"] = [short(float(nodes.weights[i].sum()), 9) for i in leaves]
        found["m"] = [exact(float(nodes.means[i])) for i in leaves]
        if nodes.models is not None:
            found["l"] = [line_of(nodes.models[i]) for i in leaves]
        found["v"] = [short(max(0.0, float(nodes.impurities[i]))) for i in leaves]
        if nodes.tree.parts()["inner_means"].size:
            inner = [i for i, k in enumerate(kinds) if k]
            found["M"] = [exact(float(nodes.means[i])) for i in inner]
            found["V"] = [short(max(0.0, float(nodes.impurities[i]))) for i in inner]
    else:
        found["w"] = weights_of(nodes, leaves)
        if not np.array_equal(nodes.codes, heaviest(nodes)):
            found["a"] = nodes.codes.tolist()
    mode = nodes.tree.missing
    if mode != "either":
        inner = [i for i, k in enumerate(kinds) if k]
        found["x"] = {i: [ways_of(nodes[i])] for i in inner[:MOST_TESTED]}
        if mode == "shared":  # parts of one row are in several leaves
            found["r"] = [int(nodes.rows[i]) for i in inner]
            found["q"] = [[short(s, 6) for s in nodes[i].missing_shares] for i in inner]
        else:
            found["u"] = {i: u for i in inner if (u := surrogates_of(nodes, i))}
            found["y"] = stayed_of(nodes)
    if nodes.log_p_values is not None:
        tested = {i: nodes[i].tests for i in range(min(len(nodes), MOST_TESTED))}
        ten = math.log(10)
        found["p"] = {i: [[t.column, short(t.log_p / ten, 4)] for t in tests] for i, tests in tested.items() if tests}
    return found


def line_of(model: LinearModel) -> list[Any]:
    """A linear model: as text, and as numbers to find a row by."""
    terms = [[t.column, exact(t.weight), exact(t.center)] for t in model.lines]
    return [model_text(model), exact(model.offset), terms, exact(model.low), exact(model.high)]


def weights_of(nodes: Nodes, leaves: list[int]) -> list[Any]:
    """The classes of each leaf and what they weigh."""
    parts = nodes.tree.parts()
    if not parts["leaf_counts"].size or nodes.stakes.scale is not None:
        return [sparse(nodes.scaled_at([i])[0]) for i in leaves]
    ends = np.cumsum(parts["leaf_counts"], dtype=np.int64)[:-1]
    listed = zip(np.split(parts["leaf_classes"], ends), np.split(parts["leaf_weights"], ends), strict=True)
    found = dict(zip(ends_of(nodes), listed, strict=True))
    return [[x for c, w in zip(*found[i], strict=True) for x in (int(c), short(float(w), 9))] for i in leaves]


def ends_of(nodes: Nodes) -> list[int]:
    """The nodes where training rows ended, in the order in which the tree keeps what it knows of those."""
    may_stop = nodes.tree.missing == "surrogate"
    return [i for i, k in enumerate(nodes.kinds) if not k or (may_stop and stops(nodes.tree.split(i)))]


def heaviest(nodes: Nodes) -> npt.NDArray[np.intp]:
    """The class that weighs most at each node, as the page finds it: the first of equals, also where nothing is."""
    assert nodes.classes is not None
    if nodes.plain:
        return np.where(nodes.rows > 0, nodes.codes, 0)
    found = np.empty(len(nodes), np.intp)
    for part in parts_of(len(nodes), len(nodes.classes)):
        found[part] = nodes.scaled_at(np.arange(len(nodes))[part]).argmax(axis=1)
    return found


def stayed_of(nodes: Nodes) -> dict[int, list[Any]]:
    """What is known of the training rows that ended at inner nodes, as the page knows leaves."""
    parts = nodes.tree.parts()
    found: dict[int, list[Any]] = {}
    root, end = nodes[0].weights, 0
    for place, i in enumerate(ends_of(nodes)):
        n, w, begin = int(parts["leaf_rows"][place]), np.zeros(len(root)), end
        end += int(parts["leaf_counts"][place]) if parts["leaf_counts"].size else len(root)
        if not nodes.kinds[i]:
            continue
        w[parts["leaf_classes"][begin:end] if parts["leaf_counts"].size else ...] = parts["leaf_weights"][begin:end]
        if nodes.classes is None:
            mean, spread = float(parts["leaf_means"][place]), float(parts["leaf_spreads"][place])
            found[i] = [n, short(float(w[0]), 9), exact(mean), short(spread / (float(w[0]) or 1.0))]
        else:
            found[i] = [n, [short(x, 9) for x in nodes.stakes.scaled(w[None], root)[0].tolist()]]
    return found


def cuts_of(nodes: Nodes) -> dict[int, list[Any]]:
    """Of cuts that the page cannot print with its six digits: the text, whether it is open, digits of the weights."""
    found: dict[int, list[Any]] = {}
    for i, kind in enumerate(nodes.kinds):
        split = nodes[i].split if kind in (1, 2) else None
        first = None if split is None else split.conditions[0]
        if not isinstance(first, (Range, Sum)) or math.isinf(first.high):
            continue
        if isinstance(first, Range) and (first.levels or first.boolean):
            continue
        high = bounds_of(first, DIGITS)[1]
        assert high is not None
        if high.tick is not None:  # a date, time or duration
            found[i] = [high.text, int(high.open)]
            continue
        if isinstance(first, Sum):
            found[i] = [grouped(high.text), 0, weight_digits(first, DIGITS)]
        elif high.open or high.text != f"{first.high:.{DIGITS}g}" or abs(first.high) >= 10**DIGITS:
            found[i] = [grouped(high.text), int(high.open)]
    return found


def grouped(text: str) -> str:
    """A number as the page writes it."""
    whole, *rest = text.split(".")
    return ".".join([f"{int(whole):,}" if "e" not in text and whole != "-0" else whole, *rest]).replace("-", "−")


def stops(split: dict[str, Any]) -> bool:
    return split["stops"] or (LETTERS[split["kind"]] in "sm" and split["other"] is None)


def ways_of(node: Any) -> list[Any]:
    """What becomes of rows without a value, as a section of the panel: title, sentence, bars."""
    assert node.split is not None
    if node.missing_shares:
        shares = zip(node.split.conditions, node.missing_shares, strict=True)
        bars = [[short_text(c).removeprefix(subject_of(c)), short(s, 4), percent(s)] for c, s in shares]
        return ["Rows without a value", "Or with one that was not here in training: each branch gets its share.", bars]
    stay = stops(node.nodes.tree.split(node.number))
    rest = "stay here, since both branches are as large" if stay else "follow the larger branch"
    if not node.surrogates:
        return ["Rows without a value", f"No other column tells where they belong: they {rest}.", []]
    bars = [[short_text(s.conditions[0]), short(s.adjusted, 4), percent(s.agreement)] for s in node.surrogates]
    text = (
        "The first of these that has a value decides: if it is true the row goes up, else down. Figures: rows that it "
        f"sends as the split does; bars: how much better than always to the larger side. Rows that lack all {rest}."
    )
    return ["Rows without a value", text, bars]


def short_text(c: Condition) -> str:
    return condition_text(c, 3, 3).replace("<=", "≤")


def subject_of(c: Condition) -> str:
    return "" if isinstance(c, Sum) else f"{printable(c.name)} "


def surrogates_of(nodes: Nodes, i: int) -> list[list[Any]]:
    found = []
    for s in nodes.tree.split(i)["surrogates"]:
        sides = list(zip(s["values"], s["goes_left"], strict=True))
        if nodes.schema.columns[s["column"]].ordinal:  # places up to the cut, by the side that they go to
            places = range(len(nodes.schema.columns[s["column"]].values))
            sides = [(v, (v <= s["cut"]) == bool(s["low_left"])) for v in places]
        left, right = [v for v, way in sides if way], [v for v, way in sides if not way]
        found.append([s["column"], left, right] if sides else [s["column"], exact(s["cut"]), bool(s["low_left"])])
    return found


def asked(nodes: Nodes, i: int) -> dict[str, Any]:
    """The split of a node; a cut of an ordinal column with its two groups of values too, the missing one last."""
    s: dict[str, Any] = nodes.tree.split(i)
    if LETTERS[s["kind"]] != "a" or not nodes.schema.columns[s["column"]].ordinal:
        return s
    n = len(nodes.schema.columns[s["column"]].values)
    goes_left = [*(code <= s["cut"] for code in range(n)), s["missing_left"]]
    known = n + (nodes.tree.missing == "either")  # else the missing one is on no side
    other = None if s["stops"] else 0 if s["missing_left"] else 1
    return {
        **s,
        "kind": LETTERS.index("s"),
        "values": list(range(known)),
        "goes_left": goes_left[:known],
        "other": other,
    }


def split_of(nodes: Nodes, i: int) -> list[Any]:
    s = asked(nodes, i)
    letter = LETTERS[s["kind"]]
    other = -1 if s["other"] is None else s["other"]
    saw = s["saw_missing"] and nodes.tree.missing == "either"  # else a side says nothing of rows without a value
    flags = (0 if s["missing_left"] else 1) + (2 if saw else 0) + (4 if s["gaps_at_center"] else 0)
    if letter == "a":
        return [s["column"], exact(s["cut"]), flags]
    if letter == "l":
        terms = terms_of(s, nodes.schema)
        values = nodes.schema.columns
        scores = [[[values[t.column].values.index(v), exact(x)] for v, x in t.scores] for t in terms]
        weights = [own or exact(t.weight) for t, own in zip(terms, scores, strict=True)]
        return [exact(s["cut"]), flags, [t.column for t in terms], weights]
    if letter == "m":
        return [s["column"], other, s["values"]]
    sides = list(zip(s["values"], s["goes_left"], strict=True))
    groups = [s["column"], other, [v for v, left in sides if left], [v for v, left in sides if not left]]
    if not nodes.schema.columns[s["column"]].ordinal:
        return groups
    cut = "inf" if math.isinf(s["cut"]) else math.floor(s["cut"])  # the last value below it
    return [*groups, cut, int(saw)]


def columns(model: Model, tree: int) -> list[dict[str, Any]]:
    """Names and kinds; spreads and centres of columns that stand in sums."""
    found: list[dict[str, Any]] = []
    for c in model.schema.columns:
        entry: dict[str, Any] = {"n": c.name, "k": {"numeric": "number"}.get(c.kind, c.kind)}
        if c.values:
            entry["v"] = [None if v is None else str(v) for v in (*c.values, *([None] if c.ordinal else []))]
        found.append(entry)
    parts = model.trees[tree].parts()
    for key, name in (("c", "centers"), ("s", "spreads")):
        for entry, x in zip(found, parts[name].tolist(), strict=False):
            entry[key] = exact(x)
    return found


def importances(model: Model) -> list[float | int | None]:
    """The share of each column in all that impurity falls by, the mean of all trees."""
    found, used = np.zeros(len(model.schema)), np.zeros(len(model.schema), dtype=bool)
    for tree, nodes in zip(model.trees, model.all_nodes, strict=True):
        found += TreeArrays(nodes).compute_feature_importances()
        parts = tree.parts()
        used[parts["columns"]] = used[parts["term_columns"]] = used[parts["line_columns"]] = True
    found /= found.sum() or 1.0
    # a column that is asked for but gains nothing is still one that the tree asks for
    return [short(max(x, 1e-9), 4) if asked else 0 for x, asked in zip(found.tolist(), used.tolist(), strict=True)]
