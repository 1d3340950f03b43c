"""CONTRIBUTING.md, followed to the letter for every kind of plug-in: files written, lines added, core built, docs
made; then `bough list`, the contract tests, the oracle tests and the recipe's own tests know what is new."""

from __future__ import annotations

import pytest

from support import recipe

SECTIONS = recipe.sections()
PYTEST = "import pytest; sys.exit(pytest.main([*sys.argv[1:], '-p', 'no:cacheprovider']))"
KINDS = {
    "criterion",
    "criterion of numbers",
    "numeric family",
    "direction family",
    "nominal search",
    "selector",
    "pruner",
    "system",
    "output",
}


def new_files(suffix):
    return [s.path for steps in SECTIONS.values() for s in steps if s.path.endswith(suffix) and s.language != "diff"]


COMPILED = [path.split("/")[-1].removesuffix(".cpp") for path in new_files(".cpp")]
NAMES = [*COMPILED, "leaves", "stump", "leaves"]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the repository in which every section has been followed."""
    if recipe.build_folder() is None:
        pytest.skip("needs the objects of an editable build: make dev")
    root = tmp_path_factory.mktemp("recipe")
    recipe.copy_of_the_repository(root)
    for steps in SECTIONS.values():
        for step in steps:
            step.take(root)
    recipe.link_core(root, ["cpp/plugins.cpp", *new_files(".cpp")])
    done = recipe.python(root, "import runpy; runpy.run_path('tools/docs.py', run_name='__main__')")
    assert done.returncode == 0, done.stderr
    return root


def test_there_is_a_section_for_every_kind_with_one_file_one_line_and_one_test():
    assert set(SECTIONS) == KINDS
    for kind, steps in SECTIONS.items():
        assert sum(s.language == "diff" for s in steps) == 1, kind
        assert sum(s.text.count("\n+") for s in steps if s.language == "diff") == 1, kind
        assert sum(s.path.startswith("tests/") for s in steps) == 1, kind
        assert len(steps) == (2 if kind == "system" else 3), kind


@pytest.mark.slow
def test_the_copy_lists_and_documents_every_new_plug_in(copy):
    done = recipe.python(copy, "import bough.cli; bough.cli.main(['list'])")
    pages = "".join((copy / page).read_text() for page in ("README.md", "docs/plug-ins.md", "docs/systems.md"))
    for name in NAMES:
        assert name in done.stdout, done.stderr
        assert f"`{name}`" in pages


@pytest.mark.slow
def test_its_own_tests_pass(copy):
    own = [path for path in new_files(".py") if path.split("/")[-1].startswith("test_")]
    done = recipe.python(copy, PYTEST, *own)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]


@pytest.mark.slow
def test_contract_and_oracle_tests_find_it_and_pass(copy):
    folders = ["tests/contract", "tests/grow/test_oracle.py", "tests/project/test_laws.py"]
    done = recipe.python(
        copy, PYTEST, *folders, "-vv", "-m", "not slow", "-k", " or ".join([*COMPILED, "defines", "says_what_it_is"])
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    for name in (*COMPILED, "leaves"):
        assert name in done.stdout, f"no contract test has tried {name}"
