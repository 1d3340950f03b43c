"""Ctrl-C in tests: sent to this process during a fit, and how long the fit took to answer."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

Mark = TypeVar("Mark")
LIMIT = 0.25  # seconds until a fit answers
TRIES = 3


@contextlib.contextmanager
def hearing_ctrl_c() -> Iterator[None]:
    """A shell makes what it starts in the background deaf to Ctrl-C, and its children with it; not in here."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def queued() -> dict[str, float]:
    """Seconds that each thread of this process was ready to run while others had the processors (Linux only)."""
    waits = {}
    for task in Path("/proc/self/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # the thread has ended
            waits[task.parent.name] = int(task.read_text().split()[1]) / 1e9
    return waits


def interrupted(fit: Callable[[], object], after: float) -> float | None:
    """Seconds from the signal to the KeyboardInterrupt, or None if the fit was done before.

    An answer beyond the limit is asked for twice more, and the soonest counts: a fit that is slow to answer is slow
    each time, a machine that was busy elsewhere is not.
    """
    waits: list[float] = []
    while len(waits) < TRIES:
        waited = interrupted_once(fit, after)
        if waited is None:
            break
        waits.append(waited)
        if waited < LIMIT:
            break
    return min(waits, default=None)


def interrupted_once(fit: Callable[[], object], after: float) -> float | None:
    """As `interrupted`. Time that the slowest thread waited for a processor is not counted: others spent it."""
    marks = marks_of_ctrl_c(fit, after, lambda: (time.perf_counter(), queued()))
    if marks is None:
        return None
    (began, before), (now, waits) = marks
    lost = max((wait - before.get(thread, 0.0) for thread, wait in waits.items()), default=0.0)
    return max(0.0, now - began - lost)


def marks_of_ctrl_c(fit: Callable[[], object], after: float, mark: Callable[[], Mark]) -> tuple[Mark, Mark] | None:
    """What `mark` gives when the signal is sent and when it is answered; None if the fit was done before."""
    sent: list[Mark] = []

    def send() -> None:
        sent.append(mark())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    done = False
    with hearing_ctrl_c():
        timer.start()
        try:
            try:
                fit()
                done = True
            finally:
                timer.cancel()
                timer.join()
                time.sleep(0.001)  # a signal that came when the fit was over is heard here, and not later
        except KeyboardInterrupt:
            if not done:
                return sent[0], mark()
    return None
