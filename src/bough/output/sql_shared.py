"""SQL of trees whose rows are shared where a value is missing: level by level, a column with the part of the row that
comes to each node, and sums of what the leaves so far say."""

from __future__ import annotations

import math
from itertools import zip_longest
from typing import TYPE_CHECKING

from ..errors import DataError
from .lower import Compare, Stay
from .sql_boosted import of_sums, raw_names

if TYPE_CHECKING:
    from .lower import Lowered, Step
    from .sql import Writer

MOST_COLUMNS = 1600  # of a stage: PostgreSQL takes 1,664, SQLite 2,000
MOST_WIDE = 900  # nodes of a level of the trees that are walked together: databases take sums of about 1,000 terms
DIGITS = 9  # of a share, where classes are compared
At = tuple[int, int]  # tree and node


def select_shared(writer: Writer, proba: bool) -> str:
    low = writer.low
    outputs = writer.shares or [writer.nodes[0]] if low.boosting is None else raw_names(low.boosting)
    groups = groups_of(low)
    begun = False
    for n, group in enumerate(groups):
        later = [s for others in groups[n + 1 :] for t in others for s in low.trees[t].steps]
        level: list[At] = [(t, 0) for t in group]
        depth = 0
        while level:
            if len(level) > MOST_WIDE:
                raise DataError(
                    f"{len(level):,} nodes lie {depth} levels deep, and databases take about {MOST_WIDE} where rows "
                    "are shared; prune the tree, set max_depth, or export it with to_onnx or to_python"
                )
            steps = {at: low.trees[at[0]].steps[at[1]] for at in level}
            below = [(t, c) for (t, i) in level for c in low.trees[t].shares[i]]  # type: ignore[index]
            known = add_sums(writer, steps, [*steps_below(writer, below), *later], depth, outputs if begun else [])
            parts = [f"{part} AS {column_of(writer, *at)}" for at, part in parts_of(writer, steps, depth, known)]
            sums = [f"{summed(writer, steps, depth, k, name, begun)} AS {name}" for k, name in enumerate(outputs)]
            writer.add([*writer.passed([*steps_below(writer, below), *later]), *parts, *sums])
            level, depth, begun = below, depth + 1, True
    if low.boosting is not None:
        return of_sums(writer, low.boosting, outputs, proba)
    means = [name if len(low.trees) == 1 else f"{name} / {len(low.trees)}" for name in outputs]
    if low.classes is None:
        return writer.joined([f'{means[0]} AS "prediction"'])
    # parts of rows are added up: equal shares are so up to rounding
    names = [f'"rounded{k}"' for k in range(len(means))]
    rounded = [f"{writer.dialect.rounded(m, DIGITS)} AS {n}" for m, n in zip(means, names, strict=True)]
    shares = outputs if proba else []
    writer.add([*(f"{m} AS {s}" for m, s in zip(means, shares, strict=False)), *rounded])
    return writer.joined(writer.outputs(writer.best(names, shares), shares))


def groups_of(low: Lowered) -> list[list[int]]:
    """Trees that are walked together, level by level: as many in turn as have room in a stage."""
    groups: list[list[int]] = []
    wide: list[int] = []
    for t, tree in enumerate(low.trees):
        assert tree.shares is not None
        own, level = [], [0]
        while level:
            own.append(len(level))
            level = [c for i in level for c in tree.shares[i]]
        both = [sum(pair) for pair in zip_longest(wide, own, fillvalue=0)]
        if groups and max(both) <= MOST_WIDE:
            groups[-1].append(t)
            wide = both
        else:
            groups.append([t])
            wide = own
    return groups


def column_of(writer: Writer, tree: int, node: int) -> str:
    return f'{writer.nodes[tree][:-1]}_{node}"'


def part_at(writer: Writer, at: At, depth: int) -> str:
    return column_of(writer, *at) if depth else writer.number(1.0)


def add_sums(writer: Writer, steps: dict[At, Step], later: list[Step], depth: int, outputs: list[str]) -> dict[At, str]:
    """A stage with the sums of a level's linear splits, which the parts of rows ask for four times each: as many of
    them as have room beside what is passed on. The column of each."""
    linear = {at: step for at, step in steps.items() if isinstance(step, Compare) and not step.single}
    passed = writer.passed([*steps.values(), *later]) if linear else []
    kept = [*outputs, *(column_of(writer, *at) for at in steps if depth)]
    room = MOST_COLUMNS - len(writer.keys) - len(passed) - len(kept)
    named = {at: f'"sum{at[0]}_{at[1]}"' for at in [*linear][: max(room, 0)]}
    if named:
        writer.add([*passed, *kept, *(f"{writer.sum_of(linear[at])} AS {name}" for at, name in named.items())])
    return named


def parts_of(writer: Writer, steps: dict[At, Step], depth: int, known: dict[At, str]) -> list[tuple[At, str]]:
    """The part of a row that comes to each child of a level."""
    found = []
    for (t, i), step in steps.items():
        shares = writer.low.trees[t].shares
        assert shares is not None
        for child, share in shares[i].items():
            way = factor(writer, step, child, share, known.get((t, i)))
            found.append(((t, child), f"{part_at(writer, (t, i), depth)} * {way}"))
    return found


def factor(writer: Writer, step: Step, child: int, share: float, total: str | None) -> str:
    """How much of a row goes on to a child; `total` is the column of a linear split's sum, if there is one."""
    assert not isinstance(step, Stay)
    if isinstance(step, Compare):
        known, low, cut = total or writer.sum_of(step), int(step.left == child), writer.number(step.cut)
        # where what is not a number is the largest of them, it is above infinity
        above = f"<= {writer.number(math.inf)}" if writer.dialect.name == "duckdb" and not step.single else f"> {cut}"
        rest = writer.number(share)
        return f"CASE WHEN {known} <= {cut} THEN {low} WHEN {known} {above} THEN {1 - low} ELSE {rest} END"
    whens = []
    for way, codes in (
        (1, [c for c, to in step.to.items() if to == child]),
        (0, [c for c, to in step.to.items() if to != child]),
    ):
        if codes:
            whens.append(f"WHEN {writer.among(step.column, codes)} THEN {way}")
    return f"CASE {' '.join(whens)} ELSE {writer.number(share)} END"


def summed(writer: Writer, steps: dict[At, Step], depth: int, k: int, name: str, begun: bool) -> str:
    """What the leaves so far say, each by the part of the row that it has; of boosted trees to one output."""
    low = writer.low
    terms = [name] if begun else []
    if low.boosting is not None and not begun:
        terms.append(writer.number(low.boosting.start[k]))
    for (t, i), step in steps.items():
        if not isinstance(step, Stay) or (low.boosting is not None and t % low.boosting.n_outputs != k):
            continue
        value = low.trees[t].values[i]
        number = float(value if low.classes is None or low.boosting is not None else value[k])
        terms.append(f"{part_at(writer, (t, i), depth)} * {writer.number(number)}")
    return " + ".join(terms) or writer.number(0.0)


def steps_below(writer: Writer, level: list[At]) -> list[Step]:
    """All steps from a level on down."""
    found, todo = [], list(level)
    while todo:
        t, i = todo.pop()
        tree = writer.low.trees[t]
        found.append(tree.steps[i])
        todo += [(t, c) for c in tree.shares[i]]  # type: ignore[index]
    return found
