"""Installs bough into the environment of this interpreter, editable, and says what it is doing meanwhile.

``install.py [EXTRA ...]``: with these extras. The whole output of the build is kept in ``build/install.log``.
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
                done, of, name = int(step[1]), int(step[2]), step[3]
                say(f"  compiling {done} of {of}: {name}", over=10 * done // of == tenth)
                tenth = 10 * done // of
            for sign, text in STAGES.items():
                if sign in line and said != text:
                    say(f"  {text}")
                    said = text


def main() -> int:
    extras = f"[{','.join(sys.argv[1:])}]" if sys.argv[1:] else ""
    say(f"Building bough into {Path(sys.prefix).name}: the first time takes a minute or two.")
    LOG.parent.mkdir(exist_ok=True)
    began = time.monotonic()
    if find_spec("bough") is not None and "bough" in {d.metadata["Name"] for d in distributions()}:
        # Not this library's name (bough-trees) but one with the same command and the same import.
        subprocess.run([sys.executable, "-m", "pip", "uninstall", "-q", "-y", "bough"], check=False)
    command = [sys.executable, "-m", "pip", "install", "-v", "--no-build-isolation", "-e", f".{extras}"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        follow(pip.stdout)
    if pip.returncode != 0:
        say("The build failed. The end of build/install.log:")
        sys.stdout.writelines(LOG.read_text().splitlines(keepends=True)[-40:])
        return 1
    say(f"  done in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
