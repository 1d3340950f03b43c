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


@pytest.fixture
def install(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("install", ROOT / "tools/install.py")
    install = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(install)
    monkeypatch.setattr(install, "LOG", tmp_path / "log")
    return install


def test_the_build_says_what_it_is_doing(install, tmp_path, capsys):
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


def test_a_folder_that_is_compiled_in_one_is_named(install, capsys):
    install.follow(["[3/24] Building CXX object CMakeFiles/_core.dir/Unity/unity_criteria_cxx.cxx.o\n"])
    assert capsys.readouterr().out == "  compiling 3 of 24: cpp/criteria\n"


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("ERROR: Could not find a version that satisfies the requirement numpy", "Check the network connection"),
        ("CMake Error: No CMAKE_CXX_COMPILER could be found.", "No C++ compiler was found"),
        ("Could NOT find Python (missing: Development.Module)", "headers of Python are missing"),
    ],
)
def test_a_failed_build_ends_in_a_sentence(install, monkeypatch, capsys, output, sentence):
    def fails(extras, *settings):
        install.LOG.write_text(output)
        return 1

    monkeypatch.setattr(install, "install", fails)
    assert install.main() == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("The build failed. ")
    assert sentence in last


def test_a_build_without_a_compiler_or_a_network_says_so(install, monkeypatch, capsys, tmp_path):
    """The real thing: pip and CMake, with a compiler that does not exist, and an index that does not."""
    monkeypatch.setattr("sys.argv", ["install.py"])
    monkeypatch.setenv("CXX", str(tmp_path / "no-compiler"))
    monkeypatch.setenv("SKBUILD_BUILD_DIR", str(tmp_path / "build"))
    monkeypatch.setenv("PIP_NO_DEPS", "1")
    assert install.main() == 1
    assert "No C++ compiler was found" in capsys.readouterr().out.splitlines()[-1]


def test_files_that_do_not_compile_together_are_compiled_one_by_one(install, monkeypatch, capsys):
    asked = []

    def fails(extras, *settings):
        asked.append(settings)
        install.LOG.write_text("cpp/pruners/b.cpp:14:15: error: redefinition of 'kStream'\n")
        return 0 if "cmake.define.BOUGH_UNITY=OFF" in settings else 1

    monkeypatch.setattr(install, "install", fails)
    assert install.main() == 0
    assert len(asked) == 2


def test_a_failing_network_ends_in_one_sentence_before_the_build_too(install, monkeypatch, capsys):
    output = "WARNING: Retrying\nERROR: Could not find a version that satisfies the requirement nanobind>=2.4\n"
    monkeypatch.setattr(install.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 1, output))
    monkeypatch.setattr("sys.argv", ["install.py", "--tools"])
    assert install.main() == 1
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert "could not be downloaded" in said
