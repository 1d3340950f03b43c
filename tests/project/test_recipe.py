"""CONTRIBUTING.md, followed literally: its files are written, the core is built, `bough list` shows them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def recipe():
    """({path: content of a new file}, [lines for the list]) as the page gives them."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    files = dict(re.findall(r"`(cpp/[\w/]+\.cpp)`:\n\n```cpp\n(// .*?)```", text, flags=re.S))
    lines = re.findall(r"```cpp\n( +X\(\w+\) +\\)\n```", text)
    return files, lines


@pytest.mark.slow
def test_the_recipe_adds_a_criterion_and_a_family(tmp_path):
    files, lines = recipe()
    assert len(files) == len(lines) == 2
    shutil.copytree(ROOT / "cpp", tmp_path / "cpp")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copy(ROOT / "CMakeLists.txt", tmp_path)
    for path, content in files.items():
        (tmp_path / path).write_text(content)
    plugins = tmp_path / "cpp/plugins.cpp"
    plugins.write_text(plugins.read_text().replace("    X(gini) ", "\n".join(lines) + "\n    X(gini) ", 1))

    nanobind = subprocess.run([sys.executable, "-m", "nanobind", "--cmake_dir"], capture_output=True, text=True)
    build = tmp_path / "build"
    configure = [
        "cmake",
        "-S",
        tmp_path,
        "-B",
        build,
        f"-DPython_EXECUTABLE={sys.executable}",
        "-DCMAKE_BUILD_TYPE=Debug",
    ]
    configure += ["-DCMAKE_CXX_FLAGS_DEBUG=-O0", f"-Dnanobind_DIR={nanobind.stdout.strip()}"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path}
    for command in (configure, ["cmake", "--build", build, "--target", "_core", "-j2"]):
        done = subprocess.run(command, capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    module = next(build.glob("_core*.so"))
    shutil.copy(module, tmp_path / "src/bough")

    code = (
        "import sys; sys.path[:0] = sys.argv[1:]; import bough, bough.cli, numpy as np;"
        "assert bough.__file__.startswith(sys.argv[1]), bough.__file__;"
        "bough.cli.main(['list']);"
        "X = np.arange(8.0).reshape(-1, 1); y = [0] * 5 + [1] * 3;"
        "print('score', bough.TreeClassifier(criterion='misclassification').fit(X, y).score(X, y))"
    )
    # -S keeps the editable install of the checkout out of the way
    paths = [str(tmp_path / "src"), sysconfig.get_path("platlib")]
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, *paths], capture_output=True, text=True)
    assert "misclassification" in done.stdout, done.stderr
    assert "halves" in done.stdout
    assert "score 1.0" in done.stdout
