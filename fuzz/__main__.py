"""Damaged model files by the million: each must load as a usable model or be refused cleanly.

Mutants are numbered and made anew from their number. They are tried in forked processes that are short of memory:
a file may take what it is worth and a fixed allowance, no more. A process that crashes or hangs is counted, its mutant
kept, and the run goes on behind it. Exit code 1 if anything crashed, hung or raised an error of another kind.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import random
import resource
import signal
import struct
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bough import Model, ModelFileError

from .campaign import close, options
from .originals import originals

from support.mutants import mutant  # isort: skip (campaign says where support is)
from support.use import use  # isort: skip

CHUNK = 20_000  # mutants of one process
ALLOWANCE = 64 << 20  # bytes of address space for a file of a few kilobytes; malloc's arenas take most of it
SECONDS = 10  # of processor time on one mutant; one that takes longer hangs

HERE, USABLE, REFUSED, OTHER = range(4)  # what a process tells of its work, each a 64-bit number


class Slot:
    """One process at work on a run of mutants, and what it tells."""

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last
        self.told = mmap.mmap(-1, 32)
        self.pid = 0
        self.seen, self.seen_at = -1, 0.0

    def tell(self, what: int, value: int) -> None:
        struct.pack_into("<q", self.told, 8 * what, value)

    def read(self, what: int) -> int:
        return int(struct.unpack_from("<q", self.told, 8 * what)[0])

    def processor_time(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def hangs(self) -> bool:
        try:
            now, here = self.processor_time(), self.read(HERE)
        except OSError:
            return False
        if here != self.seen:
            self.seen, self.seen_at = here, now
        return now - self.seen_at > SECONDS


def numbered(files: list[bytes], seed: int, i: int) -> bytes:
    return mutant(files[i % len(files)], random.Random(seed << 40 | i))


def work(slot: Slot, files: list[bytes], seed: int, keep: Path) -> None:
    """What a process does: tries its mutants one after another."""
    with contextlib.suppress(OSError, AttributeError):  # what lies free in the heap is no allowance
        ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    room = pages * mmap.PAGESIZE + ALLOWANCE
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    usable = refused = other = 0
    for i in range(slot.first, slot.last):
        slot.tell(HERE, i)
        data = numbered(files, seed, i)
        try:
            use(Model.from_bytes(data))
            usable += 1
            slot.tell(USABLE, usable)
        except ModelFileError:
            refused += 1
            slot.tell(REFUSED, refused)
        except Exception as e:
            other += 1
            slot.tell(OTHER, other)
            keep_mutant(keep, data, i, f"{type(e).__name__}: {e}")


def keep_mutant(keep: Path, data: bytes, i: int, what: str) -> None:
    keep.mkdir(parents=True, exist_ok=True)
    (keep / f"mutant-{i}.bough").write_bytes(data)
    with open(keep / "log.txt", "a", encoding="utf-8", errors="backslashreplace") as f:
        f.write(f"{i}: {what[:300]}\n")


def start(slot: Slot, files: list[bytes], seed: int, keep: Path) -> None:
    slot.seen = -1
    slot.pid = os.fork()
    if slot.pid == 0:
        code = 1
        try:
            work(slot, files, seed, keep)
            code = 0
        finally:
            os._exit(code)


def run(files: list[bytes], n: int, jobs: int, seed: int, keep: Path) -> Counter[str]:
    counts = Counter[str]()
    waiting = [(a, min(a + CHUNK, n)) for a in reversed(range(0, n, CHUNK))]
    slots: list[Slot] = []
    while waiting or slots:
        while waiting and len(slots) < jobs:
            slots.append(Slot(*waiting.pop()))
            start(slots[-1], files, seed, keep)
        time.sleep(0.05)
        for slot in list(slots):
            hangs = slot.hangs()
            if hangs:
                os.kill(slot.pid, signal.SIGKILL)
            pid, status = os.waitpid(slot.pid, 0 if hangs else os.WNOHANG)
            if pid == 0:
                continue
            slots.remove(slot)
            here = slot.read(HERE)
            counts.update(usable=slot.read(USABLE), refused=slot.read(REFUSED), other=slot.read(OTHER))
            if status != 0:
                counts["hang" if hangs else "crash"] += 1
                keep_mutant(keep, numbered(files, seed, here), here, "hang" if hangs else f"crash, status {status}")
                if here + 1 < slot.last:
                    waiting.append((here + 1, slot.last))
    return counts


def main() -> int:
    parser = options("", __doc__)
    parser.add_argument("--count", type=int, default=100_000, help="number of damaged files (100000)")
    parser.add_argument("--forests", action="store_true", help="of forests alone")
    parser.add_argument("--keep", type=Path, default=None, help="folder for files that broke something")
    given = parser.parse_args()
    began = time.monotonic()
    keep = given.keep or Path(tempfile.gettempdir()) / f"bough-fuzz-{os.getpid()}"
    files = originals(given.forests)
    counts = run(files, given.count, given.jobs, given.seed, keep)
    faults = counts["other"] + counts["crash"] + counts["hang"]
    if faults:
        print(f"see {keep}")
    told = ", ".join(f"{counts[end]:,} {end}" for end in ("usable", "refused", "other", "crash", "hang"))
    figure = f"{sum(counts.values()):,} mutants of {len(files)} files: {told}"
    what = f"damaged files{' of forests' if given.forests else ''}, each used in every way if it loads"
    return close("fuzz", given, what, figure, faults, began, "-forests" if given.forests else "")


if __name__ == "__main__":
    sys.exit(main())
