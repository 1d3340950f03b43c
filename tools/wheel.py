"""`make wheel`: an sdist and a wheel in dist/, each installed into an empty environment and tried there.

The wheel is installed with the compilers out of reach: it must bring everything. The sdist is built, so it needs one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"


def run(*command: str | Path, **options: object) -> None:
    print("$", *[Path(c).name if isinstance(c, Path) else c for c in command], flush=True)
    subprocess.run([str(c) for c in command], check=True, **options)  # type: ignore[call-overload]


def tried(package: Path, compilers: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        env = dict(os.environ) if compilers else {**os.environ, "CC": "/nowhere/cc", "CXX": "/nowhere/c++"}
        only = [] if compilers else ["--only-binary", ":all:"]
        run(python, "-m", "pip", "install", "-q", *only, package, env=env)
        run(python, ROOT / "tools/smoke.py", cwd=folder)


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "pip", "install", "-q", "build")
    run(sys.executable, "-m", "build", "--outdir", DIST, ROOT)
    (sdist,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    for package, compilers in ((wheel, False), (sdist, True)):
        print(f"{package.name}: {package.stat().st_size:,} bytes")
        tried(package, compilers)


if __name__ == "__main__":
    main()
