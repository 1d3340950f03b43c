"""The machine, the versions and the commit that a result belongs to, and the cores that it may use."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def pin(n: int) -> None:
    """This thread, and those that it starts from now on, run on n fixed cores."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, CORES[-n:])


@contextmanager
def pinned(n: int) -> Iterator[None]:
    pin(n)
    try:
        yield
    finally:
        pin(1)


def machine() -> dict[str, Any]:
    return {
        "cpu": cpu_model(),
        "cores": len(CORES),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "os": f"{platform.system()} {platform.release().partition('-')[0]}",
        "load_average": round(os.getloadavg()[0], 2),
    }


def cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    import bough  # peers have an environment without it

    packages = ("scikit-learn", "numpy", "scipy")
    return {"python": platform.python_version(), "bough": bough.__version__, **{p: version(p) for p in packages}}


def commit() -> dict[str, Any]:
    """The commit, and whether files differ from it (results aside)."""
    try:
        changed = git("status", "--porcelain", "--", ".", ":!benchmarks/results")
        return {"commit": git("rev-parse", "HEAD"), "dirty": bool(changed)}
    except (OSError, subprocess.CalledProcessError):
        return {"commit": None, "dirty": None}


def git(*args: str) -> str:
    root = Path(__file__).resolve().parents[1]
    return subprocess.run(["git", *args], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
