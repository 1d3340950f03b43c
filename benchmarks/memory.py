"""Peak memory of one fit, in a process of its own: `python -m benchmarks.memory X.npy y.npy THREADS`."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path

from .install import HERE
from .machine import pin, pinned


def peak_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise OSError("the system does not tell the peak memory of a process")


def forget_peak() -> None:
    """The peak becomes what is in use now; where that is not allowed, loading the data was the peak."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def fit_peak(X: Path, y: Path, threads: int) -> dict[str, float]:
    """Bytes that a fit takes beyond the data, asked of a fresh process with its own cores."""
    command = [sys.executable, "-m", "benchmarks.memory", str(X), str(y), str(threads)]
    with pinned(threads):
        done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    import numpy as np

    from bough import TreeClassifier

    threads = int(sys.argv[3])
    pin(threads)
    X, y = np.load(sys.argv[1]), np.load(sys.argv[2])
    TreeClassifier(n_jobs=threads).fit(X[:50], y[:50])  # what is loaded at the first fit is not counted
    forget_peak()
    before = peak_bytes()
    tree = TreeClassifier(random_state=0, n_jobs=threads).fit(X, y)
    extra = peak_bytes() - before
    print(json.dumps({"bytes": extra, "data_bytes": X.nbytes, "ratio": extra / X.nbytes, "nodes": tree.model_.n_nodes}))


if __name__ == "__main__":
    main()
