"""What the long runs share: options, work spread over processes that may die, a line of summary, a file of figures."""

from __future__ import annotations

import argparse
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "fuzz" / "results"
sys.path.insert(0, str(ROOT / "tests"))


def options(name: str, doc: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m fuzz.{name}" if name else "python -m fuzz", description=doc)
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (1)")
    parser.add_argument("--seed", type=int, default=0, help="other tables, mutants and moments (0)")
    parser.add_argument("--record", action="store_true", help="keep the figures in fuzz/results/, for docs/promises.md")
    parser.add_argument("--commit", default="", help="where there is no git: the commit that is tried")
    return parser


class Done(NamedTuple):
    """A piece of work: what it gave, or what went wrong with its process."""

    task: Any
    result: Any
    fault: str  # empty if it came to its end


def spread(tasks: Iterable[Any], work: Callable[[Any], Any], jobs: int, seconds: float = 0) -> Iterator[Done]:
    """Does each piece of work in a process of its own, as many at a time as there are jobs, and gives what they gave as
    they end. A process that crashes, raises, or takes more than so many seconds is told as a fault."""
    waiting = iter(tasks)
    running: dict[int, tuple[Any, Any, float]] = {}  # by process: the task, a file for its result, when it began
    more = True
    while more or running:
        while more and len(running) < max(1, jobs):
            task = next(waiting, waiting)
            if task is waiting:
                more = False
                break
            file = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the process has been heard)
            running[child(task, work, file)] = (task, file, time.monotonic())
        for pid in list(running):
            task, file, began = running[pid]
            late = seconds > 0 and time.monotonic() - began > seconds
            if late:
                os.kill(pid, signal.SIGKILL)
            if os.waitpid(pid, 0 if late else os.WNOHANG)[0] == 0:
                continue
            del running[pid]
            file.seek(0)
            data = file.read()
            file.close()
            yield Done(task, *(pickle.loads(data) if data else (None, f"over {seconds} s" if late else "crash")))
        time.sleep(0.01)


def child(task: Any, work: Callable[[Any], Any], file: Any) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            try:
                told = (work(task), "")
            except BaseException as e:
                told = (None, f"{type(e).__name__}: {e}")
            file.write(pickle.dumps(told))
            file.flush()
        finally:
            os._exit(0)
    return pid


def commit_of(given: str) -> str:
    """The commit at hand; with a + if the software differs from it."""
    if given:
        return given
    git = ["git", "-C", str(ROOT)]
    found = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    differ = [*git, "diff", "--quiet", "HEAD", "--", "cpp", "src", "CMakeLists.txt"]
    changed = subprocess.run(differ, capture_output=True, check=False).returncode
    return found.stdout.strip() + ("+" if changed else "") if found.returncode == 0 else "unknown commit"


def close(
    name: str,
    given: argparse.Namespace,
    what: str,
    figure: str,
    faults: int,
    began: float,
    part: str = "",
    more: Mapping[str, Any] | None = None,
) -> int:
    """Prints the summary, keeps it where that was asked for (`part`: of a run that has several), and gives the exit
    code."""
    commit, seconds = commit_of(given.commit), round(time.monotonic() - began)
    print(f"{name}: {figure} [{commit}, {seconds} s, {'no fault' if faults == 0 else f'{faults} FAULTS'}]", flush=True)
    if given.record:
        machine = f"{os.cpu_count()} cores, Python {sys.version_info[0]}.{sys.version_info[1]}"
        kept = {"run": what, "command": " ".join(["python -m", name, *sys.argv[1:]]), "commit": commit}
        kept |= {"machine": machine, "figure": figure, "faults": faults, "seconds": seconds, **(more or {})}
        RESULTS.mkdir(exist_ok=True)
        text = json.dumps(kept, indent=1, ensure_ascii=False)
        (RESULTS / f"{name.replace('fuzz.', '')}{part}.json").write_text(text + "\n", encoding="utf-8")
    return 1 if faults else 0
