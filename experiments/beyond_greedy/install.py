"""The environment of the peers: made when it is missing, and again when requirements.txt changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSTALL_LIMIT = 900  # seconds


def interpreter() -> Path:
    """The Python that can import the peers."""
    home, wanted = HERE.parents[1] / "benchmarks" / ".venv" / "beyond_greedy", HERE / "requirements.txt"
    python, stamp = home / "bin" / "python", home / "installed.txt"
    if not stamp.exists() or stamp.read_text() != wanted.read_text():
        print("installing the peers ...", file=sys.stderr, flush=True)
        for command in (
            [sys.executable, "-m", "venv", "--clear", str(home)],
            [str(python), "-m", "pip", "install", "-q", "--only-binary", ":all:", "-r", str(wanted)],
        ):
            subprocess.run(command, check=True, capture_output=True, timeout=INSTALL_LIMIT)
        stamp.write_text(wanted.read_text())
    return python


def versions() -> dict[str, str]:
    """What requirements.txt names."""
    lines = (HERE / "requirements.txt").read_text().splitlines()
    return dict(line.split("==", 1) for line in lines if "==" in line)  # type: ignore[misc]
