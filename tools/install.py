"""Installs bough into the environment of this interpreter, editable, and says what it is doing meanwhile.

``install.py [EXTRA ...]``: with these extras; ``install.py --tools``: only what a build needs. All output is kept in
``build/install.log``.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "build" / "install.log"
STEP = re.compile(r"^\s*\[(\d+)/(\d+)\] Building CXX object .*?((?:cpp/)?(?:[\w.-]+/)?[\w.-]+)\.o$")
UNITY = re.compile(r".*unity_(\w+)_cxx\.cxx$")  # the files of a folder in one
TOOLS = ("scikit-build-core>=0.10", "nanobind>=2.4", "cmake", "ninja")
STAGES = {
    "Installing build dependencies": "getting what the build needs",
    "Collecting ": "getting the packages it depends on",
    "*** Configuring CMake": "looking for the compiler",
    "Installing collected packages": "installing",
}


def say(text: str, over: bool = False) -> None:
    """A line; on a terminal one that the next may overwrite."""
    if sys.stdout.isatty():
        print(f"\r\x1b[K{text}", end="" if over else "\n", flush=True)
    elif not over:
        print(text, flush=True)


def follow(lines: object) -> None:
    """Turns the output of pip and CMake into a few words."""
    said, tenth = "", -1
    with LOG.open("w") as log:
        for line in lines:  # type: ignore[attr-defined]
            log.write(line)
            if step := STEP.match(line):
                done, of, name = int(step[1]), int(step[2]), UNITY.sub(r"cpp/\1", step[3])
                say(f"  compiling {done} of {of}: {name}", over=10 * done // of == tenth)
                tenth = 10 * done // of
            for sign, text in STAGES.items():
                if sign in line and said != text:
                    say(f"  {text}")
                    said = text


# What the output of pip and CMake says, and what it means to the person who typed "make".
CAUSES = (
    (
        ("Temporary failure in name resolution", "NewConnectionError", "Could not find a version that satisfies",
         "No matching distribution found", "Network is unreachable", "ReadTimeoutError"),
        "A package could not be downloaded. Check the network connection (or the package index that pip uses).",
    ),
    (
        ("No CMAKE_CXX_COMPILER could be found", "is not a full path and was not found in the PATH",
         "CMAKE_CXX_COMPILER not set", "is not able to compile a simple test program"),
        "No C++ compiler was found. Install one, for example by `apt install g++` or `xcode-select --install`.",
    ),
    (
        ("unrecognized command-line option '-std=c++20'", "unrecognized command-line option \u2018-std=c++20\u2019",
         'does not know the compile flags to use', "CXX_STANDARD is set to invalid value"),
        "The C++ compiler does not know C++20. Use g++ 11 or later, or clang 14 or later (CXX=g++-12 make demo).",
    ),
    (("Could NOT find Python",), "The headers of Python are missing. Install them: `apt install python3-dev`."),
    (("No space left on device",), "The disk is full."),
    (("Killed signal terminated program", "cannot allocate memory"),
     "The compiler ran out of memory. Try again with CMAKE_BUILD_PARALLEL_LEVEL=1."),
)  # fmt: skip


def cause(output: str) -> str | None:
    """Why a build failed, in a sentence, if its output tells."""
    return next((text for signs, text in CAUSES if any(s in output for s in signs)), None)


def install(extras: str, *settings: str) -> int:
    command = [sys.executable, "-m", "pip", "install", "-v", "--no-build-isolation", *settings, "-e", f".{extras}"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        follow(pip.stdout)
    return pip.returncode


def install_tools() -> int:
    """The tools of the build, with a recent pip if there is one to be had."""
    pip = [sys.executable, "-m", "pip", "install", "-q"]
    subprocess.run([*pip, "--upgrade", "pip"], capture_output=True, check=False)
    done = subprocess.run([*pip, *TOOLS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    LOG.parent.mkdir(exist_ok=True)
    LOG.write_text(done.stdout)
    return explained(done.stdout, "The tools of the build could not be installed.") if done.returncode else 0


def explained(output: str, what: str) -> int:
    """Says in a sentence why something failed, or shows the end of its output."""
    if reason := cause(output):
        say(f"{what} {reason} All output is in build/install.log.")
    else:
        say(f"{what} The end of build/install.log:")
        sys.stdout.writelines(output.splitlines(keepends=True)[-40:])
    return 1


def main() -> int:
    if sys.argv[1:] == ["--tools"]:
        return install_tools()
    extras = f"[{','.join(sys.argv[1:])}]" if sys.argv[1:] else ""
    say(f"Building bough into {Path(sys.prefix).name}: the first time takes a minute or two.")
    LOG.parent.mkdir(exist_ok=True)
    began = time.monotonic()
    if find_spec("bough") is not None and "bough" in {d.metadata["Name"] for d in distributions()}:
        # Not this library's name (bough-trees) but one with the same command and the same import.
        subprocess.run([sys.executable, "-m", "pip", "uninstall", "-q", "-y", "bough"], check=False)
    failed = install(extras)
    if failed and cause(LOG.read_text()) is None and " error: " in LOG.read_text():
        say("  the files of a folder do not compile together; once more, one by one")
        failed = install(extras, "-C", "cmake.define.BOUGH_UNITY=OFF")
    if failed:
        return explained(LOG.read_text(), "The build failed.")
    say(f"  done in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
