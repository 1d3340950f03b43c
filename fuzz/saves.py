"""Saving under fire: kills, a full disk, a folder that cannot be written to, rivals. The file must be the old or the
new one, never another, and nothing but it may stay.

    python -m fuzz.saves --kills 200 --jobs 4

The full disk is a small tmpfs, which only root may mount; without it that part is left out and said so.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from bough import Model, TreeClassifier, load

from .campaign import close, options, spread

OLD_DEPTH, NEW_DEPTH = 2, None


def models() -> tuple[Model, Model]:
    """A small and a large model, so that a save takes a few milliseconds."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 4)), rng.integers(0, 2, 40_000)
    old = TreeClassifier(max_depth=OLD_DEPTH).fit(X, y).model_
    return old, TreeClassifier(max_depth=NEW_DEPTH).fit(X, y).model_


def in_a_child(work: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid


def kills(n: int, seed: int, old: Model, new: Model, folder: Path) -> Counter[str]:
    """A process saves the new file over the old one and is killed at a random moment."""
    counts, path, draw = Counter[str](), folder / "m.bough", random.Random(seed)
    whole = {old.to_bytes(): "old", new.to_bytes(): "new"}
    began = time.perf_counter()
    new.save(path)
    longest = 3 * (time.perf_counter() - began)
    for _ in range(n):
        old.save(path)
        pid = in_a_child(lambda: new.save(path))
        time.sleep(draw.uniform(0, longest))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        counts[whole.get(path.read_bytes(), "another file")] += 1
        counts["parts that a kill left"] += len(os.listdir(folder)) - 1
    old.save(path)
    counts["parts that stay"] = len(os.listdir(folder)) - 1
    return counts


def writers(n: int, old: Model, new: Model, folder: Path) -> Counter[str]:
    """Two processes save to the same place while it is read."""
    counts, path = Counter[str](), folder / "m.bough"
    whole = {old.to_bytes(): "old", new.to_bytes(): "new"}
    old.save(path)
    children = [in_a_child(lambda m=m: [m.save(path) for _ in range(n)] and None) for m in (old, new)]
    while children:
        counts[whole.get(path.read_bytes(), "another file")] += 1
        children = [c for c in children if os.waitpid(c, os.WNOHANG)[0] == 0]
    counts["parts that stay"] = len(os.listdir(folder)) - 1
    return counts


def refused(old: Model, new: Model, folder: Path) -> Counter[str]:
    """Saves that cannot be done: an OSError, and the old file untouched."""
    counts, path = Counter[str](), folder / "m.bough"
    try:
        new.save(path)
        counts["saved"] += 1
    except OSError as e:
        counts[f"refused: {os.strerror(e.errno or 0)}"] += 1
    counts["old" if load(path) == old else "another file"] += 1
    counts["parts that stay"] = len(os.listdir(folder)) - 1
    return counts


def full_disk(old: Model, new: Model, folder: Path) -> Counter[str]:
    size = len(old.to_bytes()) + len(new.to_bytes()) // 2
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=False).returncode:
        return Counter({"left out: a tmpfs cannot be mounted here": 1})
    try:
        old.save(folder / "m.bough")
        return refused(old, new, folder)
    finally:
        subprocess.run(["umount", folder], check=True)


def read_only(old: Model, new: Model, folder: Path) -> Counter[str]:
    old.save(folder / "m.bough")
    if os.getuid() == 0:  # whom modes do not stop
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=False).returncode:
            return Counter({"left out: nothing is read-only for root here": 1})
        try:
            old.save(folder / "m.bough")
            subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
            return refused(old, new, folder)
        finally:
            subprocess.run(["umount", folder], check=True)
    os.chmod(folder, 0o555)
    try:
        return refused(old, new, folder)
    finally:
        os.chmod(folder, 0o755)


def main() -> int:
    parser = options("saves", __doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200, help="kills in a save (200)")
    parser.add_argument("--writes", type=int, default=100, help="saves of each of two writers (100)")
    given = parser.parse_args()
    began = time.monotonic()
    old, new = models()
    share = -(-given.kills // max(1, given.jobs))
    shares = [min(share, given.kills - at) for at in range(0, given.kills, share)] if share else []
    parts: list[tuple[str, Callable[[Path], Counter[str]]]] = [
        *(("kills", partial(kills, n, given.seed + i, old, new)) for i, n in enumerate(shares)),
        ("two writers", partial(writers, given.writes, old, new)),
        ("full disk", partial(full_disk, old, new)),
        ("read-only folder", partial(read_only, old, new)),
    ]

    def work(part: tuple[str, Callable[[Path], Counter[str]]]) -> Counter[str]:
        with tempfile.TemporaryDirectory() as folder:
            return part[1](Path(folder))

    counts: dict[str, Counter[str]] = {name: Counter() for name, _ in parts}
    faults = 0
    for done in spread(parts, work, given.jobs):
        found = Counter({done.fault: 1}) if done.fault else done.result
        faults += bool(done.fault) + found["another file"] + found["parts that stay"] + found["saved"]
        counts[done.task[0]].update(found)
    told = [f"{name}: " + ", ".join(f"{n} {what}" for what, n in of.items() if n) for name, of in counts.items()]
    return close("fuzz.saves", given, "kills in a save, rivals, no room", "; ".join(told), faults, began)


if __name__ == "__main__":
    sys.exit(main())
