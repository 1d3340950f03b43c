"""Python in a process of its own, for what a process has only once: its limits and the most memory it ever took."""

from __future__ import annotations

import subprocess
import sys
import textwrap

# Not ru_maxrss: a new program inherits that of the process that started it.
PEAK = """
with open("/proc/self/status") as f:
    print(next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM")))
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=300)


def peak_of(code: str) -> int:
    """The most memory, in bytes, that a process took for this code (Linux only)."""
    run = python(textwrap.dedent(code) + PEAK)
    assert run.returncode == 0, run.stderr
    return int(run.stdout.splitlines()[-1])
