"""The law of rooms: a module imports, and a C++ file includes, only from its own room and from rooms before it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "bough"
ROOMS = (
    "_version",
    "errors",
    "_core",
    "registry",
    "tables",
    "model",
    "readers",
    "output",
    "explain",
    "estimators",
    "loading",
    "compare",
    "distributed",
    "dask",
    "cli",
)
DOORS = ("__init__", "__main__")  # the front door knows all rooms

# What goes the other way, each inside a function and in this one place: module, room.
LOCAL = {("model/spoken.py", "output"), ("model/forms.py", "output"), ("model/forms.py", "explain")}


def room_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports_of(path):
    """Rooms that a module imports from, with the line and whether it happens inside a function."""
    package = ["bough", *path.relative_to(SOURCE).parent.parts]
    tree = ast.parse(path.read_text())
    inner = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    typing_only = {
        id(n)
        for f in ast.walk(tree)
        if isinstance(f, ast.If) and isinstance(f.test, ast.Name) and f.test.id == "TYPE_CHECKING"
        for n in ast.walk(f)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            wanted = [a.name.split(".") for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *(node.module.split(".") if node.module else [])]
            wanted = [[*module, a.name] for a in node.names]
        else:
            continue
        for parts in wanted:
            if parts[0] == "bough":
                later = id(node) in inner or id(node) in typing_only
                yield (parts[1] if len(parts) > 1 else ""), node.lineno, later


MODULES = sorted(p for p in SOURCE.glob("**/*.py") if room_of(p) not in DOORS)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_module_imports_only_from_rooms_before_it(path):
    own = room_of(path)
    assert own in ROOMS, f"a new room: give {own!r} its place in ROOMS"
    for room, line, later in imports_of(path):
        if room not in ROOMS:  # a public name, by the front door: only the last room does that
            assert own == "cli", f"line {line} imports by the front door"
            continue
        allowed = ROOMS.index(room) <= ROOMS.index(own)
        by_design = later and (str(path.relative_to(SOURCE)), room) in LOCAL
        assert allowed or by_design, f"line {line}: {own} imports from {room}, which comes after it"


# ---- C++ ------------------------------------------------------------------------------------------------

CPP = SOURCE.parents[1] / "cpp"
CPP_ROOMS = [
    "base",
    "data",
    "tree",
    "score",
    "stores",
    "grow",
    "directions",
    "nominal",
    "elc",
    "criteria",
    "families",
    "searches",
    "selectors",
    "pruners",
    "refine",
    "distributed",
    "explain",
    "bind",
]
CPP_FILES = sorted([*CPP.glob("*/**/*.cpp"), *CPP.glob("*/**/*.hpp")])


def test_every_folder_of_the_core_is_a_room():
    assert {p.relative_to(CPP).parts[0] for p in CPP_FILES} == set(CPP_ROOMS)
    assert {p.stem for p in CPP.glob("*.?pp")} == {"plugins"}


@pytest.mark.parametrize("path", CPP_FILES, ids=lambda p: str(p.relative_to(CPP)))
def test_a_file_of_the_core_includes_only_from_rooms_before_it(path):
    name = str(path.relative_to(CPP))
    own = name.split("/")[0]
    for included in re.findall(r'^#include "(.+)"', path.read_text(), flags=re.M):
        room = included.split("/")[0]
        if included == "plugins.hpp":  # the list of plug-ins is named by the registry alone
            assert name == "grow/registry.cpp"
        else:
            assert room in CPP_ROOMS, f"{included} is in no room"
            assert CPP_ROOMS.index(room) <= CPP_ROOMS.index(own), f"{own} includes {included}, which comes after it"


# ---- forward declarations -----------------------------------------------------------------------------------

DECLARED = re.compile(r"^(?:template ?<[^;{]*> ?)?(?:class|struct) (\w+);", flags=re.M)
DEFINED = re.compile(r"^(?:template ?<[^;{]*>\s)?(?:class|struct) (\w+)(?: final)?(?: : [^;{]*)? \{", flags=re.M)
UPWARDS = {("data/table.hpp", "Contingency")}  # a law for new ones; the list may only shrink


def test_a_folder_declares_nothing_that_a_later_folder_defines():
    """Who declares a type works with it, as if its header were included."""
    home = {}
    for path in CPP_FILES:
        for name in DEFINED.findall(path.read_text()):
            home.setdefault(name, set()).add(path.relative_to(CPP).parts[0])
    found = set()
    for path in CPP_FILES:
        own = CPP_ROOMS.index(path.relative_to(CPP).parts[0])
        for name in DECLARED.findall(path.read_text()):
            assert name in home, f"{path.relative_to(CPP)} declares {name}, which is defined nowhere"
            if min(CPP_ROOMS.index(room) for room in home[name]) > own:
                found.add((str(path.relative_to(CPP)), name))
    assert found == UPWARDS
