"""What a release consists of: names, versions, workflows."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

import bough
from support.tracked import tracked

ROOT = Path(__file__).resolve().parents[2]
TEXTS = (".py", ".md", ".toml", ".yml", ".yaml", ".cff", ".js", ".html", ".txt", ".ipynb", "")


def test_every_page_and_message_installs_bough_trees_which_is_the_name_on_pypi():
    """Another project is called bough there."""
    wrong = re.compile(
        r"""pip install\s+(?:-\S+\s+)*["']?bough(?!-trees)\b|\bbough\[(?!")|(?<![\w.])version\("bough"\)"""
    )
    for path in tracked():
        if path.suffix in TEXTS and path != Path(__file__).resolve():
            found = wrong.search(path.read_text(errors="replace"))
            assert not found, f"{path.relative_to(ROOT)}: {found and found[0]}"


def test_the_distribution_is_called_bough_trees_and_has_the_version_of_the_package():
    project = (ROOT / "pyproject.toml").read_text()
    assert '\nname = "bough-trees"\n' in project
    assert f'\nversion = "{bough.__version__}"\n' in project
    assert f"\nversion: {bough.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_a_wheel_of_the_stable_abi_serves_every_later_python():
    project, cmake = (ROOT / "pyproject.toml").read_text(), (ROOT / "CMakeLists.txt").read_text()
    assert 'wheel.py-api = "cp312"' in project
    assert "nanobind_add_module(_core STABLE_ABI" in cmake
    assert "Development.SABIModule" in cmake
    assert '"scikit-learn>=1.6"' in project  # no upper bound; the nightly workflow tries the development version


def test_workflows_and_recipes_are_yaml_and_run_what_is_there():
    yaml = pytest.importorskip("yaml")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    found = [
        *ROOT.glob(".github/**/*.yml"),
        ROOT / ".pre-commit-config.yaml",
        ROOT / "packaging/conda-forge/recipe.yaml",
    ]
    assert len(found) >= 8
    for path in found:
        text = path.read_text()
        assert yaml.safe_load(re.sub(r"\$\{\{.*?\}\}", "x", text) if "recipe" in path.name else text)
        for target in re.findall(r"run: make (\S+)", text):
            assert target in targets, f"{path.name}: make {target}"
        for script in re.findall(r"python (tools/\S+\.py)", text):
            assert (ROOT / script).exists(), f"{path.name}: {script}"


def test_the_gate_of_benchmarks_fails_what_is_slower_by_a_quarter():
    spec = importlib.util.spec_from_file_location("gate", ROOT / "tools/gate.py")
    gate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gate)
    assert gate.verdict({"tree": [1.0, 9.0, 1.1], "forest": [1.2, 1.2, 1.2]})[0]
    fine, table = gate.verdict({"tree": [1.0, 1.0, 1.1], "forest": [1.3, 1.4, 0.5]})
    assert not fine
    assert "too slow" in table.splitlines()[1]


def test_the_gate_measures_this_build():
    spec = importlib.util.spec_from_file_location("gate", ROOT / "tools/gate.py")
    gate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gate)
    found = gate.times(Path(sys.executable))
    assert set(found) == {"tree", "regression", "linear", "forest"}
    assert all(t > 0 for t in found.values())


def test_the_changelog_of_a_release_is_short_enough_to_be_read():
    text = (ROOT / "CHANGELOG.md").read_text()
    for release in text.split("\n## ")[1:]:
        assert release.count("\n") <= 90, f"{release.splitlines()[0]}: say what users notice, in about 60 lines"
