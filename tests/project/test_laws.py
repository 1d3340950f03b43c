"""The laws of the house, as tests: words, stubs, docs, golden files, README."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bough
from bough.registry import plugins
from support.recipe import sections
from support.tracked import tracked

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("cpp", "src", "tests", "benchmarks", "fuzz", "tools", "experiments")
CODE = [p for folder in FOLDERS for p in ROOT.glob(f"{folder}/**/*") if p.suffix in (".py", ".cpp", ".hpp")]
CODE = [p for p in CODE if ".venv" not in p.parts]


@pytest.mark.parametrize("path", CODE, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_python_file_says_what_it_is(path):
    text = path.read_text()
    if path.suffix == ".py" and text.strip():
        assert text.startswith('"""'), "no docstring at the top"


def test_the_readme_is_under_150_lines_and_shows_both_commands():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) < 150
    assert "make demo" in text
    assert "make test" in text


def test_no_tracked_file_speaks_of_a_machine():
    for path in tracked():
        if path.suffix in (".bough", ".png"):
            continue
        text = path.read_text(errors="replace")
        assert not re.search(r"/(work|root|farm|home/\w+)/", text), path


def test_no_tracked_file_is_larger_than_one_megabyte():
    large = [str(p.relative_to(ROOT)) for p in tracked() if p.stat().st_size > 1_000_000]
    assert large == []


def test_a_tolerance_has_a_name_and_stands_with_the_others():
    """A small number in the core is a tolerance: it is in base/slack.hpp and says there which error it covers. Limits
    and defaults of parameters are none."""
    small = re.compile(r"(?<![\w.])\d[\d.]*e-0*([6-9]|\d{2,})\b")
    found = []
    for path in sorted(ROOT.glob("cpp/**/*.?pp")):
        if path.name == "slack.hpp":
            continue
        code = re.sub(r"//[^\n]*", "", path.read_text())
        code = re.sub(r"Param::Type::real,[^{}]*", "", code)
        found += [f"{path.relative_to(ROOT)}: {m[0]}" for m in small.finditer(code)]
    assert found == []


def test_the_loader_uses_no_pickle_eval_or_network():
    for name in (
        "model/file.py",
        "model/metadata.py",
        "model/model.py",
        "tables/schema.py",
        "model/splits.py",
        "output/text.py",
    ):
        text = (ROOT / "src" / "bough" / name).read_text()
        for word in ("import pickle", "eval(", "exec(", "import socket", "urllib", "http"):
            assert word not in text, (name, word)


def test_the_docs_and_the_readme_list_every_plug_in_and_system():
    done = subprocess.run([sys.executable, ROOT / "tools/docs.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}: run `make docs`"
    docs = (ROOT / "docs/plug-ins.md").read_text()
    assert all(f"| `{name}` |" in docs for entries in plugins().values() for name in entries)


def test_every_plug_in_says_what_it_is_in_one_line():
    for entries in plugins().values():
        for e in entries.values():
            assert e.doc
            assert "\n" not in e.doc
            assert e.source
            for p in e.params:
                assert p.doc
                assert p.low <= p.high


def test_the_stub_of_the_core_lists_what_the_core_has():
    stub = ROOT / "src/bough/_core.pyi"
    if not stub.exists():
        pytest.skip("only an editable build leaves the stub in the source tree")
    text = stub.read_text()
    for name in dir(bough._core):
        if not name.startswith("_"):
            assert re.search(rf"(def|class) {name}\b", text), name


def test_public_names_have_docs_and_types():
    for name in bough.__all__:
        assert getattr(bough, name).__doc__, name
    assert (ROOT / "src/bough/py.typed").exists()


def test_the_api_reference_has_every_public_name():
    pages = "".join(page.read_text() for page in (ROOT / "docs").glob("api-*.md"))
    assert [n for n in bough.__all__ if not n.startswith("_") and f".{n}\n" not in pages] == []


def test_the_version_is_one_number():
    assert f'version = "{bough.__version__}"' in (ROOT / "pyproject.toml").read_text()
    assert f"## {bough.__version__}" in (ROOT / "CHANGELOG.md").read_text()


# ---- golden files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted((ROOT / "tests/golden").glob("*.bough")), ids=lambda p: p.stem)
def test_model_files_of_every_released_version_stay_readable(path):
    expected = json.loads(path.with_suffix(".json").read_text())
    model = bough.load(path)
    assert model.show() == expected["show"]
    rows = np.array(expected["rows"], dtype=object)
    assert model.predict(rows).tolist() == expected["answers"]


def test_there_are_golden_files():
    assert len(list((ROOT / "tests/golden").glob("v1-*.bough"))) >= 3


# ---- README -----------------------------------------------------------------------------------------------------


def blocks(text):
    """(language, content) of every fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.M | re.S)


PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_code_in_readme_and_docs_runs_and_prints_what_stands_below_it(page, tmp_path, monkeypatch):
    if page == "docs/dask.md":
        pytest.importorskip("distributed", reason="bough-trees[dask] is not installed")
    monkeypatch.chdir(tmp_path)
    namespace: dict = {}
    found = blocks((ROOT / page).read_text())
    printed = None
    for language, content in found:
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(content, page, "exec"), namespace)
            printed = out.getvalue()
        elif language == "" and printed:
            assert content.strip() == printed.strip()
            printed = None


def test_files_that_the_docs_name_are_there():
    pages = [ROOT / page for page in [*PAGES, "CONTRIBUTING.md", "SECURITY.md"]]
    path = r"`((?:cpp|src|tests|tools|docs|benchmarks|experiments|fuzz)/[\w./-]*)`"
    new = {step.path for steps in sections().values() for step in steps}  # what the recipe would add
    for page in pages:
        for name in re.findall(path, page.read_text()):
            assert name in new or (ROOT / name).exists(), f"{page.name} names {name}"


def test_nothing_is_imported_from_a_file_of_tests():
    for path in (p for p in CODE if p.suffix == ".py"):
        taken = re.findall(r"^\s*(?:from|import) ([\w.]*\btest_\w+)", path.read_text(), flags=re.M)
        assert not taken, f"{path.relative_to(ROOT)}: what {taken[0]} lends belongs into tests/support/"


def test_every_criterion_is_defined_once_in_the_tests():
    names = "|".join(c.name for c in plugins()["criterion"].values() if not c.traits["ordered"])
    found = [
        (str(path.relative_to(ROOT)), name)
        for path in CODE
        if path.is_relative_to(ROOT / "tests") and path.suffix == ".py"
        for name in re.findall(
            rf"^\s*def ({names}|gini_impurity|entropy_impurity|variance)\(", path.read_text(), flags=re.M
        )
    ]
    assert {path for path, _ in found} == {"tests/support/oracle/criteria.py"}, found
    assert len(found) == len({name for _, name in found})
