"""Timing: contestants take turns, so that a slow minute of the machine meets all of them."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from typing import Any

from .install import PeerFailure

Burst = Callable[[int], list[float]]  # does its work so many times and gives the seconds of each


def timed(work: Callable[[], Any], times: int) -> tuple[list[float], Any]:
    """Seconds of each call, and the last result. Python's garbage collector rests meanwhile."""
    seconds, result = [], None
    gc.collect()
    gc.disable()
    try:
        for _ in range(times):
            result = None
            start = time.perf_counter()
            result = work()
            seconds.append(time.perf_counter() - start)
    finally:
        gc.enable()
    return seconds, result


def alternate(
    contestants: Mapping[str, Burst], repeats: int, times: int = 1, budget: float = 40
) -> dict[str, dict[str, Any]]:
    """Rounds in which every contestant has one turn. A turn counts with its best time; who has used up
    the budget in seconds, or has failed, takes no further turn."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    spent = dict.fromkeys(contestants, 0.0)
    failed: dict[str, str] = {}
    for _ in range(repeats):
        for name, burst in contestants.items():
            if name in failed or spent[name] > budget:
                continue
            try:
                turn = burst(times)
            except PeerFailure as failure:
                failed[name] = str(failure)
                continue
            spent[name] += sum(turn)
            seconds[name].append(min(turn))
    return {name: summary(seconds[name], failed.get(name)) for name in contestants}


def summary(seconds: list[float], failure: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if seconds:
        found = {"min": short(min(seconds)), "seconds": [short(s) for s in seconds]}
    if failure is not None:
        found["error"] = failure
    return found


def short(number: float) -> float:
    """Five digits are more than a clock can tell."""
    return float(f"{number:.5g}")
