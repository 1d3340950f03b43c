"""What a release consists of: names, versions, workflows."""

from __future__ import annotations

import re
from pathlib import Path

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
