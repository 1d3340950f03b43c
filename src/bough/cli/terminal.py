"""How the command speaks: text, JSON or hardly at all, on any terminal, and errors as one sentence."""

from __future__ import annotations

import codecs
import io
import itertools
import json
import math
import os
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import printable

# Characters of bough's own texts, for terminals that do not have them.
PLAINER = {
    "├": "|", "└": "`", "│": "|", "─": "-", "→": "->", "…": "...", "·": "*", "−": "-", "²": "^2",
    "Σ": "sum", "¼": "1/4", "≤": "<=", "≥": ">=", "×": "x", "–": "-", "—": "-",
}  # fmt: skip


class Output:
    """Where a command puts what it has to tell.

    ``say`` is for comments, ``result`` for what was asked for, ``facts`` for the same as JSON.
    """

    def __init__(self, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json = as_json
        self.quiet = quiet

    def say(self, text: str = "") -> None:
        if not self.as_json and not self.quiet:
            print(tame(text), flush=True)

    def result(self, text: str) -> None:
        if not self.as_json:
            print(tame(text))

    def data(self, text: str) -> None:
        """Data for another program, as it is; a terminal gets it tamed."""
        if not self.as_json:
            print(tame(text) if sys.stdout.isatty() else text)

    def bytes(self, data: bytes) -> None:
        """A file on the standard output, as it is; a terminal gets its text tamed."""
        if sys.stdout.isatty():
            print(tame(data.decode("utf-8", "replace").removesuffix("\n")))
            return
        stream = getattr(sys.stdout, "buffer", None)
        sys.stdout.flush()
        if stream is None:  # a text stream of somebody's own
            sys.stdout.write(data.decode("utf-8", "replace"))
        else:
            stream.write(data)
            stream.flush()

    def facts(self, facts: Any) -> None:
        if self.as_json:
            print(json.dumps(plain(facts), indent=2, allow_nan=False))


def plain(value: Any) -> Any:
    """A value as JSON can hold it: no NumPy types, and null for numbers that are none."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


# ---- words ------------------------------------------------------------------------------------------


def line(label: str, text: str) -> str:
    return f"{label:<10} {text}"


def count(n: int, noun: str, plural: str | None = None) -> str:
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def some(texts: Iterable[Any], most: int = 10) -> str:
    """Texts as a list; a long one tells how many there are besides."""
    all_of_them = iter(texts)
    found = [printable(str(t)) for t in itertools.islice(all_of_them, most)]
    more = sum(1 for _ in all_of_them)
    return ", ".join(found) + (f", … {more} more" if more else "")


def tame(text: str) -> str:
    """A text whose lines are ours; nothing in it steers the terminal."""
    return text if text.isprintable() else "\n".join(map(printable, text.split("\n")))


def sentence(error: BaseException) -> str:
    """An error on one line."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{str(error.filename)!r}: " if error.filename is not None else ""
        return f"{where}{error.strerror.lower()}."
    if isinstance(error, MemoryError):
        return "there is not enough memory for this."
    return " ".join(str(error).split()) or type(error).__name__


def complain(text: str) -> None:
    print(f"bough: {tame(text)}", file=sys.stderr)


# ---- streams ----------------------------------------------------------------------------------------


def plainer(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that an encoding does not have."""
    assert isinstance(error, UnicodeEncodeError)
    return "".join(PLAINER.get(c, "?") for c in error.object[error.start : error.end]), error.end


def prepare_output() -> None:
    """Makes the streams take whatever is printed: every character, and anything at all if they are closed."""
    codecs.register_error("bough.plainer", plainer)
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="bough.plainer")


def give_up_output() -> None:
    """Sends what is still to be written nowhere, so that Python does not complain at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
