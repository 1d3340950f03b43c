"""Environments of the peers: each has its own under benchmarks/.venv, so that none can break another
or bough's. They are made when missing, and again when requirements.txt names another version."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSTALL_LIMIT = 900  # seconds


class PeerFailure(Exception):
    """A peer cannot be installed or does not fit; the message is fit for a result file."""


def reason_of(text: str) -> str:
    """The message in one short line without folders and addresses, which do not belong in a result."""
    line = " ".join(text.split())
    line = re.sub(r"https?://\S+", "an address", line)
    line = re.sub(r"(?<![\w.])/(?:[^\s/'\":]+/)*", "", line)
    return line[:300]


def requirement(package: str) -> str:
    for line in (HERE / "requirements.txt").read_text().splitlines():
        if line.partition("==")[0].strip() == package:
            return line.strip()
    raise PeerFailure(f"requirements.txt does not name {package}")


def interpreter(package: str) -> Path:
    """The Python that can import the package."""
    wanted = requirement(package)
    home = HERE / ".venv" / package
    python, stamp = home / "bin" / "python", home / "installed.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"installing {wanted} ...", flush=True)
        run([sys.executable, "-m", "venv", "--clear", str(home)])
        run([str(python), "-m", "pip", "install", "-q", "--only-binary", ":all:", wanted])
        stamp.write_text(wanted)
    return python


def run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_LIMIT)
    except subprocess.TimeoutExpired:
        raise PeerFailure(f"could not be installed within {INSTALL_LIMIT} s") from None
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise PeerFailure(reason_of("could not be installed: " + (errors or [done.stderr])[-1]))


def rscript(package: str) -> Path:
    """The Rscript that can load a package of R; Debian's is installed where there is none and that can be done."""

    def there() -> bool:
        found = shutil.which("Rscript")
        asked = [found or "", "-e", f"library({package})"]
        return found is not None and subprocess.run(asked, capture_output=True, check=False).returncode == 0

    if not there():
        if shutil.which("apt-get") is None or os.geteuid() != 0:
            raise PeerFailure(f"needs R with {package}")
        print(f"installing {package} ...", flush=True)
        run(["apt-get", "update", "-qq"])
        run(["apt-get", "install", "-y", "-qq", f"r-cran-{package}"])
    if not there():
        raise PeerFailure(f"R cannot load {package}")
    return Path(str(shutil.which("Rscript")))
