"""The command line. What it is made of takes most of a second to import; Ctrl-C works from the first moment."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator, Sequence

__all__ = ["main"]

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those of the process, which then is there for nothing else: Ctrl-C ends it.

    Returns
    -------
    code : int
        0 success, 1 data or file error, 2 usage error, 130 interrupted, 141 the reader of the output left.

    Examples
    --------
    >>> from bough.cli import main
    >>> main(["list", "prune", "--quiet"])
    cost_complexity
    ...
    0
    """
    if argv is None and threading.current_thread() is threading.main_thread():
        answered_by(signal.default_int_handler, leave)
    from . import command

    return command.main(argv)


def answered_by(before: signal._HANDLER, now: signal._HANDLER) -> bool:
    """Changes who handles Ctrl-C, unless a shell or a program has decided otherwise."""
    if signal.getsignal(signal.SIGINT) is not before:
        return False
    signal.signal(signal.SIGINT, now)
    return True


def leave(*_: object) -> None:
    """Ends the process at once: modules that are half imported do not pass on a KeyboardInterrupt."""
    os.write(2, b"bough: interrupted\n")
    os._exit(INTERRUPTED)


@contextlib.contextmanager
def tidy() -> Iterator[None]:
    """While a file is written, Ctrl-C is a KeyboardInterrupt, so that no part of it stays."""
    changed = answered_by(leave, signal.default_int_handler)
    try:
        yield
    finally:
        if changed:
            signal.signal(signal.SIGINT, leave)
