"""A bar on stderr: how much is done, and when the rest will be."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from typing import Any

WIDTH = 24
EVERY = 0.2  # seconds between two looks


class Bar:
    """Progress of a run; silent where nobody looks.

    The estimate knows that systems and data sets differ: a fold that is still to come counts as much as those
    of the same system on the same data did, or as an average one.
    """

    def __init__(self, tasks: list[tuple[str, str]], n_jobs: int, shown: bool | None = None) -> None:
        self.shown = sys.stderr.isatty() if shown is None else shown
        self.left: dict[tuple[str, str], int] = defaultdict(int)
        for task in tasks:
            self.left[task] += 1
        self.total, self.done, self.n_jobs = len(tasks), 0, n_jobs
        self.seconds: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
        self.begin = time.monotonic()
        self.last = -EVERY
        self.width = 0

    def step(self, record: dict[str, Any]) -> None:
        """Counts a finished fold."""
        found = record.get("measures", {})
        taken = found.get("fit_seconds", 0.0) + found.get("predict_seconds", 0.0)
        self.count((record["data"], record["system"]), taken)

    def leave_out(self, system: str) -> None:
        """Counts on no more folds of a system."""
        for task in self.left:
            if task[1] == system:
                self.total -= self.left[task]
                self.left[task] = 0

    def count(self, task: tuple[str, str], seconds: float = 0.0) -> None:
        """Counts a finished fold that took so long."""
        self.done += 1
        self.left[task] -= 1
        spent = self.seconds[task]
        spent[0] += 1
        spent[1] += seconds
        now = time.monotonic()
        if self.shown and (now - self.last >= EVERY or self.done == self.total):
            self.last = now
            self.write(self.text(now - self.begin))

    def remaining(self, elapsed: float) -> float:
        """Seconds that the rest will take, by what the folds so far took and how long they took together."""
        done = sum(n for n, _ in self.seconds.values())
        spent = sum(s for _, s in self.seconds.values())
        if not done:
            return float("nan")
        mean = spent / done
        ahead = sum(
            n * (self.seconds[t][1] / self.seconds[t][0] if self.seconds[t][0] else mean) for t, n in self.left.items()
        )
        if spent <= 0:
            return elapsed / done * (self.total - self.done)
        return elapsed * ahead / spent

    def text(self, elapsed: float) -> str:
        share = self.done / self.total if self.total else 1.0
        full = int(share * WIDTH)
        bar = "#" * full + "." * (WIDTH - full)
        rest = f", about {span(self.remaining(elapsed))} left" if self.done < self.total else ""
        return f"[{bar}] {self.done} of {self.total} folds, {span(elapsed)}{rest}"

    def write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width))
        self.width = len(text)
        sys.stderr.flush()

    def close(self) -> None:
        if self.shown and self.width:
            sys.stderr.write("\n")
            sys.stderr.flush()


def span(seconds: float) -> str:
    """A time in words."""
    if seconds != seconds:
        return "?"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
