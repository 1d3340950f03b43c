"""The mean of a numeric target over all partitions, to the last bit what NumPy makes of the rows in one array: it adds
halves of halves, down to 128 numbers. Partitions add up what lies inside them, the driver the rest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ..estimators.data import Floats

BLOCK = 128  # numbers that NumPy adds without halving


class Stretch(NamedTuple):
    """Some rows of a partition: their sum is wanted, or the numbers themselves."""

    partition: int
    begin: int
    end: int
    summed: bool


def stretches_of(sizes: Sequence[int]) -> list[Stretch]:
    """What partitions of these sizes have to tell, in order of the rows."""
    ends = list(accumulate(sizes))
    found: list[Stretch] = []
    todo, part = [(0, ends[-1])], 0
    while todo:
        begin, end = todo.pop()
        while ends[part] <= begin:
            part += 1
        start = ends[part] - sizes[part]
        if end <= ends[part]:
            found.append(Stretch(part, begin - start, end - start, True))
        elif end - begin > BLOCK:
            middle = begin + half_of(end - begin)
            todo += [(middle, end), (begin, middle)]
        else:
            at = part
            while begin < end:
                start = ends[at] - sizes[at]
                stop = min(end, ends[at])
                if begin < stop:
                    found.append(Stretch(at, begin - start, stop - start, False))
                begin, at = max(begin, stop), at + 1
    return found


def half_of(n: int) -> int:
    return n // 2 - n // 2 % 8


def told(numbers: Floats, first: float, stretches: Sequence[Stretch]) -> list[Any]:
    """What a partition tells about its numbers, less the first of all."""
    return [np.add.reduce(x) if p.summed else x for p in stretches for x in (numbers[p.begin : p.end] - first,)]


def mean_of(sizes: Sequence[int], stretches: Sequence[Stretch], answers: Sequence[Any]) -> float:
    """The mean from what was told of each stretch."""
    starts = [0, *accumulate(sizes)]
    by_place = {starts[p.partition] + p.begin: (p, a) for p, a in zip(stretches, answers, strict=True)}
    n = starts[-1]
    done: list[float] = []
    todo: list[tuple[int, int] | None] = [(0, n)]  # None: the last two sums are added
    while todo:
        rows = todo.pop()
        if rows is None:
            right = done.pop()
            done[-1] = done[-1] + right
            continue
        begin, end = rows
        p, told_here = by_place[begin]
        if p.summed and p.end - p.begin == end - begin:
            done.append(float(told_here))
        elif end - begin > BLOCK:
            middle = begin + half_of(end - begin)
            todo += [None, (middle, end), (begin, middle)]
        else:
            some = []
            while begin < end:
                p, a = by_place[begin]
                some.append(a)
                begin += p.end - p.begin
            done.append(float(np.add.reduce(np.concatenate(some))))
    return done[0] / n
