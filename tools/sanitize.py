"""The core under sanitizers: ``make sanitize``.

Builds the core twice more, with address and undefined and with thread sanitizers, in ``build/address`` and
``build/thread``, shows by deliberate faults that each would be seen, and runs the stress of ``fuzz/stress.py``: all
families, searches and criteria with weights, gaps, threads and every set of kernels.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
KINDS = {"address": "address,undefined", "thread": "thread"}
FAULTS = {"address": (0, 1), "thread": (2,)}  # of cpp/bind/faults.cpp


def build(kind: str) -> Path:
    folder = ROOT / "build" / kind
    nanobind = subprocess.run([sys.executable, "-m", "nanobind", "--cmake_dir"], capture_output=True, text=True)
    configure = ["-S", ROOT, "-B", folder, "-G", "Ninja", f"-DBOUGH_SANITIZE={KINDS[kind]}"]
    configure += ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1"]
    configure += [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.stdout.strip()}"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={BIN / 'ninja'}"]
    subprocess.run([BIN / "cmake", *map(str, configure)], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([BIN / "cmake", "--build", folder, "--target", "_core"], check=True)
    return next(folder.glob("_core.*.so"))


def environment(kind: str, core: Path) -> dict[str, str]:
    name = "libasan.so" if kind == "address" else "libtsan.so"
    library = subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
    return {
        **os.environ,
        "BOUGH_CORE": str(core),
        "LD_PRELOAD": library,
        "PYTHONMALLOC": "malloc",
        "OPENBLAS_NUM_THREADS": "1",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        # SciPy, Python and their threads are not built with the sanitizer: only what the core does counts.
        "TSAN_OPTIONS": f"suppressions={ROOT / 'tools' / 'thread_suppressions.txt'}:exitcode=66",
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/sanitize.py", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), help="address, thread")
    parser.add_argument("--rounds", type=int, default=1, help="of the stress, with other tables each")
    given = parser.parse_args()
    for kind in given.kinds:
        core = build(kind)
        env = environment(kind, core)
        for fault in FAULTS[kind]:
            code = f"import ctypes, threading; ctypes.CDLL({str(core)!r}).bough_fault({fault})"
            seen = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
            if seen.returncode == 0:
                print(f"{kind}: the deliberate fault {fault} was not seen")
                return 1
        print(f"{kind}: deliberate faults are seen", flush=True)
        stress = [sys.executable, "-m", "fuzz.stress", "--rounds", str(given.rounds)]
        if subprocess.run(stress, env=env, cwd=ROOT).returncode != 0:
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
