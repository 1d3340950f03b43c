"""The files of a folder of cpp/ compile together, as a build without ccache does (BOUGH_UNITY in CMakeLists.txt)."""

from __future__ import annotations

import hashlib
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support import recipe

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "cpp"


def compiler(build):
    """The compiler and its flags, as the build uses them; it only checks."""
    ninja = Path(sys.executable).parent / "ninja"
    said = subprocess.run([ninja, "-t", "commands", "_core"], cwd=build, capture_output=True, text=True, check=True)
    command = next(c for c in map(shlex.split, said.stdout.splitlines()) if c[-1].endswith("cpp/plugins.cpp"))
    command = command[: command.index("-MD")]
    return [c for c in command if Path(c).name != "ccache" and not c.startswith("-O")] + ["-fsyntax-only", "-xc++", "-"]


@pytest.mark.slow
def test_files_of_a_folder_compile_together():
    build = recipe.build_folder()
    if build is None:
        pytest.skip("needs an editable build, which knows the flags: make dev")
    files = sorted(p for p in CORE.rglob("*") if p.suffix in (".cpp", ".hpp"))
    state = hashlib.sha256(b"".join(str(p).encode() + p.read_bytes() for p in files)).hexdigest()
    stamp = build / "compiled-together"  # checked once for the same files
    if stamp.exists() and stamp.read_text() == state:
        return
    command = compiler(build)

    def check(folder):
        text = "".join(f'#include "{p}"\n' for p in files if p.parent == folder and p.suffix == ".cpp")
        done = subprocess.run(command, input=text, cwd=build, capture_output=True, text=True)
        return "" if done.returncode == 0 else f"{folder.name}: {done.stderr[:2000]}"

    with ThreadPoolExecutor(2) as pool:
        failed = [said for said in pool.map(check, sorted({p.parent for p in files} - {CORE})) if said]
    assert not failed, "rename what two files of a folder call the same:\n" + "\n".join(failed)
    stamp.write_text(state)
