"""What `make` does: the demo installs the library alone, the build tells how far it is, CI runs `make test`."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def steps(target):
    """The commands of a target, from nothing."""
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    done = subprocess.run(["make", "-n", "-B", target], cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "install.py" in line or "-m " in line]


def test_the_demo_installs_no_tools_of_developers():
    commands = steps("demo")
    assert any(c.endswith("tools/install.py") for c in commands)
    assert not any(c.endswith("tools/install.py dev") for c in commands)
    assert commands[-1].endswith("-m bough demo")


def test_ci_runs_make_test_which_runs_everything():
    assert (ROOT / ".ci/run").read_text().splitlines()[-1] == "make test"
    assert steps("test")[-1].endswith("-m pytest -n auto")


def test_the_build_says_what_it_is_doing(tmp_path, monkeypatch, capsys):
    spec = importlib.util.spec_from_file_location("install", ROOT / "tools/install.py")
    install = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(install)
    monkeypatch.setattr(install, "LOG", tmp_path / "log")
    lines = ["Collecting numpy\n", "*** Configuring CMake...\n"]
    lines += [f"[{i}/40] Building CXX object CMakeFiles/_core.dir/cpp/base/file{i}.cpp.o\n" for i in range(1, 41)]
    install.follow(lines)
    told = capsys.readouterr().out.splitlines()
    assert told[:3] == [
        "  getting the packages it depends on",
        "  looking for the compiler",
        "  compiling 1 of 40: cpp/base/file1.cpp",
    ]
    assert 10 <= len(told) <= 14  # a tenth at a time where it is not a terminal
    assert (tmp_path / "log").read_text() == "".join(lines)
