"""Helpers of the tests of the command line: running it here or as a process, and writing tables."""

from __future__ import annotations

import contextlib
import io
import random
import subprocess
import sys

from bough.cli import main


def run(*arguments):
    """Runs the command in this process: exit code, output, errors."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(a) for a in arguments])
    return code, out.getvalue(), err.getvalue()


def failing(*arguments):
    """Runs a command that must fail with one sentence; returns its code and the sentence."""
    code, out, err = run(*arguments)
    assert code != 0
    assert err.startswith("bough: ")
    assert err.count("\n") == 1
    assert "Traceback" not in out + err
    return code, err


def process(*arguments, **options):
    command = [sys.executable, "-m", "bough", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=60, check=False, **options)


def write(name, text, encoding="utf-8"):
    with open(name, "w", encoding=encoding, newline="") as f:
        f.write(text)
    return name


def rows(header, n, row):
    return header + "\n" + "".join(row(i) + "\n" for i in range(n))


def numbers_file(name="num.csv", n=60):
    return write(name, rows("a,b,y", n, lambda i: f"{i},{i % 7},{i * 1.5 + 0.25}"))


def mixed_file(name="mixed.csv", n=80):
    draw = random.Random(0)
    return write(
        name,
        rows(
            "code, colour,size,flag,y",
            n,
            lambda i: (
                f"{i % 7:03d}, {draw.choice(['red', 'green', ''])},{draw.choice(['1.5', 'NA', ' 2'])},"
                f"{i % 3 == 0},{'p' if (i % 7) in (1, 2, 5) else 'q'}"
            ),
        ),
    )
