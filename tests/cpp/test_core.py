"""The unit tests of the core: built beside the module, from the objects that it is made of, and run case by case."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import recipe

ROOT = Path(__file__).resolve().parents[2]
BUILD = recipe.build_folder()  # the newest: that of the stable ABI is called after Python 3.12, whichever runs
TOOLS = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "PATH": TOOLS})
    return done.returncode, done.stdout + done.stderr


def test_the_unit_tests_of_the_core_pass():
    cmake = shutil.which("cmake", path=TOOLS)
    if BUILD is None or cmake is None:
        pytest.skip("there is no build folder, or no CMake: make dev makes both")
    code, said = run(cmake, "-S", str(ROOT), "-B", str(BUILD), "-DBOUGH_UNIT_TESTS=ON")
    if "need doctest" in said:
        run(cmake, "-S", str(ROOT), "-B", str(BUILD), "-DBOUGH_UNIT_TESTS=OFF")
        pytest.skip("doctest is not installed: apt install doctest-dev, or BOUGH_DOCTEST=its folder")
    assert code == 0, said[-4000:]
    code, said = run(cmake, "--build", str(BUILD), "--target", "bough_unit_tests", "--parallel", "2")
    assert code == 0, said[-4000:]
    code, said = run(str(BUILD / "bough_unit_tests"))
    assert code == 0, said[-4000:]
    assert int(re.search(r"test cases: +(\d+)", said)[1]) >= 23
