"""The core under sanitizers: ``make sanitize``, or ``python -m fuzz.sanitize --jobs 16``.

Builds the core twice more, with address and undefined and with thread sanitizers, in ``build/address`` and
``build/thread``, shows by deliberate faults that each would be seen, and runs the tests of the core and the stress of
``fuzz/stress.py`` on it: all families, searches and criteria with weights, gaps, threads and every set of kernels. What
the running interpreter can import is used; nothing is installed. ``--quick`` tries a small share of it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from .campaign import ROOT, close, options

KINDS = {"address": "address,undefined", "thread": "thread"}
LIBRARIES = {"address": "libasan.so", "thread": "libtsan.so"}
# of fuzz/faults.cpp, and what the sanitizer says of them
FAULTS = {
    "address": {0: "AddressSanitizer: heap-buffer-overflow", 1: "runtime error: signed integer overflow"},
    "thread": {2: "ThreadSanitizer: data race"},
}
ROOMS = (
    *("contract", "grow", "stores", "families", "directions", "elc", "nominal", "selectors", "pruners", "refine"),
    *("explain", "distributed"),
)
MORE = ("estimators/test_forest.py",)  # of other rooms
# Those that limit memory or measure time are about another build than this one.
LEFT_OUT = ("test_limits.py", "test_interrupt.py", "test_bad_input.py", "test_large.py", "test_deep.py")


def tool(name: str) -> str:
    """A program beside the interpreter, or on the path."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name) or name


def library(name: str) -> Path | None:
    """A library of the compiler, if it has it."""
    said = subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=False)
    path = Path(said.stdout.strip())
    return path if path.is_absolute() and path.exists() else None


def build(kind: str, jobs: int) -> Path:
    folder = ROOT / "build" / kind
    where = [sys.executable, "-m", "nanobind", "--cmake_dir"]
    nanobind = subprocess.run(where, capture_output=True, text=True, check=True)
    configure = ["-S", ROOT, "-B", folder, "-G", "Ninja", f"-DBOUGH_SANITIZE={KINDS[kind]}"]
    configure += ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1"]
    configure += [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.stdout.strip()}"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}"]
    subprocess.run([tool("cmake"), *map(str, configure)], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([tool("cmake"), "--build", folder, "--target", "_core", "-j", str(jobs)], check=True)
    return next(folder.glob("_core.*.so"))


def environment(kind: str, core: Path) -> dict[str, str]:
    places = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(p for p in places if p),
        "BOUGH_CORE": str(core),
        # That of C++ too: the sanitizer looks for its exceptions before the core brings it along.
        "LD_PRELOAD": f"{library(LIBRARIES[kind])} {library('libstdc++.so.6') or ''}".strip(),
        "PYTHONMALLOC": "malloc",
        "OPENBLAS_NUM_THREADS": "1",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        # SciPy, Python and their threads are not built with the sanitizer: only what the core does counts.
        "TSAN_OPTIONS": f"suppressions={ROOT / 'fuzz' / 'thread_suppressions.txt'}:exitcode=66",
    }


def python(kind: str, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of the interpreter under the sanitizer; that of threads wants its addresses where it knows them."""
    fixed = ["setarch", "-R"] if kind == "thread" and shutil.which("setarch") else []
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    return subprocess.run([*fixed, sys.executable, *arguments], env=env, cwd=ROOT, check=False, **both)


def blind(kind: str, env: dict[str, str]) -> str:
    """What is wrong with the sanitizer itself: empty if it is quiet without a fault and sees each deliberate one."""
    load = f"import ctypes, threading; core = ctypes.CDLL({env['BOUGH_CORE']!r})"
    quiet = python(kind, env, "-c", load)
    if quiet.returncode != 0:
        return f"it does not run: {quiet.stdout[-500:]}"
    for fault, words in FAULTS[kind].items():
        seen = python(kind, env, "-c", f"{load}; core.bough_fault({fault})")
        if seen.returncode == 0 or words not in seen.stdout:
            return f"the deliberate fault {fault} was not seen: {seen.stdout[-500:]}"
    return ""


def report_in(output: str) -> str:
    """The beginning of the first report, which tells what it is, or the end of all."""
    found = re.search(r"ERROR: AddressSanitizer|WARNING: ThreadSanitizer|runtime error:", output)
    at = max(0, found.start() - 200) if found else max(0, len(output) - 4000)
    return output[at : at + 4000]


def runs(jobs: int, rounds: int, seed: int, quick: bool) -> list[list[str]]:
    """What is run: pieces of the stress, and files of tests where pytest is."""
    pieces = 300 if quick else jobs  # each looks for the legal combinations first, which takes a while here
    stress = ["-m", "fuzz.stress", "--rounds", str(rounds), "--seed", str(seed)]
    found = [[*stress, "--share", f"{i}/{pieces}"] for i in range(1 if quick else pieces)]
    if not all(importlib.util.find_spec(name) for name in ("pytest", "hypothesis", "pytest_timeout")):
        print("the tests of the core are left out: there is no pytest, pytest-timeout or hypothesis here", flush=True)
        return found
    files = [path for room in ROOMS for path in sorted((ROOT / "tests" / room).glob("test_*.py"))]
    files += [ROOT / "tests" / name for name in MORE]
    tests = ["-m", "pytest", "--maxfail", "5", "--timeout", "3000", "-m", "not slow"]
    files = [path for path in files if path.name not in LEFT_OUT and (not quick or path.name == "test_selection.py")]
    return [*found, *([*tests, str(path.relative_to(ROOT))] for path in files)]


def sanitized(kind: str, jobs: int, rounds: int, seed: int, quick: bool, only: str) -> tuple[str, int]:
    """A sentence about one kind of build, and how many faults it has."""
    if library(LIBRARIES[kind]) is None:
        return f"{kind}: left out, this g++ has no {LIBRARIES[kind]}", 1
    env = environment(kind, build(kind, jobs))
    if why := blind(kind, env):
        return f"{kind}: {why}", 1
    print(f"{kind}: deliberate faults are seen", flush=True)
    fits = tests = faults = 0
    with ThreadPoolExecutor(jobs) as pool:
        pieces = [piece for piece in runs(jobs, rounds, seed, quick) if only in " ".join(piece)]
        began = {pool.submit(python, kind, env, *piece): piece for piece in pieces}
        for ended in as_completed(began):
            piece, run = began[ended], ended.result()
            fits += sum(int(n.replace(",", "")) for n in re.findall(r"([\d,]+) fits", run.stdout))
            tests += sum(int(n) for n in re.findall(r"(\d+) passed", run.stdout))
            if run.returncode != 0:
                faults += 1
                print(f"{kind}, {' '.join(piece)}: exit code {run.returncode}\n{report_in(run.stdout)}", flush=True)
            print(f"{kind}: {fits:,} fits and {tests:,} tests so far, {' '.join(piece[-2:])} has ended", flush=True)
    return f"{kind}: {fits:,} fits and {tests:,} tests, {faults} runs with reports", faults


def main() -> int:
    parser = options("sanitize", __doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), help="address, thread")
    parser.add_argument("--rounds", type=int, default=1, help="of the stress, with other tables each (1)")
    parser.add_argument("--quick", action="store_true", help="a small share, to see that it works")
    parser.add_argument("--only", default="", help="what has this in its command: stress, tests/elc")
    given = parser.parse_args()
    began = time.monotonic()
    told = [sanitized(kind, given.jobs, given.rounds, given.seed, given.quick, given.only) for kind in given.kinds]
    what = "tests and stress of the core under address, undefined and thread sanitizers"
    return close("fuzz.sanitize", given, what, "; ".join(words for words, _ in told), sum(n for _, n in told), began)


if __name__ == "__main__":
    raise SystemExit(main())
